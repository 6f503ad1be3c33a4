import { type Codec, noBytes } from './codec.ts'
import { pcmOf } from './pcm.ts'

/** Signed 16-bit PCM without any header: the rate has to be told beside it. */
export const openPcm = (rate: number): Codec => ({
  rate,
  write: pcmOf,
  end: () => noBytes,
  close: () => {},
})

/** RIFF WAVE, 16-bit mono. As it streams both sizes are 0xFFFFFFFF, as writers to a pipe leave them. */
export function openWav(rate: number): Codec {
  let head = headOf(rate, Number.POSITIVE_INFINITY)
  let taken = 0
  const afterHead = (bytes: Uint8Array): Uint8Array => {
    const whole = Buffer.concat([head, bytes])
    head = noBytes
    return whole
  }
  return {
    rate,
    write: (samples) => {
      taken += samples.length
      return afterHead(pcmOf(samples))
    },
    end: () => afterHead(noBytes),
    wholeHead: () => headOf(rate, 2 * taken),
    close: () => {},
  }
}

const unknownLength = 0xffff_ffff

function headOf(rate: number, dataBytes: number): Uint8Array {
  const head = Buffer.alloc(44)
  head.write('RIFF')
  // A file beyond 4 GB has no exact length in RIFF.
  head.writeUInt32LE(Math.min(unknownLength, dataBytes + head.length - 8), 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16) // bytes of this chunk
  head.writeUInt16LE(1, 20) // PCM
  head.writeUInt16LE(1, 22) // channels
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(2 * rate, 28)
  head.writeUInt16LE(2, 32) // bytes of a frame
  head.writeUInt16LE(16, 34) // bits of a sample
  head.write('data', 36)
  head.writeUInt32LE(Math.min(unknownLength, dataBytes), 40)
  return head
}
