/** Pieces of SQL: names in quotes, and values that leave beside the text. */
import { whys } from './refusals.ts'
import { refuse, unreadable } from './refuse.ts'

/** Names come from the catalogue, and quotes hold whatever they are made of. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quotedTable = ({ schema, name }: { schema: string; name: string }): string =>
  `${quoted(schema)}.${quoted(name)}`

/** PostgreSQL would cut longer ones. */
const maxNameBytes = 63
const plainName = /^[\p{L}\p{M}\p{N}\p{Zs}\u200c_$.:/@#*-]+$/u

/** A name that the request has chosen for a column of its answer. Throws RestRefused for one that is more than words. */
export function chosenName(name: string): string {
  if (!plainName.test(name) || Buffer.byteLength(name) > maxNameBytes) refuse(unreadable(name, whys.alias))
  return name
}

/**
 * An operator between values of a column's type, by its schema: PostgreSQL would else look for it in the schemas of the app, too, and take what
 * somebody has made there where it fits better.
 */
export const operator = (symbol: string, schema = 'pg_catalog'): string =>
  `operator(${quoted(schema)}.${symbol})`

/** Values of a statement, in the order of their numbers. */
export class Values {
  readonly list: unknown[] = []

  /** `$3`. PostgreSQL reads it as the type that stands beside it. */
  add(value: unknown): string {
    return `$${this.list.push(value)}`
  }
}

/** `{"a","b"}`, as an array of any type is written. */
export const arrayLiteral = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`
