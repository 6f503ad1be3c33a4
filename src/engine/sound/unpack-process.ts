/** Takes the sound out of one untrusted file, writes it into its folder and ends. Started by open-recording.ts, confined. */
import { answer } from '#platform/confined-process'
import { type Container, type Unpacked, unpack } from './container/unpack.ts'
import { SoundError, type SoundFault } from './fault.ts'

export type Failed = { fault: SoundFault; codec: string | undefined }
export type UnpackAnswer = Failed | Unpacked
export interface UnpackInput {
  file: string
  container: Container
  /** What is written, in its folder. */
  place: string
}

await answer<UnpackInput>(async ({ file, container, place }): Promise<UnpackAnswer> => {
  try {
    return await unpack(file, container, place)
  } catch (error) {
    if (error instanceof SoundError) return { fault: error.fault, codec: error.codec }
    // mediabunny has no class for what it cannot read: it fails where it stumbles.
    return { fault: 'malformed', codec: undefined }
  }
})
