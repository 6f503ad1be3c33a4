/** Queries of the rows of a collection: plain values without SQL. Nothing in them is trusted but their shape. */

/** Columns of every row; everything else stands in its document. */
export const rowColumns = ['id', 'owner_id', 'created_at', 'updated_at'] as const
export type RowColumn = (typeof rowColumns)[number]

export const isRowColumn = (name: string): name is RowColumn =>
  (rowColumns as readonly string[]).includes(name)

/** A column, or a place in the document: names of members, and positions in arrays as text. */
export type Field = { column: RowColumn } | { path: readonly string[]; asText: boolean }

/** Array literals and JSON look alike, and a member of an array is written the same whether it is text or a number: all readings count. */
export type ContainedValue =
  | { kind: 'json'; json: readonly string[] }
  /** Each member with its readings as JSON. */
  | { kind: 'array'; members: readonly (readonly string[])[] }
  | { kind: 'range'; text: string; of: RangeKind }

export type RangeKind = 'numbers' | 'times'
export type RangeOperator = 'left' | 'right' | 'notLeft' | 'notRight' | 'adjacent'
export type SearchKind = 'words' | 'plain' | 'phrase' | 'web'

export type Condition =
  | { kind: 'and' | 'or'; of: readonly Condition[] }
  | { kind: 'not'; of: Condition }
  | { kind: 'equal'; field: Field; texts: readonly string[] }
  | { kind: 'distinct'; field: Field; text: string }
  | { kind: 'compare'; field: Field; operator: '<' | '<=' | '>' | '>='; text: string }
  | { kind: 'like'; field: Field; pattern: string; anyCase: boolean }
  | { kind: 'is'; field: Field; what: 'null' | 'not_null' | 'true' | 'false' | 'unknown' }
  | { kind: 'contains' | 'contained' | 'overlaps'; field: Field; value: ContainedValue }
  | { kind: 'range'; field: Field; operator: RangeOperator; text: string; of: RangeKind }
  | { kind: 'search'; field: Field; parse: SearchKind; config: SearchConfig; text: string }

/** PostgreSQL's configurations of text search, by language; `simple` takes words as they are written. */
export const searchConfigs = [
  'simple',
  'arabic',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'hungarian',
  'italian',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'spanish',
  'swedish',
  'turkish',
] as const
export type SearchConfig = (typeof searchConfigs)[number]

/** Names of types of PostgreSQL. */
export type CastType =
  | 'text'
  | 'json'
  | 'numeric'
  | 'float8'
  | 'int8'
  | 'int4'
  | 'bool'
  | 'uuid'
  | 'date'
  | 'timestamptz'

/** One member of the answer. */
export interface SelectedMember {
  as: string
  field: Field
  cast?: CastType | undefined
}

export interface Selection {
  /** Whether the whole row comes before the members that are named. */
  all: boolean
  fields: readonly SelectedMember[]
  /** Whether members that are null are left out. */
  withoutNulls: boolean
}

export interface Order {
  field: Field
  descending: boolean
  nullsFirst: boolean
}

/** Bounds of one query. */
export const queryLimits = {
  conditions: 20,
  orders: 10,
  selected: 50,
  rows: 1_000,
  /** The depth of conditions within conditions. */
  depth: 10,
  /** Names in a path. */
  path: 10,
  /** Values in a list. */
  values: 1_000,
  patternCharacters: 500,
  answerBytes: 8 * 1024 * 1024,
} as const

/** The caller of a query of rows. */
export type RowCaller = { role: 'anon' } | { role: 'user'; userId: string } | { role: 'all' }
