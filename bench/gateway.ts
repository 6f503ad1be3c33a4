/**
 * `npm run bench:gateway [seconds]`: Kherad with auth, hold, settle, receipt and rollup (embedded PostgreSQL, durable commits), beside
 * @portkey-ai/gateway without any of them, in front of the same upstream that answers at once. A separate process generates the load.
 */
import { cpus } from 'node:os'
import path from 'node:path'
import { freePort } from '../tests/harness/free-port.ts'
import { until } from '../tests/harness/until.ts'
import {
  cpuSeconds,
  installed,
  key,
  loadFrom,
  machine,
  processesOf,
  type Running,
  residentMegabytes,
  run,
  runKherad,
  temporaryFolder,
} from './stage.ts'

const seconds = Number(process.argv[2] ?? 15)
const peer = { name: '@portkey-ai/gateway', version: '1.15.2' }
const body = JSON.stringify({
  model: 'test/model',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Say something short about the sea.' }],
})

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
const upstream = stack.use(await startUpstream())
const kherad = stack.use(await runKherad(folder, upstream.url))
const workers = stack.use(await runWorkers(await temporaryFolder(stack)))
const portkey = stack.use(await startPeer())

interface Side {
  name: string
  url: string
  headers: Record<string, string>
  pid: number | undefined
}
const sides: Side[] = [
  { name: 'upstream alone', url: `${upstream.url}/v1/chat/completions`, headers: {}, pid: undefined },
  {
    name: 'Kherad',
    url: `${kherad.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${key}` },
    pid: kherad.child.pid,
  },
  {
    name: 'Kherad, a worker per core',
    url: `${workers.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${key}` },
    pid: workers.child.pid,
  },
  {
    name: `${peer.name} ${peer.version}`,
    url: `${portkey.url}/v1/chat/completions`,
    headers: {
      'x-portkey-provider': 'openai',
      authorization: 'Bearer none',
      'x-portkey-custom-host': `${upstream.url}/v1`,
    },
    pid: portkey.child.pid,
  },
]

console.log(`${machine()}\n`)
// Each server is warmed up before it is measured, since JavaScript compiles hot code.
for (const side of sides) await loadFrom({ ...aim(side), connections: 32, seconds: 5 })
for (const connections of [1, 32]) {
  console.log(`connections: ${connections}, ${seconds} s each`)
  for (const side of sides) await measure(side, connections)
  console.log('')
}

function aim({ url, headers }: Side): { url: string; headers: Record<string, string>; body: string } {
  return { url, headers, body }
}

async function measure(side: Side, connections: number): Promise<void> {
  const before = side.pid === undefined ? 0 : cpuSeconds(side.pid)
  const result = await loadFrom({ ...aim(side), connections, seconds })
  const cpu = side.pid === undefined ? 0 : cpuSeconds(side.pid) - before
  const perRequest = ((cpu * 1000) / (result.requests * 1.25)).toFixed(3)
  console.log(
    [
      side.name.padEnd(28),
      `${result.perSecond}/s`.padStart(9),
      `p50 ${result.p50} ms`.padStart(14),
      `p99 ${result.p99} ms`.padStart(15),
      side.pid === undefined ? '' : `cpu ${perRequest} ms/request, ${residentMegabytes(side.pid)} MB`,
      result.failures > 0 ? `FAILURES ${result.failures}` : '',
    ].join('  '),
  )
}

async function startUpstream(): Promise<Running> {
  const port = await freePort()
  return run(
    [process.execPath, 'tests/harness/upstream-main.ts', String(port)],
    {},
    `http://127.0.0.1:${port}`,
    '/',
  )
}

async function runWorkers(data: string): Promise<Running> {
  const running = await runKherad(data, upstream.url, { KHERAD_WORKERS: 'auto' })
  await until(() => processesOf(running.child.pid!).length > cpus().length)
  return running
}

async function startPeer(): Promise<Running> {
  const port = await freePort()
  const start = path.join(installed(peer.name, peer.version, folder), 'build/start-server.js')
  return run([process.execPath, start, `--port=${port}`, '--headless'], {}, `http://127.0.0.1:${port}`, '/')
}
