/** JSON as models write it: in a fence, with words around it, with commas too many, or cut in the middle. It is data of a stranger. */

const most = { characters: 400_000, depth: 32, starts: 8 }

/** The first object or list in a text; undefined where there is none that can be read. Never throws. */
export function readJson(text: string): unknown {
  const bounded = text.slice(0, most.characters)
  let from = 0
  for (let start = 0; start < most.starts; start += 1) {
    const offset = bounded.slice(from).search(/[[{]/)
    if (offset < 0) return undefined
    const found = parsed(balanced(bounded, from + offset))
    if (found !== undefined) return found
    from += offset + 1
  }
  return undefined
}

/** From a bracket to its partner; a text that ends before it is closed where its last whole value ends. */
function balanced(text: string, start: number): string {
  const open: string[] = []
  let quoted = false
  /** Where the text can be cut so that only brackets are missing, and those. */
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
      if (open.length > most.depth) return ''
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
      // The next attempt mends more.
    }
  }
  return undefined
}

/** A member of an object that is its own; undefined for everything else. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** A text member, or ''. */
export function textIn(value: unknown, name: string): string {
  const member = memberOf(value, name)
  if (typeof member === 'string') return member
  return typeof member === 'number' ? String(member) : ''
}

/** A list member, at most so long; a value that should have been in a list is one. */
export function listIn(value: unknown, name: string, maxItems: number): unknown[] {
  const member = memberOf(value, name)
  if (Array.isArray(member)) return member.slice(0, maxItems)
  return member === undefined || member === null ? [] : [member]
}
