/** Takes the sound out of one untrusted file, writes it into its folder and ends. track.ts starts this process, confined. */
import { runConfinedWork } from '#platform/confined-process'
import {
  type Container,
  type UnknownSound,
  type UnpackedSound,
  unpack,
  unpackBytes,
} from './container/unpack.ts'
import { SoundError, type SoundFault } from './fault.ts'

export type SoundFailure = { fault: SoundFault; codec: string | undefined }
/** `packets` is there, in Base64, where no file was written. */
export type UnpackAnswer = SoundFailure | (UnpackedSound & { packets?: string }) | UnknownSound
/** A file and where its packets are written; or the bytes of a short file, whose packets are returned. */
export type UnpackInput = { container: Container } & ({ file: string; place: string } | { bytes: Uint8Array })

await runConfinedWork<UnpackInput>(async ({ container, ...input }): Promise<UnpackAnswer> => {
  try {
    if ('file' in input) return await unpack(input.file, container, input.place)
    const unpacked = await unpackBytes(input.bytes, container)
    return 'unknown' in unpacked ? unpacked : { ...unpacked, packets: unpacked.packets.toString('base64') }
  } catch (error) {
    if (error instanceof SoundError) return { fault: error.fault, codec: error.codec }
    // mediabunny has no error class for a file that it cannot read, and may fail with any error.
    return { fault: 'malformed', codec: undefined }
  }
})
