import { isAscii } from 'node:buffer'
import { createHash, type Hash } from 'node:crypto'
import { ftruncateSync, writeSync } from 'node:fs'
import type { ByteSpan } from './json-cursor.ts'

/** Characters that are decoded at once: a multiple of four. */
const partCharacters = 256 * 1024
const equals = 0x3d

export interface WrittenContent {
  sha256: string
  offset: number
}

/** Decodes contents into one file, one after another; a content that came before is not written again. */
export class PackWriter {
  readonly #file: number
  readonly #body: Buffer
  readonly #part = Buffer.allocUnsafe((partCharacters / 4) * 3)
  readonly #known = new Map<string, number>()
  #hash: Hash = createHash('sha256')
  #bytes = 0

  /** `body`: holds the contents. */
  constructor(file: number, body: Buffer) {
    this.#file = file
    this.#body = body
  }

  /** Writes the bytes that this Base64 stands for; undefined where the text is no Base64. */
  write(content: ByteSpan): WrittenContent | undefined {
    const one = createHash('sha256')
    const all = this.#hash.copy()
    const offset = this.#bytes
    let end = offset
    const isWhole = this.#decode(content, (part) => {
      one.update(part)
      all.update(part)
      writeAll(this.#file, part, end)
      end += part.length
    })
    if (!isWhole) return undefined
    const sha256 = one.digest('hex')
    const known = this.#known.get(sha256)
    if (known !== undefined) return { sha256, offset: known }
    this.#known.set(sha256, offset)
    this.#hash = all
    this.#bytes = end
    return { sha256, offset }
  }

  /** Cuts the file at its end, and returns its size and hash. */
  end(): { bytes: number; sha256: string } {
    ftruncateSync(this.#file, this.#bytes)
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }

  /** Decodes Base64 of RFC 4648 §4: standard alphabet, whole padding, no white space. False for any other text. The length is a multiple of four. */
  #decode({ start, end }: ByteSpan, take: (part: Buffer) => void): boolean {
    const padding = this.#paddingAt(start, end)
    if (padding === undefined || !isAscii(this.#body.subarray(start, end))) return false
    for (let at = start; at < end; at += partCharacters) {
      const stop = Math.min(at + partCharacters, end)
      const text = this.#body.toString('latin1', at, stop)
      // Node takes the URL alphabet for the standard one, and skips characters that are in neither: then fewer bytes come out.
      if (text.includes('-') || text.includes('_')) return false
      const due = ((stop - at) / 4) * 3 - (stop === end ? padding : 0)
      if (this.#part.write(text, 'base64') !== due) return false
      take(this.#part.subarray(0, due))
    }
    return true
  }

  /** The number of padding characters; undefined where padding stands before the end. */
  #paddingAt(start: number, end: number): number | undefined {
    const found = this.#body.subarray(start, end).indexOf(equals)
    if (found < 0) return 0
    const padding = end - start - found
    return padding === 1 || (padding === 2 && this.#body[end - 1] === equals) ? padding : undefined
  }
}

/** Writes all of a part: a disk that runs full may write only some of it. */
function writeAll(file: number, part: Buffer, position: number): void {
  for (let at = 0; at < part.length; ) at += writeSync(file, part, at, part.length - at, position + at)
}
