/** The status and headers that functions and triggers of the app state: `response.status` and `response.headers`, as PostgREST reads them. */
import type { BoundStatement } from '#cloud/databases'
import { refusals } from './refusals.ts'
import { refuse } from './refuse.ts'
import { insertedSql } from './upsert-sql.ts'

export interface ResponseSettings {
  status?: number | undefined
  headers: readonly (readonly [name: string, value: string])[]
}

/**
 * Reads them behind the statement that they belong to, in its transaction; the third value is how many rows a merging insert has added
 * (`readInserted`).
 */
export const responseSettingsStatement: BoundStatement = {
  text: `select pg_catalog.current_setting('response.status', true), pg_catalog.left(pg_catalog.current_setting('response.headers', true), 16000), ${insertedSql}`,
  values: [],
}

const maxHeaders = 50
const maxCharacters = 8_000
const headerName = /^[\w!#$%&'*+.^`|~-]{1,100}$/
/** Visible characters and spaces between: no line ends within a header. */
const headerValue = /^[\x21-\x7e]?(?:[\x20-\x7e]*[\x21-\x7e])?$/

/** Headers that are about the connection, about the length of the body, or written by this service. */
const reservedHeaders = new Set([
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'connection',
  'content-range',
])

/** Reads the stated status and headers. Throws RestRefused where they are not valid. */
export function readResponseSettings(row: readonly (string | null)[] | undefined): ResponseSettings {
  const [status, headers] = row ?? []
  return { status: status ? readStatus(status) : undefined, headers: headers ? readHeaders(headers) : [] }
}

function readStatus(text: string): number {
  if (!/^[2-5]\d\d$/.test(text)) refuse(refusals.statedStatus)
  return Number(text)
}

function readHeaders(text: string): [string, string][] {
  const all = parsed(text)
  if (!Array.isArray(all) || text.length > maxCharacters || all.length > maxHeaders)
    return refuse(refusals.statedHeaders(maxHeaders, maxCharacters))
  return all.map(readHeader).filter(([name]) => !reservedHeaders.has(name.toLowerCase()))
}

function readHeader(one: unknown): [string, string] {
  const [entry, ...more] = typeof one === 'object' && one !== null ? Object.entries(one) : []
  const [name, value] = entry ?? ['', '']
  if (more.length > 0 || typeof value !== 'string' || !headerName.test(name) || !headerValue.test(value))
    return refuse(refusals.statedHeaders(maxHeaders, maxCharacters))
  return [name, value]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
