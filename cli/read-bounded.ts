/** Reads files that people name: never more than fits, whatever stands behind the name. */
import { open } from 'node:fs/promises'
import { type BilingualText, refuse } from './command.ts'
import { phrases } from './phrases.ts'

/** The bytes of a file. A file that is too large is refused before it is read if its size says so, else at the first byte too many. */
export async function readBounded(
  place: string,
  maxBytes: number,
  tooLarge: BilingualText = phrases.fileTooLarge(place, maxBytes),
): Promise<Buffer> {
  try {
    await using file = await open(place)
    const { size } = await file.stat()
    if (size > maxBytes) refuse('FILE_TOO_LARGE', tooLarge)
    return await readStream(file.createReadStream({ autoClose: false }), maxBytes, tooLarge)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    return refuse('FILE_NOT_READ', phrases.fileNotRead(place, (error as Error).message))
  }
}

export async function readStream(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLarge: BilingualText,
): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of stream) {
    bytes += piece.length
    if (bytes > maxBytes) refuse('FILE_TOO_LARGE', tooLarge)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** Decodes UTF-8 without a byte order mark; undefined for other bytes. */
export function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
