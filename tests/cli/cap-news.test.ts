import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createAccount, createKey, createProject, scopes } from '#platform/auth'
import { systemClock } from '#platform/clock'
import { type Db, openDb } from '#platform/db'
import { grant } from '#platform/ledger'
import { openLedgerAlone } from '../harness/ledger.ts'
import { cloneDatabase } from '../harness/postgres.ts'
import { done } from './command-line.ts'

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const timing = { processLeaseMs: 20_000, heartbeatMs: 5_000, sweepMs: 5_000 }

/** An account that has spent three credits. */
async function spender(db: Db): Promise<string> {
  const now = new Date()
  const payer = await db.tx(async (tx) => {
    const { account_id: accountId } = await createAccount(tx, { name: 'a' }, now)
    const { project_id: projectId } = await createProject(tx, { accountId, name: 'p' }, now)
    const { key_id: keyId } = await createKey(tx, { accountId, projectId, name: 'k', scopes }, now)
    await grant(tx, { accountId, transferId: randomUUID(), microcredits: 10_000_000n, reason: 'test' }, now)
    return { accountId, projectId, keyId }
  })
  await using ledger = await openLedgerAlone({
    db,
    clock: systemClock,
    log: quiet,
    timing,
    thresholdsPercent: [],
  })
  const ask = { payer, receiptId: randomUUID(), endpoint: '/test', started: true, lifetimeMs: 60_000 }
  const hold = await ledger.hold({ ...ask, microcredits: 3_000_000n })
  await hold.settle({ microcredits: 3_000_000n, state: 'completed', statusCode: 200 })
  return payer.accountId
}

test('a cap that is set on what is spent already sends word at the shares of the file; a file with a fault does not keep it from being set', async () => {
  await using database = await cloneDatabase()
  await using db = await openDb({ url: database.url })
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-caps-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const file = path.join(folder, 'kherad.config.yaml')
  const set = async (text: string, cap: string): Promise<number[]> => {
    const account = await spender(db)
    await writeFile(file, text)
    const env = { DATABASE_URL: database.url, KHERAD_CONFIG: file }
    expect(await done(env, 'account', 'set', account, '--cap', cap)).toMatchObject({ id: account })
    const events = await db.query<{ percent: number }>(
      {
        text: `select (data ->> 'threshold_percent')::int as percent from events.outbox where account_id = $1 order by 1`,
      },
      [account],
    )
    return events.map(({ percent }) => percent)
  }
  expect(await set('budgets: { thresholds_percent: [30, 70] }', '4')).toEqual([30, 70])
  expect(await set('budgets: { thresholds: many }', '5')).toEqual([50])
})
