/**
 * `npm run bench:requests [millions] [calls]`: the list of requests over HTTP, on one account with millions of receipts: each filter alone and every
 * two of them together, with common values, rare ones, and such as never occur together; the first page and one deep in the list. Exits with 1 where
 * the slowest twentieth of a case takes longer than the bound. `-- --data <folder>` keeps the receipts in this folder, or measures those that an
 * earlier run has kept there.
 */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createPerson, openSession, setMember } from '#account/people'
import { type Db, openDb } from '#platform/db'
import { cookieName } from '#platform/http'
import { writeCursor } from '#platform/lists'
import { openLog } from '#platform/log'
import { startEmbedded } from '#platform/postgres'
import { cases } from './requests/cases.ts'
import { writeReceipts, writingSettings } from './requests/receipts.ts'
import { dataOf, machine, runKherad, temporaryFolder } from './stage.ts'
import { row, table } from './table.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' } },
})
const calls = Number(positionals[1] ?? 40)
const boundMs = 50

interface Owner {
  accountId: string
  projectId: string
}

/** The worst cases that are printed. */
const shown = 20

await using stack = new AsyncDisposableStack()
const log = openLog('warn')
const folder = options.data ? path.resolve(options.data) : await temporaryFolder(stack)
const start = () => runKherad(folder, 'http://127.0.0.1:9', { KHERAD_LOG_LEVEL: 'warn' })
console.log(machine())
let beganMs = performance.now()
const millions = await receiptsIn(folder)
const embedded = stack.use(await startEmbedded({ dataDir: dataOf(folder), log }))
const db = stack.use(await openDb({ url: embedded.address, log, statementTimeoutMs: 3_600_000 }))
const owner = await ownerOf(db)
const kherad = stack.use(await start())
const cookie = await signIn(db, owner)
await untilSealed()
console.log(
  `segments written in ${seconds()} s; they have ${await sizeOf('requests')}, the ledger ${await sizeOf('ledger')}`,
)
const cursors = await deepCursors()

const results: { name: string; p50: number; p95: number; rows: number }[] = []
for (const { name, query } of cases(await newest())) results.push(await measure(name, query))
results.sort((one, other) => other.p95 - one.p95)
table(['filter', 'rows of the first page', 'p50, ms', 'p95, ms'])
for (const { name, rows, p50, p95 } of results.slice(0, shown))
  row([name, String(rows), p50.toFixed(1), p95.toFixed(1)])
const late = results.filter(({ p95 }) => p95 > boundMs)
const medians = results.map(({ p95 }) => p95).sort((one, other) => one - other)
console.log(
  `${results.length} cases, ${late.length} with a p95 above ${boundMs} ms; the middle one has a p95 of ${medians[medians.length >> 1]!.toFixed(1)} ms`,
)
if (late.length > 0) process.exitCode = 1

/** Makes the receipts unless an earlier run has kept them in the folder; returns how many millions there are. */
async function receiptsIn(folder: string): Promise<number> {
  const kept = path.join(folder, 'receipts.json')
  const wanted = positionals[0] === undefined ? undefined : Number(positionals[0])
  if (existsSync(kept)) {
    const { millions } = JSON.parse(await readFile(kept, 'utf8')) as { millions: number }
    if (wanted !== undefined && wanted !== millions)
      throw new Error(`${folder} has ${millions} million receipts, not ${wanted}`)
    return millions
  }
  if (existsSync(dataOf(folder))) throw new Error(`${folder} has no whole set of receipts; name another one`)
  await mkdir(folder, { recursive: true })
  // The first start makes the database; while the receipts are written, no server reads them.
  await (await start())[Symbol.asyncDispose]()
  const millions = wanted ?? 5
  {
    await using embedded = await startEmbedded({ dataDir: dataOf(folder), log, settings: writingSettings })
    await using db = await openDb({ url: embedded.address, log, statementTimeoutMs: 3_600_000 })
    await writeReceipts(db, (await ownerOf(db)).accountId, millions * 1_000_000)
  }
  console.log(`${millions} million receipts written in ${seconds()} s`)
  await writeFile(kept, JSON.stringify({ millions }))
  return millions
}

async function ownerOf(db: Db): Promise<Owner> {
  const [owner] = await db.query<Owner>(
    {
      text: `select account_id as "accountId", project_id as "projectId" from auth.keys
        where kind = 'api' order by created_at limit 1`,
    },
    [],
  )
  return owner!
}

/** When the newest call began, which is long ago in a folder that was kept. */
async function newest(): Promise<Date> {
  const [found] = await db.query<{ at: Date }>(
    { text: 'select max(created_at) as at from ledger.settlements where account_id = $1' },
    [owner.accountId],
  )
  return found!.at
}

function seconds(): number {
  const took = Math.round((performance.now() - beganMs) / 1000)
  beganMs = performance.now()
  return took
}

/** A session of an owner, who sees all projects. */
async function signIn(db: Db, { accountId }: Owner): Promise<string> {
  const now = new Date()
  const { token } = await db.tx(async (tx) => {
    const email = `bench-${randomUUID()}@example.org`
    const { personId } = await createPerson(tx, { displayName: 'Bench', locale: 'en', email }, now)
    await setMember(tx, { accountId, personId, role: 'owner', projectIds: null }, now)
    return openSession(tx, { personId, method: 'password' }, now)
  })
  const [installation] = await db.query<{ id: string }>(
    { text: 'select id::text as id from platform.installation' },
    [],
  )
  return `${cookieName(kherad.url, installation!.id.replaceAll('-', '').slice(0, 8), 'session')}=${token}`
}

async function untilSealed(): Promise<void> {
  const wanted = Math.floor((millions * 1_000_000) / 8192)
  for (;;) {
    const [found] = await db.query<{ count: bigint }>({ text: 'select count(*) from requests.segments' }, [])
    if (Number(found!.count) >= wanted) return
    await pause(1000)
  }
}

async function sizeOf(schema: string): Promise<string> {
  const [size] = await db.query<{ size: string }>(
    {
      text: `select pg_size_pretty(sum(pg_total_relation_size(c.oid))) as size from pg_class c
        where c.relnamespace = $1::regnamespace and c.relkind = 'r'`,
    },
    [schema],
  )
  return size!.size
}

/** Cursors at places all over the list. */
async function deepCursors(): Promise<string[]> {
  const rows = await db.query<{ began: string; id: string }>(
    {
      text: `select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as began, receipt_id as id
        from ledger.settlements tablesample system (0.05) order by random() limit $1`,
    },
    [calls],
  )
  return rows.map(({ began, id }) => writeCursor([began, id]))
}

/** Asks for the first page and for deep ones by turns. The p95 is the time that 95 of 100 calls do not exceed (nearest rank). */
async function measure(name: string, query: Record<string, string>) {
  const times: number[] = []
  let rows = 0
  for (let nth = 0; nth < calls; nth++) {
    const after = nth % 2 === 1 && { after: cursors[nth % cursors.length]! }
    const asked = new URLSearchParams({ project_id: 'all', ...query, ...after })
    const startMs = performance.now()
    const reply = await fetch(`${kherad.url}/v1/requests?${asked}`, {
      headers: { cookie, 'x-kherad-project': owner.projectId, 'sec-fetch-site': 'same-origin' },
    })
    const body = (await reply.json()) as { data: unknown[] }
    times.push(performance.now() - startMs)
    if (!reply.ok) throw new Error(`${name} was answered with ${reply.status}: ${JSON.stringify(body)}`)
    if (nth === 0) rows = body.data.length
  }
  times.sort((one, other) => one - other)
  const at = (share: number): number => times[Math.ceil(times.length * share) - 1]!
  return { name, rows, p50: at(0.5), p95: at(0.95) }
}
