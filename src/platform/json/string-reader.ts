import { NotJson } from './not-json.ts'

const quote = 0x22
const backslash = 0x5c
const letterU = 0x75
/** Long strings that are not plain ASCII are decoded in parts of about this many bytes. */
const partBytes = 256 * 1024

/** Reads one string of a JSON text piece by piece. The bytes must be UTF-8. */
export class StringReader {
  /** The decoded string; undefined until it is complete. */
  text: string | undefined
  /** The position after the bytes read so far; at the end, after the closing quote. */
  at: number
  readonly #bytes: Buffer
  readonly #start: number
  /** Positions between two characters, at which a long string can be split. */
  readonly #cuts: number[] = []
  #lastCut: number
  /** From this position on, no position is inside an escape sequence. */
  #clearFrom: number
  #isEscaped = false
  #isAscii = true
  #isScanned = false
  readonly #parts: string[] = []

  /** `start` is the position after the opening quote. */
  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes
    this.#start = start
    this.#lastCut = start
    this.#clearFrom = start
    this.at = start
  }

  /** Reads about `work` bytes; returns how many were read. Throws `NotJson`. */
  run(work: number): number {
    if (!this.#isScanned) return this.#scan(work)
    return this.#decode()
  }

  #scan(work: number): number {
    const bytes = this.#bytes
    const begun = this.at
    const end = Math.min(bytes.length, begun + work)
    let at = begun
    let high = 0
    while (at < end) {
      const byte = bytes[at]!
      if (byte === quote) return this.#finish(at, high, begun)
      if (byte < 0x20) throw this.#unexpected(at)
      high |= byte
      if (byte === backslash) {
        this.#isEscaped = true
        // Only the second character of an escape matters here: `\"` does not end the string.
        at++
        this.#clearFrom = at + (bytes[at] === letterU ? 5 : 1)
      }
      at++
    }
    if (at >= bytes.length) throw new NotJson({ kind: 'endsEarly' })
    this.#isAscii &&= high < 0x80
    this.at = at
    if (at - this.#lastCut >= partBytes && at >= this.#clearFrom) this.#cut()
    return at - begun
  }

  #cut(): void {
    let place = this.at
    while ((this.#bytes[place]! & 0xc0) === 0x80) place++
    this.#cuts.push(place)
    this.#lastCut = place
  }

  #finish(at: number, high: number, begun: number): number {
    this.#isAscii &&= high < 0x80
    this.at = at
    this.#isScanned = true
    // Long strings are decoded in parts, because V8 would allocate a string of more than a megabyte outside its heap, where memory is returned late.
    if (this.#isAscii && !this.#isEscaped && this.#cuts.length === 0) {
      this.text = this.#bytes.toString('latin1', this.#start, at)
      this.at = at + 1
    } else {
      this.#cuts.push(at)
      this.#lastCut = this.#start
      if (this.#cuts.length === 1) this.#decode()
    }
    return at - begun
  }

  /** Decodes one part of the string. */
  #decode(): number {
    const end = this.#cuts[this.#parts.length]!
    const start = this.#lastCut
    const raw = this.#bytes.toString('utf8', start, end)
    this.#parts.push(this.#isEscaped ? this.#unescaped(raw, start) : raw)
    this.#lastCut = end
    if (this.#parts.length === this.#cuts.length) {
      this.text = this.#parts.length === 1 ? this.#parts[0]! : this.#parts.join('')
      this.at = end + 1
    }
    return end - start
  }

  #unescaped(raw: string, start: number): string {
    try {
      return JSON.parse(`"${raw}"`) as string
    } catch {
      throw this.#unexpected(start)
    }
  }

  #unexpected(at: number): NotJson {
    return new NotJson({ kind: 'unexpected', at: this.#bytes.toString('utf8', 0, at).length })
  }
}
