/** How an embedded table is related to the one around it. */
import type { Catalogue, DatabaseTable, ForeignKey, Routine } from './catalogue.ts'
import { refusals } from './refusals.ts'
import { NameNotFound, refuse } from './refuse.ts'

export type ColumnPair = readonly [outer: string, inner: string]

export interface Relationship {
  table: DatabaseTable
  kind: 'many-to-one' | 'one-to-many' | 'one-to-one' | 'many-to-many' | 'computed'
  /** True where at most one row of `table` belongs to each row of the table around it. */
  isOne: boolean
  /** Pairs of columns that are equal: of the table around it, or of the table in between, and of `table`. */
  on: readonly ColumnPair[]
  /** A table whose rows refer to both. */
  through?: { table: DatabaseTable; on: readonly ColumnPair[] } | undefined
  /** A function of the app that returns the related rows of a row. */
  by?: Routine | undefined
  /** Names that say, behind the name of the table, which relationship is meant; the first of them never means two. */
  hints: readonly string[]
  /** The text for refusals where several relationships are possible. */
  description: string
}

interface EmbedTarget {
  target: string
  hint?: string | undefined
}

const maxShown = 10

/** The relationship that a request means. Throws RestRefused where there is none, or several, and NameNotFound where nothing has this name. */
export function findRelationship(
  catalogue: Catalogue,
  table: DatabaseTable,
  { target, hint }: EmbedTarget,
): Relationship {
  const computed = byFunction(catalogue, table, target)
  if (computed) return computed
  const named = candidatesOf(catalogue, table)
  const candidates = named.get(target)
  const meant = hint === undefined ? candidates?.all : candidates?.byHint.get(hint)
  const found = relationships(meant ?? [])
    .take(maxShown)
    .toArray()
  const [one, ...more] = found
  if (!one) {
    const refusal = refusals.noRelationship(table, target, hint)
    if (candidates) return refuse(refusal)
    // Relationships also go by the names of keys and columns, which no hint names.
    const tables = () => [...named.keys()].flatMap((name) => catalogue.table(table.schema, name) ?? [])
    const hintOf = ({ name }: { name: string }) => refusals.similarRelation(name, target)
    throw new NameNotFound(refusal, { wanted: target, tables, hintOf })
  }
  if (more.length > 0) refuse(refusals.ambiguous(table.name, target, found))
  return one
}

/** Makes relationships one by one: two tables may have thousands of keys in common, and each two of them are a relationship across. */
function* relationships(candidates: readonly RelationshipCandidate[]): Generator<Relationship, undefined> {
  for (const candidate of candidates)
    if ('key' in candidate) yield candidate.isOut ? toOne(candidate.key) : toMany(candidate.key)
    else
      for (const first of candidate.firsts)
        for (const second of candidate.seconds)
          if (first.name !== second.name) yield throughTable(first, second)
}

/** The relationship by a function, which decides also where a foreign key has the same name. */
function byFunction(catalogue: Catalogue, table: DatabaseTable, target: string): Relationship | undefined {
  const routine = catalogue.computed(table, target)
  const returned = routine?.returns.table
  if (!returned) return undefined
  return {
    ...{ table: returned, kind: 'computed', isOne: routine.returns.isOneRow, on: [], by: routine },
    ...{ hints: [], description: routine.name },
  }
}

type RelationshipCandidate =
  | { key: ForeignKey; isOut: boolean }
  /** A table in between: its keys to the one table, and those to the other. */
  | { firsts: readonly ForeignKey[]; seconds: readonly ForeignKey[] }

/** The candidates that one name may mean. */
class RelationshipCandidates {
  readonly all: RelationshipCandidate[] = []
  #byHint: Map<string, RelationshipCandidate[]> | undefined

  get byHint(): ReadonlyMap<string, readonly RelationshipCandidate[]> {
    if (this.#byHint) return this.#byHint
    this.#byHint = new Map()
    for (const candidate of this.all)
      for (const [hint, meant] of candidatesByHint(candidate)) push(this.#byHint, hint, meant)
    return this.#byHint
  }
}

const known = new WeakMap<DatabaseTable, ReadonlyMap<string, RelationshipCandidates>>()

/** The candidates by the names that a request may use: hundreds of tables in one request look through no list of thousands of keys. */
function candidatesOf(
  catalogue: Catalogue,
  table: DatabaseTable,
): ReadonlyMap<string, RelationshipCandidates> {
  const made = known.get(table) ?? namedCandidates(catalogue, table)
  known.set(table, made)
  return made
}

function namedCandidates(catalogue: Catalogue, table: DatabaseTable): Map<string, RelationshipCandidates> {
  const named = new Map<string, RelationshipCandidates>()
  const add = (names: readonly string[], candidate: RelationshipCandidate): void => {
    for (const name of new Set(names)) {
      const candidates = named.get(name) ?? new RelationshipCandidates()
      candidates.all.push(candidate)
      named.set(name, candidates)
    }
  }
  const { outgoing, incoming } = catalogue.foreignKeysOf(table)
  for (const key of outgoing) add(namesOut(key), { key, isOut: true })
  for (const key of incoming) add(namesIn(key), { key, isOut: false })
  // The primary key of a table in between has the columns of both foreign keys. A view is between where the table that it shows is not open itself.
  const isBetween = ({ from, columns, isRepeated }: ForeignKey): boolean =>
    !isRepeated && isWithin(from.primaryKey, columns)
  const within = incoming.filter((key) => key.from !== table && isBetween(key))
  for (const [between, firsts] of Map.groupBy(within, ({ from }) => from)) {
    const others = catalogue.foreignKeysOf(between).outgoing.filter(isBetween)
    for (const [name, seconds] of Map.groupBy(others, ({ to }) => to.name)) add([name], { firsts, seconds })
  }
  return named
}

/**
 * The names for the table that a key refers to: those of the table, of the foreign key and of its only column. Where a table refers to itself, its
 * name means the rows that refer to this one.
 */
const namesOut = ({ name, columns, from, to }: ForeignKey): string[] => [
  ...(to === from ? [] : [to.name]),
  ...(to.isView ? [] : [name, ...onlyOf(columns)]),
]

const namesIn = ({ name, from, to, toColumns }: ForeignKey): string[] => [
  from.name,
  ...(from === to || from.isView ? [] : [name, ...onlyOf(toColumns)]),
]

const onlyOf = (columns: readonly string[]): readonly string[] => (columns.length === 1 ? columns : [])

/** What each hint means of a candidate: the name of the table in between all of it, the name of a key the relationships by that key. */
function* candidatesByHint(
  candidate: RelationshipCandidate,
): Generator<readonly [hint: string, meant: RelationshipCandidate], undefined> {
  if ('key' in candidate) {
    for (const hint of new Set(hintsOf(candidate.key))) yield [hint, candidate]
    return
  }
  const { firsts, seconds } = candidate
  const isOne = isSelfReference(firsts[0]!, seconds[0]!)
  const between = firsts[0]!.from.name
  if (!isOne) yield [between, candidate]
  const isOther = ({ name }: ForeignKey): boolean => isOne || name !== between
  for (const second of seconds.filter(isOther)) yield [second.name, { firsts, seconds: [second] }]
  if (!isOne) for (const first of firsts.filter(isOther)) yield [first.name, { firsts: [first], seconds }]
}

/** Where a table is related to itself, only the second key says in which direction. */
const isSelfReference = (first: ForeignKey, second: ForeignKey): boolean => first.to === second.to

function push(
  map: Map<string, RelationshipCandidate[]>,
  name: string,
  candidate: RelationshipCandidate,
): void {
  const others = map.get(name)
  if (others) others.push(candidate)
  else map.set(name, [candidate])
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
    hints: isSelfReference(first, second) ? [second.name] : [between.name, first.name, second.name],
    description: `${between.name} using ${first.name}(${first.columns.join(', ')}) and ${second.name}(${second.columns.join(', ')})`,
  }
}

const isWithin = (key: readonly string[], columns: readonly string[]): boolean =>
  columns.every((column) => key.includes(column))
