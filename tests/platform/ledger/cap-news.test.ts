/** A cap that is set below what is already spent: the thresholds that it crosses are reported at once, each once. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Db } from '#platform/db'
import {
  type CapChangeOptions,
  type Caps,
  grant,
  type Ledger,
  type MeterScope,
  setCaps,
} from '#platform/ledger'
import { openLedgerAlone } from '../../harness/ledger.ts'
import { MovableClock } from '../../harness/world.ts'
import { openBooksDatabase, openPeople, type Person } from './books.ts'

const stack = new AsyncDisposableStack()
const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const timing = { processLeaseMs: 2 ** 31 - 1, heartbeatMs: 2 ** 31 - 1, sweepMs: 2 ** 31 - 1 }
const thresholdsPercent = [50, 80, 100]
const begin = Date.UTC(2026, 0, 10)
const clock = new MovableClock(begin)
const credit = 1_000_000n
let db: Db
let ledger: Ledger

beforeAll(async () => {
  db = (await openBooksDatabase(stack)).db
  ledger = stack.use(await openLedgerAlone({ db, clock, log: quiet, timing, thresholdsPercent }))
})
afterAll(() => stack.disposeAsync())
/** Each test has people of its own, and begins in January whatever the one before it did. */
beforeEach(() => clock.moveMs(begin - clock.nowMs()))

/** Somebody with 1,000 credits of whom this is asked: to spend, to be given caps, and what was told since it was last asked. */
async function somebody() {
  const [person] = (await openPeople(db)) as [Person]
  const { account: accountId, project: projectId, key: keyId } = person
  const given = { accountId, transferId: randomUUID(), microcredits: 1_000n * credit, reason: 'test' }
  await db.tx((tx) => grant(tx, given, new Date()))
  const seen = new Set<string>()
  return {
    ...person,
    async spend(credits: bigint): Promise<void> {
      const hold = await ledger.hold({
        payer: { accountId, projectId, keyId },
        receiptId: randomUUID(),
        endpoint: '/test',
        microcredits: credits * credit,
        started: true,
        lifetimeMs: 60_000,
      })
      await hold.settle({ microcredits: credits * credit, state: 'completed', statusCode: 200 })
    },
    cap(scope: MeterScope, caps: Caps, news: CapChangeOptions = {}): Promise<boolean> {
      const now = new Date(clock.nowMs())
      return db.tx((tx) => setCaps(tx, accountId, scope, person[scope], caps, { now, ...news }))
    },
    async news(): Promise<string[]> {
      const rows = await db.query<{
        event_id: string
        project_id: string | null
        data: Record<string, unknown>
      }>({ text: 'select event_id, project_id, data from events.outbox where account_id = $1' }, [accountId])
      const fresh = rows.filter(({ event_id: id }) => !seen.has(id))
      for (const { event_id: id } of fresh) seen.add(id)
      return fresh
        .map(({ project_id: project, data }) => {
          expect(project).toBe(data['scope'] === 'account' ? null : projectId)
          return `${data['scope']} ${data['period']}: ${data['threshold_percent']}% (${data['spent_credits']} of ${data['cap_credits']})`
        })
        .sort()
    },
  }
}

test('a cap lowered below what was spent reports each threshold it passes, at once and once, for account, project and key', async () => {
  const one = await somebody()
  await one.spend(17n)
  for (const scope of ['account', 'project', 'key'] as const) {
    expect(await one.cap(scope, { monthCap: 20n * credit, cap: 40n * credit })).toBe(true)
    const told = [`${scope} 2026-01: 50% (17 of 20)`, `${scope} 2026-01: 80% (17 of 20)`]
    expect(await one.news()).toEqual(told)
    expect(await one.cap(scope, { monthCap: 20n * credit })).toBe(true)
    expect(await one.news()).toEqual([])
  }
  // What is spent from here on tells the rest.
  await one.spend(3n)
  expect(await one.news()).toEqual([
    'account 2026-01: 100% (20 of 20)',
    'account total: 50% (20 of 40)',
    'key 2026-01: 100% (20 of 20)',
    'key total: 50% (20 of 40)',
    'project 2026-01: 100% (20 of 20)',
    'project total: 50% (20 of 40)',
  ])
})

test('a threshold that was passed under the old cap is not reported again for the new one, and going back and forth reports nothing twice', async () => {
  const one = await somebody()
  await one.cap('key', { cap: 10n * credit })
  await one.spend(8n)
  expect(await one.news()).toEqual(['key total: 50% (8 of 10)', 'key total: 80% (8 of 10)'])
  await one.cap('key', { cap: 9n * credit })
  expect(await one.news()).toEqual([])
  await one.cap('key', { cap: 8n * credit })
  expect(await one.news()).toEqual(['key total: 100% (8 of 8)'])
  // Raised, it was not passed any more: then lowering tells what was never told of this very cap.
  await one.cap('key', { cap: 100n * credit })
  await one.cap('key', { cap: 8n * credit })
  expect(await one.news()).toEqual(['key total: 50% (8 of 8)', 'key total: 80% (8 of 8)'])
  for (const cap of [100n, 8n, null, 8n]) {
    await one.cap('key', { cap: cap && cap * credit })
    expect(await one.news()).toEqual([])
  }
})

test('nothing is reported of a cap of zero, of one that is not near, of limits of speed, and of a cap that was not committed', async () => {
  const one = await somebody()
  await one.spend(4n)
  await one.cap('key', { cap: 0n })
  await one.cap('project', { cap: 9n * credit })
  await one.cap('account', { ratePerMinute: 1, concurrency: 1 })
  const undone = db.tx(async (tx) => {
    await setCaps(tx, one.account, 'key', one.key, { cap: 5n * credit })
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await one.news()).toEqual([])
  // A cap of zero is no share of anything: the next one is as the first.
  await one.cap('key', { cap: 5n * credit })
  expect(await one.news()).toEqual(['key total: 50% (4 of 5)', 'key total: 80% (4 of 5)'])
})

test('a monthly cap looks at this month alone, and thresholds are the operator’s', async () => {
  const one = await somebody()
  await one.spend(9n)
  clock.moveMs(30 * 86_400_000)
  await one.cap('key', { monthCap: 10n * credit })
  expect(await one.news()).toEqual([])
  await one.cap('key', { cap: 10n * credit }, { thresholdsPercent: [25, 90] })
  expect(await one.news()).toEqual(['key total: 25% (9 of 10)', 'key total: 90% (9 of 10)'])
})
