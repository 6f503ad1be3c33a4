/**
 * What a function may do to starve this machine, and what becomes of it. Each probe is first shown to succeed where nothing stops it; during and after
 * each the platform answers, and the function of another cloud is neither ended nor refused.
 */
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { call, deploy } from '../../cloud/functions/scene.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { until } from '../../harness/until.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'
import { type FreeRuntime, openFreeRuntime } from './free-runtime.ts'
import { runFree } from './run-probe.ts'

const canRun = await hasJail()

let world: World
let attacker: TestCloud
let neighbour: TestCloud
let free: FreeRuntime
beforeAll(async () => {
  if (!canRun) return
  world = await boot()
  free = openFreeRuntime()
  attacker = await world.newCloud()
  neighbour = await world.newCloud()
  await deploy(neighbour, 'steady', steady)
})
afterAll(async () => {
  await free?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
})

/** Says which process it is in, and how many calls that has had. */
const steady = `let born, calls = 0
export default { fetch() { born ??= crypto.randomUUID(); calls++; return Response.json({ born, calls }) } }`

const asFunction = (body: string): string =>
  `export default { async fetch(request, env, context) { ${body}; return new Response('done') } }`

interface Ended {
  status: number
  /** Of the refusal, if it is one. */
  code: string | undefined
  body: string
}

async function endOf(answer: Response): Promise<Ended> {
  const body = await answer.text().catch((error: Error) => `cut: ${error.message}`)
  const isRefusal = answer.headers.get('x-relay-error') === 'true'
  return {
    status: answer.status,
    code: isRefusal ? (JSON.parse(body) as { code: string }).code : undefined,
    body,
  }
}

/** Runs the attack while the neighbour calls its function again and again, and checks both the neighbour and the platform. */
async function besideNeighbour<T>(attack: () => Promise<T>): Promise<T> {
  let isOver = false
  const answers: { status: number; born?: string }[] = []
  const first = await neighbourAnswer()
  const neighbours = (async () => {
    for (let after = 0; after < 3; after += isOver ? 1 : 0) answers.push(await neighbourAnswer())
  })()
  const [attacked] = await Promise.allSettled([
    attack().finally(() => {
      isOver = true
    }),
    neighbours,
  ])
  await neighbours
  if (attacked.status === 'rejected') throw attacked.reason
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(answers.map(({ born }) => born))).toEqual(new Set([first.born]))
  await platformAnswers()
  return attacked.value
}

async function neighbourAnswer(): Promise<{ status: number; born?: string }> {
  const answer = await call(neighbour, 'steady')
  return { status: answer.status, ...(answer.ok ? ((await answer.json()) as { born: string }) : {}) }
}

/** Within a second; a machine that has more to do may need another try. */
const platformAnswers = (): Promise<unknown> =>
  until(() =>
    fetch(`${world.url}/health/ready`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ ok }) => ok,
      () => false,
    ),
  )

async function attackWith(code: string): Promise<Ended> {
  await deploy(attacker, 'probe', code)
  const [ended] = await untilCalculated(() =>
    besideNeighbour(async () => [await endOf(await call(attacker, 'probe'))]),
  )
  return ended!
}

/** Once more where the first call got less than its second of processor time within its ten: then its time was over before it had calculated too much. */
const untilCalculated = (attack: () => Promise<Ended[]>): Promise<Ended[]> =>
  until(async () => {
    const ends = await attack()
    return ends[0]!.code === 'FUNCTION_TIMEOUT' ? undefined : ends
  }, 120_000)

/** Of itself it would not take long; what it may take is what stops it. */
const floods: [what: string, body: string, codes: string[]][] = [
  [
    'values of JavaScript',
    'const all = []; for (let n = 0; n < 160; n++) all.push(Array.from({ length: 131_072 }, (_, at) => at + 0.5 + n)); globalThis.all = all',
    ['FUNCTION_MEMORY_LIMIT'],
  ],
  [
    'buffers',
    'const all = []; for (let n = 0; n < 40; n++) all.push(new Uint8Array(10_000_000).fill(1)); globalThis.all = all',
    ['FUNCTION_MEMORY_LIMIT', 'FUNCTION_CRASHED'],
  ],
  [
    'memory of WebAssembly',
    'const all = []; for (let n = 0; n < 40; n++) { const one = new WebAssembly.Memory({ initial: 160 }); new Uint8Array(one.buffer).fill(1); all.push(one) } globalThis.all = all',
    ['FUNCTION_MEMORY_LIMIT', 'FUNCTION_CRASHED'],
  ],
  [
    'one long text',
    'let text = "x"; for (let n = 0; n < 28; n++) text += text; globalThis.all = new TextEncoder().encode(text)',
    ['FUNCTION_MEMORY_LIMIT', 'FUNCTION_CRASHED'],
  ],
  [
    'a loop',
    'let x = 0; for (let times = 0; times < 10; times++) for (let n = 0; n < 1e9; n++) x ^= n + times; globalThis.all = x',
    ['FUNCTION_CPU_LIMIT'],
  ],
  // With a reference back, which keeps the engine from another way of searching.
  [
    'a regular expression',
    'globalThis.all = /^(a+)+\\1c$/.test("a".repeat(29) + "b")',
    ['FUNCTION_CPU_LIMIT'],
  ],
  ['microtasks', 'for (let n = 0; n < 8e7; n++) await null', ['FUNCTION_CPU_LIMIT']],
]

describe.runIf(canRun)('a function ends alone that floods', () => {
  test.each(floods)('%s', async (_what, body, codes) => {
    const code = asFunction(body)
    expect(await free.answer(code)).toBe('done')
    const ended = await attackWith(code)
    expect(codes, ended.body).toContain(ended.code)
    // Its next call is served by a process that is there in time.
    await deploy(attacker, 'well', asFunction(''))
    expect((await endOf(await call(attacker, 'well'))).body).toBe('done')
  })
})

test.runIf(canRun)(
  'calls beside one that is ended get its code, and those that wait are answered',
  async () => {
    await deploy(
      attacker,
      'loop',
      asFunction('const { pathname } = new URL(request.url); if (pathname.endsWith("loop")) for (;;);'),
    )
    const ends = await untilCalculated(() =>
      besideNeighbour(async () => {
        const loop = call(attacker, 'loop/loop')
        const others = Array.from({ length: 8 }, () => call(attacker, 'loop/fine'))
        return Promise.all([loop, ...others].map(async (answer) => endOf(await answer)))
      }),
    )
    expect(ends[0]!.code).toBe('FUNCTION_CPU_LIMIT')
    const others = ends.slice(1).map(({ status, code }) => code ?? status)
    expect(others.filter((one) => one !== 200 && one !== 'FUNCTION_CPU_LIMIT')).toEqual([])
    // At most three of them were in the process that was ended.
    expect(others.filter((one) => one === 200).length).toBeGreaterThanOrEqual(5)
  },
)

test.runIf(canRun)('an answer that never ends is cut, one with huge headers refused', async () => {
  const endless = `let sent = 0
    export default { fetch() { return new Response(new ReadableStream({ pull(controller) {
      controller.enqueue(new Uint8Array(10_000)); sent += 10_000; if (sent >= 3_000_000) controller.close()
    } })) } }`
  expect((await free.answer(endless)).length).toBe(3_000_000)
  const cut = await attackWith(endless.replace('if (sent >= 3_000_000) controller.close()', ''))
  expect(cut.body).toMatch(/^cut: /)
  const huge =
    'export default { fetch() { return new Response("done", { headers: { big: "x".repeat(60_000) } }) } }'
  expect(await free.answer(huge)).toBe('done')
  expect((await attackWith(huge)).code).toBe('FUNCTION_ANSWER_TOO_LARGE')
})

test.runIf(canRun)('an answer of exactly the limit passes, and one byte more does not', async () => {
  const sized = (bytes: number) =>
    `export default { fetch() { return new Response(new Uint8Array(${bytes})) } }`
  await deploy(attacker, 'fits', sized(1_000_000))
  expect((await (await call(attacker, 'fits')).arrayBuffer()).byteLength).toBe(1_000_000)
  await deploy(attacker, 'fits', sized(1_000_001))
  expect((await endOf(await call(attacker, 'fits'))).code).toBe('FUNCTION_ANSWER_TOO_LARGE')
})

test.runIf(canRun)(
  'of a flood of lines a bounded part is kept, and a line says how many were dropped',
  async () => {
    const flood = asFunction(
      'for (let n = 0; n < 30_000; n++) console.log("line " + n + " " + "x".repeat(100))',
    )
    expect(await free.answer(flood)).toBe('done')
    await until(() => free.lines.length === 30_000)
    const ended = await attackWith(flood)
    expect(ended.body).toBe('done')
    let kept: readonly { message: string }[] = []
    await until(async () => {
      kept = (await attacker.client.get(`/v1/cloud/${attacker.id}/functions/probe/logs?limit=1000`)).body.data
      return kept.some(({ message }) => /lines were dropped/.test(message))
    })
    expect(kept.length).toBeLessThan(1_000)
  },
)

test.runIf(canRun)('of ten thousand calls at once a few are served and all others refused', async () => {
  const slow = asFunction('await new Promise((resolve) => setTimeout(resolve, 200))')
  expect(await free.answer(slow)).toBe('done')
  await deploy(attacker, 'probe', slow)
  const agent = new Agent({ connections: 500, pipelining: 20 })
  onTestFinished(() => agent.destroy())
  const once = async () => {
    const address = `${attacker.pathUrl}/functions/v1/probe`
    const answer = await request(address, { dispatcher: agent, headers: { apikey: attacker.publicKey } })
    await answer.body.dump()
    return answer.statusCode
  }
  const ends = await besideNeighbour(() => Promise.all(Array.from({ length: 10_000 }, once)))
  expect(new Set(ends)).toEqual(new Set([200, 429]))
  expect(ends.filter((status) => status === 200).length).toBeGreaterThanOrEqual(20)
})

test.runIf(canRun)('code that hides in prototypes reaches only itself', async () => {
  const hiding = `
    const broken = () => { throw new Error('hidden') }
    for (const kind of [Headers, Request, Response, Map, Set, String, Array, Function])
      for (const name of Object.getOwnPropertyNames(kind.prototype))
        if (name !== 'constructor') try { Object.defineProperty(kind.prototype, name, { value: broken, get: undefined, configurable: true }) } catch {
          try { Object.defineProperty(kind.prototype, name, { get: broken, configurable: true }) } catch {}
        }
    Object.prototype.status = 500
    Object.prototype.headers = { 'x-kherad-outcome': 'threw' }
    Promise.prototype.then = broken
    JSON.stringify = Reflect.apply = Reflect.get = broken
    globalThis.Headers = globalThis.Request = globalThis.Response = undefined`
  const keeps = `const Kept = Response; let calls = 0
    export default { fetch(request) { if (calls++ === 0) { ${hiding} } return new Kept('answered') } }`
  await deploy(attacker, 'probe', keeps)
  for (let times = 0; times < 3; times++) {
    const ended = await endOf(await call(attacker, 'probe'))
    expect([ended.status, ended.body]).toEqual([200, 'answered'])
  }
  await deploy(
    attacker,
    'beside',
    asFunction('if (request.headers.get("x-kherad-request") !== null) throw new Error("seen")'),
  )
  expect((await endOf(await call(attacker, 'beside'))).body).toBe('done')
})

test.runIf(canRun)('a function reaches no file, process, socket or address of the machine', async () => {
  const reaching = `
    const load = (name) => process.getBuiltinModule(name)
    const tries = {
      file: () => load('node:fs').readFileSync('/etc/passwd', 'utf8').includes('root'),
      socket: () => new Promise((resolve, reject) => load('node:net').connect(PORT, '127.0.0.1').once('connect', () => resolve(true)).once('error', reject)),
      process: () => load('node:child_process').execSync('id').length > 0,
      loopback: async () => (await fetch('http://127.0.0.1:PORT/')).headers.get('x-request-id') !== null,
      metadata: async () => (await fetch('http://169.254.169.254/')).headers.get('x-kherad-refusal') !== 'FUNCTION_FETCH_REFUSED',
      environment: () => Object.keys(process.env).some((name) => /PATH|HOME|DATABASE/.test(name)),
    }
    export default { async fetch() {
      const could = []
      for (const name in tries) try { if (await tries[name]()) could.push(name) } catch {}
      return Response.json(could)
    } }`.replaceAll('PORT', String(new URL(world.url).port))
  // Where nothing stops it, and with the platform in the place of metadata, which this machine may have none of.
  const free = reaching
    .replace('export default', 'const outside =')
    .replace('169.254.169.254', new URL(world.url).host)
  const told = 'process.stdout.write(await (await outside.fetch()).text(), () => process.exit())'
  const args = ['--input-type=module', '-e', `${free}\n${told}`]
  expect(JSON.parse(await runFree({ program: process.execPath, args }))).toEqual([
    ...['file', 'socket', 'process', 'loopback', 'metadata', 'environment'],
  ])
  const answered = await besideNeighbour(async () => {
    await deploy(attacker, 'probe', reaching)
    return endOf(await call(attacker, 'probe'))
  })
  expect(answered.body).toBe('[]')
})
