/** Values as PostgreSQL writes them become JSON without losing a digit. */

/** A type of a column, and of the elements of its arrays. */
export interface ValueType {
  id: number
  /** The type of an array's elements and what stands between them; undefined where the type is no array. */
  element: { id: number; delimiter: string } | undefined
}

const bool = 16
/** int2, int4, oid: whole numbers that every reader of JSON keeps. */
const wholeNumbers = new Set([21, 23, 26])
const floats = new Set([700, 701])
const jsons = new Set([114, 3802])

/**
 * bool, int2, int4, oid, floats and JSON become the same in JSON, arrays become arrays, and everything else becomes its text: int8 and numeric too,
 * since most readers of JSON would round them.
 */
export function toJson(text: string | null, type: ValueType): string {
  if (text === null) return 'null'
  if (type.element)
    return arrayToJson(text, { id: type.element.id, element: undefined }, type.element.delimiter)
  const { id } = type
  if (id === bool) return text === 't' ? 'true' : 'false'
  if (wholeNumbers.has(id) || jsons.has(id)) return text
  if (floats.has(id) && Number.isFinite(Number(text))) return text
  return JSON.stringify(text)
}

/** An array, such as `{1,NULL,"a b",{…}}`, as JSON. Its bounds stand before an equal sign where they are unusual. Text of another form stays text. */
function arrayToJson(text: string, element: ValueType, delimiter: string): string {
  const start = text.startsWith('[') ? text.indexOf('=') + 1 : 0
  if (text[start] !== '{') return JSON.stringify(text)
  const out: string[] = []
  for (let at = start; at < text.length; ) {
    const char = text[at]!
    if (char === '{' || char === '}') {
      out.push(char === '{' ? '[' : ']')
      at++
    } else if (char === delimiter) {
      out.push(',')
      at++
    } else if (char === '"') {
      const { value, end } = quotedElement(text, at + 1)
      out.push(toJson(value, element))
      at = end
    } else {
      const end = plainEnd(text, at, delimiter)
      const value = text.slice(at, end)
      out.push(value.toUpperCase() === 'NULL' ? 'null' : toJson(value, element))
      at = end
    }
  }
  return out.join('')
}

function quotedElement(text: string, from: number): { value: string; end: number } {
  let at = from
  let plainFrom = from
  let value = ''
  while (at < text.length && text[at] !== '"') {
    if (text[at] === '\\') {
      value += text.slice(plainFrom, at)
      at++
      plainFrom = at
    }
    at++
  }
  return { value: value + text.slice(plainFrom, at), end: at + 1 }
}

function plainEnd(text: string, from: number, delimiter: string): number {
  let at = from
  while (at < text.length && text[at] !== delimiter && text[at] !== '}') at++
  return at
}
