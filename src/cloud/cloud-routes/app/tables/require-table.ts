/** The table that a request names, and the hint where there is none of this name. */
import { type Catalogue, type DatabaseTable, RestRefused, similarNames } from '#cloud/tables'
import { tablesRefusals } from './refusals.ts'
import type { TablesRequest } from './request.ts'

/** The refusal of a name that no table of the catalogue has. */
class TableNotFound extends RestRefused {
  override name = 'TableNotFound'
  readonly catalogue: Catalogue

  constructor(catalogue: Catalogue, { schema, name }: Pick<TablesRequest, 'schema' | 'name'>) {
    super(tablesRefusals.noTable(schema, name))
    this.catalogue = catalogue
  }
}

/** Throws RestRefused. */
export function requireTable(
  catalogue: Catalogue,
  request: Pick<TablesRequest, 'schema' | 'name'>,
): DatabaseTable {
  const table = catalogue.table(request.schema, request.name)
  if (!table) throw new TableNotFound(catalogue, request)
  return table
}

const usable = `select c.oid::pg_catalog.text from pg_catalog.pg_class c where c.oid operator(pg_catalog.=) any($1::pg_catalog.oid[])
and (pg_catalog.has_any_column_privilege(c.oid, 'select, insert, update') or pg_catalog.has_table_privilege(c.oid, 'delete'))`

/** The most similar names whose privileges are looked up. */
const maxSimilar = 10

/**
 * Returns the refusal of an unknown table with the most similar one that the caller may use, whom no other name is told; any other error as it is. A
 * name that resembles none costs no query, and a refusal whose query fails has no hint.
 */
export async function withHint({ schema, name, run }: TablesRequest, error: unknown): Promise<unknown> {
  if (!(error instanceof TableNotFound)) return error
  const { catalogue, refusal } = error
  const similar = similarNames(
    name,
    catalogue.tables.map((table) => table.name),
  )
    .slice(0, maxSimilar)
    .flatMap((one) => catalogue.table(schema, one) ?? [])
  if (similar.length === 0) return error
  const values = [`{${similar.map(({ id }) => id).join(',')}}`]
  const [rows = []] = await run(() => [{ text: usable, values }], { isReadOnly: true }).catch(() => [])
  const allowed = new Set(rows.map(([id]) => id))
  const meant = similar.find(({ id }) => allowed.has(id))
  return meant ? new RestRefused({ ...refusal, hint: tablesRefusals.similarTable(meant) }) : error
}
