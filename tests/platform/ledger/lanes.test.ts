/**
 * One busy account never stalls a process: what concerns an account that another transaction has locked waits aside, and all other
 * accounts are served meanwhile.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '#platform/clock'
import { type Db, openDb } from '#platform/db'
import { grant, type Hold, type HoldOptions, type Ledger } from '#platform/ledger'
import { openLedgerAlone } from '../../harness/ledger.ts'
import { openBooksDatabase, openPeople, type Person } from './books.ts'
import '#platform/http'

const stack = new AsyncDisposableStack()
const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const stillTiming = { processLeaseMs: 2 ** 31 - 1, heartbeatMs: 2 ** 31 - 1, sweepMs: 2 ** 31 - 1 }
let db: Db
/** Of those who lock accounts. */
let others: Db

beforeAll(async () => {
  const books = await openBooksDatabase(stack)
  db = books.db
  others = stack.use(await openDb({ url: books.url }))
})
afterAll(() => stack.disposeAsync())

/** Its holds wait as long as a busy machine may need for all that a test does meanwhile. */
const openLedger = (holdTimeoutMs: number | undefined = 120_000): Promise<Ledger> =>
  openLedgerAlone({
    ...{ db, clock: systemClock, log: quiet, timing: stillTiming, thresholdsPercent: [50] },
    holdTimeoutMs,
  })

/** Two people of different accounts, each with a thousand micro-credits. */
async function twoPeople(): Promise<[Person, Person]> {
  const people = await openPeople(db)
  const pair: [Person, Person] = [people[0]!, people[3]!]
  for (const { account } of pair) {
    const gift = { accountId: account, transferId: randomUUID(), microcredits: 1_000n, reason: 'test' }
    await db.tx((tx) => grant(tx, gift, new Date()))
  }
  return pair
}

const asked = ({ account, project, key }: Person, claim?: HoldOptions['claim']): HoldOptions => ({
  payer: { accountId: account, projectId: project, keyId: key },
  receiptId: randomUUID(),
  endpoint: '/test',
  microcredits: 10n,
  started: true,
  lifetimeMs: 60_000,
  claim,
})
const paid = { microcredits: 7n, state: 'completed', statusCode: 200 } as const

/** Locks an account's money until it is released. */
async function locked({ account }: Person): Promise<() => Promise<void>> {
  const client = await others.pool.connect()
  await client.query('begin')
  await client.query('select from ledger.balances where account_id = $1 for update', [account])
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

/** What has come of a promise when everything else had its turn. */
const stateOf = (asking: Promise<unknown>): Promise<'pending' | 'settled'> =>
  Promise.race([asking.then(() => 'settled' as const), Promise.resolve('pending' as const)])

test('while another transaction has one account locked, calls of all others are held and settled; those of the one follow', async () => {
  await using ledger = await openLedger()
  const [busy, idle] = await twoPeople()
  const before = await ledger.hold(asked(busy))
  const release = await locked(busy)
  const stalled = [before.settle(paid), ...Array.from({ length: 20 }, () => ledger.hold(asked(busy)))]
  const call = async (_: unknown, n: number): Promise<void> => {
    const hold = await ledger.hold(asked(idle))
    if (n % 2 === 0) expect(await hold.settle(paid)).toMatchObject({ chargedMicrocredits: 7n })
    else await hold.settle({ ...paid, microcredits: 0n })
  }
  for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 10 }, call))
  for (const one of stalled) expect(await stateOf(one)).toBe('pending')
  expect((await ledger.balance(idle.account)).balance).toBe(1_000n - 15n * 7n)

  await release()
  const [settled, ...holds] = (await Promise.all(stalled)) as [unknown, ...Hold[]]
  expect(settled).toMatchObject({ chargedMicrocredits: 7n, lossMicrocredits: 0n })
  expect(await ledger.balance(busy.account)).toEqual({ balance: 993n, held: 200n })
  await Promise.all(holds.map((hold) => hold.settle(paid)))
  expect(await ledger.balance(busy.account)).toEqual({ balance: 993n - 140n, held: 0n })
  expect(await ledger.violations()).toEqual([])
})

test('a mixed group leaves what concerns the locked account, and takes the rest in the same statement', async () => {
  await using ledger = await openLedger()
  const [busy, idle] = await twoPeople()
  const release = await locked(busy)
  const holds = [busy, idle, busy, idle, idle].map((person) => ledger.hold(asked(person)))
  await Promise.all([holds[1], holds[3], holds[4]])
  expect(await stateOf(holds[0]!)).toBe('pending')
  expect(await stateOf(holds[2]!)).toBe('pending')
  await release()
  await Promise.all(holds)
  expect(await ledger.balance(busy.account)).toMatchObject({ held: 20n })
  expect(await ledger.balance(idle.account)).toMatchObject({ held: 30n })
  expect(await ledger.violations()).toEqual([])
})

test('more accounts than lanes are locked: all of them are served once they are free, and none of them is counted twice', async () => {
  await using ledger = await openLedger()
  const people = (await Promise.all(Array.from({ length: 3 }, twoPeople))).flat()
  const releases = await Promise.all(people.map(locked))
  const holds = people.flatMap((person) => [1, 2, 3].map(() => ledger.hold(asked(person))))
  const [, idle] = await twoPeople()
  await ledger.hold(asked(idle))
  for (const release of releases.reverse()) await release()
  await Promise.all(holds)
  for (const { account } of people) expect(await ledger.balance(account)).toMatchObject({ held: 30n })
  expect(await ledger.violations()).toEqual([])
})

test('closing waits for what is aside: a settlement that was accepted while its account was locked is in the books', async () => {
  const ledger = await openLedger()
  const [busy] = await twoPeople()
  const hold = await ledger.hold(asked(busy))
  const release = await locked(busy)
  const settling = hold.settle({ ...paid, urgent: true })
  setTimeout(() => void release(), 300)
  await ledger[Symbol.asyncDispose]()
  expect(await settling).toMatchObject({ chargedMicrocredits: 7n })
  expect(await ledger.balance(busy.account)).toEqual({ balance: 993n, held: 0n })
})

test('a hold of an account that stays locked is refused with 503 in time, and not taken later', async () => {
  await using ledger = await openLedger(5_000)
  const [busy] = await twoPeople()
  const release = await locked(busy)
  await expect(ledger.hold(asked(busy))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  await release()
  const next = await ledger.hold(asked(busy))
  await next.settle(paid)
  expect(await ledger.balance(busy.account)).toEqual({ balance: 993n, held: 0n })
  expect(await ledger.violations()).toEqual([])
})
