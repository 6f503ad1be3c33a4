/** Bodies of many megabytes, which are made as they are sent: nothing of them is joined, escaped or encoded at once. */
import type { SoundBytes } from '#core/turn'

/** A body of known length, so that a truncated one is recognised; `Form` is one too. */
export type StreamedBody = {
  readonly contentType: string
  readonly byteLength: number
} & (Iterable<Uint8Array> | AsyncIterable<Uint8Array>)

export const isStreamed = (body: object): body is StreamedBody =>
  Symbol.iterator in body || Symbol.asyncIterator in body

/** The parts of a file that is sent: it is in memory, or read as it is sent. */
export const partsOf = (bytes: SoundBytes): Iterable<Uint8Array> | AsyncIterable<Uint8Array> =>
  bytes instanceof Uint8Array ? [bytes] : bytes

/** A body of bytes as they are. */
export const rawBody = (contentType: string, bytes: SoundBytes): StreamedBody => ({
  contentType,
  byteLength: bytes.byteLength,
  async *[Symbol.asyncIterator]() {
    yield* partsOf(bytes)
  },
})

/** Whole groups of three bytes, each of which is four characters of Base64. */
const sliceBytes = 48 * 1_024

/** A body of JSON with these bytes in Base64 between two pieces of it. */
export function base64Body(before: string, bytes: SoundBytes, after: string): StreamedBody {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)]
  return {
    contentType: 'application/json',
    byteLength: head.length + Math.ceil(bytes.byteLength / 3) * 4 + tail.length,
    async *[Symbol.asyncIterator]() {
      yield head
      let held: Buffer = Buffer.alloc(0)
      for await (const part of partsOf(bytes))
        for (let at = 0; at < part.length; at += sliceBytes) {
          const slice = part.subarray(at, at + sliceBytes)
          const whole = held.length > 0 ? Buffer.concat([held, slice]) : bufferOf(slice)
          const groups = whole.length - (whole.length % 3)
          if (groups > 0) yield base64Of(whole.subarray(0, groups))
          held = whole.subarray(groups)
        }
      if (held.length > 0) yield base64Of(held)
      yield tail
    },
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)
const base64Of = (bytes: Buffer): Buffer => Buffer.from(bytes.toString('base64'), 'latin1')
