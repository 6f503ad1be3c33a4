/** A live process is not considered dead, whatever happens to its connections: its holds would be charged in full. */
import { expect, test } from 'vitest'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { openSite, type Site } from '../../crash/site.ts'
import { until } from '../../harness/until.ts'
import { answer, type Script } from '../../harness/upstream.ts'

/** A lost beat leaves six seconds of it to a machine that does something else. */
const leaseMs = 10_000

test.concurrent('a connection swallows a heartbeat: the next goes out on another', () =>
  expectAlive(async ({ proxy }) => {
    await proxy.withholdReply(/insert into ledger\.processes/)
  }))

test.concurrent('all connections swallow what they are given, and every one is waited for: the next heartbeat goes out on a new one', () =>
  expectAlive(async ({ proxy, ask }) => {
    const reports = (): Promise<unknown>[] => Array.from({ length: 30 }, () => ask('/v1/usage'))
    await Promise.all(reports())
    proxy.swallow()
    proxy.back()
    for (const report of reports()) report.catch(() => undefined)
  }))

interface Trouble {
  proxy: DatabaseProxy
  ask: (path: string) => Promise<unknown>
}

/** The trouble is one process's alone: a twin beats and sweeps beside it. */
async function expectAlive(begin: (trouble: Trouble) => Promise<void>): Promise<void> {
  await using site = await openSite({ leaseMs })
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  const [server] = await Promise.all([site.start(proxy.url), site.start()])
  const person = await site.person()
  const released = Promise.withResolvers<Script>()
  site.upstream.reply(() => released.promise)
  const client = site.client(server, person)
  const call = client.chat({ max_tokens: 100 })
  await site.upstream.call(0)

  await begin({ proxy, ask: (path) => client.get(path) })
  const began = (await moments(site, 'select clock_timestamp() as moment'))[0]!
  // The twin has had the time to see a lease go by, and to sweep after it.
  await until(async () => {
    const beats = await moments(site, 'select beat_at as moment from ledger.processes')
    return beats.every((beat) => beat.getTime() > began.getTime() + leaseMs * 1.5)
  })
  const [running] = await site.receipts(person)
  expect(running).toMatchObject({ state: 'running', ambiguous: false })
  released.resolve(answer())
  expect((await call).status).toBe(200)
}

async function moments(site: Site, text: string): Promise<Date[]> {
  const rows = await site.db.query<{ moment: Date }>({ text }, [])
  return rows.map(({ moment }) => moment)
}
