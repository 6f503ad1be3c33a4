/**
 * `node bench/clouds/rows.ts [seconds] [connections]`: rows of a Starter cloud read and durably inserted through the real server on its
 * embedded PostgreSQL, and how long a hold of the ledger takes while 32 of the worst queries on rows run.
 * The load generator shares the machine.
 */
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Collections, openCollections, type RowsCloud } from '#cloud/collections'
import { createAccount, createKey, createProject, scopes } from '#platform/auth'
import { systemClock } from '#platform/clock'
import { type Db, migrate, openDb } from '#platform/db'
import { uuidv7 } from '#platform/ids'
import { grant, type Ledger, openLedger } from '#platform/ledger'
import { openLog } from '#platform/log'
import { lowerOwnBackends, startEmbedded } from '#platform/postgres'
import { joinProcesses } from '#platform/processes'
import { readCollectionQuery } from '../../src/cloud/cloud-routes/app/rest/collection-query.ts'
import { jsonFrom, key, machine, root, temporaryFolder } from '../stage.ts'
import { row, table } from '../table.ts'
import type { RowsLoad, RowsLoadResult } from './rows-load.ts'
import { startClouds } from './server.ts'

const [seconds = 4, connections = 32] = process.argv.slice(2).map(Number)
/** Rows that are read. */
const stored = 1_000
/** Of holds alone, then beside the worst queries; so long that one percent are more than a dozen. */
const rounds = 4
const holdSeconds = seconds * 6

/** What takes longest of what may be asked: patterns that fit everywhere but at their end, on as many bytes as a cloud may have. */
const worst = [
  `a=like.${encodeURIComponent(`%${'x'.repeat(490)}y%`)}`,
  `a=ilike.${encodeURIComponent(`%${'x'.repeat(490)}y%`)}`,
  'a=fts.x&order=a.desc,n',
  `select=n&order=a,n&or=(${Array.from({ length: 20 }, () => `a.like.*${'x'.repeat(100)}y*`).join(',')})`,
]

console.log(machine())
if (!process.argv.includes('--holds')) await measureRequests()
await measureHolds()

async function measureRequests(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startClouds(await temporaryFolder(stack)))
  const { appsPort } = server
  const post = async (at: string, body: object) => {
    const reply = await fetch(server.url + at, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await reply.json()) as Record<string, string>
  }
  const cloud = await post('/v1/cloud', { name: 'bench', plan: 'starter' })
  const { secret } = await post(`/v1/cloud/${cloud['id']}/keys`, { kind: 'service' })
  await post(`/v1/cloud/${cloud['id']}/database`, { action: 'create_collection', name: 'todos' })
  const headers = { apikey: secret!, 'content-type': 'application/json' }
  const url = `http://127.0.0.1:${appsPort}/_cloud/${cloud['ref']}/rest/v1/todos`
  const todo = (n: number) => ({ title: 'خرید نان و شیر از مغازهٔ سر کوچه', done: false, n })
  const body = JSON.stringify(Array.from({ length: stored }, (_, n) => todo(n)))
  await fetch(url, { method: 'POST', headers, body })
  const [first] = (await (await fetch(`${url}?n=eq.500`, { headers })).json()) as { id: string }[]
  const cases: [name: string, asked: Pick<RowsLoad, 'url' | 'method' | 'body'>][] = [
    ['read one row by its id', { url: `${url}?id=eq.${first!.id}`, method: 'GET' }],
    ['read 20 rows', { url: `${url}?limit=20`, method: 'GET' }],
    [
      'read 20 of 1,000 by a filter, in an order',
      { url: `${url}?done=is.false&order=n.desc&limit=20`, method: 'GET' },
    ],
    ['insert one row', { url, method: 'POST', body: JSON.stringify(todo(1)) }],
  ]
  table([`${connections} connections`, 'a second', 'p50 ms', 'p99 ms', 'failures'])
  for (const [name, asked] of cases) {
    const load: RowsLoad = { ...asked, headers, connections, seconds }
    const { perSecond, p50, p99, failures } = await jsonFrom<RowsLoadResult>(
      'bench/clouds/rows-load.ts',
      load,
    )
    row([name, String(perSecond), String(p50), String(p99), String(failures)])
  }
}

async function measureHolds(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const log = openLog('error')
  const dataDir = path.join(await temporaryFolder(stack), 'data')
  const embedded = stack.use(await startEmbedded({ dataDir, log }))
  const db = stack.use(await openDb({ url: embedded.address, log }))
  await migrate(db, path.join(root, 'migrations'))
  const timing = { processLeaseMs: 20_000, heartbeatMs: 5_000, sweepMs: 5_000 }
  const processes = stack.use(await joinProcesses({ db, log, timing }))
  const thresholdsPercent = [50, 80, 100]
  const ledger = stack.use(openLedger({ db, clock: systemClock, log, processes, thresholdsPercent }))
  const payer = await makePayer(db)
  const url = embedded.address
  const lowerBackend = await lowerOwnBackends(dataDir, url)
  const collections = stack.use(await openCollections({ db, url, clock: systemClock, log, lowerBackend }))
  const clouds = await Promise.all(
    Array.from({ length: 4 }, () => fullCloud(db, collections, payer.accountId)),
  )
  await holds(ledger, payer, 2)
  const times = { quiet: [] as number[], busy: [] as number[] }
  let asked = 0
  // In turn, so that other programs of the machine disturb both alike.
  for (let round = 0; round < rounds; round++) {
    times.quiet.push(...(await holds(ledger, payer, holdSeconds / rounds)))
    const stop = new AbortController()
    const attack = Promise.all(
      Array.from({ length: 32 }, (_, nth) => attackRows(collections, clouds[nth % 4]!, nth, stop.signal)),
    )
    await pause(500)
    times.busy.push(...(await holds(ledger, payer, holdSeconds / rounds)))
    stop.abort()
    asked += (await attack).reduce((sum, one) => sum + one, 0)
  }
  const [quiet, busy] = [percentiles(times.quiet), percentiles(times.busy)]
  table(['hold of the ledger, one at a time', 'p50 ms', 'p99 ms'])
  row(['alone', quiet.p50.toFixed(2), quiet.p99.toFixed(2)])
  row([`beside 32 of the worst queries (${asked} ended)`, busy.p50.toFixed(2), busy.p99.toFixed(2)])
  row(['times', (busy.p50 / quiet.p50).toFixed(2), (busy.p99 / quiet.p99).toFixed(2)])
}

async function attackRows(
  collections: Collections,
  cloud: RowsCloud,
  nth: number,
  signal: AbortSignal,
): Promise<number> {
  const parsed = readCollectionQuery(new URLSearchParams(worst[nth % worst.length]), false)
  for (let asked = 0; ; asked++) {
    if (signal.aborted) return asked
    // Refusals and timeouts are what is expected.
    await collections
      .read(cloud, { ...parsed, collection: 'rows', caller: { role: 'all' }, counted: true })
      .catch(() => pause(10))
  }
}

async function fullCloud(db: Db, collections: Collections, accountId: string): Promise<RowsCloud> {
  const [cloudId, collectionId, projectId] = [uuidv7(), uuidv7(), uuidv7()]
  await db.query(
    {
      text: `insert into clouds.clouds (account_id, cloud_id, project_id, ref, name, plan, state, created_at, updated_at)
        values ($1, $2, $3, left(md5(random()::text), 20), 'bench', 'starter', 'ready', now(), now())`,
    },
    [accountId, cloudId, projectId],
  )
  await db.query({ text: `insert into collections.collections values ($1, $2, $3, 'rows', false, now())` }, [
    accountId,
    cloudId,
    collectionId,
  ])
  const limits = { collections: 20, rows: 10_000, rowBytes: 25 * 1024 * 1024 }
  const cloud = { accountId, cloudId, limits }
  for (let part = 0; part < 24; part++) {
    const rows = Array.from({ length: 16 }, (_, n) => {
      const json = JSON.stringify({ a: 'x'.repeat(64_000), n })
      return { id: uuidv7(), ownerId: null, json, bytes: json.length + 3 }
    })
    await collections.insert(cloud, {
      collection: 'rows',
      caller: { role: 'all' },
      rows,
      onConflict: 'refuse',
    })
  }
  return cloud
}

interface Payer {
  accountId: string
  projectId: string
  keyId: string
}

/** What each took, in milliseconds. */
async function holds(ledger: Ledger, payer: Payer, forSeconds: number): Promise<number[]> {
  const times: number[] = []
  for (const endMs = performance.now() + forSeconds * 1000; performance.now() < endMs; ) {
    const sinceMs = performance.now()
    const hold = await ledger.hold({
      payer,
      receiptId: uuidv7(),
      endpoint: '/v1/chat/completions',
      model: 'm',
      microcredits: 1000n,
      started: true,
      lifetimeMs: 60_000,
    })
    times.push(performance.now() - sinceMs)
    await hold.settle({
      microcredits: 700n,
      state: 'completed',
      statusCode: 200,
      tokens: { input: 1, cachedInput: 0, output: 1, reasoning: 0 },
      detail: { outcome: 'completed' },
    })
  }
  return times
}

function percentiles(times: number[]): { p50: number; p99: number } {
  times.sort((a, b) => a - b)
  return { p50: times[Math.floor(times.length * 0.5)]!, p99: times[Math.floor(times.length * 0.99)]! }
}

async function makePayer(db: Db): Promise<Payer> {
  const now = new Date()
  return db.tx(async (tx) => {
    const account = await createAccount(tx, { name: 'bench' }, now)
    const accountId = account.account_id
    const project = await createProject(tx, { accountId, name: 'bench' }, now)
    const projectId = project.project_id
    const made = await createKey(tx, { accountId, projectId, name: 'bench', scopes }, now)
    await grant(tx, { accountId, transferId: uuidv7(), microcredits: 10n ** 15n, reason: 'bench' }, now)
    return { accountId, projectId, keyId: made.key_id }
  })
}
