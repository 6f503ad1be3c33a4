/**
 * `npm run bench:webhooks [deliveries]`: deliveries a second to a receiver on this machine over HTTPS, on the embedded PostgreSQL with
 * durable commits: events of one connection, and events that go to ten. From the commit of the events to the last durable success.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { readEnv } from '#platform/config'
import { writeEvent } from '#platform/events'
import { openGuardedClient } from '#platform/net'
import { loadConfig } from '#settings'
import { startKherad } from '../src/server.ts'
import { selfSigned } from '../tests/harness/certificate.ts'
import { dataOf, key, machine, root, temporaryFolder } from './stage.ts'

const count = Number(process.argv[2] ?? 5_000)
const idleTries = 50

await using stack = new AsyncDisposableStack()
const tls = selfSigned('hook.test')
const receiver = spawn(
  process.execPath,
  [path.join(root, 'bench/webhook-receiver.ts'), JSON.stringify(tls)],
  {
    stdio: ['pipe', 'pipe', 'inherit'],
  },
)
stack.defer(() => void receiver.kill())
const lines = createInterface({ input: receiver.stdout })
const [port] = (await once(lines, 'line')) as [string]

const settings = {
  KHERAD_DATA: dataOf(await temporaryFolder(stack)),
  KHERAD_BOOTSTRAP_KEY: key,
  KHERAD_PORT: '0',
}
const config = loadConfig(readEnv({ ...settings, KHERAD_LOG_LEVEL: 'warn' }), undefined)
const net = openGuardedClient({
  allowedCidrs: ['127.0.0.1/32'],
  ca: tls.cert,
  lookup: async () => [{ address: '127.0.0.1', family: 4 }],
})
const { app, server } = stack.use(await startKherad({ config, net }))
const [owner] = await app.db.query<{ account_id: string; project_id: string }>(
  { text: 'select account_id, project_id from auth.projects' },
  [],
)
console.log(machine())

const connections: string[] = []
connections.push(await connect())
await run('one connection', 500)
await run('one connection', count)
const waits: number[] = []
for (let n = 0; n < idleTries; n++) {
  const before = await received()
  await happen(1)
  const beganMs = performance.now()
  while ((await received()) === before) await pause(1)
  waits.push(performance.now() - beganMs)
  await pause(Math.random() * 50)
}
waits.sort((a, b) => a - b)
console.log(
  `idle: from the commit to the receiver p50 ${waits[idleTries / 2]!.toFixed(0)} ms, most ${waits.at(-1)!.toFixed(0)} ms (${idleTries} tries)`,
)
for (let n = 1; n < 10; n++) connections.push(await connect())
await run('ten connections', Math.ceil(count / 10))

async function connect(): Promise<string> {
  const reply = await fetch(`${server.url}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      url: `https://hook.test:${port}/${connections.length}`,
      events: ['agent.lead'],
    }),
  })
  if (!reply.ok) throw new Error(await reply.text())
  return ((await reply.json()) as { id: string }).id
}

async function happen(times: number): Promise<void> {
  const { account_id: accountId, project_id: projectId } = owner!
  const data = { name: 'زهرا', email: 'zahra@example.com', note: 'لطفاً تماس بگیرید.' }
  await app.db.tx(async (tx) => {
    for (let n = 0; n < times; n++)
      await writeEvent(tx, { accountId, projectId, type: 'agent.lead', data: { n, ...data } }, new Date())
  })
}

async function received(): Promise<number> {
  receiver.stdin.write('\n')
  return Number(((await once(lines, 'line')) as [string])[0])
}

async function run(name: string, events: number): Promise<void> {
  const all = events * connections.length
  const parts = Math.ceil(events / 500)
  const beganMs = performance.now()
  for (let part = 0; part < parts; part++) await happen(Math.min(500, events - part * 500))
  const open = { text: `select from webhooks.deliveries where state <> 'delivered' limit 1` }
  while ((await app.db.query(open, [])).length > 0) await pause(10)
  const seconds = (performance.now() - beganMs) / 1000
  console.log(`${name}: ${all} deliveries in ${seconds.toFixed(1)} s: ${Math.round(all / seconds)}/s`)
}
