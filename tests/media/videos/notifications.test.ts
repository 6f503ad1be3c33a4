/** What is told of a video: to webhooks of the project, to the address of one order, and by the vendor's own webhooks. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deliverCallback } from '#account/webhooks'
import { endedKeyOf } from '#media/video'
import {
  checkSignature,
  deliveries,
  guardedFor,
  nudge,
  openReceiver,
  type Received,
  type Receiver,
} from '../../account/webhooks-world.ts'
import { expectRefusal, uuidPattern } from '../../contract/refusal.ts'
import type { Client } from '../../harness/client.ts'
import { startMs, until } from '../../harness/until.ts'
import { bootVideos, untilFetched, untilMoved, type VideoWorld } from './video-world.ts'

let at: VideoWorld
let key: Client
let receiver: Receiver
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  receiver = stack.use(await openReceiver())
  at = stack.use(
    await bootVideos({
      credits: 1_000_000,
      net: guardedFor(),
      env: { KHERAD_BASE_URL: 'https://kherad.example' },
    }),
  )
  key = await at.world.key()
})
afterAll(() => stack.disposeAsync())
beforeEach(() => at.vendor.plan({}))

const prompt = 'رازی که نباید گفته شود'
// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
type Json = any

async function ordered(
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Json> {
  const reply = await key.post('/v1/videos', { model: 'test/film', prompt, ...more }, headers)
  expect(reply.status, reply.text).toBe(202)
  return reply.body
}

const over = (id: string): Promise<Json> =>
  untilFetched(at, async () => {
    const { body } = await key.get(`/v1/videos/${id}`)
    return ['pending', 'in_progress'].includes(body.status) ? undefined : body
  })

/** The requests to the address, once there are so many; there are never more. */
async function received(name: string, times = 1): Promise<Received[]> {
  await until(async () => receiver.got(name).length >= times)
  expect(receiver.got(name)).toHaveLength(times)
  return receiver.got(name)
}

describe('webhooks of the project', () => {
  test('are told of videos that are completed and that failed, with ids, charge and reason, and never the prompt', async () => {
    const events = ['video.completed', 'video.failed']
    const made = await key.post('/v1/webhooks', { url: receiver.url('project'), events })
    expect(made.status, made.text).toBe(201)
    const done = await over((await ordered()).id)
    const [first] = await received('project')
    checkSignature(first!, made.body.secret, at.clock.nowMs())
    expect(JSON.parse(first!.body)).toEqual({
      id: expect.stringMatching(uuidPattern),
      type: 'video.completed',
      created_at: expect.any(String),
      project_id: at.world.project,
      data: {
        id: done.id,
        provider_job_id: expect.stringMatching(/^pj_/),
        status: 'completed',
        model: 'test/film',
        request_id: done.request_id,
        charged_microcredits: '400000000',
        file_id: done.file_id,
      },
    })
    at.vendor.plan({ states: ['refused'] })
    const failed = await over((await ordered()).id)
    const [, second] = await received('project', 2)
    expect(JSON.parse(second!.body)).toMatchObject({
      type: 'video.failed',
      data: { id: failed.id, status: 'failed', error_code: 'CONTENT_REFUSED', charged_microcredits: '0' },
    })
    for (const { body } of receiver.got('project')) expect(body).not.toContain(prompt)
    await key.request('DELETE', `/v1/webhooks/${made.body.id}`)
  })
})

describe('the address of one order', () => {
  test('is told how it ended, once, signed with the secret of its 202, and of nothing else', async () => {
    const mine = await ordered({ callback_url: receiver.url('mine') })
    expect(mine.callback_secret).toMatch(/^whsec_/)
    await over((await ordered()).id)
    const done = await over(mine.id)
    expect(done.callback_secret).toBeUndefined()
    const [got] = await received('mine')
    checkSignature(got!, mine.callback_secret, at.clock.nowMs())
    expect(JSON.parse(got!.body)).toMatchObject({
      type: 'video.completed',
      data: { id: mine.id, file_id: done.file_id },
    })
    expect(got!.body).not.toContain(prompt)
    // A worker that does it twice, as after a crash.
    const { account: accountId, project: projectId } = at.world
    const again = {
      accountId,
      projectId,
      id: mine.id,
      url: receiver.url('mine'),
      onceKey: endedKeyOf(mine.id),
    }
    await deliverCallback(at.world.app, again)
    await until(async () => (await deliveries(key, { webhook_id: mine.id }))[0].status === 'delivered')
    expect(await deliveries(key, { webhook_id: mine.id })).toMatchObject([
      { event: 'video.completed', status: 'delivered', attempts: 1 },
    ])
    expect(receiver.got('mine')).toHaveLength(1)
  })

  test('is tried again where it fails, and is told of failed videos too', async () => {
    at.vendor.plan({ states: ['failed'] })
    receiver.answer('flaky', (response, nth) => response.writeHead(nth === 1 ? 500 : 204).end())
    const mine = await ordered({ callback_url: receiver.url('flaky') })
    await over(mine.id)
    await until(async () => receiver.got('flaky').length === 1)
    await untilMoved(at.clock, async () => {
      await nudge(at)
      return receiver.got('flaky').length === 2
    })
    const [first, second] = receiver.got('flaky')
    expect(first!.body).toBe(second!.body)
    expect(JSON.parse(second!.body)).toMatchObject({ type: 'video.failed', data: { id: mine.id } })
  })

  test('is no connection of the project: not listed, not counted, not found, and gone after some days', async () => {
    const mine = await ordered({ callback_url: receiver.url('hidden') })
    await over(mine.id)
    await received('hidden')
    const before = (await key.get('/v1/webhooks')).body.data
    expect(before.map(({ id }: Json) => id)).not.toContain(mine.id)
    for (const method of ['GET', 'DELETE'])
      expectRefusal(await key.request(method, `/v1/webhooks/${mine.id}`), {
        status: 404,
        code: 'NOT_FOUND',
        param: 'id',
      })
    const url = receiver.url('many')
    const made: Json[] = []
    while (before.length + made.length < 10) {
      made.push(await key.post('/v1/webhooks', { url, events: ['agent.lead'] }))
      expect(made.at(-1).status).toBe(201)
    }
    for (const { body } of made) await key.request('DELETE', `/v1/webhooks/${body.id}`)
    const left = async (): Promise<number> => {
      const text = `select from webhooks.connections where events = '{}'`
      return (await at.world.app.db.query({ text }, [])).length
    }
    expect(await left()).toBeGreaterThan(0)
    at.clock.moveMs(5 * 24 * 3_600_000)
    await until(async () => (await left()) === 0, startMs)
  })

  test('has its secret sealed in the database, and told again to a repeat', async () => {
    const headers = { 'idempotency-key': 'with-callback' }
    const body = { model: 'test/film', prompt, callback_url: receiver.url('sealed') }
    const first = await key.post('/v1/videos', body, headers)
    const again = await key.post('/v1/videos', body, headers)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const rows = await at.world.app.db.query<{ row: string }>(
      { text: `select r::text as row from ledger.receipts r union all select h::text from ledger.holds h` },
      [],
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { row } of rows) expect(row).not.toContain(first.body.callback_secret)
    await over(first.body.id)
    await received('sealed')
  })
})

describe('the webhook of a vendor', () => {
  const post = (path: string, body = '{}', headers: Record<string, string> = {}) =>
    fetch(`${at.world.url}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
  /** Where the vendor was told to post. */
  const hookOf = async (id: string): Promise<string> => {
    const job = await untilMoved<Json>(
      at.clock,
      () => at.vendor.jobs.find(({ callbackUrl }) => callbackUrl?.includes(id)),
      10,
    )
    const url = new URL(job.callbackUrl!)
    expect(url.origin).toBe('https://kherad.example')
    expect(url.pathname).toMatch(new RegExp(`^/v1/hooks/fake/${id}/[A-Za-z0-9_-]{20,}$`))
    return url.pathname
  }

  test('needs no key and wakes the poller, so that a video is there before its next look', async () => {
    at.vendor.plan({ states: ['processing'] })
    const { id } = await ordered()
    const hook = await hookOf(id)
    await untilMoved(at.clock, async () => (await key.get(`/v1/videos/${id}`)).body.status === 'in_progress')
    const job = at.vendor.jobs.at(-1)!
    job.states = ['completed']
    const told = await post(hook, JSON.stringify(at.vendor.webhook(job)))
    expect([told.status, await told.text()]).toEqual([204, ''])
    // Without the clock being moved.
    await until(async () => (await key.get(`/v1/videos/${id}`)).body.status === 'completed')
    expect((await post(hook)).status).toBe(204)
  })

  test('is believed in nothing: a job that it calls completed goes on', async () => {
    at.vendor.plan({ states: ['processing'] })
    const { id } = await ordered()
    const hook = await hookOf(id)
    const job = at.vendor.jobs.at(-1)!
    const looks = job.looks
    const told = await post(hook, JSON.stringify(at.vendor.webhook(job, 'completed')))
    expect(told.status).toBe(204)
    await until(async () => job.looks > looks)
    await until(async () => (await key.get(`/v1/videos/${id}`)).body.status === 'in_progress')
    job.states = ['completed']
    await over(id)
  })

  test('at an address that is none answers as a missing one, whatever is wrong with it', async () => {
    const { id } = await ordered()
    const hook = await hookOf(id)
    const token = hook.split('/').at(-1)!
    const wrong = [
      hook.replace(token, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`),
      hook.replace('/fake/', '/other/'),
      hook.replace(id, '01a1f89d-b2d3-75a1-b12d-d2809bb4ec9f'),
      hook.replace(id, 'x'),
      hook.replace(token, 'short'),
      hook.replace(token, 'x'.repeat(101)),
      hook.replace('/fake/', `/${'f'.repeat(101)}/`),
    ]
    for (const path of wrong) {
      const seen = await post(path)
      expect([seen.status, ((await seen.json()) as Json).error.code], path).toEqual([404, 'NOT_FOUND'])
    }
    const edge = `{"a":"${'x'.repeat(1024 * 1024 - 8)}"}`
    expect((await post(hook, edge)).status).toBe(204)
    expect((await post(hook, `${edge} `)).status).toBe(413)
    for (const body of ['', 'a=b', '[1]', '"x"']) expect((await post(hook, body)).status).toBe(400)
    await over(id)
  })
})
