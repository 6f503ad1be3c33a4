import { NotJson } from '#platform/json'

const quote = 0x22
const comma = 0x2c
const slash = 0x2f
const colon = 0x3a
const backslash = 0x5c
const openList = 0x5b
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

export type ValueKind = 'string' | 'object' | 'list' | 'number' | 'true' | 'false' | 'null'

/** The bytes of a string between its quotes. */
export interface ByteSpan {
  start: number
  end: number
}

/**
 * Reads a JSON text whose shape is known, from front to back, without making values of it: strings of many megabytes stay the bytes that they are.
 * The bytes must be UTF-8. A caller that meets a value which does not belong there stops reading, so nothing is ever skipped. Throws `NotJson`.
 */
export class JsonCursor {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The kind of the value that comes next; nothing of it is read. */
  kind(): ValueKind {
    const byte = this.#next()
    if (byte === quote) return 'string'
    if (byte === openObject) return 'object'
    if (byte === openList) return 'list'
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return 'number'
    for (const word of words)
      if (this.#bytes.toString('latin1', this.#at, this.#at + word.length) === word) return word
    return this.#refuse()
  }

  /** Reads `true`, `false` or `null`. */
  word(kind: 'true' | 'false' | 'null'): void {
    this.#at += kind.length
  }

  /** Calls `read` for each member, whose value it must read. */
  object(read: (name: string) => void): void {
    this.#members(openObject, closeObject, () => {
      if (this.#next() !== quote) this.#refuse()
      const name = this.name()
      this.#expect(colon)
      read(name)
    })
  }

  /** Calls `read` for each member, which it must read. */
  list(read: (index: number) => void): void {
    this.#members(openList, closeList, read)
  }

  /** Reads a string of at most `maxBytes` bytes; undefined where it is longer. */
  text(maxBytes: number): string | undefined {
    const range = this.range()
    return range.end - range.start > maxBytes ? undefined : this.#parsed(range)
  }

  /** Reads the name of a member. The beginning of a longer name is enough to refuse it. */
  name(): string {
    const { start, end } = this.range()
    return end - start <= maxNameBytes
      ? this.#parsed({ start, end })
      : this.#bytes.toString('utf8', start, start + maxNameBytes)
  }

  /** Reads a string, and returns its bytes as they stand. */
  range(): ByteSpan {
    const start = this.#at + 1
    const end = this.#closing(start)
    this.#at = end + 1
    return { start, end }
  }

  /** Reads a string of ASCII, its escapes resolved in place: an escape that is not ASCII becomes a byte that is not either. */
  ascii(): ByteSpan {
    const range = this.range()
    return this.#bytes.subarray(range.start, range.end).includes(backslash) ? this.#unescape(range) : range
  }

  /** Ends the text: nothing but white space may follow. */
  end(): void {
    if (this.#skipSpace() < this.#bytes.length) this.#refuse()
  }

  #members(open: number, close: number, read: (index: number) => void): void {
    this.#expect(open)
    for (let index = 0; index > 0 || this.#next() !== close; index++) {
      read(index)
      if (this.#next() === close) break
      this.#expect(comma)
    }
    this.#expect(close)
  }

  #unescape({ start, end }: ByteSpan): ByteSpan {
    const bytes = this.#bytes
    let to = start
    for (let from = start; from < end; ) {
      const found = bytes.indexOf(backslash, from)
      const stop = found < 0 ? end : Math.min(found, end)
      bytes.copyWithin(to, from, stop)
      to += stop - from
      from = stop
      if (from === end) break
      const length = bytes[from + 1] === 0x75 ? 6 : 2
      bytes[to++] = this.#escaped(from, Math.min(from + length, end))
      from += length
    }
    return { start, end: to }
  }

  /** The byte that an escape stands for. Encoders that escape every slash are common. */
  #escaped(start: number, end: number): number {
    if (this.#bytes[start + 1] === slash) return slash
    const code = parsed(`"${this.#bytes.toString('utf8', start, end)}"`).charCodeAt(0)
    return code < 0x80 ? code : 0xff
  }

  /** Index of the quote that ends the string. */
  #closing(start: number): number {
    const bytes = this.#bytes
    for (let end = bytes.indexOf(quote, start); end >= 0; end = bytes.indexOf(quote, end + 1)) {
      let slashes = 0
      while (bytes[end - 1 - slashes] === backslash) slashes++
      if (slashes % 2 === 0) return end
    }
    throw new NotJson({ kind: 'endsEarly' })
  }

  #parsed({ start, end }: ByteSpan): string {
    return parsed(this.#bytes.toString('utf8', start - 1, end + 1))
  }

  #expect(byte: number): void {
    if (this.#next() !== byte) this.#refuse()
    this.#at++
  }

  /** The next byte that is no white space. */
  #next(): number {
    const at = this.#skipSpace()
    if (at === this.#bytes.length) throw new NotJson({ kind: 'endsEarly' })
    return this.#bytes[at]!
  }

  #skipSpace(): number {
    const bytes = this.#bytes
    let at = this.#at
    while (at < bytes.length && isSpace(bytes[at]!)) at++
    this.#at = at
    return at
  }

  #refuse(): never {
    throw new NotJson({ kind: 'unexpected', at: charactersOf(this.#bytes, this.#at) })
  }
}

function parsed(string: string): string {
  try {
    return JSON.parse(string) as string
  } catch {
    throw new NotJson({ kind: 'unreadable' })
  }
}

const words = ['true', 'false', 'null'] as const
/** The longest name that is read as a whole, longer than every name that is known. */
const maxNameBytes = 200

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09

/** UTF-16 units of the UTF-8 before `end`. */
function charactersOf(bytes: Buffer, end: number): number {
  let count = 0
  for (let at = 0; at < end; at++) {
    const byte = bytes[at]!
    if ((byte & 0xc0) !== 0x80) count += byte >= 0xf0 ? 2 : 1
  }
  return count
}
