/** Deployments whose processes are killed: apps get the old code or the new one, whole, and a repeat makes no second version. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answering, onceTested } from '../../cloud/functions/scene.ts'
import { DatabaseProxy } from '../../crash/database-proxy.ts'
import { openSite, type Person, type Site, severalStartsMs } from '../../crash/site.ts'
import type { Client } from '../../harness/client.ts'
import type { ServerProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'

const stack = new AsyncDisposableStack()
let site: Site
beforeAll(async () => {
  site = stack.use(await openSite())
})
afterAll(() => stack.disposeAsync())

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
  const made = await onceTested(() => client.post(`/v1/cloud/${id}/functions`, codeOf(1)))
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

test('killed while code is compiled, before it is tried, in its transaction and right after: the old code answers until the new one is whole', {
  timeout: severalStartsMs,
}, async () => {
  await using proxy = await DatabaseProxy.open(site.databaseUrl)
  // One for each step, and one that outlives them all.
  const last = await site.start()
  const deployed = await deployFirst(last)
  const [compiling, trying, locking, storing, committing] = await Promise.all([
    ...Array.from({ length: 4 }, () => site.start()),
    site.start(proxy.url),
  ])
  const clientOf = (server: ServerProcess) => site.client(server, deployed.person)
  const expectFirst = async () => {
    await site.endWaiting()
    expect(await versionSeen(last, deployed)).toBe('version 1')
    expect(await versionsStored(clientOf(last), deployed)).toEqual([1])
  }
  {
    // Takes a compiler some seconds; it has begun once another request, which came later, was answered. Where this process stands still for
    // longer, what is compiled waits at its trial.
    await using _held = await site.holding('lock table functions.secrets in access exclusive mode')
    const lost = expect(
      deploySecond(clientOf(compiling!), deployed, `\n${'{'.repeat(60_000)}${'}'.repeat(60_000)}`),
    ).rejects.toThrow()
    expect((await clientOf(compiling!).get('/v1/cloud')).status).toBe(200)
    await compiling!.kill()
    await lost
  }
  await expectFirst()
  for (const [server, statement, words] of [
    [trying!, 'lock table functions.secrets in access exclusive mode', 'functions"."secrets'],
    [locking!, `select from clouds.clouds where cloud_id = '${deployed.id}' for update`, 'for no key update'],
    [storing!, 'lock table functions.versions in share mode', 'insert into "functions"."versions"'],
  ] as const) {
    {
      await using _held = await site.holding(statement)
      const lost = expect(deploySecond(clientOf(server), deployed), words).rejects.toThrow()
      await site.waitsFor(words)
      await server.kill()
      await lost
      await site.endWaiting()
    }
    await expectFirst()
  }
  {
    let committed: Promise<void>
    let lost: Promise<void>
    {
      await using _versions = await site.holding('lock table functions.versions in share mode')
      lost = expect(deploySecond(clientOf(committing!), deployed)).rejects.toThrow()
      await site.waitsFor('insert into "functions"."versions"')
      committed = proxy.withholdReply(/commit/, 'insert into "functions"."versions"')
    }
    await committed
    await committing!.kill()
    await lost
  }
  await until(async () => (await versionSeen(last, deployed)) === 'version 2')
  const repeat = await deploySecond(clientOf(last), deployed)
  expect([repeat.status, repeat.headers.get('idempotent-replayed'), repeat.body.version]).toEqual([
    ...[201, 'true', 2],
  ])
  expect(await versionsStored(clientOf(last), deployed)).toEqual([2, 1])
})
