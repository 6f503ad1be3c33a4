/** What an app requests of tables, as it was written: names that are not looked up yet, and values that are not read. */

/** A column, and a place within it where it is JSON. */
export interface FieldName {
  column: string
  /** Names of members and positions in arrays, in order. */
  path: readonly string[]
  /** Whether the last step of the path is answered as text (`->>`). */
  asText: boolean
}

export interface SelectedField {
  kind: 'field'
  as?: string | undefined
  field: FieldName
  cast?: string | undefined
}

export interface SelectedTable {
  kind: 'embed'
  as?: string | undefined
  target: string
  /** The name of a foreign key, a column or a table in between that decides between several relationships. */
  hint?: string | undefined
  /** Rows without a related one are left out. */
  isInner: boolean
  /** The fields of the table stand among those of the row around it. */
  isSpread: boolean
  select: readonly SelectedItem[]
}

export type SelectedItem = { kind: 'all' } | SelectedField | SelectedTable

/** Comparisons with a value that PostgreSQL reads as the column's type. */
export type Operator =
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'like'
  | 'ilike'
  | '~'
  | '~*'
  | 'is distinct from'
  | '@>'
  | '<@'
  | '&&'
  | '<<'
  | '>>'
  | '&<'
  | '&>'
  | '-|-'

export type SearchFunction = 'to_tsquery' | 'plainto_tsquery' | 'phraseto_tsquery' | 'websearch_to_tsquery'

export type Condition =
  | { kind: 'and' | 'or'; of: readonly Condition[] }
  | { kind: 'not'; of: Condition }
  | { kind: 'compare'; field: FieldName; operator: Operator; value: string }
  | {
      kind: 'quantified'
      field: FieldName
      operator: Operator
      which: 'any' | 'all'
      values: readonly string[]
    }
  | { kind: 'in'; field: FieldName; values: readonly string[] }
  | { kind: 'is'; field: FieldName; what: 'null' | 'not null' | 'true' | 'false' | 'unknown' }
  | { kind: 'search'; field: FieldName; by: SearchFunction; config?: string | undefined; value: string }

export interface Order {
  /** The name of a related table that has one row, where its column orders the rows. */
  of?: string | undefined
  field: FieldName
  isDescending: boolean
  nulls?: 'first' | 'last' | undefined
}

/** What narrows and orders the rows of one table. The way to the table is `[]` for that of the request, `['orders', 'items']` for an embedded one. */
export interface TableFilter {
  where: Condition[]
  order: Order[]
  limit?: number | undefined
  offset: number
}

export interface TablesQuery {
  select: readonly SelectedItem[]
  filters: ReadonlyMap<string, TableFilter>
  /** The names of the members of a body that count. */
  columns?: readonly string[] | undefined
  onConflict?: readonly string[] | undefined
}

export const embedPathKey = (way: readonly string[]): string => JSON.stringify(way)
