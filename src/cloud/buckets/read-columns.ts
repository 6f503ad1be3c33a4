/** What the developer of an app can have written into a row is read leniently, and bounded by the database that sends it. */
import { fail } from '#platform/errors'

/** Of one value as text. What this service writes has 17 KiB at most. */
const mostBytes = 64 * 1024

/** A JSON text; empty beyond the bound. */
export const boundedText = (expression: string, name: string): string =>
  `case when pg_catalog.octet_length(${expression}::text) > ${mostBytes} then '' else ${expression}::text end as ${name}`

/** The same, and null for what is no object. */
export const boundedObject = (column: string): string =>
  boundedText(
    `(case when pg_catalog.jsonb_typeof(${column}) operator(pg_catalog.=) 'object' then ${column} end)`,
    column,
  )

/**
 * The text as it is: it may be nested as deep as PostgreSQL takes it, and a thousand of them take long to read. Throws OBJECT_ROW_TOO_LARGE.
 */
export const readText = (text: string | null, column: string): string | null =>
  text === '' ? fail('OBJECT_ROW_TOO_LARGE', { column, maxBytes: mostBytes }) : text

/** Null for `infinity`, and for years that dates of this language do not reach. */
export const readTime = (value: unknown): Date | null =>
  value instanceof Date && !Number.isNaN(value.getTime()) ? value : null
