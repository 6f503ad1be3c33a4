/** How an embedded table is related to the one around it. */
import type { Catalogue, ForeignKey, Table } from './catalogue.ts'
import { refusals, refuse } from './refusals.ts'

export interface Relationship {
  table: Table
  /** At most one row of it belongs to each row of the table around it. */
  isOne: boolean
  /** Pairs of columns that are equal: of the table around it, or of the table in between, and of `table`. */
  on: readonly Pair[]
  /** A table whose rows refer to both. */
  through?: { table: Table; on: readonly Pair[] } | undefined
  /** What names it apart from others. */
  names: readonly string[]
}

export type Pair = readonly [outer: string, inner: string]

/** Throws TablesRefused where there is none, or several. */
export function relate(
  catalogue: Catalogue,
  table: Table,
  { target, hint }: { target: string; hint?: string | undefined },
): Relationship {
  const all = [
    ...toOne(catalogue, table, target),
    ...toMany(catalogue, table, target),
    ...across(catalogue, table, target),
  ]
  const found = hint === undefined ? all : all.filter(({ names }) => names.includes(hint))
  const [one, ...more] = found
  if (!one) return refuse(refusals.noRelationship(table.name, target))
  if (more.length > 0)
    refuse(refusals.ambiguous(table.name, target, found.map(({ names }) => names[0]!).slice(0, 10)))
  return one
}

/** The table refers to it. It may be named by the one column that does, too. */
const toOne = (catalogue: Catalogue, table: Table, target: string): Relationship[] =>
  catalogue
    .foreignKeysOf(table)
    .outgoing.filter(
      ({ name, columns, from, to }) =>
        name === target ||
        (columns.length === 1 && columns[0] === target) ||
        // Of a table that refers to itself its name means the rows that refer to this one.
        (to.name === target && to !== from),
    )
    .map((key) => ({
      table: key.to,
      isOne: true,
      on: key.columns.map((column, place) => [column, key.toColumns[place]!] as const),
      names: namesOf(key),
    }))

const toMany = (catalogue: Catalogue, table: Table, target: string): Relationship[] =>
  catalogue
    .foreignKeysOf(table)
    .incoming.filter(({ name, from, to }) => from.name === target || (name === target && from !== to))
    .map((key) => ({
      table: key.from,
      isOne: key.isUnique,
      on: key.toColumns.map((column, place) => [column, key.columns[place]!] as const),
      names: namesOf(key),
    }))

const namesOf = ({ name, columns }: ForeignKey): string[] => [
  name,
  ...(columns.length === 1 ? [columns[0]!] : []),
]

/** A table in between whose primary key has the columns of both foreign keys. */
function across(catalogue: Catalogue, table: Table, target: string): Relationship[] {
  const found: Relationship[] = []
  for (const first of catalogue.foreignKeysOf(table).incoming) {
    const between = first.from
    if (between === table || !isWithin(between.primaryKey, first.columns)) continue
    for (const second of catalogue.foreignKeysOf(between).outgoing) {
      if (second === first || second.to.name !== target) continue
      if (!isWithin(between.primaryKey, second.columns)) continue
      found.push({
        table: second.to,
        isOne: false,
        on: second.columns.map((column, place) => [column, second.toColumns[place]!] as const),
        through: {
          table: between,
          on: first.toColumns.map((column, place) => [column, first.columns[place]!] as const),
        },
        names: [between.name, first.name, second.name],
      })
    }
  }
  return found
}

const isWithin = (key: readonly string[], columns: readonly string[]): boolean =>
  columns.every((column) => key.includes(column))
