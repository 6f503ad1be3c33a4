/** Processes of functions: when they start, what they keep of one another, and that none outlives its server. */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { call, deploy, textOf } from '../../cloud/functions/scene.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { Client } from '../../harness/client.ts'
import { cloneDatabase } from '../../harness/postgres.ts'
import { startProcess } from '../../harness/processes.ts'
import { until } from '../../harness/until.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'
import { openFreeRuntime } from './free-runtime.ts'

const canRun = await hasJail()

let world: World
let cloud: TestCloud
beforeAll(async () => {
  if (!canRun) return
  world = await boot()
  cloud = await world.newCloud()
})
afterAll(() => world?.[Symbol.asyncDispose]())

test.runIf(canRun)('whoever calls while a process dies and starts again notices nothing', async () => {
  await deploy(
    cloud,
    'dies',
    'export default () => { const all = []; for (;;) all.push(new Array(1e6).fill(1.5)) }',
  )
  await deploy(cloud, 'lives', 'export default () => new Response("lives")')
  for (let times = 0; times < 3; times++) {
    // Where the machine is so busy that its time is over first, it is called again.
    const died = await until(async () => {
      const { code } = (await (await call(cloud, 'dies')).json()) as { code: string }
      return code === 'FUNCTION_TIMEOUT' ? undefined : code
    })
    expect(died).toBe('FUNCTION_MEMORY_LIMIT')
    const answers = await Promise.all(Array.from({ length: 12 }, () => textOf(cloud, 'lives')))
    expect(new Set(answers)).toEqual(new Set(['lives']))
  }
})

test.runIf(canRun)('bodies up to the limit pass, headers of ours never come from outside', async () => {
  const echo =
    'export default async (request) => Response.json([(await request.text()).length, [...request.headers.keys()].filter((name) => name.startsWith("x-kherad"))])'
  await deploy(cloud, 'echo', echo)
  const headers = { 'x-kherad-try': '1', 'x-kherad-outcome': 'answered', 'x-kherad-invocation': 'mine' }
  const sent = await call(cloud, 'echo', { method: 'POST', body: 'x'.repeat(1_000_000), headers })
  expect(await sent.json()).toEqual([1_000_000, []])
  const more = await call(cloud, 'echo', { method: 'POST', body: 'x'.repeat(1_000_001) })
  expect(more.status).toBe(413)
  await more.body?.cancel()
})

test.runIf(canRun)('a cloud may use as many functions as it may have, and bodies as large', async () => {
  await using runtime = openFreeRuntime({ isJailed: true, functions: 20 })
  const cloud = runtime.cloudOf(
    'export default { fetch: async (request) => new Response((await request.arrayBuffer()).byteLength) }',
  )
  for (let nth = 0; nth < 40; nth++)
    expect(await cloud.answer(nth % 20, Buffer.alloc(1_000_000))).toBe('1000000')
})

test.runIf(canRun)(
  'a server that is killed takes its functions with it, and the next one deletes their sockets',
  async () => {
    await using database = await cloneDatabase()
    // Every server that starts deletes what it finds of killed ones: those of other tests do not find this.
    const place = await mkdtemp('/tmp/kherad-own-')
    onTestFinished(() => rm(place, { recursive: true, force: true }))
    const folders = (): string[] => readdirSync(place).filter((name) => name.startsWith('kherad-f-'))
    const bootstrapKey = `khr_${'k'.repeat(43)}`
    const env = { KHERAD_SECRET: 's'.repeat(43), TMPDIR: place }
    const options = { databaseUrl: database.url, bootstrapKey, env }
    const mark = `mark ${crypto.randomUUID()}`
    let left: string[]
    {
      await using server = await startProcess(options)
      const client = new Client(server.url, bootstrapKey, '')
      const made = await client.post('/v1/cloud', { name: 'killed', plan: 'starter' })
      expect(made.status, made.text).toBe(201)
      const code = `export default () => new Response(${JSON.stringify(mark)})`
      await deploy({ id: made.body.id, client } as TestCloud, 'hello', code)
      const address = `${server.appsUrl}/_cloud/${made.body.ref}/functions/v1/hello`
      expect(await (await fetch(address)).text()).toBe(mark)
      left = folders()
      expect(left).toEqual([expect.stringMatching(`^kherad-f-${server.child.pid}-`)])
      // The one in which the code was tried out may still be ending.
      const [worker] = await until(() => {
        const workers = workersBelow(server.child.pid!)
        return workers.length === 1 ? workers : undefined
      })
      await server.kill()
      await until(() => !isRunning(worker!))
      expect(folders()).toEqual(left)
    }
    await using _next = await startProcess(options)
    await until(() => !folders().includes(left[0]!))
  },
)

/** Processes of workerd among all that this one started. */
function workersBelow(root: number): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const parentOf = (pid: string): number | undefined => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    } catch {
      return undefined
    }
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === root || isBelow(parentOf(String(pid))))
  return processes
    .filter((pid) => isBelow(Number(pid)) && commandOf(pid).startsWith('/program\0serve'))
    .map(Number)
}

function commandOf(pid: string | number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const isRunning = (pid: number): boolean => commandOf(pid).startsWith('/program\0serve')
