/** Events whose target does not accept them. The platform's clock is moved; no test waits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { MovableClock } from '../harness/world.ts'
import {
  bootWebhooks,
  checkSignature,
  connected,
  deliveries,
  delivery,
  happen,
  nudge,
  path,
  type WebhooksWorld,
} from './webhooks-world.ts'

const clock = new MovableClock()
let at: WebhooksWorld
beforeAll(async () => {
  at = await bootWebhooks({ clock })
})
afterAll(() => at[Symbol.asyncDispose]())

const scheduleMs = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000]

/** A connection whose project has no other, so that what happens reaches it alone. */
async function alone(name: string) {
  const project = await at.world.newProject()
  const key = await at.world.key({ project })
  const connection = await connected({ ...at, key }, name)
  const seen = () => delivery(key, connection.id, () => true)
  return {
    key,
    connection,
    secret: connection.secret as string,
    happen: (times = 1) => happen(at, times, 'agent.lead', project),
    seen,
    /** The delivery, once it was attempted so often. */
    attempted: (times: number) => delivery(key, connection.id, ({ attempts }) => attempts === times),
    read: async () => (await key.get(`${path}/${connection.id}`)).body,
  }
}

/** To the time of the next attempt. */
async function moveTo(time: string): Promise<void> {
  clock.moveMs(Date.parse(time) - clock.nowMs())
  await nudge(at)
}

test('a failing target is asked seven times at growing intervals, signed anew each time, and then no more', async () => {
  const it = await alone('failing')
  at.receiver.answer('failing', (response) => response.writeHead(500).end('no'))
  await it.happen()
  for (const [index, pauseMs] of scheduleMs.entries()) {
    const delivery = await it.attempted(index + 1)
    expect(delivery).toMatchObject({ status: 'pending', http_status: 500, error: 'status', ended_at: null })
    const waitMs = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.last_attempt_at)
    expect(waitMs).toBeGreaterThanOrEqual(pauseMs * 0.8)
    expect(waitMs).toBeLessThanOrEqual(pauseMs * 1.2)
    clock.moveMs(waitMs - 1)
    await nudge(at)
    expect((await it.seen()).attempts).toBe(index + 1)
    checkSignature(at.receiver.got('failing').at(-1)!, it.secret, Date.parse(delivery.last_attempt_at))
    await moveTo(delivery.next_attempt_at)
  }
  const last = await it.attempted(7)
  expect(last).toMatchObject({ status: 'failed', http_status: 500, next_attempt_at: null })
  expect(last.ended_at).toBe(last.last_attempt_at)
  const got = at.receiver.got('failing')
  expect(got).toHaveLength(7)
  expect(new Set(got.map(({ body }) => body)).size).toBe(1)
  expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(got.map(({ headers }) => headers['x-service-timestamp'])).size).toBe(7)
})

test('what is taken on the second attempt is delivered', async () => {
  const it = await alone('second')
  at.receiver.answer('second', (response, nth) => response.writeHead(nth === 1 ? 503 : 200).end('thanks'))
  await it.happen()
  await moveTo((await it.attempted(1)).next_attempt_at)
  expect(await it.attempted(2)).toMatchObject({ status: 'delivered', http_status: 200, error: null })
})

test('410 ends the delivery and switches the connection off; nothing more is sent until it is switched on', async () => {
  const it = await alone('gone')
  at.receiver.answer('gone', (response) => response.writeHead(410).end())
  await it.happen()
  expect(await it.attempted(1)).toMatchObject({ status: 'failed', http_status: 410 })
  await until(async () => (await it.read()).enabled === false)
  expect(await it.read()).toMatchObject({ disabled_reason: 'gone' })
  await it.happen()
  expect(await deliveries(it.key)).toHaveLength(1)
  const on = await it.key.request('PATCH', `${path}/${it.connection.id}`, '{"enabled":true}')
  expect(on.body).toMatchObject({ enabled: true, disabled_reason: null })
  at.receiver.answer('gone', (response) => response.writeHead(200).end())
  await it.happen()
  await delivery(it.key, it.connection.id, ({ status }) => status === 'delivered')
})

describe('Retry-After is heard', () => {
  test.each([
    ['of 429, in seconds', 429, () => '120', 120_000],
    [
      'of 503, as a date',
      503,
      () => new Date(Math.ceil(clock.nowMs() / 1000) * 1000 + 600_000).toUTCString(),
      600_000,
    ],
    ['up to an hour', 429, () => '86400', 3_600_000],
    ['of nobody else', 500, () => '600', 5_000],
    ['where it makes sense', 429, () => 'soon', 5_000],
    ['but never earlier than planned', 429, () => '0', 5_000],
  ])('%s', async (name, status, header, pauseMs) => {
    const target = encodeURIComponent(name)
    const it = await alone(target)
    at.receiver.answer(target, (response) => response.writeHead(status, { 'retry-after': header() }).end())
    await it.happen()
    const delivery = await it.attempted(1)
    const waitMs = Date.parse(delivery.next_attempt_at) - Date.parse(delivery.last_attempt_at)
    const byChance = pauseMs === 5_000
    expect(waitMs).toBeGreaterThanOrEqual(byChance ? 4_000 : pauseMs)
    expect(waitMs).toBeLessThanOrEqual(byChance ? 6_000 : pauseMs + 1_000)
    await it.key.request('DELETE', `${path}/${it.connection.id}`)
    expect(await it.seen()).toMatchObject({ status: 'cancelled', error: 'deleted', next_attempt_at: null })
  })
})

test('a target that asks for patience gets it for all its events', async () => {
  const it = await alone('patient')
  let open = false
  at.receiver.answer('patient', (response) =>
    response.writeHead(open ? 200 : 429, open ? {} : { 'retry-after': '900' }).end(),
  )
  await it.happen(30)
  const paused = await until(async () => (await it.read()).paused_until)
  expect(at.receiver.got('patient').length).toBeLessThanOrEqual(8)
  open = true
  await moveTo(paused)
  await until(async () => (await deliveries(it.key, { status: 'delivered', limit: '100' })).length >= 22)
})

test('a redirect is a failure and is not followed', async () => {
  const it = await alone('redirects')
  const location = at.receiver.url('redirected')
  at.receiver.answer('redirects', (response) => response.writeHead(307, { location }).end())
  await it.happen()
  expect(await it.attempted(1)).toMatchObject({ status: 'pending', http_status: 307, error: 'redirect' })
  expect(at.receiver.got('redirected')).toEqual([])
})

test('of a huge answer no more than is needed is read, and 200 counts', async () => {
  const it = await alone('huge')
  let written = 0
  at.receiver.answer('huge', (response) => {
    response.writeHead(200)
    const chunk = Buffer.alloc(64 * 1024)
    const more = (): void => {
      while (!response.destroyed && written < 200_000_000) {
        written += chunk.length
        if (!response.write(chunk)) return void response.once('drain', more)
      }
    }
    more()
  })
  await it.happen()
  expect(await it.attempted(1)).toMatchObject({ status: 'delivered', http_status: 200 })
  expect(written).toBeLessThan(20_000_000)
})

test('a target that breaks off is tried again', async () => {
  const it = await alone('breaks')
  at.receiver.answer('breaks', (response, nth) =>
    nth === 1 ? response.socket!.destroy() : response.writeHead(200).end(),
  )
  await it.happen()
  const delivery = await it.attempted(1)
  expect(delivery).toMatchObject({ status: 'pending', http_status: null, error: 'connect' })
  await moveTo(delivery.next_attempt_at)
  expect((await it.attempted(2)).status).toBe('delivered')
})

test('a target that fails ten times in a row is left alone, longer each time, and tried with one event', async () => {
  const it = await alone('dead')
  let dead = true
  at.receiver.answer('dead', (response) => response.writeHead(dead ? 500 : 200).end())
  await it.happen(60)
  const first = await until(async () => (await it.read()).paused_until)
  const asked = at.receiver.got('dead').length
  expect(asked).toBeGreaterThanOrEqual(10)
  expect(asked).toBeLessThanOrEqual(10 + 8)
  await moveTo(first)
  const second = await until(async () => {
    const now = (await it.read()).paused_until
    return now !== first && now
  })
  expect(at.receiver.got('dead')).toHaveLength(asked + 1)
  expect(Date.parse(second) - clock.nowMs()).toBeGreaterThan(
    Date.parse(first) - Date.parse(it.connection.created_at) - 1,
  )
  dead = false
  await moveTo(second)
  await until(async () => (await deliveries(it.key, { status: 'delivered', limit: '100' })).length >= 40)
  expect((await it.read()).paused_until).toBe(null)
})

test('switching off gives up what waits, a new address is followed at once', async () => {
  const it = await alone('old')
  at.receiver.answer('old', (response) => response.writeHead(500).end())
  await it.happen()
  const waiting = await it.attempted(1)
  const patch = (body: unknown) =>
    it.key.request('PATCH', `${path}/${it.connection.id}`, JSON.stringify(body))
  await patch({ url: at.receiver.url('new') })
  await moveTo(waiting.next_attempt_at)
  expect(await it.attempted(2)).toMatchObject({ status: 'delivered' })
  expect(at.receiver.got('new')).toHaveLength(1)
  await patch({ url: at.receiver.url('old') })
  await it.happen()
  await until(() => at.receiver.got('old').length === 2)
  await patch({ enabled: false })
  const [given] = await deliveries(it.key)
  expect(given).toMatchObject({ status: 'cancelled', error: 'disabled', next_attempt_at: null })
  await patch({ enabled: true })
  await it.happen()
  expect(at.receiver.got('new')).toHaveLength(1)
})

test('what waited three days is given up; reports and events are forgotten after thirty', async () => {
  const it = await alone('old-news')
  await it.happen()
  await it.attempted(1)
  at.receiver.answer('old-news', (response) => response.writeHead(500).end())
  await it.happen()
  await delivery(it.key, it.connection.id, ({ status, attempts }) => status === 'pending' && attempts === 1)
  await at.world.app.db.query(
    {
      text: `update webhooks.connections set parked_until = now() + interval '100 years' where connection_id = $1`,
    },
    [it.connection.id],
  )
  clock.moveMs(3 * 86_400_000 + 60_000)
  await delivery(it.key, it.connection.id, ({ status, error }) => status === 'failed' && error === 'expired')
  clock.moveMs(31 * 86_400_000)
  await until(async () => (await deliveries(it.key)).length === 0)
  await until(
    async () => (await at.world.app.db.query({ text: 'select from events.outbox' }, [])).length === 0,
  )
})
