/** SQL that makes the JSON text of each row of an answer, and orders the rows. */
import { type Collation, columnSql, jsonSql, textSql } from './conditions.ts'
import {
  type CastType,
  type Field,
  isRowColumn,
  type Order,
  type RowColumn,
  type Selection,
} from './query.ts'
import type { Parameters } from './sql-text.ts'

const timeSql = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"')`

const columnJson = {
  id: `'"' || r.row_id || '"'`,
  owner_id: `coalesce('"' || r.owner_id || '"', 'null')`,
  created_at: `'"' || ${timeSql('r.created_at')} || '"'`,
  updated_at: `'"' || ${timeSql('r.updated_at')} || '"'`,
} as const satisfies Record<RowColumn, string>

/** The whole row, its columns first. */
const wholeSql =
  `'{"id":' || ${columnJson.id} || ',"owner_id":' || ${columnJson.owner_id}` +
  ` || ',"created_at":' || ${columnJson.created_at} || ',"updated_at":' || ${columnJson.updated_at}` +
  ` || case when r.data = '{}'::jsonb then '}' else ',' || substr(r.data::text, 2) end`

export const wholeSelection: Selection = { all: true, fields: [], withoutNulls: false }

/** An expression of type text: the JSON of the row `r`. */
export function selectionSql({ all, fields, withoutNulls }: Selection, parameters: Parameters): string {
  const members = fields.map(({ as, field, cast }, index) => {
    const comma = all || index > 0 ? ',' : ''
    const name = parameters.add(`${comma}${JSON.stringify(as)}:`, 'text')
    return `${name} || coalesce(${fieldJson(field, cast, parameters)}, 'null')`
  })
  const row = all
    ? members.length === 0
      ? wholeSql
      : [`left(${wholeSql}, -1)`, ...members, `'}'`].join(' || ')
    : [`'{'`, ...members, `'}'`].join(' || ')
  return withoutNulls ? `json_strip_nulls((${row})::json)::text` : row
}

function fieldJson(field: Field, cast: CastType | undefined, parameters: Parameters): string {
  if (cast !== undefined) return castJson(field, cast, parameters)
  if ('column' in field) return columnJson[field.column]
  if (field.asText) return `to_json(${textSql(field, parameters)})::text`
  return `(${jsonSql(field.path, parameters)})::text`
}

const castJson = (field: Field, cast: CastType, parameters: Parameters): string =>
  cast === 'json' && !('column' in field)
    ? `(${jsonSql(field.path, parameters)})::text`
    : `to_json((${textSql(field, parameters)})::${cast})::text`

/** The text of a field in a table of text; null where it has no value. */
export const cellSql = (field: Field, cast: CastType | undefined, parameters: Parameters): string =>
  cast !== undefined
    ? `((${textSql(field, parameters)})::${cast})::text`
    : 'column' in field && (field.column === 'created_at' || field.column === 'updated_at')
      ? timeSql(columnSql[field.column])
      : textSql(field, parameters)

/**
 * Values of one field may have several types: truth values come first, then numbers, texts, arrays and objects. Rows that are otherwise equal are
 * ordered by their ids, so that pages neither repeat nor miss one.
 */
export function orderSql(orders: readonly Order[], parameters: Parameters, collation: Collation): string {
  const keys = orders.flatMap(({ field, descending, nullsFirst }) => {
    const way = `${descending ? 'desc' : 'asc'} nulls ${nullsFirst ? 'first' : 'last'}`
    return orderKeys(field, parameters, collation).map((key) => `${key} ${way}`)
  })
  return [...keys, 'r.row_id'].join(', ')
}

function orderKeys(field: Field, parameters: Parameters, collation: Collation): string[] {
  if ('column' in field) return [columnSql[field.column]]
  const text = `${textSql(field, parameters)} collate ${collation}`
  if (field.asText) return [text]
  const json = jsonSql(field.path, parameters)
  return [
    `case jsonb_typeof(${json}) when 'boolean' then 1 when 'number' then 2 when 'string' then 3 when 'array' then 4 when 'object' then 5 end`,
    `case when jsonb_typeof(${json}) = 'string' then ${text} end`,
    json,
  ]
}

/** The field that a name means. */
export const fieldOf = (name: string): Field =>
  isRowColumn(name) ? { column: name } : { path: [name], asText: false }
