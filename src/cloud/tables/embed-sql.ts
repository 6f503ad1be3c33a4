/** Related rows beside those of a table: joined laterally, as one object, an array of them, or columns of the row itself. */
import type { DatabaseTable } from './catalogue.ts'
import type { Relationship } from './relationship.ts'
import type { Condition, SelectedTable } from './request.ts'
import { operator, quoted, quotedTable } from './sql-text.ts'

/** Some columns of a statement, and their names. */
export interface SqlColumns {
  sql: string
  names: readonly string[]
}

export interface Embed {
  of: SelectedTable
  name: string
  relationship: Relationship
  join: string
  columns: SqlColumns[]
  /** The condition that the row around it has to meet. */
  required?: string | undefined
  /** The condition that there is no related row. */
  absent: string
}

interface EmbedParts {
  of: SelectedTable
  relationship: Relationship
  name: string
  joinAlias: string
  rows: string
  names: readonly string[]
}

/** Puts related rows into a statement, as one object, an array or columns. */
export function embedOf(parts: EmbedParts): Embed {
  const { of, relationship } = parts
  if (of.isSpread) return relationship.isOne ? spreadOne(parts) : spreadMany(parts)
  return relationship.isOne ? one(parts) : many(parts)
}

const embedColumns = (of: SelectedTable, name: string, sql: string): SqlColumns[] =>
  of.select.length === 0 ? [] : [{ sql: `${sql} as ${quoted(name)}`, names: [name] }]

function one({ of, relationship, name, joinAlias, rows }: EmbedParts): Embed {
  const limit = relationship.kind === 'computed' ? ' limit 1' : ''
  return {
    ...{ of, name, relationship },
    join: `${joinOf(of)} (select pg_catalog.row_to_json(${joinAlias}r.*) as one from (${rows}) as ${joinAlias}r${limit}) as ${joinAlias} on true`,
    columns: embedColumns(of, name, `${joinAlias}.one`),
    absent: `(${joinAlias}.one is null)`,
  }
}

function many({ of, relationship, name, joinAlias, rows }: EmbedParts): Embed {
  return {
    ...{ of, name, relationship },
    join: `left join lateral (select coalesce(pg_catalog.json_agg(${joinAlias}r.*), '[]') as many, pg_catalog.count(*) as number from (${rows}) as ${joinAlias}r) as ${joinAlias} on true`,
    columns: embedColumns(of, name, `${joinAlias}.many`),
    required: of.isInner ? `${joinAlias}.number ${operator('>')} 0` : undefined,
    absent: `(${joinAlias}.number ${operator('=')} 0)`,
  }
}

const joinOf = ({ isInner }: SelectedTable): string => `${isInner ? 'inner' : 'left'} join lateral`

/** Each column of the related table as a column of the row around it. */
const spreadColumns = (joinAlias: string, names: readonly string[]): SqlColumns[] =>
  names.map((name) => ({ sql: `${joinAlias}.${quoted(name)}`, names: [name] }))

/** The name of a column, beside those of the related table, that says whether it has rows. */
const presence = (joinAlias: string): string => quoted(`${joinAlias} is there`)

function spreadOne({ of, relationship, name, joinAlias, rows, names }: EmbedParts): Embed {
  return {
    ...{ of, name, relationship },
    join: `${joinOf(of)} (select ${joinAlias}r.*, true as ${presence(joinAlias)} from (${rows}) as ${joinAlias}r) as ${joinAlias} on true`,
    columns: spreadColumns(joinAlias, names),
    absent: `(${joinAlias}.${presence(joinAlias)} is null)`,
  }
}

/** Each column of the related rows as an array of all its values. */
function spreadMany({ of, relationship, name, joinAlias, rows, names }: EmbedParts): Embed {
  const arrays = names.map(
    (column) => `coalesce(pg_catalog.json_agg(${joinAlias}r.${quoted(column)}), '[]') as ${quoted(column)}`,
  )
  return {
    ...{ of, name, relationship },
    join: `left join lateral (select ${[...arrays, `pg_catalog.count(*) as ${presence(joinAlias)}`].join(', ')} from (${rows}) as ${joinAlias}r) as ${joinAlias} on true`,
    columns: spreadColumns(joinAlias, names),
    required: of.isInner ? `${joinAlias}.${presence(joinAlias)} ${operator('>')} 0` : undefined,
    absent: `(${joinAlias}.${presence(joinAlias)} ${operator('=')} 0)`,
  }
}

/** Whether a condition asks if there are rows of this embedded table. */
export const hasPresenceFilter = (conditions: readonly Condition[], name: string): boolean =>
  conditions.some((condition) => {
    if (condition.kind === 'and' || condition.kind === 'or') return hasPresenceFilter(condition.of, name)
    if (condition.kind === 'not') return hasPresenceFilter([condition.of], name)
    return condition.kind === 'is' && condition.field.column === name
  })

interface JoinSide {
  table: DatabaseTable
  alias: string
}

const equal = (outer: string, inner: JoinSide, on: Relationship['on']): string =>
  on
    .map(([first, second]) => {
      const equals = operator('=', inner.table.columns.get(second)?.operators)
      return `${outer}.${quoted(first)} ${equals} ${inner.alias}.${quoted(second)}`
    })
    .join(' and ')

/** The related table, or the rows that a function of the app returns for a row. */
export const relatedSql = ({ table, by }: Relationship, outer: string): string =>
  by ? `${quotedTable(by)}(${outer})` : quotedTable(table)

export function joinConditions(
  { on, through, by, table }: Relationship,
  outer: string,
  alias: string,
): string[] {
  if (by) return []
  if (!through) return [equal(outer, { table, alias }, on)]
  const between = { table: through.table, alias: `${alias}b` }
  return [
    `exists (select from ${quotedTable(through.table)} as ${between.alias} where ${equal(outer, between, through.on)} and ${equal(between.alias, { table, alias }, on)})`,
  ]
}
