/** Rows that are there already: what an insert does with them, how many rows are new, and the one row that a PUT names. */
import type { Column, DatabaseTable } from './catalogue.ts'
import { refusals } from './refusals.ts'
import { refuse } from './refuse.ts'
import { embedPathKey, type TablesQuery } from './request.ts'
import { operator, quoted } from './sql-text.ts'

export type OnConflict =
  | { kind: 'refuse' }
  /** `target`: the columns of the conflict; the row key where absent. */
  | { kind: 'merge' | 'ignore'; target?: readonly string[] | undefined }

/**
 * The setting in which a merging insert counts its new rows, for its transaction alone: of rows in views and partitions PostgreSQL does not say whether
 * they were inserted or updated. PostgREST counts in the same way.
 */
const counter = 'kherad.inserted'

/** SQL for the number of new rows: null or empty where nothing was counted. */
export const insertedSql = `pg_catalog.current_setting('${counter}', true)`

/** The number of new rows in an answer of `insertedSql`; undefined where nothing was counted. */
export const readInserted = (text: string | null | undefined): number | undefined =>
  text ? Number(text) : undefined

/** A condition that is always met, and counts the row for which it is evaluated. */
const counting = (step: '+' | '-'): string =>
  `pg_catalog.set_config('${counter}', (case when coalesce(${insertedSql}, '') ${operator('=')} '' then 0 else ${insertedSql}::int4 end ${operator(step)} 1)::pg_catalog.text, true) is not null`

/** What stands behind the rows of an insert, and the condition that each of them has to meet; either may be empty. */
export interface ConflictSql {
  clause: string
  condition: string
}

export function conflictSql(
  table: DatabaseTable,
  columnsNamed: (names: readonly string[]) => Column[],
  onConflict: OnConflict,
  columns: readonly Column[],
): ConflictSql {
  if (onConflict.kind === 'refuse') return { clause: '', condition: '' }
  const target = columnsNamed(onConflict.target ?? table.rowKey)
  const on = target.length === 0 ? '' : `(${target.map(({ name }) => quoted(name)).join(', ')}) `
  if (onConflict.kind === 'ignore') return { clause: `on conflict ${on}do nothing`, condition: '' }
  // Without a key there is nothing to merge by: a row that exists already is refused by what makes it unique. INSTEAD OF triggers write as they will.
  if (on === '' || columns.length === 0) return { clause: '', condition: '' }
  const others = columns.filter((column) => !target.includes(column))
  // At least one column is written, so that the row is answered.
  const set = (others.length > 0 ? others : columns).map(
    ({ name }) => `${quoted(name)} = excluded.${quoted(name)}`,
  )
  return {
    clause: `on conflict ${on}do update set ${set.join(', ')} where ${counting('-')}`,
    condition: counting('+'),
  }
}

/** Columns and values of the row key, where the conditions name all of it, by `eq`, and nothing else. Throws RestRefused. */
export function requireKey(
  { rowKey }: DatabaseTable,
  { filters }: TablesQuery,
): (readonly [column: string, value: string])[] {
  const conditions = filters.get(embedPathKey([]))?.where ?? []
  const named = conditions.map((one) =>
    one.kind === 'compare' && one.operator === '=' && one.field.path.length === 0
      ? ([one.field.column, one.value] as const)
      : refuse(refusals.putConditions),
  )
  const names = new Set(named.map(([name]) => name))
  const isKey = names.size === rowKey.length && rowKey.every((name) => names.has(name))
  return isKey && names.size > 0 ? named : refuse(refusals.putConditions)
}
