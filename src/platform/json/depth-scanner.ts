const quote = 0x22
const backslash = 0x5c
const openList = 0x5b
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/** Follows the nesting of a JSON text that comes in pieces, without parsing it; what is in strings does not count. */
export class DepthScanner {
  readonly #max: number
  #depth = 0
  #inString = false
  /** The last character was a backslash in a string: the next one is escaped. */
  #isEscaped = false

  /** `max`: the levels that are allowed. */
  constructor(max: number) {
    this.#max = max
  }

  /** Reads on. Returns false once the text is nested too deeply. */
  admits(text: string): boolean {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (this.#inString) this.#stepInString(code)
      else if (code === quote) this.#inString = true
      else if (code === openObject || code === openList) {
        if (++this.#depth > this.#max) return false
      } else if ((code === closeObject || code === closeList) && this.#depth > 0) this.#depth--
    }
    return true
  }

  #stepInString(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (code === backslash) this.#isEscaped = true
    else if (code === quote) this.#inString = false
  }
}

/** Whether a whole JSON text is nested deeper than `max` levels. */
export const isDeeper = (text: string, max: number): boolean =>
  // Each level takes at least its opening character.
  text.length > max && !new DepthScanner(max).admits(text)
