/** A text that is read from left to right. */
export class TextReader {
  readonly text: string
  offset = 0

  constructor(text: string) {
    this.text = text
  }

  get next(): string | undefined {
    return this.text[this.offset]
  }

  get isOver(): boolean {
    return this.offset >= this.text.length
  }

  /** Whether one of these characters stands here. */
  isAt(...characters: string[]): boolean {
    return !this.isOver && characters.includes(this.text[this.offset]!)
  }

  startsWith(words: string): boolean {
    return this.text.startsWith(words, this.offset)
  }

  /** Moves behind these characters if they stand here; false if they do not. */
  take(words: string): boolean {
    if (!this.startsWith(words)) return false
    this.offset += words.length
    return true
  }

  skipBlanks(): void {
    while (this.next === ' ') this.offset++
  }

  /** Reads small letters and underscores, perhaps none. */
  readWord(): string {
    const begin = this.offset
    while (/[a-z_]/.test(this.next ?? '')) this.offset++
    return this.text.slice(begin, this.offset)
  }

  /** Reads a text in quotes that begins here; undefined where nothing ends it. A backslash stands before a character that is meant as it is. */
  readQuoted(): string | undefined {
    return this.readQuotedBefore(undefined, undefined)
  }

  /** Reads a text in quotes; only a quote before one of `stops` or at `end` ends it. */
  readQuotedBefore(stops: string | undefined, end: number | undefined): string | undefined {
    const last = end ?? this.text.length
    let read = ''
    let begin = this.offset + 1
    for (let at = begin; at < last; at++) {
      const one = this.text[at]
      if (one === '\\') {
        read += this.text.slice(begin, at) + (this.text[at + 1] ?? '')
        at++
        begin = at + 1
      } else if (
        one === '"' &&
        (stops === undefined || at + 1 === last || stops.includes(this.text[at + 1]!))
      ) {
        this.offset = at + 1
        return read + this.text.slice(begin, at)
      }
    }
    return undefined
  }
}
