/** What views show of tables, through other views too. */
import type { Column, DatabaseTable } from './catalogue.ts'
import type { ViewColumn } from './view-columns.ts'

export interface ViewOfTable {
  view: DatabaseTable
  /** The names of the view's columns by those of the table's. */
  columns: ReadonlyMap<string, string>
}

/**
 * The ids of tables, and of views whose rows PostgreSQL writes by itself, down to the one table that they show: each row of such a view is one of the
 * table. PostgreSQL says so of a view too where rules of another one that it shows write the rows, and regards no triggers.
 */
export function updatableRelations(
  relations: readonly { id: string; isUpdatable: boolean }[],
  views: readonly (readonly [id: string, columns: readonly ViewColumn[]])[],
): ReadonlySet<string> {
  const own = relations.flatMap(({ id, isUpdatable }) => (isUpdatable ? [id] : []))
  // Such a view shows columns of one relation only.
  const shown = new Map(views.map(([id, [first]]) => [id, first?.tableId]))
  const above = Map.groupBy(own, (id) => shown.get(id))
  const updatable = new Set(above.get(undefined))
  // A set goes on with what is added to it.
  for (const id of updatable) for (const view of above.get(id) ?? []) updatable.add(view)
  return updatable
}

type Definitions = ReadonlyMap<string, ReadonlyMap<number, ViewColumn>>

/** The views that show tables, by the table that is shown. */
export function viewsByTable(
  views: readonly (readonly [id: string, columns: readonly ViewColumn[]])[],
  byId: ReadonlyMap<string, DatabaseTable>,
): Map<DatabaseTable, ViewOfTable[]> {
  const definitions: Definitions = new Map(
    views.map(([id, columns]) => [id, new Map(columns.map((column) => [column.number, column]))]),
  )
  const columns = new Columns(byId)
  const shown = new Map<DatabaseTable, ViewOfTable[]>()
  for (const [id, own] of views)
    for (const [tableId, names] of shownBy(id, own, definitions, columns)) {
      const table = byId.get(tableId)!
      const known = shown.get(table)
      const one = { view: byId.get(id)!, columns: names }
      if (known) known.push(one)
      else shown.set(table, [one])
    }
  return shown
}

function shownBy(
  id: string,
  own: readonly ViewColumn[],
  definitions: Definitions,
  columns: Columns,
): Map<string, Map<string, string>> {
  const shown = new Map<string, Map<string, string>>()
  for (const { number, ...first } of own) {
    const { tableId, place } = originOf(first, definitions)
    const [name, shownAs] = [columns.at(tableId, place)?.name, columns.at(id, number)?.name]
    if (name === undefined || shownAs === undefined) continue
    const names = shown.get(tableId) ?? new Map<string, string>()
    // A column that is shown twice is found by its first name.
    if (!names.has(name)) names.set(name, shownAs)
    shown.set(tableId, names)
  }
  return shown
}

/** The column of a table that a column shows in the end. Views cannot show one another in a circle. */
function originOf(
  column: Pick<ViewColumn, 'tableId' | 'place'>,
  definitions: Definitions,
): Pick<ViewColumn, 'tableId' | 'place'> {
  let origin = column
  for (;;) {
    const within = definitions.get(origin.tableId)?.get(origin.place)
    if (!within) return origin
    origin = within
  }
}

/** The columns of all tables by their numbers. */
class Columns {
  readonly #byId: ReadonlyMap<string, DatabaseTable>
  readonly #known = new Map<string, ReadonlyMap<number | undefined, Column>>()

  constructor(byId: ReadonlyMap<string, DatabaseTable>) {
    this.#byId = byId
  }

  at(id: string, number: number): Column | undefined {
    const all = [...(this.#known.has(id) ? [] : (this.#byId.get(id)?.columns.values() ?? []))]
    const known = this.#known.get(id) ?? new Map(all.map((column) => [column.number, column]))
    this.#known.set(id, known)
    return known.get(number)
  }
}
