import type { Catalogue, DatabaseTable } from './catalogue.ts'
import { refusals } from './refusals.ts'
import { refuse } from './refuse.ts'
import type { Condition, FieldName, Operator } from './request.ts'
import { arrayLiteral, operator, quoted, quotedTable, type Values } from './sql-text.ts'

/** A table in a statement, with its alias there. */
export interface TableScope {
  catalogue: Catalogue
  table: DatabaseTable
  alias: string
  values: Values
  /** For `null` filters on embedded tables, by their names: the condition that there is no related row. */
  absent: ReadonlyMap<string, string>
}

/** A value of a row in SQL, and the schema of the operators of its type. */
interface SqlValue {
  sql: string
  type: string
  operators: string
}

/** A field in SQL. Throws RestRefused where there is no such column. */
export const fieldSql = (scope: TableScope, field: FieldName): string => valueIn(scope, field).sql

function valueIn(scope: TableScope, { column, path, asText }: FieldName): SqlValue {
  const { values } = scope
  const own = columnOf(scope, column)
  if (path.length === 0) return own
  const root = /^jsonb?$/.test(own.type) ? own.sql : `pg_catalog.to_jsonb(${own.sql})`
  const steps = path.map((step, index) => {
    const arrow = operator(asText && index === path.length - 1 ? '->>' : '->')
    return /^-?\d{1,9}$/.test(step)
      ? ` ${arrow} ${values.add(Number(step))}::int4`
      : ` ${arrow} ${values.add(step)}::pg_catalog.text`
  })
  return { sql: `(${root}${steps.join('')})`, type: asText ? 'text' : 'jsonb', operators: 'pg_catalog' }
}

/** A column, or a function that computes one of the row. */
function columnOf({ catalogue, table, alias }: TableScope, name: string): SqlValue {
  const column = table.columns.get(name)
  if (column) return { ...column, sql: `${alias}.${quoted(name)}` }
  const routine = catalogue.computed(table, name)
  if (!routine || routine.returns.isSet) return refuse(refusals.unknownColumn(table.name, name))
  return { sql: `${quotedTable(routine)}(${alias})`, type: routine.returns.type, operators: 'pg_catalog' }
}

export function conditionSql(scope: TableScope, condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return `(${condition.of.map((one) => conditionSql(scope, one)).join(` ${condition.kind} `)})`
    case 'not':
      return `(not ${conditionSql(scope, condition.of)})`
    case 'is':
      return isSql(scope, condition)
    case 'search':
      return searchSql(scope, condition)
    default:
      return comparisonSql(scope, condition)
  }
}

type ConditionOf<Name extends Condition['kind']> = Extract<Condition, { kind: Name }>

function comparisonSql(scope: TableScope, condition: ConditionOf<'compare' | 'in' | 'quantified'>): string {
  const { sql, operators } = valueIn(scope, condition.field)
  const { values } = scope
  if (condition.kind === 'in')
    return `(${sql} ${operator('=', operators)} any(${values.add(arrayLiteral(condition.values))}))`
  const symbol = operator(symbols[condition.operator] ?? condition.operator, operators)
  if (condition.kind === 'quantified')
    return `(${sql} ${symbol} ${condition.which}(${values.add(arrayLiteral(condition.values))}))`
  const compared = `(${sql} ${symbol} ${values.add(condition.value)})`
  // The value to compare with is never null.
  return condition.operator === 'is distinct from' ? `(${compared} is not true)` : compared
}

/** The operators that words of SQL stand for. */
const symbols: Partial<Record<Operator, string>> = { like: '~~', ilike: '~~*', 'is distinct from': '=' }

function isSql(scope: TableScope, { field, what }: ConditionOf<'is'>): string {
  const absent = field.path.length === 0 ? scope.absent.get(field.column) : undefined
  if (absent !== undefined && what === 'null') return absent
  if (absent !== undefined && what === 'not null') return `(not ${absent})`
  return `(${fieldSql(scope, field)} is ${what})`
}

function searchSql(scope: TableScope, { field, by, config, value }: ConditionOf<'search'>): string {
  const { values } = scope
  // The configuration is read as a language when it is bound, not computed, so that an index over the same expression is found.
  const dictionary = config === undefined ? '' : `${values.add(config)}::pg_catalog.regconfig, `
  const { sql: root, type } = columnOf(scope, field.column)
  const own = fieldSql(scope, field)
  const isVector = field.path.length === 0 && type === 'tsvector'
  const isReadable = field.path.length > 0 || /^(?:text|json|jsonb)$/.test(type)
  const read = isReadable ? own : `${own}::pg_catalog.text`
  const words = isVector ? root : `pg_catalog.to_tsvector(${dictionary}${read})`
  return `(${words} ${operator('@@')} pg_catalog.${by}(${dictionary}${values.add(value)}))`
}
