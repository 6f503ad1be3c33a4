/** Lenient JSON parser for answers of models: fenced, surrounded by prose, with trailing commas, or cut off. The input is untrusted. */

const limits = { characters: 400_000, depth: 32, starts: 8 }

/** Returns the first object or list in a text, or undefined if none can be parsed. Never throws. */
export function readJson(text: string): unknown {
  const bounded = text.slice(0, limits.characters)
  let from = 0
  for (let start = 0; start < limits.starts; start += 1) {
    const offset = bounded.slice(from).search(/[[{]/)
    if (offset < 0) return undefined
    const found = parsed(balanced(bounded, from + offset))
    if (found !== undefined) return found
    from += offset + 1
  }
  return undefined
}

/** Returns the text from a bracket to its matching one. If the text ends before, the brackets are closed after the last complete value. */
function balanced(text: string, start: number): string {
  const open: string[] = []
  let quoted = false
  /** The last position at which the text can be cut so that only closing brackets are missing, and those brackets. */
  let safe = { end: start + 1, closing: text[start] === '{' ? '}' : ']' }
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]!
    if (quoted) {
      if (character === '\\') at += 1
      else if (character === '"') quoted = false
      continue
    }
    if (character === '"') quoted = true
    else if (character === '{' || character === '[') {
      open.push(character === '{' ? '}' : ']')
      if (open.length > limits.depth) return ''
    } else if (character === '}' || character === ']') {
      if (open.pop() !== character) return ''
      if (open.length === 0) return text.slice(start, at + 1)
      safe = { end: at + 1, closing: open.toReversed().join('') }
    } else if (character === ',') safe = { end: at, closing: open.toReversed().join('') }
  }
  return text.slice(start, safe.end) + safe.closing
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  for (const attempt of [text, text.replace(/,(?=\s*[}\]])/g, '').replace(/\p{Cc}/gu, ' ')]) {
    try {
      return JSON.parse(attempt) as unknown
    } catch {
      // The next attempt repairs more.
    }
  }
  return undefined
}

/** Returns an own property of an object, or undefined for every other value. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** Returns a string or number property as text, or ''. */
export function textIn(value: unknown, name: string): string {
  const member = memberOf(value, name)
  if (typeof member === 'string') return member
  return typeof member === 'number' ? String(member) : ''
}

/** Returns a list property, truncated to `maxItems`; a single value becomes a list of one. */
export function listIn(value: unknown, name: string, maxItems: number): unknown[] {
  const member = memberOf(value, name)
  if (Array.isArray(member)) return member.slice(0, maxItems)
  return member === undefined || member === null ? [] : [member]
}
