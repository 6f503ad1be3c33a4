/** Holds that follow a call of several steps: `Hold.change` through the real SQL. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Db } from '#platform/db'
import { grant, type Hold, type Ledger, setCaps } from '#platform/ledger'
import { openLedgerAlone } from '../../harness/ledger.ts'
import { MovableClock } from '../../harness/world.ts'
import { openBooksDatabase, openPeople, type Person } from './books.ts'

const stack = new AsyncDisposableStack()
const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const still = { processLeaseMs: 2 ** 31 - 1, heartbeatMs: 2 ** 31 - 1, sweepMs: 2 ** 31 - 1 }
const clock = new MovableClock(Date.UTC(2026, 0, 10))
let db: Db
let ledger: Ledger
let person: Person

beforeAll(async () => {
  db = (await openBooksDatabase(stack)).db
  ledger = stack.use(await openLedgerAlone({ db, clock, log: quiet, timing: still, thresholdsPercent: [50] }))
})
afterAll(() => stack.disposeAsync())
beforeEach(async () => {
  person = (await openPeople(db))[0]!
  await give(1_000n)
})

const give = (microcredits: bigint): Promise<unknown> =>
  db.tx((tx) =>
    grant(
      tx,
      { accountId: person.account, transferId: randomUUID(), microcredits, reason: 'test' },
      new Date(),
    ),
  )

const take = (microcredits: bigint): Promise<Hold> =>
  ledger.hold({
    payer: { accountId: person.account, projectId: person.project, keyId: person.key },
    receiptId: randomUUID(),
    endpoint: '/test',
    microcredits,
    started: true,
    lifetimeMs: 60_000,
  })

const balance = () => ledger.balance(person.account)
const detailOf = async (change: Promise<void>): Promise<unknown> =>
  change.then(
    () => 'held',
    (error: { code: string; detail: unknown }) => [error.code, error.detail],
  )
const sql = (hold: Hold, was: bigint, wanted: bigint) =>
  db.query<{ outcome: string }>({ text: 'select outcome from ledger.rehold($1, $2, $3, $4, $5)' }, [
    person.account,
    hold.receiptId,
    was,
    wanted,
    new Date(),
  ])

test('a hold goes up and down, and what is settled in the end is one charge', async () => {
  const hold = await take(300n)
  await hold.change(900n, 60_000)
  expect(await balance()).toEqual({ balance: 1_000n, held: 900n })
  await hold.change(450n, 60_000)
  expect(await balance()).toEqual({ balance: 1_000n, held: 450n })
  expect(hold.microcredits).toBe(450n)
  expect(await ledger.violations()).toEqual([])
  const settled = await hold.settle({ microcredits: 420n, state: 'completed', statusCode: 200 })
  expect(settled).toEqual({ chargedMicrocredits: 420n, lossMicrocredits: 0n })
  expect(await balance()).toEqual({ balance: 580n, held: 0n })
  expect(await ledger.violations()).toEqual([])
})

test('what is not free is refused, exactly at the edge, and the hold stays as it was', async () => {
  const other = await take(200n)
  const hold = await take(300n)
  expect(await detailOf(hold.change(801n, 0))).toEqual([
    'INSUFFICIENT_CREDITS',
    { needMicrocredits: 501n, haveMicrocredits: 500n },
  ])
  expect(await balance()).toEqual({ balance: 1_000n, held: 500n })
  await hold.change(800n, 0)
  expect(await balance()).toEqual({ balance: 1_000n, held: 1_000n })
  for (const one of [hold, other]) await one.settle({ microcredits: 0n, state: 'failed', statusCode: 500 })
  expect(await ledger.violations()).toEqual([])
})

test.each([
  ['account', 'account', { cap: 400n }],
  ['project', 'project', { cap: 400n }],
  ['key', 'key', { cap: 400n }],
  ['key of a month', 'key_month', { monthCap: 400n }],
] as const)('the cap of the %s binds a change as it binds a hold', async (which, scope, caps) => {
  const meter = which.split(' ')[0] as 'account' | 'project' | 'key'
  const scopeId = { account: person.account, project: person.project, key: person.key }[meter]
  await db.tx((tx) => setCaps(tx, person.account, meter, scopeId, caps, { now: new Date(clock.nowMs()) }))
  const hold = await take(300n)
  expect(await detailOf(hold.change(401n, 0))).toEqual([
    'BUDGET_EXCEEDED',
    { scope, needMicrocredits: 101n, haveMicrocredits: 100n },
  ])
  await hold.change(400n, 0)
  await hold.settle({ microcredits: 400n, state: 'completed', statusCode: 200 })
  expect(await ledger.violations()).toEqual([])
})

test('a change that is sent twice, or arrives after a later one, changes nothing', async () => {
  const hold = await take(300n)
  await hold.change(500n, 0)
  expect(await sql(hold, 300n, 500n)).toEqual([{ outcome: 'held' }])
  await hold.change(700n, 0)
  expect(await sql(hold, 300n, 500n)).toEqual([{ outcome: 'gone' }])
  expect(await balance()).toEqual({ balance: 1_000n, held: 700n })
  await hold.settle({ microcredits: 1n, state: 'completed', statusCode: 200 })
  expect(await sql(hold, 700n, 900n)).toEqual([{ outcome: 'gone' }])
  expect(await balance()).toEqual({ balance: 999n, held: 0n })
  expect(await ledger.violations()).toEqual([])
})

test('a change after the turn of the month counts in the month of its hold', async () => {
  const hold = await take(300n)
  clock.moveMs(40 * 86_400_000)
  const next = await take(100n)
  await hold.change(600n, 0)
  await hold.change(200n, 0)
  expect(await ledger.violations()).toEqual([])
  for (const one of [hold, next]) await one.settle({ microcredits: 50n, state: 'completed', statusCode: 200 })
  expect(await balance()).toEqual({ balance: 900n, held: 0n })
  expect(await ledger.violations()).toEqual([])
})

test('many calls that change their holds at once never promise more than there is', async () => {
  const holds = await Promise.all(Array.from({ length: 20 }, () => take(10n)))
  const ends = await Promise.all(holds.map((hold) => detailOf(hold.change(100n, 0))))
  // 1,000 pay for 20 tens and 90 more for 8 of them.
  expect(ends.filter((end) => end === 'held')).toHaveLength(8)
  expect(await balance()).toEqual({ balance: 1_000n, held: 920n })
  expect(await ledger.violations()).toEqual([])
  await Promise.all(
    holds.map((hold) => hold.settle({ microcredits: 10n, state: 'completed', statusCode: 200 })),
  )
  expect(await balance()).toEqual({ balance: 800n, held: 0n })
})

test('a hold that is renewed outlives a sweep that would have ended it; one that has ended is not renewed', async () => {
  const hold = await take(400n)
  clock.moveMs(50_000)
  await hold.renew(60_000)
  // A shorter time than it has changes nothing.
  await hold.renew(1_000)
  clock.moveMs(50_000)
  await ledger.sweep()
  expect(await balance()).toMatchObject({ held: 400n })
  clock.moveMs(20_000)
  await ledger.sweep()
  expect(await balance()).toMatchObject({ held: 0n })
  await expect(hold.renew(60_000)).rejects.toThrow('has ended')
})
