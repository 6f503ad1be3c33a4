/** Deployments whose processes are killed: apps get the old code or the new one, whole, and a repeat makes no second version. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answering } from '../cloud/functions/scene.ts'
import type { Client } from '../harness/client.ts'
import type { ServerProcess } from '../harness/processes.ts'
import { until } from '../harness/until.ts'
import { DatabaseProxy } from './database-proxy.ts'
import { openSite, type Person, type Site } from './site.ts'

const stack = new AsyncDisposableStack()
let site: Site
beforeAll(async () => {
  site = stack.use(await openSite())
})
afterAll(() => stack.disposeAsync())

/** Holds a statement open until this is disposed. */
async function holding(statement: string): Promise<AsyncDisposable> {
  const client = await site.db.pool.connect()
  await client.query('begin')
  await client.query(statement)
  return {
    async [Symbol.asyncDispose]() {
      await client.query('rollback')
      client.release()
    },
  }
}

/** Resolves when a statement with these words waits for a lock. */
const waitsFor = (words: string): Promise<unknown> => {
  const text = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like $1`
  return until(async () => (await site.db.query({ text }, [`%${words}%`]))[0])
}

const endWaiting = () =>
  site.db.query(
    {
      text: `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    },
    [],
  )

interface Deployed {
  person: Person
  id: string
  ref: string
  publicKey: string
}

async function deployFirst(server: ServerProcess): Promise<Deployed> {
  const person = await site.person()
  const client = site.client(server, person)
  const { id, ref } = (await client.post('/v1/cloud', { name: 'app', plan: 'starter' })).body
  const made = await client.post(`/v1/cloud/${id}/functions`, codeOf(1))
  expect(made.status, made.text).toBe(201)
  const { body } = await client.get(`/v1/cloud/${id}/connection`)
  return { person, id, ref, publicKey: body.public_key }
}

const codeOf = (version: number, more = '') => ({
  name: 'f',
  code: `${answering(`version ${version}`)}${more}`,
  verify_jwt: false,
})

const deploySecond = (client: Client, { id }: Deployed, more?: string) =>
  client.post(`/v1/cloud/${id}/functions`, codeOf(2, more), { 'idempotency-key': `second${more?.length}` })

async function versionSeen({ appsUrl }: ServerProcess, { ref, publicKey }: Deployed): Promise<string> {
  const answer = await fetch(`${appsUrl}/_cloud/${ref}/functions/v1/f`, { headers: { apikey: publicKey } })
  return answer.text()
}

const versionsStored = async (client: Client, { id }: Deployed) =>
  (await client.get(`/v1/cloud/${id}/functions/f`)).body.versions.map(
    ({ version }: { version: number }) => version,
  )

test('killed while code is compiled, before it is tried, in its transaction and right after: the old code answers until the new one is whole', async () => {
  const servers: ServerProcess[] = [await site.start()]
  const deployed = await deployFirst(servers[0]!)
  const client = () => site.client(servers.at(-1)!, deployed.person)
  const killed = async (call: Promise<unknown>) => {
    const lost = expect(call).rejects.toThrow()
    await servers.at(-1)!.kill()
    await endWaiting()
    await lost
    servers.push(await site.start())
    expect(await versionSeen(servers.at(-1)!, deployed)).toBe('version 1')
    expect(await versionsStored(client(), deployed)).toEqual([1])
  }
  {
    // Takes a compiler some seconds.
    const call = deploySecond(client(), deployed, `\n${'{'.repeat(60_000)}${'}'.repeat(60_000)}`)
    await Promise.race([call, until(async () => (await client().get('/health/ready')).status === 200)])
    await killed(call)
  }
  {
    await using _secrets = await holding('lock table functions.secrets in access exclusive mode')
    const call = deploySecond(client(), deployed)
    await waitsFor('functions"."secrets')
    const lost = expect(call).rejects.toThrow()
    await servers.at(-1)!.kill()
    await lost
  }
  await endWaiting()
  servers.push(await site.start())
  for (const [statement, words] of [
    [`select from clouds.clouds where cloud_id = '${deployed.id}' for update`, 'for no key update'],
    ['lock table functions.versions in share mode', 'insert into "functions"."versions"'],
  ] as const) {
    const call = await (async () => {
      await using _held = await holding(statement)
      const sent = deploySecond(client(), deployed)
      await waitsFor(words)
      const lost = expect(sent).rejects.toThrow()
      await servers.at(-1)!.kill()
      return lost
    })()
    void call
    await endWaiting()
    servers.push(await site.start())
    expect(await versionSeen(servers.at(-1)!, deployed)).toBe('version 1')
    expect(await versionsStored(client(), deployed)).toEqual([1])
  }
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  await servers.at(-1)!.kill()
  servers.push(await site.start(proxy.url))
  {
    let committed: Promise<void>
    let lost: Promise<void>
    {
      await using _versions = await holding('lock table functions.versions in share mode')
      const call = deploySecond(client(), deployed)
      await waitsFor('insert into "functions"."versions"')
      committed = proxy.withholdReply(/commit/)
      lost = expect(call).rejects.toThrow()
    }
    await committed
    await servers.at(-1)!.kill()
    await lost
  }
  servers.push(await site.start())
  expect(await versionSeen(servers.at(-1)!, deployed)).toBe('version 2')
  const repeat = await deploySecond(client(), deployed)
  expect([repeat.status, repeat.headers.get('idempotent-replayed'), repeat.body.version]).toEqual([
    ...[201, 'true', 2],
  ])
  expect(await versionsStored(client(), deployed)).toEqual([2, 1])
})
