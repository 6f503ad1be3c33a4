/** The table that a request names, and the hint where nothing has a name that it gives. */
import { type Catalogue, type DatabaseTable, NameNotFound, RestRefused, similarNames } from '#cloud/tables'
import { tablesRefusals } from './refusals.ts'
import type { TablesRequest } from './request.ts'

/** Throws NameNotFound. */
export function requireTable(
  catalogue: Catalogue,
  { schema, name }: Pick<TablesRequest, 'schema' | 'name'>,
): DatabaseTable {
  const table = catalogue.table(schema, name)
  if (table) return table
  throw new NameNotFound(tablesRefusals.noTable(schema, name), {
    wanted: name,
    tables: () => catalogue.tables.filter((one) => one.schema === schema),
    hintOf: tablesRefusals.similarTable,
  })
}

const usable = `select c.oid::pg_catalog.text from pg_catalog.pg_class c where c.oid operator(pg_catalog.=) any($1::pg_catalog.oid[])
and (pg_catalog.has_any_column_privilege(c.oid, 'select, insert, update') or pg_catalog.has_table_privilege(c.oid, 'delete'))`

/** The most similar names whose privileges are looked up. */
const maxSimilar = 10

/**
 * Returns the refusal of an unknown table or relationship with the most similar one that the caller may use, whom no other name is told; any other
 * error as it is. A name that resembles none costs no query, and a refusal whose query fails has no such hint.
 */
export async function withHint({ run }: Pick<TablesRequest, 'run'>, error: unknown): Promise<unknown> {
  if (!(error instanceof NameNotFound)) return error
  const { wanted, refusal } = error
  const byName = new Map(error.tables().map((table) => [table.name, table]))
  const similar = similarNames(wanted, [...byName.keys()])
    .slice(0, maxSimilar)
    .map((name) => byName.get(name)!)
  if (similar.length === 0) return error
  const values = [`{${similar.map(({ id }) => id).join(',')}}`]
  const [rows = []] = await run(() => [{ text: usable, values }], { isReadOnly: true }).catch(() => [])
  const allowed = new Set(rows.map(([id]) => id))
  const meant = similar.find(({ id }) => allowed.has(id))
  return meant ? new RestRefused({ ...refusal, hint: error.hintOf(meant) }) : error
}
