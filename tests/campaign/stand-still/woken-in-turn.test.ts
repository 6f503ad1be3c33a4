/**
 * PostgreSQL stands still for longer than the lease, and its processes go on one after another, in the worst order: what one server process has
 * sent meanwhile is carried out before its twin's heartbeat, which has waited as long.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '#platform/db'
import type { TestPostgres } from '../../harness/postgres.ts'
import { soon, until } from '../../harness/until.ts'
import { leaseMs, openPostgres, openSite, type Person } from './site.ts'
import { stop } from './stop.ts'

let cluster: TestPostgres & AsyncDisposable
beforeAll(async () => {
  cluster = await openPostgres()
})
afterAll(() => cluster?.[Symbol.asyncDispose]())

/** PostgreSQL's processes of a server, by the name that its connections have: those that wrote its heartbeats, and all others. */
async function backendsOf(db: Db, name: string): Promise<{ beats: number[]; others: number[] }> {
  const rows = await db.query<{ pid: number; beats: boolean }>(
    {
      text: `select pid, query like 'insert into ledger.processes%' as beats from pg_stat_activity
        where datname = current_database() and application_name = $1`,
    },
    [name],
  )
  const pidsOf = (beats: boolean) => rows.filter((row) => row.beats === beats).map(({ pid }) => pid)
  return { beats: pidsOf(true), others: pidsOf(false) }
}

async function receiptOf(db: Db, { account }: Person): Promise<{ state: string } | undefined> {
  const [row] = await db.query<{ state: string }>(
    { text: 'select state from ledger.receipts where account_id = $1' },
    [account],
  )
  return row
}

test('a process whose heartbeat is carried out first takes its twin for dead neither by what it had sent before nor by what it sends then', async () => {
  await using site = await openSite(cluster, ['first', 'second'])
  const person = await site.person()
  const load = { max_tokens: 100, stream: true, messages: [{ role: 'user', content: 'long~16000' }] }
  const begun = site.client(site.servers[1]!, person).chat(load)
  const reporting = site.client(site.servers[0]!, person)
  await until(async () => (await site.asked())['long~16000'] === 1, soon)
  // Each may judge others once it has lived for as long as a lease.
  await pause(leaseMs + 1_000)
  // So many connections that what is sent while PostgreSQL stands still finds one.
  await Promise.all(Array.from({ length: 20 }, () => reporting.get('/v1/usage')))
  const first = await backendsOf(site.db, 'first')
  expect(first.beats).toHaveLength(1)

  const postmasters = await site.postgresPids()
  await using all = await stop(async () =>
    postmasters.filter((pid) => ![...first.beats, ...first.others].includes(pid)),
  )
  {
    await using others = await stop(async () => first.others)
    await using _beats = await stop(async () => first.beats)
    await pause(leaseMs + 2_000)
    await _beats[Symbol.asyncDispose]()
    await pause(500)
    await others[Symbol.asyncDispose]()
    await pause(1_500)
  }
  await all[Symbol.asyncDispose]()
  expect((await begun).status).toBe(200)
  expect(site.servers[0]!.log()).not.toMatch(/ended by the sweeper|jobs of dead processes/)
  await until(async () => (await receiptOf(site.db, person))?.state === 'completed', soon)
})
