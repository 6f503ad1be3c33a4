/** Columns that the developer of an app may have written are read leniently, and bounded by the database that sends them. */
import { fail } from '#platform/errors'

/** The most of one value as text. This service itself writes 17 KiB at most. */
const maxTextBytes = 64 * 1024

/** SQL of a JSON text, which is empty beyond the bound. */
export const boundedText = (expression: string, name: string): string =>
  `case when pg_catalog.octet_length(${expression}::text) > ${maxTextBytes} then '' else ${expression}::text end as ${name}`

/** SQL of a JSON object as text, or null for any other value. */
export const boundedObject = (column: string): string =>
  boundedText(
    `(case when pg_catalog.jsonb_typeof(${column}) operator(pg_catalog.=) 'object' then ${column} end)`,
    column,
  )

/** Returns the text unparsed: it may be nested as deep as PostgreSQL allows, and a thousand texts take long to parse. Throws OBJECT_ROW_TOO_LARGE. */
export const readText = (text: string | null, column: string): string | null =>
  text === '' ? fail('OBJECT_ROW_TOO_LARGE', { column, maxBytes: maxTextBytes }) : text

/** Returns null for `infinity`, and for years that JavaScript dates do not reach. */
export const readTime = (value: unknown): Date | null =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value : null
