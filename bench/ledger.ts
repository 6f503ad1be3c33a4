/**
 * `npm run bench:ledger [seconds] [concurrency]`: hold + settle pairs per second on one hot account, through the product's own code, on the
 * embedded PostgreSQL with durable commits. Checks every invariant at the end.
 * `npm run bench:ledger -- --rows`: row operations, index writes and bytes of WAL of one pair, at 1 and at 256 callers.
 */

import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createAccount, createKey, createProject, scopes } from '#platform/auth'
import { systemClock } from '#platform/clock'
import { migrate, openDb } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { grant, openLedger } from '#platform/ledger'
import { openLog } from '#platform/log'
import { startEmbedded } from '#platform/postgres'
import { joinProcesses } from '#platform/processes'
import { machine, root, temporaryFolder } from './stage.ts'

const rows = process.argv.includes('--rows')
const seconds = rows ? 4 : Number(process.argv[2] ?? 10)
const concurrencies = rows ? [1, 256] : process.argv[3] ? [Number(process.argv[3])] : [1, 32, 256, 1024]

await using stack = new AsyncDisposableStack()
const log = openLog('warn')
const dataDir = path.join(await temporaryFolder(stack), 'data')
const embedded = stack.use(await startEmbedded({ dataDir, log }))
const db = stack.use(await openDb({ url: embedded.address, log }))
await migrate(db, path.join(root, 'migrations'))
const timing = { processLeaseMs: 20_000, heartbeatMs: 5_000, sweepMs: 5_000 }
const processes = stack.use(await joinProcesses({ db, log, timing }))
const ledger = stack.use(
  openLedger({ db, clock: systemClock, log, processes, thresholdsPercent: [50, 80, 100] }),
)
const payer = await makePayer()

console.log(machine())
for (const concurrency of concurrencies) {
  const before = rows ? await writes() : undefined
  const pairs = await measure(concurrency)
  if (before) report(before, await writes(), pairs)
  console.log(
    `${String(concurrency).padStart(5)} at once: ${Math.round(pairs / seconds)} pairs/s, ${(process.cpuUsage().user / 1e6).toFixed(1)} s of CPU so far`,
  )
}
const broken = await ledger.violations()
console.log(broken.length === 0 ? 'every invariant holds' : broken)
if (broken.length > 0) process.exitCode = 1

interface Writes {
  rows: number
  hot: number
  indexes: number
  wal: number
}

/** What was written so far. Calls without an idempotency key write no partial index. */
async function writes(): Promise<Writes> {
  const [lsn] = await db.query<{ wal: number }>(
    { text: `select (pg_current_wal_insert_lsn() - '0/0')::float8 as wal` },
    [],
  )
  // An idle connection reports its statistics after ten seconds at the latest.
  await pause(11_000)
  const [sums] = await db.query<Omit<Writes, 'wal'>>(
    {
      text: `select sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 as rows, sum(n_tup_hot_upd)::float8 as hot,
          sum((n_tup_ins + n_tup_upd - n_tup_hot_upd)
            * (select count(*) from pg_index i where i.indrelid = t.relid and i.indpred is null))::float8 as indexes
        from pg_stat_user_tables t where schemaname in ('ledger', 'events')`,
    },
    [],
  )
  return { ...sums!, ...lsn! }
}

function report(before: Writes, after: Writes, pairs: number): void {
  const each = (name: keyof Writes): string => ((after[name] - before[name]) / pairs).toFixed(2)
  console.log(
    `      each of ${pairs} pairs: ${each('rows')} row operations (${each('hot')} HOT), ${each('indexes')} index writes, ${each('wal')} bytes of WAL`,
  )
}

async function measure(concurrency: number): Promise<number> {
  const endMs = performance.now() + seconds * 1000
  let pairs = 0
  const worker = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const hold = await ledger.hold({
        payer,
        receiptId: uuidv7(),
        endpoint: '/v1/chat/completions',
        model: 'm',
        microcredits: 1000n,
        started: true,
        lifetimeMs: 60_000,
      })
      await hold.settle({
        microcredits: 700n,
        state: 'completed',
        statusCode: 200,
        tokens: { input: 1, cachedInput: 0, output: 1, reasoning: 0 },
        detail: { outcome: 'completed' },
      })
      pairs++
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return pairs
}

async function makePayer() {
  const now = new Date()
  return db.tx(async (tx) => {
    const account = await createAccount(tx, { name: 'bench' }, now)
    const project = await createProject(tx, { accountId: account.account_id, name: 'bench' }, now)
    const key = await createKey(
      tx,
      { accountId: account.account_id, projectId: project.project_id, name: 'bench', scopes },
      now,
    )
    await grant(
      tx,
      { accountId: account.account_id, transferId: uuidv7(), microcredits: 10n ** 15n, reason: 'bench' },
      now,
    )
    return { accountId: account.account_id, projectId: project.project_id, keyId: key.key_id }
  })
}
