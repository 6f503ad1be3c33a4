/** Decodes one untrusted file into another, in its folder, and ends. decode-track.ts starts this process, confined. */
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { runConfinedWork } from '#platform/confined-process'
import type { CountedSound } from './decode.ts'
import { decodePcm } from './decode-pcm.ts'
import { SoundError } from './fault.ts'
import type { SoundFailure } from './unpack-process.ts'

export type DecodeAnswer = SoundFailure | CountedSound
export interface DecodeInput {
  file: string
  mediaType: string
  maxSeconds: number
  /** The path of the file that is written, in its folder. */
  place: string
}

/** How many bytes are written at once. */
const chunkBytes = 1 << 18

await runConfinedWork<DecodeInput>(async ({ file, mediaType, maxSeconds, place }): Promise<DecodeAnswer> => {
  const written = openSync(place, 'wx', 0o644)
  const held = Buffer.alloc(chunkBytes)
  let heldBytes = 0
  const writeAll = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length; ) at += writeSync(written, bytes, at)
  }
  const flush = (): void => {
    writeAll(held.subarray(0, heldBytes))
    heldBytes = 0
  }
  try {
    const chunks = createReadStream(file, { highWaterMark: chunkBytes })
    const counted = await decodePcm(chunks, { mediaType, maxSeconds, isConfined: true }, (pcm) => {
      if (heldBytes + pcm.length > chunkBytes) flush()
      if (pcm.length > chunkBytes) return writeAll(pcm)
      held.set(pcm, heldBytes)
      heldBytes += pcm.length
    })
    flush()
    return counted
  } catch (error) {
    if (error instanceof SoundError) return { fault: error.fault, codec: error.codec }
    throw error
  } finally {
    closeSync(written)
  }
})
