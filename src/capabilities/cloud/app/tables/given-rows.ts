/** The rows of a body. What is checked here is their form; PostgreSQL reads the values, from the text as it came: no digit of a number is lost. */
import { type GivenRows, refuse, tablesLimits } from '#engine/tables'
import { parseJson } from '#platform/http'
import { Slice } from '#platform/slices'
import type { AppCall } from '../area.ts'
import { refusals } from '../rest/refusals.ts'
import { readCsv } from './csv.ts'
import { tablesRefusals } from './refusals.ts'

type Members = Readonly<Record<string, unknown>>

/** A body without a type is JSON. */
export const mediaTypeOf = ({ headers }: Pick<AppCall, 'headers'>): string =>
  (headers['content-type']?.split(';')[0] ?? '').trim().toLowerCase() || 'application/json'

/** Throws RestRefused, INVALID_JSON, BODY_TOO_LARGE, TOO_MUCH_IN_FLIGHT. */
export async function givenRows(
  call: AppCall,
  { columns, usesDefaults }: { columns: readonly string[] | undefined; usesDefaults: boolean },
): Promise<GivenRows> {
  const type = mediaTypeOf(call)
  const bytes = await call.bytes(tablesLimits.bodyBytes)
  const { rows, json } = await rowsOf(type, bytes)
  if (rows.length > tablesLimits.rows) refuse(tablesRefusals.tooManyRows(tablesLimits.rows))
  const named = columns ?? (await commonNames(rows))
  if (rows.length * named.length > tablesLimits.values)
    refuse(tablesRefusals.tooManyValues(tablesLimits.values))
  return { columns: named, json, number: rows.length, usesDefaults }
}

async function rowsOf(type: string, bytes: Buffer): Promise<{ rows: readonly Members[]; json: string }> {
  if (type === 'text/csv') {
    const rows = await readCsv(bytes.toString())
    return { rows, json: JSON.stringify(rows) }
  }
  if (type === 'application/x-www-form-urlencoded') {
    const rows = [formMembers(bytes)]
    return { rows, json: JSON.stringify(rows) }
  }
  if (!isJson(type)) refuse(tablesRefusals.bodyType(type))
  const text = bytes.toString()
  const value = await parseJson(bytes, tablesLimits.bodyBytes)
  if (isMembers(value)) return { rows: [value], json: `[${text}]` }
  if (!Array.isArray(value)) return refuse(refusals.body)
  const slice = new Slice()
  for (const one of value) {
    if (!isMembers(one)) refuse(refusals.body)
    if (slice.isOver()) await slice.next()
  }
  return { rows: value, json: text }
}

/** More than a table can have are not read: that takes seconds for a mebibyte of them. */
export function formMembers(bytes: Buffer): Record<string, string> {
  const text = bytes.toString()
  const { columns } = tablesLimits
  if (text.split('&', columns + 1).length > columns) refuse(tablesRefusals.tooManyColumns(columns))
  return Object.fromEntries(new URLSearchParams(text))
}

export const isJson = (type: string): boolean => /^application\/(?:[\w.+-]{1,100}\+)?json$/.test(type)

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Those of the first row, which all have to have. */
async function commonNames(rows: readonly Members[]): Promise<string[]> {
  const names = Object.keys(rows[0] ?? {})
  const slice = new Slice()
  for (const row of rows) {
    if (Object.keys(row).length !== names.length || !names.every((name) => Object.hasOwn(row, name)))
      refuse(tablesRefusals.differentNames)
    if (slice.isOver()) await slice.next()
  }
  return names
}

/** One object, as it came: the arguments of a function. Throws as `givenRows` does. */
export async function givenMembers(bytes: Buffer): Promise<{ names: string[]; json: string } | undefined> {
  if (bytes.length === 0) return { names: [], json: '{}' }
  const json = bytes.toString()
  const value = await parseJson(bytes, tablesLimits.bodyBytes)
  return isMembers(value) ? { names: Object.keys(value), json } : undefined
}
