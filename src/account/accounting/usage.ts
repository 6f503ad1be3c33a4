import type { Static } from 'typebox'
import { sessionPayers } from '#account/people'
import type { Caller } from '#platform/auth'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { creditsUp, type UsageGroup, type UsagePage, type UsageSums } from '#platform/ledger'
import { cursorTexts, cutPage, writeCursor } from '#platform/lists'
import type { AccountingApp } from './app.ts'
import { reasons } from './phrases.ts'
import { personOf } from './report.ts'
import type { UsageQuery, UsageReport } from './schema.ts'

const windowDays = 30

/** The project's usage of the previous 30 days: what all of it cost, and a page of its rows. */
export async function reportUsage(
  app: AccountingApp,
  { accountId, projectId }: Caller,
  query: Static<typeof UsageQuery>,
): Promise<Static<typeof UsageReport>> {
  const by = query.group_by ?? 'group'
  const after = query.after === undefined ? undefined : readCursor(query.after, by)
  const [totals, found] = await Promise.all([
    app.ledger.usageTotals(accountId, projectId, windowDays),
    app.ledger.usageRows(accountId, projectId, windowDays, { by, after, limit: query.limit + 1 }),
  ])
  const { rows, hasMore } = cutPage(found, query.limit)
  const last = rows.at(-1)
  const payers = await sessionPayers(app.db, accountId, [...new Set(rows.map((row) => row.key_id))])
  const today = app.clock.nowMs()
  return {
    object: 'usage',
    from: tehranDay(today - (windowDays - 1) * 86_400_000),
    to: tehranDay(today),
    time_zone: 'Asia/Tehran',
    totals: sumsOf(totals),
    data: rows.map((row) => ({
      day: row.day,
      key_id: row.key_id,
      endpoint: row.endpoint,
      model: row.model || null,
      customer_id: row.customer_id || null,
      ...(row.reference_id !== undefined && { reference_id: row.reference_id || null }),
      ...personOf(payers.get(row.key_id)),
      ...sumsOf(row),
    })),
    has_more: hasMore,
    next_after: hasMore && last ? cursorOf(last) : null,
  }
}

/** Sums as the API shows them. */
export const sumsOf = (sums: UsageSums) => ({
  requests: Number(sums.requests),
  failures: Number(sums.failures),
  credits: creditsUp(sums.charged),
  microcredits: String(sums.charged),
  tokens: {
    input: Number(sums.input_tokens),
    cached_input: Number(sums.cached_input_tokens),
    output: Number(sums.output_tokens),
    reasoning: Number(sums.reasoning_tokens),
  },
})

/** The place of a row in the order of the list. */
const cursorOf = (row: UsageGroup): string =>
  writeCursor([row.day, row.key_id, row.endpoint, row.model, row.customer_id, row.reference_id])

function readCursor(cursor: string, by: UsagePage['by']): UsageGroup {
  const [day, keyId, endpoint, model, customerId, reference] = cursorTexts(cursor, 6)
  const ofReference = typeof reference === 'string'
  if (
    day === undefined ||
    !isDay(day) ||
    keyId === undefined ||
    !isUuid(keyId) ||
    endpoint === undefined ||
    model === undefined ||
    customerId === undefined ||
    ofReference !== (by === 'reference')
  )
    return fail('INVALID_REQUEST', { why: reasons.otherCursor }, { param: 'after' })
  const group = { day, key_id: keyId, endpoint, model, customer_id: customerId }
  return ofReference ? { ...group, reference_id: reference } : group
}

/** Whether the text is a real day. PostgreSQL refuses 31 February, and JavaScript would read it as 3 March. */
function isDay(text: string): boolean {
  const at = /^20[0-9]{2}-[0-9]{2}-[0-9]{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined
  return at !== undefined && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

const tehranDay = (ms: number): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Tehran' }).format(ms)
