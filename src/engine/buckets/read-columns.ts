/** What the developer of an app can have written into a row is read leniently, and bounded by the database that sends it. */
import { fail } from '#platform/errors'

/** Of one value as text. What this service writes has 17 KiB at most. */
const mostBytes = 64 * 1024

/** A JSON text; empty beyond the bound. */
export const boundedText = (expression: string, name: string): string =>
  `case when pg_catalog.octet_length(${expression}::text) > ${mostBytes} then '' else ${expression}::text end as ${name}`

/** Throws OBJECT_ROW_TOO_LARGE. */
export function readJson(text: string | null, column: string): unknown {
  if (text === null) return null
  return text === '' ? fail('OBJECT_ROW_TOO_LARGE', { column, maxBytes: mostBytes }) : JSON.parse(text)
}

/** Throws OBJECT_ROW_TOO_LARGE. Null for what is no object. */
export function readObject(text: string | null, column: string): Record<string, unknown> | null {
  const value = readJson(text, column)
  return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null
}

/** Null for `infinity`, and for years that dates of this language do not reach. */
export const readTime = (value: unknown): Date | null =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value : null
