/** Pieces of SQL: names in quotes, and values that leave beside the text. */

/** Names come from the catalogue, and quotes hold whatever they are made of. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quotedTable = ({ schema, name }: { schema: string; name: string }): string =>
  `${quoted(schema)}.${quoted(name)}`

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
