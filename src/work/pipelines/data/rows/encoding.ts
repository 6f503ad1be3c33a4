/** Detects the encoding of a text file from all of its bytes. */
import { createReadStream } from 'node:fs'

export type TextFileEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1256'

/** If valid UTF-8 sequences outnumber invalid ones by this factor, the invalid ones are damage and not another encoding. */
const minValidRatio = 20

export async function encodingOf(path: string): Promise<TextFileEncoding> {
  const counts = { valid: 0, broken: 0, due: 0, zeros: [0, 0] as [number, number], at: 0 }
  let bomEncoding: TextFileEncoding | undefined
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    if (counts.at === 0) bomEncoding = encodingOfBom(chunk)
    if (bomEncoding) return bomEncoding
    count(chunk, counts)
  }
  const [even, odd] = counts.zeros
  const half = counts.at / 2
  // Latin letters, digits, separators and ends of lines have a zero beside them in UTF-16.
  if (Math.max(even, odd) > 0.15 * half && Math.min(even, odd) < 0.02 * half + 1)
    return odd > even ? 'utf-16le' : 'utf-16be'
  return counts.broken === 0 || counts.valid > minValidRatio * counts.broken ? 'utf-8' : 'windows-1256'
}

function encodingOfBom(chunk: Buffer): TextFileEncoding | undefined {
  if (chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) return 'utf-8'
  if (chunk[0] === 0xff && chunk[1] === 0xfe) return 'utf-16le'
  return chunk[0] === 0xfe && chunk[1] === 0xff ? 'utf-16be' : undefined
}

interface ByteCounts {
  valid: number
  broken: number
  /** Bytes still missing in the current sequence. */
  due: number
  /** The number of zero bytes at even and at odd positions. */
  zeros: [number, number]
  at: number
}

function count(chunk: Buffer, counts: ByteCounts): void {
  let { due } = counts
  const parity = counts.at & 1
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at]!
    if (byte < 0x80) {
      if (byte === 0) counts.zeros[((at + parity) & 1) as 0 | 1] += 1
      if (due > 0) {
        counts.broken += 1
        due = 0
      }
    } else if (byte < 0xc0) {
      if (due === 0) counts.broken += 1
      else {
        due -= 1
        if (due === 0) counts.valid += 1
      }
    } else {
      if (due > 0 || byte > 0xf4) counts.broken += 1
      due = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : byte <= 0xf4 ? 3 : 0
    }
  }
  counts.due = due
  counts.at += chunk.length
}

/** The text of a file, piece by piece; a piece never ends within a character. */
export async function* textOf(path: string, encoding: TextFileEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  const rest = decoder.decode()
  if (rest !== '') yield rest
}
