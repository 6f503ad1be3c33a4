import { type Codec, type CodecOptions, noBytes } from './codec.ts'
import { pcmOf } from './pcm.ts'

/** Signed 16-bit PCM without any header: the rate has to be stated beside it. */
export const openPcm = (rate: number): Codec => ({
  rate,
  write: pcmOf,
  end: () => noBytes,
  close: () => {},
})

/** RIFF WAVE, 16-bit mono. In a stream both sizes are 0xFFFFFFFF, as writers to a pipe leave them. A note stands in the INFO chunk. */
export function openWav(rate: number, { note }: CodecOptions): Codec {
  let head = headOf(rate, Number.POSITIVE_INFINITY, note)
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
    wholeHead: () => headOf(rate, 2 * taken, note),
    close: () => {},
  }
}

const unknownLength = 0xffff_ffff

/** The head of a file with `dataBytes` bytes of 16-bit samples in one channel. */
export const wavHead = (rate: number, dataBytes: number): Uint8Array => headOf(rate, dataBytes)

function headOf(rate: number, dataBytes: number, note?: string): Uint8Array {
  const info = note === undefined ? noBytes : infoOf(note)
  const head = Buffer.alloc(44 + info.length)
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
  head.set(info, 36)
  head.write('data', head.length - 8)
  head.writeUInt32LE(Math.min(unknownLength, dataBytes), head.length - 4)
  return head
}

/** A chunk with one comment, of an even number of bytes. */
function infoOf(note: string): Uint8Array {
  const text = Buffer.from(`${note}\0`)
  const padded = text.length + (text.length % 2)
  const list = Buffer.alloc(20 + padded)
  list.write('LIST')
  list.writeUInt32LE(12 + padded, 4)
  list.write('INFOICMT', 8)
  list.writeUInt32LE(text.length, 16)
  text.copy(list, 20)
  return list
}
