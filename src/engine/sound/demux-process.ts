/** Takes the sound out of one untrusted file and ends. Started by recordings.ts, confined. */
import { answer } from '#platform/confined-process'
import { type Container, demux } from './container/demux.ts'
import { SoundError } from './fault.ts'
import type { DemuxAnswer } from './recordings.ts'

await answer<{ bytes: Uint8Array; container: Container }>(
  async ({ bytes, container }): Promise<DemuxAnswer> => {
    try {
      const { bytes: sound, ...rest } = await demux(
        Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
        container,
      )
      return { ...rest, base64: Buffer.from(sound).toString('base64') }
    } catch (error) {
      if (error instanceof SoundError) return { fault: error.fault, codec: error.codec }
      // mediabunny has no class for what it cannot read: it fails where it stumbles.
      return { fault: 'malformed', codec: undefined }
    }
  },
)
