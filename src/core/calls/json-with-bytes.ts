/** JSON that contains large Base64 texts: they are encoded slice by slice while they are sent, so that no answer holds the event loop. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { type ContentAnswer, content } from '#platform/http'

/** Bytes that stand in JSON as a Base64 text. */
export class Base64Bytes {
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/** A part of a JSON text; the parts are sent in their order. */
type JsonPiece = string | Base64Bytes

/** Returns the JSON text of `body`, which may contain `Base64Bytes` at any place. */
export function jsonPieces(body: unknown): JsonPiece[] {
  const found: Base64Bytes[] = []
  const mark = randomUUID()
  const text = JSON.stringify(body, (_key, value: unknown) => {
    if (!(value instanceof Base64Bytes)) return value
    found.push(value)
    return mark
  })
  return text.split(mark).flatMap((part, index) => (index === 0 ? [part] : [found[index - 1]!, part]))
}

/** The bytes of the pieces in UTF-8. */
export const lengthOf = (pieces: readonly JsonPiece[]): number =>
  pieces.reduce(
    (sum, piece) =>
      sum + (typeof piece === 'string' ? Buffer.byteLength(piece) : 4 * Math.ceil(piece.bytes.length / 3)),
    0,
  )

/** The whole text, for answers that are small. */
export const textOf = (pieces: readonly JsonPiece[]): string =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : base64(piece.bytes))).join('')

/** An answer that is encoded while it is sent. */
export const jsonContent = (pieces: readonly JsonPiece[]): ContentAnswer =>
  content({
    mediaType: 'application/json',
    bytes: lengthOf(pieces),
    json: () => textOf(pieces),
    open: () => Readable.from(encoded(pieces)),
  })

/** A multiple of three, so that no slice ends in padding. */
const sliceBytes = 3 * 64 * 1024

function* encoded(pieces: readonly JsonPiece[]): Generator<Buffer> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield Buffer.from(piece)
    else
      for (let at = 0; at < piece.bytes.length; at += sliceBytes)
        yield Buffer.from(base64(piece.bytes.subarray(at, at + sliceBytes)), 'latin1')
  }
}

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')
