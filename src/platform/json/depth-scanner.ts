const quote = 0x22
const backslash = 0x5c
const openList = 0x5b
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
const colon = 0x3a

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

/**
 * The names of the members that enclose the first place of a whole JSON text that is nested deeper than `max` levels, the outermost first; undefined
 * where no place is, or the text ends within a string. A list bears the name of its member.
 */
export function namesAround(text: string, max: number): string[] | undefined {
  const names: string[] = []
  let name = ''
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at)
      if (end < 0) return undefined
      name = text.slice(at + 1, end)
      at = end
    } else if (code === colon) names[depth] = name
    else if (code === openObject || code === openList) {
      if (depth === max) return names.slice(1).filter((one) => one !== '')
      names[++depth] = ''
    } else if ((code === closeObject || code === closeList) && depth > 0) depth--
  }
  return undefined
}

/** The place of the quote that closes the string that begins at `start`, or -1. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return -1
}

/** Whether a whole JSON text is nested deeper than `max` levels. */
export const isDeeper = (text: string, max: number): boolean =>
  // Each level takes at least its opening character.
  text.length > max && !new DepthScanner(max).admits(text)
