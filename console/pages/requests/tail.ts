/** How newly read calls come into a list that somebody reads. Lists are the newest first, as the API gives them. */

export interface Row {
  id: string
  created_at: string
}

export interface News<One extends Row> {
  /** The list as it stands, with what has changed of its rows; none moves. */
  inPlace: One[]
  /** The list with the new rows, without those that no longer fit its filters. */
  merged: One[]
  /** How many rows are new. */
  count: number
  /** More is new than was read, so that rows between the new and the known ones are missing: the list must begin anew. */
  isGap: boolean
}

const byTime = (one: Row, other: Row): number =>
  one.created_at === other.created_at
    ? other.id.localeCompare(one.id)
    : one.created_at < other.created_at
      ? 1
      : -1

/** What the first page, read again, changes of the list. */
export function newsOf<One extends Row>(
  list: readonly One[],
  page: { data: readonly One[]; has_more: boolean },
): News<One> {
  const fresh = new Map(page.data.map((row) => [row.id, row]))
  const known = new Set(list.map(({ id }) => id))
  const inPlace = list.map((row) => fresh.get(row.id) ?? row)
  const added = page.data.filter(({ id }) => !known.has(id))
  const last = page.data.at(-1)
  const isGap = page.has_more && list.length > 0 && added.length === page.data.length
  const isCovered = (row: One): boolean => !page.has_more || (last !== undefined && byTime(row, last) <= 0)
  const kept = inPlace.filter((row) => fresh.has(row.id) || !isCovered(row))
  return { inPlace, merged: [...added, ...kept].toSorted(byTime), count: added.length, isGap }
}
