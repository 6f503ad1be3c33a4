/** How an embedded table is related to the one around it. */
import type { Catalogue, ForeignKey, Routine, Table } from './catalogue.ts'
import { refusals } from './refusals.ts'
import { refuse } from './refuse.ts'

export type Pair = readonly [outer: string, inner: string]

export interface Relationship {
  table: Table
  kind: 'many-to-one' | 'one-to-many' | 'one-to-one' | 'many-to-many' | 'computed'
  /** At most one row of it belongs to each row of the table around it. */
  isOne: boolean
  /** Pairs of columns that are equal: of the table around it, or of the table in between, and of `table`. */
  on: readonly Pair[]
  /** A table whose rows refer to both. */
  through?: { table: Table; on: readonly Pair[] } | undefined
  /** A function of the app that returns the related rows of a row. */
  by?: Routine | undefined
  /** Behind the name of the table they say which relationship is meant; the first of them never means two. */
  hints: readonly string[]
  /** Where several are possible. */
  description: string
}

interface Wanted {
  target: string
  hint?: string | undefined
}

/** Throws RestRefused where there is none, or several. */
export function relate(catalogue: Catalogue, table: Table, { target, hint }: Wanted): Relationship {
  const computed = byFunction(catalogue, table, target)
  if (computed) return computed
  const { outgoing, incoming } = catalogue.foreignKeysOf(table)
  const all = [
    ...outgoing.filter((key) => isNamedOut(key, target)).map(toOne),
    ...incoming.filter((key) => isNamedIn(key, target)).map(toMany),
    ...across(catalogue, table, target),
  ]
  const found = hint === undefined ? all : all.filter(({ hints }) => hints.includes(hint))
  const [one, ...more] = found
  if (!one) return refuse(refusals.noRelationship(table, target, hint))
  if (more.length > 0) refuse(refusals.ambiguous(table.name, target, found.slice(0, 10)))
  return one
}

/** It decides, also where a foreign key has the same name. */
function byFunction(catalogue: Catalogue, table: Table, target: string): Relationship | undefined {
  const routine = catalogue.computed(table, target)
  const returned = routine?.returns.table
  if (!returned) return undefined
  return {
    ...{ table: returned, kind: 'computed', isOne: routine.returns.isOneRow, on: [], by: routine },
    ...{ hints: [], description: routine.name },
  }
}

/**
 * By the name of the table that it refers to, of the foreign key or of its only column. Of a table that refers to itself the table's name means
 * the rows that refer to this one.
 */
function isNamedOut({ name, columns, from, to }: ForeignKey, target: string): boolean {
  if (to.name === target && to !== from) return true
  return !to.isView && (name === target || (columns.length === 1 && columns[0] === target))
}

function isNamedIn({ name, from, to, toColumns }: ForeignKey, target: string): boolean {
  if (from.name === target) return true
  if (from === to || from.isView) return false
  return name === target || (toColumns.length === 1 && toColumns[0] === target)
}

const toOne = (key: ForeignKey): Relationship => ({
  table: key.to,
  kind: key.isUnique ? 'one-to-one' : 'many-to-one',
  isOne: true,
  on: key.columns.map((column, place) => [column, key.toColumns[place]!] as const),
  hints: hintsOf(key),
  description: descriptionOf(key),
})

const toMany = (key: ForeignKey): Relationship => ({
  table: key.from,
  kind: key.isUnique ? 'one-to-one' : 'one-to-many',
  isOne: key.isUnique,
  on: key.toColumns.map((column, place) => [column, key.columns[place]!] as const),
  hints: hintsOf(key),
  description: descriptionOf(key),
})

const hintsOf = ({ name, columns, toColumns }: ForeignKey): string[] =>
  columns.length === 1 ? [name, columns[0]!, toColumns[0]!] : [name]

const descriptionOf = ({ name, from, to, columns, toColumns }: ForeignKey): string =>
  `${name} using ${from.name}(${columns.join(', ')}) and ${to.name}(${toColumns.join(', ')})`

/** A table in between whose primary key has the columns of both foreign keys. */
function across(catalogue: Catalogue, table: Table, target: string): Relationship[] {
  return catalogue
    .foreignKeysOf(table)
    .incoming.filter(({ from, columns }) => from !== table && isWithin(from.primaryKey, columns))
    .flatMap((first) =>
      catalogue
        .foreignKeysOf(first.from)
        .outgoing.filter(
          ({ name, to, columns }) =>
            name !== first.name && to.name === target && isWithin(first.from.primaryKey, columns),
        )
        .map((second) => throughTable(first, second)),
    )
}

function throughTable(first: ForeignKey, second: ForeignKey): Relationship {
  const between = first.from
  return {
    table: second.to,
    kind: 'many-to-many',
    isOne: false,
    on: second.columns.map((column, place) => [column, second.toColumns[place]!] as const),
    through: {
      table: between,
      on: first.toColumns.map((column, place) => [column, first.columns[place]!] as const),
    },
    // Of a table that is related to itself only the second one says in which direction.
    hints: first.to === second.to ? [second.name] : [between.name, first.name, second.name],
    description: `${between.name} using ${first.name}(${first.columns.join(', ')}) and ${second.name}(${second.columns.join(', ')})`,
  }
}

const isWithin = (key: readonly string[], columns: readonly string[]): boolean =>
  columns.every((column) => key.includes(column))
