/** A stretch of virtual time for a test that says itself what happens in it, and books for it. */
import type { HoldOptions, Ledger } from '#platform/ledger'
import { openLedgerAlone } from '../../harness/ledger.ts'
import { SimulatedDatabase } from '../../simulation/database.ts'
import { databaseFace } from '../../simulation/face.ts'
import { idOf } from '../../simulation/people.ts'
import { Random } from '../../simulation/random.ts'
import { bendTime, Timeline } from '../../simulation/timeline.ts'

/** Whose time it is: a process that lives and is never paused. */
export const owner = { alive: true, pausedUntilMs: 0, skewMs: 0 }

/** Runs `work` in virtual time. */
export async function inTime<Value>(work: (timeline: Timeline) => Promise<Value>): Promise<Value> {
  using _bent = bendTime()
  const timeline = new Timeline(new Random(1), Date.UTC(2026, 0, 1))
  let end: PromiseSettledResult<Value> | undefined
  void Promise.allSettled([timeline.as(owner, () => work(timeline))]).then(([settled]) => {
    end = settled
  })
  while (!end && timeline.nowMs < 600_000) await timeline.step(timeline.nowMs + 1_000)
  if (!end) throw new Error('it never came to its end')
  if (end.status === 'rejected') throw end.reason
  return end.value
}

export const account = idOf('account', 1)
const payer = { accountId: account, projectId: idOf('project', 1), keyId: idOf('key', 1) }
const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const timing = { processLeaseMs: 20_000, heartbeatMs: 5_000, sweepMs: 5_000 }

/** The one hold of these tests. */
export const askFor = (microcredits: bigint): HoldOptions => ({
  payer,
  receiptId: idOf('transfer', 1),
  endpoint: '/test',
  microcredits,
  started: true,
  lifetimeMs: 600_000,
})

/** What a statement meets whose connection broke. */
export const broken = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

type Statement = (text: string, values: readonly unknown[]) => unknown

/** A simulated database with one payer's meters, and ledgers on it: `before` sees each statement of one, and may delay it or break it off. */
export function openBooks(timeline: Timeline) {
  const nowMs = (): number => timeline.startMs + timeline.nowMs
  const database = new SimulatedDatabase(nowMs)
  database.model.openMeter(account, 'account')
  database.model.openMeter(payer.projectId, 'project')
  database.model.openMeter(payer.keyId, 'key')
  const open = (before: Statement): Promise<Ledger> => {
    const db = databaseFace(async (_name, text, values) => {
      await before(text, values)
      return database.execute(text, values)
    })
    return openLedgerAlone({ db, clock: { nowMs }, log: quiet, timing, thresholdsPercent: [] })
  }
  return { database, open }
}
