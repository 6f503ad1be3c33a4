/** Bodies of many megabytes, which are made as they are sent: nothing of them is joined, escaped or encoded at once. */

/** A body of known length, so that a truncated one is recognised; `Form` is one too. */
export interface StreamedBody extends Iterable<Uint8Array> {
  readonly contentType: string
  readonly byteLength: number
}

export const isStreamed = (body: object): body is StreamedBody => Symbol.iterator in body

/** Bytes as they are. */
export const rawBody = (contentType: string, bytes: Uint8Array): StreamedBody => ({
  contentType,
  byteLength: bytes.length,
  [Symbol.iterator]: () => [bytes].values(),
})

/** Whole groups of three bytes, each of which is four characters of Base64. */
const sliceBytes = 48 * 1_024

/** JSON with these bytes in Base64 between two pieces of it. */
export function base64Body(before: string, bytes: Uint8Array, after: string): StreamedBody {
  const [head, tail] = [Buffer.from(before), Buffer.from(after)]
  return {
    contentType: 'application/json',
    byteLength: head.length + Math.ceil(bytes.length / 3) * 4 + tail.length,
    *[Symbol.iterator]() {
      yield head
      for (let at = 0; at < bytes.length; at += sliceBytes) {
        const slice = bytes.subarray(at, at + sliceBytes)
        yield Buffer.from(
          Buffer.from(slice.buffer, slice.byteOffset, slice.byteLength).toString('base64'),
          'latin1',
        )
      }
      yield tail
    },
  }
}
