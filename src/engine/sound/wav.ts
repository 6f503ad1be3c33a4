import { type Codec, type CodecOptions, noBytes } from './codec.ts'
import { pcmOf } from './pcm.ts'

/** Signed 16-bit PCM without any header: the rate has to be told beside it. */
export const openPcm = ({ rate }: CodecOptions): Codec => ({
  rate,
  write: pcmOf,
  end: () => noBytes,
  close: () => {},
})

/** RIFF WAVE, 16-bit mono. Where the length is not known both sizes are 0xFFFFFFFF, as writers to a pipe leave them. */
export function openWav({ rate, note, samples }: CodecOptions): Codec {
  let header: Uint8Array | undefined = headerOf(rate, note, samples)
  const afterHeader = (bytes: Uint8Array): Uint8Array => {
    if (header === undefined) return bytes
    const first = Buffer.concat([header, bytes])
    header = undefined
    return first
  }
  return {
    rate,
    write: (piece) => afterHeader(pcmOf(piece)),
    end: () => afterHeader(noBytes),
    close: () => {},
  }
}

const unknownLength = 0xffff_ffff

function headerOf(rate: number, note: string | undefined, samples: number | undefined): Uint8Array {
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0) // PCM
  format.writeUInt16LE(1, 2) // channels
  format.writeUInt32LE(rate, 4)
  format.writeUInt32LE(2 * rate, 8)
  format.writeUInt16LE(2, 12) // bytes of a frame
  format.writeUInt16LE(16, 14) // bits of a sample
  const body = Buffer.concat([Buffer.from('WAVE'), chunkOf('fmt ', format), note ? infoOf(note) : noBytes])
  const data = samples === undefined ? unknownLength : 2 * samples
  // A file beyond 4 GB has no exact length in RIFF.
  const whole = Math.min(unknownLength, data + body.length + 8)
  return Buffer.concat([
    Buffer.from('RIFF'),
    numberOf(whole),
    body,
    Buffer.from('data'),
    numberOf(Math.min(unknownLength, data)),
  ])
}

/** A LIST of RIFF information with one comment. */
const infoOf = (note: string): Uint8Array =>
  chunkOf('LIST', Buffer.concat([Buffer.from('INFO'), chunkOf('ICMT', Buffer.from(`${note}\0`))]))

/** A chunk of RIFF begins at an even place. */
const chunkOf = (name: string, body: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(name), numberOf(body.length), body, Buffer.alloc(body.length % 2)])

function numberOf(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
