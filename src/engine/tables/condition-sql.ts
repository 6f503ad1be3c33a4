import type { Catalogue, Table } from './catalogue.ts'
import { refusals, refuse } from './refusals.ts'
import type { Condition, FieldName } from './request.ts'
import { arrayLiteral, quoted, quotedTable, type Values } from './sql-text.ts'

/** A table in a statement: what it is called there. */
export interface Place {
  catalogue: Catalogue
  table: Table
  alias: string
  values: Values
  /** `null` filters on embedded tables, by their names: what says that there is no related row. */
  absent: ReadonlyMap<string, string>
}

/** Throws TablesRefused where there is no such column. */
export function fieldSql(place: Place, { column, path, asText }: FieldName): string {
  const { values } = place
  const { sql, type } = columnSql(place, column)
  if (path.length === 0) return sql
  const root = /^jsonb?$/.test(type) ? sql : `to_jsonb(${sql})`
  const steps = path.map((step, place) => {
    const arrow = asText && place === path.length - 1 ? '->>' : '->'
    return /^-?\d{1,9}$/.test(step)
      ? ` ${arrow} ${values.add(Number(step))}::int`
      : ` ${arrow} ${values.add(step)}::text`
  })
  return `(${root}${steps.join('')})`
}

/** A column, or a function that computes one of the row. */
function columnSql({ catalogue, table, alias }: Place, name: string): { sql: string; type: string } {
  const column = table.columns.get(name)
  if (column) return { sql: `${alias}.${quoted(name)}`, type: column.type }
  const routine = catalogue.computed(table, name)
  if (!routine || routine.returns.isSet) return refuse(refusals.unknownColumn(table.name, name))
  return { sql: `${quotedTable(routine)}(${alias})`, type: routine.returns.type }
}

export function conditionSql(place: Place, condition: Condition): string {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return `(${condition.of.map((one) => conditionSql(place, one)).join(` ${condition.kind} `)})`
    case 'not':
      return `(not ${conditionSql(place, condition.of)})`
    case 'is':
      return isSql(place, condition)
    case 'search':
      return searchSql(place, condition)
    default:
      return comparisonSql(place, condition)
  }
}

type Kind<Name extends Condition['kind']> = Extract<Condition, { kind: Name }>

function comparisonSql(place: Place, condition: Kind<'compare' | 'in' | 'quantified'>): string {
  const field = fieldSql(place, condition.field)
  const { values } = place
  if (condition.kind === 'compare') return `(${field} ${condition.operator} ${values.add(condition.value)})`
  const list = values.add(arrayLiteral(condition.values))
  if (condition.kind === 'in') return `(${field} = any(${list}))`
  return `(${field} ${condition.operator} ${condition.which}(${list}))`
}

function isSql(place: Place, { field, what }: Kind<'is'>): string {
  const absent = field.path.length === 0 ? place.absent.get(field.column) : undefined
  if (absent !== undefined && what === 'null') return absent
  if (absent !== undefined && what === 'not null') return `(not ${absent})`
  return `(${fieldSql(place, field)} is ${what})`
}

function searchSql(place: Place, { field, by, config, value }: Kind<'search'>): string {
  const { values } = place
  // Read as a language when it is bound, not computed: an index over the same expression is found then.
  const dictionary = config === undefined ? '' : `${values.add(config)}::regconfig, `
  const { sql: root, type } = columnSql(place, field.column)
  const own = fieldSql(place, field)
  const isVector = field.path.length === 0 && type === 'tsvector'
  const isReadable = field.path.length > 0 || /^(?:text|json|jsonb)$/.test(type)
  const words = isVector ? root : `to_tsvector(${dictionary}${isReadable ? own : `${own}::text`})`
  return `(${words} @@ ${by}(${dictionary}${values.add(value)}))`
}
