/** Pieces of SQL: names in quotes, and values that are sent beside the text. */
import { syntaxReasons } from './refusals.ts'
import { parseRefusal, refuse } from './refuse.ts'

/** Names come from the catalogue, and quotes hold whatever they are made of. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quotedTable = ({ schema, name }: { schema: string; name: string }): string =>
  `${quoted(schema)}.${quoted(name)}`

/** PostgreSQL would cut longer names. */
const maxNameBytes = 63
const plainName = /^[\p{L}\p{M}\p{N}\p{Zs}\u200c_$.:/@#*-]+$/u

/** A name that the request has chosen for a column of its answer. Throws RestRefused for one that is too long or has other characters. */
export function requireValidAlias(name: string): string {
  if (!plainName.test(name) || Buffer.byteLength(name) > maxNameBytes)
    refuse(parseRefusal(name, syntaxReasons.alias))
  return name
}

/**
 * An operator between values of a column's type, by its schema: otherwise PostgreSQL would look for it in the schemas of the app, too, and take one
 * that somebody has made there where it fits better.
 */
export const operator = (symbol: string, schema = 'pg_catalog'): string =>
  `operator(${quoted(schema)}.${symbol})`

/** Values of a statement, in the order of their numbers. */
export class Values {
  readonly list: unknown[] = []

  /** Adds a value and returns its place, such as `$3`. PostgreSQL reads the value as the type that stands beside it. */
  add(value: unknown): string {
    return `$${this.list.push(value)}`
  }
}

/** An array of any type as PostgreSQL writes it: `{"a","b"}`. */
export const arrayLiteral = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`
