/** Takes the sound out of one untrusted file, writes it into its folder and ends. Started by open-recording.ts, confined. */
import { answer } from '#platform/confined-process'
import { type Container, type Unpacked, unpack, unpackBytes } from './container/unpack.ts'
import { SoundError, type SoundFault } from './fault.ts'

export type Failed = { fault: SoundFault; codec: string | undefined }
/** `packets` are there where nothing was written, in Base64. */
export type UnpackAnswer = Failed | (Unpacked & { packets?: string })
/** A file and where its packets are written; or the bytes of a short one, whose packets are answered. */
export type UnpackInput = { container: Container } & ({ file: string; place: string } | { bytes: Uint8Array })

await answer<UnpackInput>(async ({ container, ...input }): Promise<UnpackAnswer> => {
  try {
    if ('file' in input) return await unpack(input.file, container, input.place)
    const { packets, ...unpacked } = await unpackBytes(input.bytes, container)
    return { ...unpacked, packets: packets.toString('base64') }
  } catch (error) {
    if (error instanceof SoundError) return { fault: error.fault, codec: error.codec }
    // mediabunny has no class for what it cannot read: it fails where it stumbles.
    return { fault: 'malformed', codec: undefined }
  }
})
