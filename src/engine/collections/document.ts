/** What a row may contain: checked before anything of it goes to the database, by walks whose depth is bounded. */
import { fail, type Localized } from '#platform/errors'
import { rowReasons } from './errors.ts'
import { isRowColumn } from './query.ts'

export const documentLimits = {
  bytes: 64 * 1024,
  /** Objects and arrays within one another, the document itself counted. */
  depth: 32,
  /** Members of all objects in it. */
  members: 2_000,
  nameCharacters: 200,
} as const

export type Document = Readonly<Record<string, unknown>>

/**
 * The document as JSON. `param` names the field in refusals. Throws ROW_INVALID for what cannot be stored, ROW_TOO_LARGE beyond
 * `documentLimits.bytes`.
 */
export function documentJson(value: unknown, param: string): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid(rowReasons.notObject, param)
  for (const name of Object.keys(value))
    if (isRowColumn(name)) invalid(rowReasons.reserved(name), `${param}.${name}`)
  const bytes = documentBytes(value, param)
  if (bytes > documentLimits.bytes) fail('ROW_TOO_LARGE', { max: documentLimits.bytes }, { param })
  return JSON.stringify(value)
}

const invalid = (why: Localized, param: string): never => fail('ROW_INVALID', { why }, { param })

/** The JSON of a text that is an object or an array within the bounds of documents; undefined for any other. */
export function documentText(text: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
    documentBytes(value, '')
  } catch {
    return undefined
  }
  return JSON.stringify(value)
}

interface Walk {
  members: number
  param: string
}

/** Bytes of the document as PostgreSQL writes it: a space after each comma and colon, numbers without exponents. Throws ROW_INVALID. */
export const documentBytes = (value: unknown, param: string): number =>
  bytesOf(value, 1, { members: 0, param })

function bytesOf(value: unknown, depth: number, walk: Walk): number {
  if (typeof value === 'string') return textBytes(value, walk)
  if (typeof value === 'number') return numberBytes(value)
  if (typeof value !== 'object' || value === null) return value === false ? 5 : 4
  if (depth > documentLimits.depth) invalid(rowReasons.tooDeep(documentLimits.depth), walk.param)
  if (Array.isArray(value)) return listBytes(value, depth, walk)
  let bytes = 2
  const names = Object.keys(value)
  walk.members += names.length
  if (walk.members > documentLimits.members) invalid(rowReasons.tooMany(documentLimits.members), walk.param)
  for (const name of names) {
    if (name === '' || name.length > documentLimits.nameCharacters)
      invalid(rowReasons.badName(documentLimits.nameCharacters), walk.param)
    bytes += textBytes(name, walk) + 2 + bytesOf((value as Record<string, unknown>)[name], depth + 1, walk)
  }
  return bytes + separators(names.length)
}

function listBytes(values: readonly unknown[], depth: number, walk: Walk): number {
  let bytes = 2 + separators(values.length)
  for (const value of values) bytes += bytesOf(value, depth + 1, walk)
  return bytes
}

const separators = (count: number): number => (count > 1 ? 2 * (count - 1) : 0)

/** NUL and halves of characters cannot be stored. */
function textBytes(text: string, { param }: Walk): number {
  if (text.includes('\0') || !text.isWellFormed()) invalid(rowReasons.badText, param)
  let bytes = Buffer.byteLength(text) + 2
  for (const [found] of text.matchAll(escaped)) bytes += shortEscapes.has(found) ? 1 : 5
  return bytes
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those that JSON escapes.
const escaped = /["\\\u0001-\u001f]/g
const shortEscapes = new Set(['"', '\\', '\b', '\f', '\n', '\r', '\t'])

/** JavaScript writes `1e+21` and `1.5e-7`, PostgreSQL all digits. */
function numberBytes(number: number): number {
  const text = JSON.stringify(number)
  const at = text.indexOf('e')
  if (at === -1) return text.length
  const exponent = Number(text.slice(at + 1))
  const [whole = '', fraction = ''] = text.slice(0, at).replace('-', '').split('.')
  const sign = number < 0 ? 1 : 0
  if (exponent < 0) return sign + 2 + (-exponent - 1) + whole.length + fraction.length
  const rest = fraction.length - exponent
  return sign + whole.length + exponent + (rest > 0 ? rest + 1 : 0)
}
