import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { setCaps } from '#platform/ledger'
import type { Client, Seen } from '../harness/client.ts'
import { upstreamConfig } from '../harness/config-text.ts'
import { type OpenWorld, type SharedWorldOptions, sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import { answer, type FakeUpstream, fakeUpstream, json, type Script, silence } from '../harness/upstream.ts'
import { boot, MovableClock, type World, type WorldOptions } from '../harness/world.ts'

interface Stage extends AsyncDisposable {
  world: World
  upstream: FakeUpstream
  key: Client
}

/** A world on a fake upstream, with one key. */
const stage = ({ provider, ...options }: Omit<SharedWorldOptions, 'config'> & { provider?: string } = {}) =>
  openStage(sharedWorld, options, provider)

/** The same on a server of its own, for its clock. */
const bootStage = (options: WorldOptions) => openStage(boot, options)

async function openStage(start: OpenWorld, options: WorldOptions, provider?: string): Promise<Stage> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  const config = upstreamConfig(upstream.url, provider === undefined ? {} : { provider })
  const world = stack.use(await start({ ...options, config }))
  const key = await world.key()
  const open = stack.move()
  return { world, upstream, key, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const claim = (key: string) => ({ 'idempotency-key': key })
const idOf = (reply: Seen): string | null => reply.headers.get('x-request-id')

function expectReplay(repeat: Seen, first: Seen): void {
  expect(repeat.status).toBe(first.status)
  expect(repeat.text).toBe(first.text)
  expect(repeat.headers.get('idempotent-replayed')).toBe('true')
  expect(idOf(repeat)).toBe(idOf(first))
  expect(repeat.headers.get('request-id')).toBe(idOf(first))
  expect(repeat.headers.get('content-type')).toBe(first.headers.get('content-type'))
}

function expectAccepted(repeat: Seen, receiptId: string | null): void {
  expect(repeat.status).toBe(409)
  expect(repeat.body.error).toMatchObject({
    type: 'conflict_error',
    code: 'REQUEST_ALREADY_ACCEPTED',
    receipt_id: receiptId,
  })
  expect(repeat.headers.get('x-should-retry')).toBe('false')
  expect(repeat.body.error.message).toContain(receiptId)
}

test('a repeat says as the first answer did how the request was understood, and so does its receipt', async () => {
  await using at = await stage()
  const body = { temperature: 0.5, store: true, nonsense: 1 }
  const [first, repeat] = [await at.key.chat(body, claim('said')), await at.key.chat(body, claim('said'))]
  expectReplay(repeat, first)
  expect(first.headers.get('x-ignored-fields')).toContain('nonsense')
  for (const name of ['x-ignored-fields', 'x-clamped-fields', 'x-mapped-fields', 'x-max-output-tokens'])
    expect(repeat.headers.get(name), name).toBe(first.headers.get(name))
  const { details } = (await at.key.receipt(idOf(first)!)).body
  expect(details.answer_headers['x-ignored-fields']).toBe(first.headers.get('x-ignored-fields'))
})

test('the same request under the same key is answered with the same bytes, however its JSON is spelled', async () => {
  await using at = await stage()
  const first = await at.key.chat({ temperature: 0.5, user: 'x' }, claim('order'))
  expect(first.status).toBe(200)
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expectReplay(await at.key.chat({ temperature: 0.5, user: 'x' }, claim('order')), first)
  const spelled = `{ "user":"\\u0078",\n "messages" : [ { "content":"hello","role" : "user" } ], "temperature":5e-1 }`
  expectReplay(await at.key.request('POST', '/v1/chat/completions', spelled, claim('order')), first)
  expect(at.upstream.calls).toHaveLength(1)
  const receipt = await at.key.receipt(idOf(first)!)
  expect(receipt.body).toMatchObject({ idempotency_key: 'order', state: 'completed', pending: false })
})

test('another body under the same key is a conflict, and executes nothing', async () => {
  await using at = await stage()
  await at.key.chat({}, claim('order'))
  for (const body of [
    { temperature: 1 },
    { stream: true },
    { messages: [{ role: 'user', content: 'hello ' }] },
  ]) {
    const other = await at.key.chat(body, claim('order'))
    expect(other.status).toBe(409)
    expect(other.body.error.code).toBe('IDEMPOTENCY_CONFLICT')
    expect(other.headers.get('x-should-retry')).toBe('false')
  }
  expect(at.upstream.calls).toHaveLength(1)
})

test('another credential under the same key is another request', async () => {
  await using at = await stage()
  const stranger = await at.world.stranger()
  const sibling = await at.world.key()
  const replies = await Promise.all(
    [at.key, sibling, stranger.client].map((key) => key.chat({}, claim('order'))),
  )
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(new Set(replies.map(idOf)).size).toBe(3)
  expect(at.upstream.calls).toHaveLength(3)
})

test('a stream cannot be replayed: its repeat is told the receipt and runs nothing, during and after', async () => {
  await using at = await stage()
  const stream = await at.key.chat({ stream: true }, claim('order'))
  expect(stream.text).toContain('[DONE]')
  await at.world.settled()
  for (const _again of [1, 2])
    expectAccepted(await at.key.chat({ stream: true }, claim('order')), idOf(stream))
  expect(at.upstream.calls).toHaveLength(1)

  const released = Promise.withResolvers<Script>()
  at.upstream.reply(() => released.promise)
  const running = at.key.chat({ stream: true }, claim('running'))
  await at.upstream.call(1)
  const early = await at.key.chat({ stream: true }, claim('running'))
  expect(early.body.error.code).toBe('IDEMPOTENCY_IN_PROGRESS')
  released.resolve(answer())
  await running
})

test('answers below 1,048,576 bytes are replayed; one of exactly that size, or a byte more, is not', async () => {
  await using at = await stage({ credits: 1_000_000 })
  const sizeOf = async (letters: number, key: string): Promise<Seen> => {
    at.upstream.reply(answer('x'.repeat(letters)))
    return at.key.chat({}, claim(key))
  }
  const around = Buffer.byteLength((await sizeOf(0, 'probe')).text)
  for (const [size, replayed] of [
    [1_048_575, true],
    [1_048_576, false],
    [1_048_577, false],
  ] as const) {
    const first = await sizeOf(size - around, `size-${size}`)
    expect(Buffer.byteLength(first.text)).toBe(size)
    const repeat = await at.key.chat({}, claim(`size-${size}`))
    if (replayed) expectReplay(repeat, first)
    else expectAccepted(repeat, idOf(first))
  }
  expect(at.upstream.calls).toHaveLength(4)
})

test('an answer is replayed for 24 hours and told to be accepted ever after; the old text itself is forgotten', async () => {
  const clock = new MovableClock()
  await using at = await bootStage({ clock })
  const day = 86_400_000
  const first = await at.key.chat({}, claim('order'))
  clock.moveMs(day - 1_000)
  expectReplay(await at.key.chat({}, claim('order')), first)
  clock.moveMs(2_000)
  expectAccepted(await at.key.chat({}, claim('order')), idOf(first))

  const replies = () => at.world.app.db.query({ text: 'select from ledger.replies' }, [])
  await at.world.app.ledger.sweep()
  expect(await replies()).toHaveLength(1)
  clock.moveMs(2 * 3_600_000)
  await at.world.app.ledger.sweep()
  expect(await replies()).toHaveLength(0)
  clock.moveMs(400 * day)
  expectAccepted(await at.key.chat({}, claim('order')), idOf(first))
  expect(at.upstream.calls).toHaveLength(1)
})

test('a refusal before execution does not burn the key: 400, 401, 402, 403, 404 and 413, then the mended request runs', async () => {
  await using at = await stage()
  const poor = await at.world.key({ caps: { cap: 1n } })
  const scopeless = await at.world.key({ scopes: ['usage:read'] })
  const refusals: [Client, Record<string, unknown>, number][] = [
    [at.key, { temperature: 9 }, 400],
    [at.key, { model: 'no/such' }, 404],
    [at.key, { messages: [{ role: 'user', content: 'x'.repeat(4 * 1024 * 1024) }] }, 413],
    [poor, { max_tokens: 100 }, 402],
    [scopeless, {}, 403],
  ]
  for (const [key, body, status] of refusals) {
    expect((await key.chat(body, claim('order'))).status).toBe(status)
    expect((await key.chat(body, claim('order'))).status).toBe(status)
  }
  const unknown = await at.key.request('POST', '/v1/chat/completions', '{}', {
    authorization: 'Bearer khr_unknown',
    ...claim('order'),
  })
  expect(unknown.status).toBe(401)
  expect(at.upstream.calls).toHaveLength(0)
  expect((await at.key.chat({}, claim('order'))).status).toBe(200)
  await at.world.app.db.tx((tx) => setCaps(tx, at.world.account, 'key', poor.keyId, { cap: null }))
  expect((await poor.chat({ max_tokens: 100 }, claim('order'))).status).toBe(200)
})

test('a repeat is answered before it is refused: by what is gone since, or by the place that the first one took', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  const made = async (path: string, body: Record<string, unknown>) => {
    const ask = () => key.post(path, body, claim(path))
    return { ask, first: await ask() }
  }
  const project = await made('/v1/knowledge', { name: 'قوانین' })
  const place = `/v1/knowledge/${project.first.body.id}`
  const about = { knowledge_id: project.first.body.id }
  const source = await made(`${place}/sources`, { type: 'text', text: 'ارسال سه روز طول می‌کشد.' })
  const agent = await made('/v1/agents', { name: 'پشتیبانی', ...about })
  const run = await made('/v1/work', { kind: 'document', input: 'سندی دربارهٔ ارسال', ...about })
  await key.request('DELETE', place)
  for (const { ask, first } of [project, source, agent, run]) {
    expect(first.status).toBeLessThan(300)
    expectReplay(await ask(), first)
  }
  // Another body is another request, whatever would refuse it; one without the key is refused as ever.
  const other = await key.post('/v1/agents', { name: 'دیگری', ...about }, claim('/v1/agents'))
  expect(other.body.error.code).toBe('IDEMPOTENCY_CONFLICT')
  expect((await key.post('/v1/agents', { name: 'دیگری', ...about })).body.error.code).toBe(
    'KNOWLEDGE_NOT_FOUND',
  )

  const last = () => key.post('/v1/knowledge', { name: 'صدم' }, claim('last'))
  for (let others = 0; others < 99; others++) await key.post('/v1/knowledge', { name: `${others}` })
  const hundredth = await last()
  expect(hundredth.status).toBe(201)
  expectReplay(await last(), hundredth)
  expect((await key.post('/v1/knowledge', { name: 'صدویکم' })).body.error.code).toBe('KNOWLEDGE_LIMIT')
  await world.settled()
})

test('an upstream that refused or failed without effect frees the key: the repeat runs, and only it is charged', async () => {
  await using at = await stage()
  for (const status of [500, 503, 429, 400]) {
    const key = `order-${status}`
    at.upstream.reply(json(status, { error: { message: 'no' } }))
    const failed = await at.key.chat({}, claim(key))
    expect(failed.status).toBeGreaterThanOrEqual(400)
    expect((await at.key.receipt(idOf(failed)!)).body).toMatchObject({
      state: 'failed',
      credits: 0,
      microcredits: '0',
    })
    at.upstream.reply(answer())
    const before = at.upstream.calls.length
    const repeat = await at.key.chat({}, claim(key))
    expect(repeat.status).toBe(200)
    expect(repeat.headers.get('idempotent-replayed')).toBeNull()
    expectReplay(await at.key.chat({}, claim(key)), repeat)
    // The lookup tells the one that holds the key.
    const lookup = await at.key.get(`/v1/requests/lookup?idempotency_key=${key}`)
    expect(lookup.body.data.map(({ id }: { id: string }) => id)).toEqual([idOf(repeat)])
    expect(at.upstream.calls).toHaveLength(before + 1)
  }
})

test('an upstream that was sent the request and never answered keeps the key: nothing is charged, nothing runs again', async () => {
  // Counted from the moment at which it is sent, whatever this machine does before.
  await using at = await stage({ provider: '    timeouts: { first_byte_ms: 1000 }' })
  const ask = { max_tokens: 1 }
  at.upstream.reply(silence)
  const late = await at.key.chat(ask, claim('order'))
  expect(late.status).toBe(504)
  at.upstream.reply(answer())
  expectAccepted(await at.key.chat(ask, claim('order')), idOf(late))
  expect((await at.key.receipt(idOf(late)!)).body).toMatchObject({
    state: 'failed',
    status_code: 504,
    microcredits: '0',
  })
  expect(at.upstream.calls).toHaveLength(1)
})

test('a failure that keeps the key says that no repeat is run: the OpenAI client shows it, not the conflict of a retry of its own', async () => {
  await using at = await stage({ provider: '    timeouts: { first_byte_ms: 100, total_ms: 200 }' })
  const retries = async (caller: Client, key: string | undefined, stream: boolean) => {
    const failed = await caller.chat({ stream }, key === undefined ? {} : claim(key))
    expect(failed.status).toBeGreaterThanOrEqual(500)
    return failed.headers.get('x-should-retry')
  }
  const client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 2 })
  for (const stream of [false, true]) {
    at.upstream.reply(silence)
    expect(await retries(at.key, `late-${stream}`, stream)).toBe('false')
    expect(await retries(at.key, undefined, stream)).toBeNull()
    const headers = claim(`client-${stream}`)
    const messages = [{ role: 'user' as const, content: 'hello' }]
    const asked = client.chat.completions.create({ model: 'test/model', messages, stream }, { headers })
    await expect(asked).rejects.toMatchObject({ status: 504, code: 'UPSTREAM_TIMEOUT' })
  }
})

test('a failure without effect gives the key back: its answer does not tell a client to stop repeating', async () => {
  await using at = await stage()
  at.upstream.reply(json(500, { error: { message: 'no' } }))
  for (const stream of [false, true]) {
    const failed = await at.key.chat({ stream }, claim(`refused-${stream}`))
    expect(failed.status).toBeGreaterThanOrEqual(500)
    expect(failed.headers.get('x-should-retry')).toBeNull()
  }
})

test('a client that leaves a call with a key finds its whole answer by repeating', async () => {
  await using at = await stage()
  const released = Promise.withResolvers<Script>()
  at.upstream.reply(() => released.promise)
  const leaving = new AbortController()
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }] })
  const call = at.key.raw('POST', '/v1/chat/completions', body, claim('order'), leaving.signal)
  const upstreamCall = await at.upstream.call(0)
  leaving.abort()
  await expect(call).rejects.toThrow()
  const early = await at.key.chat({}, claim('order'))
  expect(early.body.error.code).toBe('IDEMPOTENCY_IN_PROGRESS')
  released.resolve(answer('finished for its caller'))
  await at.world.settled()
  const found = await at.key.chat({}, claim('order'))
  expect(found.status).toBe(200)
  expect(found.headers.get('idempotent-replayed')).toBe('true')
  expect(found.body.choices[0].message.content).toBe('finished for its caller')
  expect(idOf(found)).toBe(early.body.error.receipt_id)
  expect(upstreamCall.aborted).toBe(false)
  expect(at.upstream.calls).toHaveLength(1)
})

test('a key has 1 to 128 characters; 129 or none is 400 and names the header', async () => {
  await using at = await stage()
  for (const key of ['k', 'k'.repeat(128), 'a key: with "any", character!']) {
    const first = await at.key.chat({}, claim(key))
    expect(first.status).toBe(200)
    expectReplay(await at.key.chat({}, claim(key)), first)
  }
  for (const key of ['k'.repeat(129), '']) {
    const refused = await at.key.chat({}, claim(key))
    expect(refused.status).toBe(400)
    expect(refused.body.error).toMatchObject({
      code: 'INVALID_REQUEST',
      param: 'Idempotency-Key',
      execution_started: false,
    })
  }
  expect(at.upstream.calls).toHaveLength(3)
})

test('the header on a route that changes nothing has no effect', async () => {
  await using at = await stage()
  const [first, second] = [
    await at.key.get('/v1/balance', claim('order')),
    await at.key.get('/v1/balance', claim('order')),
  ]
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.headers.get('idempotent-replayed')).toBeNull()
  expect((await at.key.chat({}, claim('order'))).status).toBe(200)
})

/** The client sends its option `idempotencyKey` only where a subclass names the header. */
class WithKeys extends OpenAI {
  protected override idempotencyHeader = 'Idempotency-Key'
}

test('the OpenAI client: a key in its headers or its option replays, and its own retries never run a call twice', async () => {
  await using at = await stage()
  const settings = { baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 2 }
  const ask = { model: 'test/model', messages: [{ role: 'user' as const, content: 'hello' }] }
  const first = await new OpenAI(settings).chat.completions.create(ask, {
    headers: { 'Idempotency-Key': 'order' },
  })
  const again = await new WithKeys(settings).chat.completions.create(ask, { idempotencyKey: 'order' })
  expect(again).toEqual(first)
  expect(at.upstream.calls).toHaveLength(1)

  // As often as the deployment is tried for one call.
  const no = json(500, { error: { message: 'no' } })
  at.upstream.replyOnce(no, no, no)
  const retried = await new WithKeys(settings).chat.completions.create(ask, { idempotencyKey: 'retried' })
  expect(retried.choices[0]?.finish_reason).toBe('stop')
  expect(at.upstream.calls).toHaveLength(5)

  const conflict = new WithKeys(settings).chat.completions.create(
    { ...ask, temperature: 1 },
    { idempotencyKey: 'order' },
  )
  await expect(conflict).rejects.toBeInstanceOf(OpenAI.ConflictError)
  expect((await at.key.get('/v1/usage')).body.totals).toMatchObject({ requests: 3, failures: 1 })
})

test('parallel repeats while the first fails without effect are never told that it was accepted', async () => {
  await using at = await stage()
  for (let round = 0; round < 10; round++) {
    const before = at.upstream.calls.length
    const released = Promise.withResolvers<Script>()
    at.upstream.replyOnce(json(500, {}), json(500, {}), json(500, {}))
    at.upstream.reply(() => released.promise)
    const replies = Promise.all(Array.from({ length: 8 }, () => at.key.chat({}, claim(`order-${round}`))))
    await until(() => at.upstream.calls.length > before)
    released.resolve(answer())
    for (const { status, body } of await replies) {
      if (status === 409) expect(body.error.code).toBe('IDEMPOTENCY_IN_PROGRESS')
      else expect([200, 502]).toContain(status)
    }
    // However the eight fell, the key has its answer now.
    expect((await at.key.chat({}, claim(`order-${round}`))).status).toBe(200)
  }
})
