/**
 * Reads the rows of a body. Only their form is checked here; PostgreSQL reads the values, from the text as it came: no digit of a number is lost, though
 * the parsed rows have doubles.
 */
import { type GivenRows, refuse, tablesLimits } from '#cloud/tables'
import { parseJson } from '#platform/http'
import { essenceOf } from '#platform/schema'
import { Slice } from '#platform/slices'
import type { AppCall } from '../area.ts'
import { refusals } from '../rest/refusals.ts'
import { readCsv } from './csv.ts'
import { tablesRefusals } from './refusals.ts'

type Members = Readonly<Record<string, unknown>>

/** The media type of a body; one without a type is JSON. */
export const bodyTypeOf = ({ headers }: Pick<AppCall, 'headers'>): string =>
  essenceOf(headers['content-type'] ?? '') || 'application/json'

/** Throws RestRefused, INVALID_JSON, BODY_TOO_LARGE, TOO_MUCH_IN_FLIGHT. */
export async function givenRows(
  call: AppCall,
  { columns, usesDefaults }: { columns: readonly string[] | undefined; usesDefaults: boolean },
): Promise<GivenRows> {
  const type = bodyTypeOf(call)
  const bytes = await call.bytes(tablesLimits.bodyBytes)
  const rows = type === 'text/csv' ? await csvRows(bytes, columns) : await jsonRows(type, bytes, columns)
  if (rows.number * rows.members.size > tablesLimits.values)
    refuse(tablesRefusals.tooManyValues(tablesLimits.values))
  return { ...rows, usesDefaults }
}

type Columns = readonly string[] | undefined
type Rows = Omit<GivenRows, 'usesDefaults'>

/** Members are named by the places of their columns: the names would make many megabytes of a small body. */
async function csvRows(bytes: Buffer, columns: Columns): Promise<Rows> {
  const { names, number, json } = await readCsv(bytes.toString())
  const places = new Map(names.map((name, place) => [name, place]))
  const members = (columns ?? names).map(
    (name, nth) => [name, String(places.get(name) ?? names.length + nth)] as const,
  )
  return { members: new Map(members), json, number }
}

async function jsonRows(type: string, bytes: Buffer, columns: Columns): Promise<Rows> {
  const { rows, json } = await rowsOf(type, bytes)
  if (rows.length > tablesLimits.rows) refuse(tablesRefusals.tooManyRows(tablesLimits.rows))
  const named = columns ?? (await commonNames(rows))
  return { members: new Map(named.map((name) => [name, name])), json, number: rows.length }
}

async function rowsOf(type: string, bytes: Buffer): Promise<{ rows: readonly Members[]; json: string }> {
  if (type === 'application/x-www-form-urlencoded') {
    const rows = [formMembers(bytes)]
    return { rows, json: JSON.stringify(rows) }
  }
  if (!isJson(type)) refuse(tablesRefusals.bodyType(type))
  const text = bytes.toString()
  const value = await parseJson(bytes, tablesLimits.bodyBytes, { exact: false })
  if (isMembers(value)) return { rows: [value], json: `[${text}]` }
  if (!Array.isArray(value)) return refuse(refusals.body)
  const slice = new Slice()
  for (const one of value) {
    if (!isMembers(one)) refuse(refusals.body)
    if (slice.isOver()) await slice.next()
  }
  return { rows: value, json: text }
}

/** More members than a table has columns are not read: a mebibyte of them takes seconds. */
export function formMembers(bytes: Buffer): Record<string, string> {
  const text = bytes.toString()
  const { columns } = tablesLimits
  if (text.split('&', columns + 1).length > columns) refuse(tablesRefusals.tooManyColumns(columns))
  return Object.fromEntries(new URLSearchParams(text))
}

export const isJson = (type: string): boolean => /^application\/(?:[\w.+-]{1,100}\+)?json$/.test(type)

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the names of the first row, which all rows have to have. */
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

/** Reads one object, the arguments of a function, as it came; undefined for other JSON. Throws as `givenRows` does. */
export async function givenMembers(bytes: Buffer): Promise<{ names: string[]; json: string } | undefined> {
  if (bytes.length === 0) return { names: [], json: '{}' }
  const json = bytes.toString()
  const value = await parseJson(bytes, tablesLimits.bodyBytes, { exact: false })
  return isMembers(value) ? { names: Object.keys(value), json } : undefined
}
