/** Work that goes on after an answer has the place, the time and the CPU of its call, and nothing beyond. */
import { expect, test } from 'vitest'
import { brokerWorld } from '../../cloud/broker/egress.ts'
import { until } from '../../harness/until.ts'
import { openSite } from '../../platform/net/sites.ts'
import { type FreeOptions, openFreeRuntime } from '../jail/free-runtime.ts'

async function open(options: FreeOptions, net = {}) {
  const world = await brokerWorld({ net })
  const runtime = openFreeRuntime({ broker: world.broker, ...options })
  return {
    ...runtime,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]()
      await world[Symbol.asyncDispose]()
    },
  }
}

test('a call keeps its place until its work has ended', async () => {
  await using runtime = await open({ atOnce: 1 })
  const cloud = runtime.cloudOf(`
    let running = 0
    export default (request, env, context) => {
      const seen = String(running++)
      context.waitUntil(new Promise((resolve) => setTimeout(resolve, 200)).then(() => running--))
      return new Response(seen)
    }`)
  for (let nth = 0; nth < 3; nth++) expect(await cloud.answer()).toBe('0')
})

test('work that does not end is ended with the time of its call, and a line says so', async () => {
  await using runtime = await open({ atOnce: 1, ownMs: 400 })
  const cloud = runtime.cloudOf(`
    let ticks = 0
    export default () => {
      const before = ticks
      EdgeRuntime.waitUntil(new Promise(() => setInterval(() => ticks++, 10)))
      return new Response(String(before))
    }`)
  expect(await cloud.answer()).toBe('0')
  const first = Number(await cloud.answer())
  expect(first).toBeGreaterThan(5)
  expect(first).toBeLessThan(100)
  await until(() => runtime.lines.length >= 2)
  for (const { level, message } of runtime.lines)
    expect([level, message.replace(/^\[.*\] /, '')]).toEqual([
      'error',
      expect.stringContaining(
        'What waitUntil was given did not end within the time of a call, and was ended.',
      ),
    ])
})

test('time in which the work waits for others is not its own, and what it sends is sent', async () => {
  const held: (() => void)[] = []
  await using site = await openSite((_, response) => void held.push(() => response.end('fine')))
  await using runtime = await open({ atOnce: 1, ownMs: 400 }, { streamPorts: [site.port] })
  const cloud = runtime.cloudOf(`
    const heard = []
    export default () => {
      if (heard.length > 0) return new Response(heard.join())
      EdgeRuntime.waitUntil(fetch(${JSON.stringify(site.url)}).then((answer) => answer.text()).then((text) => heard.push(text)))
      return new Response('asked')
    }`)
  expect(await cloud.answer()).toBe('asked')
  await until(() => held.length === 1)
  const next = cloud.answer()
  // Longer than the call's own time: it waits for the site, not for itself.
  await new Promise((resolve) => setTimeout(resolve, 800))
  held[0]!()
  expect(await next).toBe('fine')
  expect(runtime.lines).toEqual([])
})

test('a call whose handler fails keeps what it has begun', async () => {
  await using runtime = await open({ atOnce: 1 })
  const cloud = runtime.cloudOf(`
    let done = 0
    export default () => {
      if (done > 0) return new Response(String(done))
      EdgeRuntime.waitUntil(new Promise((resolve) => setTimeout(resolve, 100)).then(() => done++))
      throw new Error('after all')
    }`)
  await expect(cloud.answer()).rejects.toMatchObject({ code: 'FUNCTION_CRASHED' })
  expect(await cloud.answer()).toBe('1')
})
