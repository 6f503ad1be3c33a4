import path from 'node:path'
import { decodeBase64InSlices } from '#platform/bytes'
import { type Confine, type FindIsolation, openConfinement, type Requester } from '#platform/confined'
import type { Log } from '#platform/log'
import { beginsLikeMp4 } from './container/boxes.ts'
import type { Container, Demuxed } from './container/demux.ts'
import { type DecodeOptions, decodeSound } from './decode.ts'
import { SoundError, type SoundFault } from './fault.ts'
import type { Sound } from './pcm.ts'
import type { OpenRecording } from './recording.ts'
import { trimmed } from './trim.ts'

/**
 * Decodes whole files as people record them: what `decodeSound` reads, and the first audio track of WebM, Matroska, MP4 and QuickTime, with
 * Opus, FLAC, MP3 or PCM in it. Throws `SoundError` and the signal's reason.
 */
export interface Recordings {
  decode(bytes: Uint8Array, requester: Requester, options?: DecodeOptions): AsyncGenerator<Sound>
  /** Recognises and measures a file, of which spans are read then. `busy` where too many wait. */
  open: OpenRecording
}

export type DemuxAnswer =
  | { fault: SoundFault; codec: string | undefined }
  | (Omit<Demuxed, 'bytes'> & { base64: string })

const places = { working: 2, waiting: 64 }
/** CPU time. Recordings of an hour take a tenth of it. */
const timeoutMs = 5_000
/** Of a file that a request brings, in Base64, with room for pages around packets of some bytes. */
const maxOutputBytes = 64 * 1024 * 1024

export function openRecordings(log: Log, isolation?: FindIsolation): Recordings {
  const confine = openConfinement(log, places, isolation)
  return {
    open: async () => {
      throw new SoundError('unsupported')
    },
    async *decode(bytes, requester, options) {
      const container = containerOf(bytes)
      if (!container) return yield* decodeSound([bytes], options)
      const mediaType = mediaTypes[container]
      try {
        const { bytes: sound, ...part } = await demuxed(confine, { bytes, container }, requester)
        yield* trimmed(decodeSound([sound], options), part)
      } catch (error) {
        if (!(error instanceof SoundError)) throw error
        throw new SoundError(error.fault, mediaType, error.codec)
      }
    },
  }
}

const mediaTypes = { matroska: 'audio/webm', mp4: 'audio/mp4' } as const

function containerOf(bytes: Uint8Array): Container | undefined {
  if (bytes[0] === 0x1a && bytes[1] === 0x45 && bytes[2] === 0xdf && bytes[3] === 0xa3) return 'matroska'
  return beginsLikeMp4(bytes) ? 'mp4' : undefined
}

async function demuxed(
  confine: Confine,
  input: { bytes: Uint8Array; container: Container },
  requester: Requester,
): Promise<Demuxed> {
  const outcome = await confine({
    ...requester,
    module: path.join(import.meta.dirname, 'demux-process.ts'),
    input,
    timeoutMs,
    maxOutputBytes,
  })
  if ('lost' in outcome) throw new SoundError(outcome.lost === 'busy' ? 'busy' : 'malformed')
  const answer = outcome.value as DemuxAnswer
  if ('fault' in answer) throw new SoundError(answer.fault, undefined, answer.codec)
  const { base64, ...part } = answer
  const bytes = await decodeBase64InSlices(base64)
  if (!bytes) throw new SoundError('malformed')
  return { ...part, bytes }
}
