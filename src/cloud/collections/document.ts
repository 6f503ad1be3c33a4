/** Checks what a row may contain, before anything of it is sent to the database, by walks whose depth is bounded. */
import { fail, type Localized } from '#platform/errors'
import { digitsOf, ExactNumber, readExactly } from '#platform/json'
import { rowReasons } from './errors.ts'
import { isRowColumn } from './query.ts'

export const documentLimits = {
  bytes: 64 * 1024,
  /** The depth of objects and arrays within one another, the document itself counted. */
  depth: 32,
  /** Members of all objects in it. */
  members: 2_000,
  nameCharacters: 200,
  /** The digits of a number as PostgreSQL writes it: `1e999` has a thousand. */
  digits: 1_000,
} as const

export type Document = Readonly<Record<string, unknown>>

/** A document as it is written, with its bytes as PostgreSQL has them: a space after each comma and colon, numbers without exponents. */
export interface StoredDocument {
  json: string
  bytes: number
}

/**
 * `value` may contain exact numbers; `param` names the field in refusals. Throws ROW_INVALID for what cannot be stored, ROW_TOO_LARGE beyond
 * `documentLimits.bytes`.
 */
export function documentOf(value: unknown, param: string): StoredDocument {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalid(rowReasons.notObject, param)
  for (const name of Object.keys(value))
    if (isRowColumn(name)) invalid(rowReasons.reserved(name), `${param}.${name}`)
  const bytes = bytesOf(value, param)
  return { json: JSON.stringify(value), bytes }
}

const invalid = (why: Localized, param: string): never => fail('ROW_INVALID', { why }, { param })

/** The JSON of a text that is an object or an array within the bounds of documents; undefined for any other. */
export function documentText(text: string): string | undefined {
  try {
    const value = readExactly(text)
    bytesOf(value, '')
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

interface WalkState {
  bytes: number
  members: number
  param: string
}

function bytesOf(value: unknown, param: string): number {
  const walk = { bytes: 0, members: 0, param }
  visit(value, 1, walk)
  return walk.bytes
}

/** Refuses a document as soon as it becomes too large: of a megabyte of small values only the first are looked at. */
function add(walk: WalkState, bytes: number): void {
  walk.bytes += bytes
  if (walk.bytes > documentLimits.bytes)
    fail('ROW_TOO_LARGE', { max: documentLimits.bytes }, { param: walk.param })
}

function visit(value: unknown, depth: number, walk: WalkState): void {
  if (typeof value === 'string') visitText(value, walk)
  else if (typeof value === 'number' || value instanceof ExactNumber) visitNumber(value, walk)
  else if (typeof value !== 'object' || value === null) add(walk, value === false ? 5 : 4)
  else if (depth > documentLimits.depth) invalid(rowReasons.tooDeep(documentLimits.depth), walk.param)
  else if (Array.isArray(value)) visitList(value, depth, walk)
  else visitObject(value as Document, depth, walk)
}

function visitObject(value: Document, depth: number, walk: WalkState): void {
  const names = Object.keys(value)
  walk.members += names.length
  if (walk.members > documentLimits.members) invalid(rowReasons.tooMany(documentLimits.members), walk.param)
  add(walk, 2 + separators(names.length))
  for (const name of names) {
    if (name === '' || name.length > documentLimits.nameCharacters)
      invalid(rowReasons.badName(documentLimits.nameCharacters), walk.param)
    visitText(name, walk)
    add(walk, 2)
    visit(value[name], depth + 1, walk)
  }
}

function visitList(values: readonly unknown[], depth: number, walk: WalkState): void {
  add(walk, 2 + separators(values.length))
  for (const value of values) visit(value, depth + 1, walk)
}

const separators = (count: number): number => (count > 1 ? 2 * (count - 1) : 0)

/** NUL and lone surrogates cannot be stored. */
function visitText(text: string, walk: WalkState): void {
  add(walk, text.length + 2)
  if (!text.isWellFormed()) invalid(rowReasons.badText, walk.param)
  let more = Buffer.byteLength(text) - text.length
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0) invalid(rowReasons.badText, walk.param)
    if (code === quote || code === backslash) more += 1
    else if (code < space) more += shortEscapes.has(code) ? 1 : 5
  }
  add(walk, more)
}

const [space, quote, backslash] = [0x20, 0x22, 0x5c]
/** Characters that JSON writes as a letter behind a backslash; the others become `\u00…`. */
const shortEscapes = new Set(Array.from('\b\f\n\r\t', (one) => one.charCodeAt(0)))

function visitNumber(number: number | ExactNumber, walk: WalkState): void {
  const { sign, whole, fraction } = digitsOf(JSON.stringify(number))
  if (whole + fraction > documentLimits.digits)
    invalid(rowReasons.longNumber(documentLimits.digits), walk.param)
  add(walk, sign + whole + (fraction > 0 ? fraction + 1 : 0))
}
