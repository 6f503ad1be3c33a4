/** Deliveries under kill -9 and an orderly stop: every event arrives and is recorded as delivered, whichever process held it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { writeEvent } from '#platform/events'
import { openReceiver, tls, path as webhooks } from '../../account/webhooks-world.ts'
import { openSite, type Person, type Site, stillLeaseMs } from '../../crash/site.ts'
import { upstreamConfig } from '../../harness/config-text.ts'
import { startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'

const events = 60
const secret = 'one secret for every machine of this site'

async function happen(site: Site, person: Person): Promise<void> {
  const { account: accountId, project: projectId } = person
  await site.db.tx(async (tx) => {
    for (let n = 0; n < events; n++)
      await writeEvent(tx, { accountId, projectId, type: 'agent.lead', data: { n } }, new Date())
  })
}

test('a process that is killed or stopped in the middle loses no event: the next one sends what was left', async () => {
  await using site = await openSite()
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-ca-'))
  stack.defer(() => rm(folder, { recursive: true }))
  const ca = path.join(folder, 'ca.pem')
  await writeFile(ca, tls.cert)
  const receiver = stack.use(await openReceiver({ host: 'localhost', address: '127.0.0.1' }))
  const held: (() => void)[] = []
  let holding = true
  const release = (): void => {
    holding = false
    for (const end of held.splice(0)) end()
  }
  receiver.answer('', (response) => {
    const end = () => void response.writeHead(200).end()
    if (holding) held.push(end)
    else end()
  })
  const config = upstreamConfig(site.upstream.url, { rest: 'net: { allow_cidrs: [127.0.0.0/8, "::1/128"] }' })
  // Each has a data folder of its own, as another machine would.
  const start = (sealing = secret) =>
    site.adopt(
      startProcess({
        databaseUrl: site.databaseUrl,
        config,
        env: {
          KHERAD_LOG_LEVEL: 'warn',
          KHERAD_LEASE_MS: String(stillLeaseMs),
          NODE_EXTRA_CA_CERTS: ca,
          KHERAD_SECRET: sealing,
        },
      }),
    )

  const person = await site.person()
  const first = await start()
  const body = { url: receiver.url(''), events: ['agent.lead'] }
  const made = await site.client(first, person).post(webhooks, body)
  expect(made.status, made.text).toBe(201)
  // Whoever has another key says so and does not start.
  await expect(start(secret.toUpperCase())).rejects.toThrow(/KHERAD_SECRET/)

  await happen(site, person)
  await until(() => held.length === 8)
  await first.kill()
  const second = await start()
  await site.endLeases()
  // The eight of the dead process hang there too.
  await until(() => held.length === 16)
  release()
  const idsThere = () => new Set(receiver.got('').map(({ headers }) => headers['webhook-id']))
  await until(() => idsThere().size === events)
  // Only what was in the hands of the dead came twice.
  expect(receiver.got('')).toHaveLength(events + 8)

  holding = true
  await happen(site, person)
  await until(() => held.length === 8)
  const stopped = second.stop()
  release()
  expect(await stopped).toBe(0)
  const third = await start()
  await until(() => idsThere().size === 2 * events)
  expect(receiver.got('')).toHaveLength(2 * events + 8)
  for (const { body, headers } of receiver.got(''))
    new Webhook(made.body.secret).verify(body, headers as Record<string, string>)

  const client = site.client(third, person)
  const report = (status: string) => client.get(`${webhooks}/deliveries?limit=100&status=${status}`)
  await until(async () => (await report('pending')).body.data.length === 0)
  const { data } = (await report('delivered')).body
  expect(data).toHaveLength(100)
  expect(new Set(data.map(({ attempts }: { attempts: number }) => attempts))).toEqual(new Set([1]))
  for (const status of ['failed', 'cancelled']) expect((await report(status)).body.data).toEqual([])
})
