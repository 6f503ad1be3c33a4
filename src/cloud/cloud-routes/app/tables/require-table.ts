/** The table that a request names, and the hint where there is none of this name. */
import { type Catalogue, type DatabaseTable, RestRefused, refuse, similarNames } from '#cloud/tables'
import { tablesRefusals } from './refusals.ts'
import type { TablesRequest } from './request.ts'

/** Throws RestRefused. */
export const requireTable = (
  catalogue: Catalogue,
  { schema, name }: Pick<TablesRequest, 'schema' | 'name'>,
): DatabaseTable => catalogue.table(schema, name) ?? refuse(tablesRefusals.noTable(schema, name))

const usable = `select c.oid::pg_catalog.text from pg_catalog.pg_class c where c.oid operator(pg_catalog.=) any($1::pg_catalog.oid[])
and (pg_catalog.has_any_column_privilege(c.oid, 'select, insert, update') or pg_catalog.has_table_privilege(c.oid, 'delete'))`

/** The most similar names whose privileges are looked up. */
const maxSimilar = 10

/** Returns the refusal of an unknown table with the most similar one that the caller may use, whom no other name is told; any other error as it is. */
export async function withHint({ schema, name, run }: TablesRequest, error: unknown): Promise<unknown> {
  if (!(error instanceof RestRefused) || error.refusal.code !== 'PGRST205') return error
  let similar: DatabaseTable[] = []
  const [rows = []] = await run(
    (catalogue) => {
      const names = catalogue.tables.map((table) => table.name)
      similar = similarNames(name, names)
        .slice(0, maxSimilar)
        .flatMap((one) => catalogue.table(schema, one) ?? [])
      return [{ text: usable, values: [`{${similar.map(({ id }) => id).join(',')}}`] }]
    },
    { isReadOnly: true },
  )
  const allowed = new Set(rows.map(([id]) => id))
  const meant = similar.find(({ id }) => allowed.has(id))
  if (!meant) return error
  return new RestRefused({ ...error.refusal, hint: tablesRefusals.similarTable(meant) })
}
