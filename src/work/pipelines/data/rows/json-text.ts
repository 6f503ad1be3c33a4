/** Parses JSON as programs write it: Python also writes `NaN`, `Infinity` and `-Infinity`, which JSON does not have. */

/** The value of a JSON text; undefined if it is no JSON, even with these words taken as null. */
export function parseLenientJson(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive)
  } catch {
    const other = withNulls(text)
    if (other === text) return undefined
    try {
      return JSON.parse(other, revive)
    } catch {
      return undefined
    }
  }
}

const words = ['NaN', '-Infinity', 'Infinity']

/** Replaces these words outside strings by null, in one pass. */
function withNulls(text: string): string {
  let [found, copied] = ['', 0]
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!
    if (character === '"') quoted = !quoted
    else if (quoted) {
      if (character === '\\') at += 1
    } else if (character === 'N' || character === '-' || character === 'I') {
      const word = words.find((each) => text.startsWith(each, at))
      if (word === undefined) continue
      found += `${text.slice(copied, at)}null`
      at += word.length - 1
      copied = at + 1
    }
  }
  return found + text.slice(copied)
}
