/** Answers GET /v1/account/usage. */
import { sumsOf } from '#account/accounting'
import { type KeyName, keyNames, namedProjects, type SessionPayer, sessionPayers } from '#account/people'
import type { Caller } from '#platform/auth'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { cursorTexts, cutPage, writeCursor } from '#platform/lists'
import type { UsageApp, UsageContext } from './app.ts'
import { reasons } from './phrases.ts'
import { type Dimension, groupsOf, rangeOf, type UsageRange } from './range.ts'
import type { AccountUsage, AccountUsageQuery } from './schema.ts'
import { type GroupRow, type PlaceInUsage, personNames, type UsageFilter, usageOf } from './store.ts'

/** The usage of the account that the caller may see: the totals of the range, and a page of its periods and groups. */
export async function readUsage({
  app,
  caller,
  query,
}: UsageContext<AccountUsageQuery>): Promise<AccountUsage> {
  const by = groupsOf(query.group_by)
  const range = await rangeOf(app, caller, query)
  const { order = 'time', limit } = query
  const after = query.after === undefined ? undefined : placeOf(query.after, range, by)
  const filter = await filterOf(app, caller, query)
  const found = await usageOf(app.db, { range, filter, by }, { order, limit: limit + 1, after })
  const { rows, hasMore } = cutPage(found.rows, limit)
  const last = rows.at(-1)
  return {
    object: 'usage',
    from: range.from,
    to: range.to,
    time_zone: range.zone.name,
    interval: range.interval,
    calendar: range.calendar,
    totals: shownSums(found.totals),
    data: await shownRows(app, caller.accountId, { range, by, rows }),
    has_more: hasMore,
    next_after: hasMore && last ? cursorOf(last, range, by) : null,
  }
}

/** Which calls the query names. Throws NOT_FOUND (404, param `project_id`) for a project that the caller may not see. */
export async function filterOf(
  { db }: UsageApp,
  caller: Caller,
  query: Pick<
    AccountUsageQuery,
    'project_id' | 'model' | 'endpoint' | 'key_id' | 'person_id' | 'customer_id'
  >,
): Promise<UsageFilter> {
  return {
    accountId: caller.accountId,
    projects: await namedProjects(db, caller, query.project_id ?? 'all'),
    model: query.model,
    endpoint: query.endpoint,
    keyId: query.key_id,
    personId: query.person_id,
    customerId: query.customer_id,
  }
}

/** Sums as the API shows them. */
const shownSums = (row: GroupRow) => ({
  ...sumsOf(row),
  ...(row.quantities && { quantities: row.quantities }),
})

export type ShownRow = AccountUsage['data'][number]

/** Rows with the names of their keys and people. */
export async function shownRows(
  { db }: Pick<UsageApp, 'db'>,
  accountId: string,
  { range, by, rows }: { range: UsageRange; by: readonly Dimension[]; rows: readonly GroupRow[] },
): Promise<ShownRow[]> {
  const valuesOf = (name: Dimension) => [
    ...new Set(by.includes(name) ? rows.map((row) => groupsOfRow(row)[by.indexOf(name)]!) : []),
  ]
  const [keys, payers, people] = await Promise.all([
    keyNames(db, accountId, valuesOf('key')),
    sessionPayers(db, accountId, valuesOf('key')),
    personNames(
      db,
      valuesOf('person').filter((id) => id !== ''),
    ),
  ])
  return rows.map((row) => {
    const values = groupsOfRow(row)
    return {
      ...range.periods[row.period!]!,
      ...Object.assign({}, ...by.map((name, at) => membersOf(name, values[at]!, { keys, payers, people }))),
      ...shownSums(row),
    }
  })
}

const groupsOfRow = ({ d1, d2 }: GroupRow): string[] => [d1 ?? [], d2 ?? []].flat()

interface Names {
  keys: ReadonlyMap<string, KeyName>
  payers: ReadonlyMap<string, SessionPayer>
  people: ReadonlyMap<string, string>
}

/** The members by which a row says of which group it is. */
function membersOf(name: Dimension, value: string, { keys, payers, people }: Names): Partial<ShownRow> {
  switch (name) {
    case 'project':
      return { project_id: value }
    case 'model':
      return { model: value || null }
    case 'endpoint':
      return { endpoint: value }
    case 'customer':
      return { customer_id: value || null }
    case 'person':
      return { person: value === '' ? null : { id: value, name: people.get(value) ?? '' } }
    case 'key': {
      const payer = payers.get(value)
      const person = payer && { id: payer.personId, name: payer.displayName }
      return { key_id: value, key_name: keys.get(value)?.name ?? null, ...(person && { person }) }
    }
  }
}

/** The place of a row: its cost, the first day of its period, and its group. */
const cursorOf = (row: GroupRow, { periods }: UsageRange, by: readonly Dimension[]): string =>
  writeCursor([String(row.charged), periods[row.period!]!.from, ...groupsOfRow(row).slice(0, by.length)])

function placeOf(cursor: string, { periods }: UsageRange, by: readonly Dimension[]): PlaceInUsage {
  const [charged, from, ...groups] = cursorTexts(cursor, 4)
  const period = periods.findIndex((one) => one.from === from)
  const isWhole = groups.every((text, at) => text !== undefined && isGroupOf(by[at], text))
  if (!/^-?[0-9]{1,18}$/.test(charged ?? '') || period < 0 || groups.length !== by.length || !isWhole)
    return fail('INVALID_REQUEST', { why: reasons.cursor }, { param: 'after' })
  return { charged: charged!, period, groups: groups as string[] }
}

/** Groups are compared as texts, so that any text is a place among them; ids are checked to find a cursor of another list. */
function isGroupOf(name: Dimension | undefined, text: string): boolean {
  if (name === 'project' || name === 'key') return isUuid(text)
  return name !== 'person' || text === '' || isUuid(text)
}
