/** Detects the encoding of a text file from all of its bytes. */
import { createReadStream } from 'node:fs'

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1256'

/** If valid UTF-8 sequences outnumber invalid ones by this factor, the invalid ones are damage and not another encoding. */
const trust = 20

export async function encodingOf(path: string): Promise<Encoding> {
  const counted = { valid: 0, broken: 0, due: 0, zeros: [0, 0] as [number, number], at: 0 }
  let marked: Encoding | undefined
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    if (counted.at === 0) marked = markOf(chunk)
    if (marked) return marked
    count(chunk, counted)
  }
  const [even, odd] = counted.zeros
  const half = counted.at / 2
  // Latin letters, digits, separators and ends of lines have a zero beside them in UTF-16.
  if (Math.max(even, odd) > 0.15 * half && Math.min(even, odd) < 0.02 * half + 1)
    return odd > even ? 'utf-16le' : 'utf-16be'
  return counted.broken === 0 || counted.valid > trust * counted.broken ? 'utf-8' : 'windows-1256'
}

function markOf(chunk: Buffer): Encoding | undefined {
  if (chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf) return 'utf-8'
  if (chunk[0] === 0xff && chunk[1] === 0xfe) return 'utf-16le'
  return chunk[0] === 0xfe && chunk[1] === 0xff ? 'utf-16be' : undefined
}

interface Counted {
  valid: number
  broken: number
  /** Bytes still missing in the current sequence. */
  due: number
  /** The number of zero bytes at even and at odd positions. */
  zeros: [number, number]
  at: number
}

function count(chunk: Buffer, counted: Counted): void {
  let { due } = counted
  const parity = counted.at & 1
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at]!
    if (byte < 0x80) {
      if (byte === 0) counted.zeros[((at + parity) & 1) as 0 | 1] += 1
      if (due > 0) {
        counted.broken += 1
        due = 0
      }
    } else if (byte < 0xc0) {
      if (due === 0) counted.broken += 1
      else {
        due -= 1
        if (due === 0) counted.valid += 1
      }
    } else {
      if (due > 0 || byte > 0xf4) counted.broken += 1
      due = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : byte <= 0xf4 ? 3 : 0
    }
  }
  counted.due = due
  counted.at += chunk.length
}

/** The text of a file, piece by piece; a piece never ends within a character. */
export async function* textOf(path: string, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 18 }) as AsyncIterable<Buffer>) {
    const text = decoder.decode(chunk, { stream: true })
    if (text !== '') yield text
  }
  const rest = decoder.decode()
  if (rest !== '') yield rest
}
