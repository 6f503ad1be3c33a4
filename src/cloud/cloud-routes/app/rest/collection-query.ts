/** Translates a parsed query for collections: which fields, which rows, in which order. What only tables have is refused. */
import {
  type CastType,
  type Condition,
  type Field,
  type Order,
  queryLimits,
  type SelectedMember,
  type Selection,
  wholeSelection,
} from '#cloud/collections'
import {
  embedPathKey,
  parseQuery,
  parseRefusal,
  refuse,
  type SelectedItem,
  type TablesOrder,
  type TablesQuery,
} from '#cloud/tables'
import { ConditionCounter, conditionOf, fieldOf } from './collection-condition.ts'
import { queryReasons, refusals } from './refusals.ts'

export interface CollectionQuery {
  selection: Selection
  where: readonly Condition[]
  order: readonly Order[]
  limit: number
  offset: number
  /** Whether a limit was given. */
  isLimited: boolean
  /** Names of the fields that are used of a body. */
  columns: readonly string[] | undefined
  onConflict: string | undefined
}

const own = embedPathKey([])

/** Throws RestRefused. */
export function readCollectionQuery(
  parameters: Iterable<readonly [name: string, value: string]>,
  withoutNulls: boolean,
): CollectionQuery {
  const { select, filters: narrowings, columns, onConflict } = parseQuery(parameters)
  for (const way of narrowings.keys())
    if (way !== own) refuse(refusals.embed((JSON.parse(way) as string[])[0]!))
  const { where = [], order = [], limit, offset = 0 } = narrowings.get(own) ?? {}
  const conditions = new ConditionCounter()
  return {
    selection: selectionOf(select, withoutNulls),
    where: where.map((condition) => conditionOf(condition, conditions)),
    order:
      order.length > queryLimits.orders
        ? refuse(parseRefusal('order', queryReasons.many))
        : order.map(orderOf),
    limit: Math.min(limit ?? queryLimits.rows, queryLimits.rows),
    offset,
    isLimited: limit !== undefined,
    columns,
    onConflict: onConflict?.join(','),
  }
}

function selectionOf(select: TablesQuery['select'], withoutNulls: boolean): Selection {
  if (select.length > queryLimits.selected) refuse(parseRefusal('select', queryReasons.many))
  const fields = select.flatMap((one) => (one.kind === 'all' ? [] : toSelectedField(one)))
  if (fields.length === 0) return withoutNulls ? { ...wholeSelection, withoutNulls } : wholeSelection
  return { all: fields.length < select.length, fields, withoutNulls }
}

const casts = new Map<string, CastType>([
  ['text', 'text'],
  ['varchar', 'text'],
  ['json', 'json'],
  ['jsonb', 'json'],
  ['numeric', 'numeric'],
  ['decimal', 'numeric'],
  ['float', 'float8'],
  ['float8', 'float8'],
  ['real', 'float8'],
  ['int', 'int4'],
  ['integer', 'int4'],
  ['int4', 'int4'],
  ['int8', 'int8'],
  ['bigint', 'int8'],
  ['bool', 'bool'],
  ['boolean', 'bool'],
  ['uuid', 'uuid'],
  ['date', 'date'],
  ['timestamptz', 'timestamptz'],
])

function toSelectedField(one: Exclude<SelectedItem, { kind: 'all' }>): SelectedMember {
  if (one.kind === 'embed') return refuse(refusals.embed(one.target))
  const { as, cast } = one
  const field = fieldOf(one.field)
  const type = cast === undefined ? undefined : casts.get(cast.toLowerCase())
  if (cast !== undefined && type === undefined) refuse(parseRefusal(cast, queryReasons.cast))
  return { as: as ?? nameOf(field), field, cast: type }
}

/** Returns the last name in the path; a position in an array is none. */
const nameOf = (field: Field): string =>
  'column' in field ? field.column : (field.path.findLast((name) => !/^-?\d+$/.test(name)) ?? field.path[0]!)

/** Nulls are larger than all else unless the order states otherwise. */
function orderOf({ of, field, isDescending, nulls }: TablesOrder): Order {
  if (of !== undefined) refuse(refusals.embed(of))
  const nullsFirst = nulls === undefined ? isDescending : nulls === 'first'
  return { field: fieldOf(field), descending: isDescending, nullsFirst }
}
