/** Which process counts as dead: only one that is silent while the database receives heartbeats of the asking process. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemClock } from '#platform/clock'
import { grant, openLedger } from '#platform/ledger'
import { joinProcesses } from '#platform/processes'
import { openBooksDatabase, openPeople, type Person } from '../../../tests/platform/ledger/books.ts'
import * as books from '../ledger/store.ts'
import * as jobs from './store.ts'

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const timing = { processLeaseMs: 600_000, heartbeatMs: 2 ** 31 - 1, sweepMs: 2 ** 31 - 1 }

test('a database that stood still, so that it has heard nobody, takes nobody for dead: neither holds nor jobs are ended', async () => {
  await using stack = new AsyncDisposableStack()
  const { db } = await openBooksDatabase(stack)
  const open = async () => {
    const processes = stack.use(await joinProcesses({ db, log: quiet, timing }))
    const ledger = stack.use(
      openLedger({ db, log: quiet, clock: systemClock, processes, thresholdsPercent: [50] }),
    )
    return { processes, ledger }
  }
  const [own, other] = [await open(), await open()]
  const [{ account, project, key }] = (await openPeople(db)) as [Person]
  const given = { accountId: account, transferId: randomUUID(), microcredits: 100n, reason: 'test' }
  await db.tx((tx) => grant(tx, given, new Date()))
  await other.ledger.hold({
    payer: { accountId: account, projectId: project, keyId: key },
    receiptId: randomUUID(),
    endpoint: '/test',
    microcredits: 60n,
    started: true,
    lifetimeMs: 3_600_000,
  })
  await db.query(
    {
      text: `insert into jobs.queue (account_id, job_id, name, data, run_at, process_id, fence)
        values ($1, $2, 'test.job', '{}', now(), $3, 1)`,
    },
    [account, randomUUID(), other.processes.id],
  )
  const silentFor = (interval: string, process?: string) =>
    db.query(
      {
        text: `update ledger.processes set beat_at = now() - $1::interval where process_id = coalesce($2, process_id)`,
      },
      [interval, process],
    )
  const ended = async () => [await own.ledger.sweep(), await jobs.sweep(db, own.processes)]

  await silentFor('11 minutes')
  expect(await ended()).toEqual([0, 0n])
  // The asking process was heard since, but not recently enough to judge.
  await silentFor('6 minutes', own.processes.id)
  expect(await ended()).toEqual([0, 0n])
  expect(await own.ledger.balance(account)).toEqual({ balance: 100n, held: 60n })
  await silentFor('0', own.processes.id)
  // A database that resumes may execute the asker's heartbeat before those of other processes that waited as long. The asker still knows only an
  // older heartbeat, so nobody is judged.
  const { id, leaseMs, beatAt } = own.processes
  const known = (agoMs: number) => ({ id, leaseMs, beatAt: new Date(beatAt.getTime() - agoMs) })
  expect(await jobs.sweep(db, known(6 * 60_000))).toBe(0n)
  expect(await books.sweep(db, known(6 * 60_000), Date.now(), [50])).toEqual([])
  expect(await ended()).toEqual([1, 1n])
  expect(await own.ledger.balance(account)).toEqual({ balance: 40n, held: 0n })
})
