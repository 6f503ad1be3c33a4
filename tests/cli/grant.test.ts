import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import { expect, test } from 'vitest'
import { systemClock } from '#platform/clock'
import { openDb } from '#platform/db'
import { openLedgerAlone } from '../harness/ledger.ts'
import { cloneDatabase } from '../harness/postgres.ts'
import { done, refused } from './command-line.ts'

test('a repeated grant changes nothing, and its id with another amount is refused', async () => {
  await using database = await cloneDatabase()
  const env = { DATABASE_URL: database.url }
  const { id } = await done(env, 'account', 'create', '--name', 'a')
  const transfer = randomUUID()
  const grant = (credits: string) => ['account', 'grant', id, credits, '--id', transfer]
  expect(await done(env, ...grant('0.000001'))).toMatchObject({ repeated: false, balance_microcredits: '1' })
  expect(await done(env, ...grant('0.000001'))).toMatchObject({ repeated: true, balance_microcredits: '1' })
  expect(await refused(env, ...grant('5'))).toMatchObject({ exit: 1, code: 'GRANT_CONFLICT' })
  const { data } = await done(env, 'account', 'list')
  expect(data).toMatchObject([{ balance_microcredits: '1' }])
})

test('twenty grants with one id at once give their credits once', async () => {
  await using database = await cloneDatabase()
  const env = { DATABASE_URL: database.url }
  const { id } = await done(env, 'account', 'create', '--name', 'a')
  const transfer = randomUUID()
  await using db = await openDb({ url: database.url, maxConnections: 20 })
  // Opened one after the other: each has five seconds.
  const opened: PoolClient[] = []
  for (let nth = 0; nth < 20; nth++) opened.push(await db.pool.connect())
  for (const connection of opened) connection.release()
  const { grantCredits } = await import('#account/identity')
  const ask = { accountId: id, transferId: transfer, microcredits: 7n, reason: 'race' }
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => db.tx((tx) => grantCredits(tx, ask, new Date()))),
  )
  expect(outcomes.filter(({ outcome }) => outcome === 'granted')).toHaveLength(1)
  expect(outcomes.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(19)
  expect((await done(env, 'account', 'list')).data).toMatchObject([{ balance_microcredits: '7' }])
})

test('what is promised to a running call is never taken back', async () => {
  await using database = await cloneDatabase()
  const env = { DATABASE_URL: database.url }
  const account = await done(env, 'account', 'create', '--name', 'a', '--credits', '10')
  const project = await done(env, 'project', 'create', '--name', 'p')
  const key = await done(env, 'key', 'create', '--name', 'k')
  await using db = await openDb({ url: database.url })
  const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
  const timing = { processLeaseMs: 20_000, heartbeatMs: 5_000, sweepMs: 5_000 }
  await using ledger = await openLedgerAlone({
    db,
    clock: systemClock,
    log,
    timing,
    thresholdsPercent: [50, 80, 100],
  })
  const payer = { accountId: account.id, projectId: project.id, keyId: key.id }
  const hold = await ledger.hold({
    payer,
    receiptId: randomUUID(),
    endpoint: '/test',
    microcredits: 4_000_000n,
    started: true,
    lifetimeMs: 60_000,
  })

  const tooMuch = await refused({ ...env, KHERAD_LOCALE: 'en' }, 'account', 'grant', account.id, '-6.000001')
  expect(tooMuch).toMatchObject({ exit: 1, code: 'INSUFFICIENT_CREDITS' })
  expect(tooMuch.message).toContain('Only 6 credits')
  expect(await done(env, 'account', 'grant', account.id, '-6')).toMatchObject({
    microcredits: '-6000000',
    balance_microcredits: '0',
    reserved_microcredits: '4000000',
  })
  await hold.settle({ microcredits: 4_000_000n, state: 'completed', statusCode: 200 })
  expect(await ledger.violations()).toEqual([])
})
