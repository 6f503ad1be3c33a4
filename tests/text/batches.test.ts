import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { newMember } from '../harness/session.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import { json } from '../harness/upstream.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'
import {
  bootBatches,
  cancel,
  create,
  ended,
  path,
  read,
  results,
  row,
  rows,
  shareBatches,
} from './batches-world.ts'
import { user, weather } from './messages-world.ts'

let world: World
let key: Client
beforeAll(async () => {
  world = await boot({ credits: 1_000_000, env: { KHERAD_TRUSTED_PROXIES: '127.0.0.1' } })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

const outbox = (type: string) =>
  world.app.db.query<{ type: string; project_id: string; data: Record<string, unknown> }>(
    { text: 'select type, project_id, data from events.outbox where type = $1' },
    [type],
  )

test('a batch is taken as in progress, and answered row by row in the background', async () => {
  const made = await create(key, rows(3))
  expect(made.status, made.text).toBe(200)
  const { id } = made.body
  expect(made.body).toEqual({
    id: expect.stringMatching(/^msgbatch_[0-9a-f]{32}$/),
    type: 'message_batch',
    processing_status: 'in_progress',
    request_counts: { processing: 3, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    created_at: expect.any(String),
    ended_at: null,
    expires_at: expect.any(String),
    archived_at: null,
    cancel_initiated_at: null,
    results_url: null,
  })
  const days = (Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)) / 86_400_000
  expect(days).toBe(29)
  const batch = await ended(key, id)
  expect(batch).toMatchObject({
    request_counts: { processing: 0, succeeded: 3, errored: 0, canceled: 0, expired: 0 },
    results_url: `${world.url}${path}/${id}/results`,
    cancel_initiated_at: null,
  })
  const lines = await results(key, id)
  expect(lines.map(({ custom_id }) => custom_id)).toEqual(['row-0', 'row-1', 'row-2'])
  for (const { result } of lines)
    expect(result).toMatchObject({ type: 'succeeded', message: { type: 'message', stop_reason: 'end_turn' } })
})

test('answers are read by people whose role asks models; whoever looks after usage sees how far the batch is', async () => {
  const made = await create(key, rows(1))
  const batch = await ended(key, made.body.id)
  const { pathname } = new URL(batch.results_url)
  for (const role of ['billing', 'viewer'] as const) {
    const reader = await newMember(world, role)
    expect((await read(reader, made.body.id)).body.processing_status).toBe('ended')
    expectRefusal(await reader.get(pathname), { status: 403, code: 'INSUFFICIENT_ROLE' })
  }
  const lines = (await key.get(pathname)).text
  expect((await (await newMember(world, 'developer')).get(pathname)).text).toBe(lines)
  expect((await (await world.key({ scopes: ['usage:read'] })).get(pathname)).text).toBe(lines)
})

test('results are JSON lines of their own type, whatever the client accepts', async () => {
  const { body } = await create(key, rows(1))
  const batch = await ended(key, body.id)
  for (const accept of ['application/binary', 'application/x-jsonl', '*/*', 'application/json']) {
    const reply = await key.get(new URL(batch.results_url).pathname, { accept })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('application/x-jsonl')
    expect(reply.text.endsWith('}\n')).toBe(true)
  }
})

test('each row is charged as its own call, with a receipt that bears the batch’s marks', async () => {
  await world.settled()
  const before = await world.balance()
  const { body } = await create(key, rows(2), { 'x-customer-id': 'c-9', 'x-reference-id': 'r-9' })
  await ended(key, body.id)
  await world.settled()
  const receipts = (await results(key, body.id)).map(({ result }) => result.message.id)
  const uuids = receipts.map((id) => id.replace(/^msg_(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'))
  let charged = 0n
  for (const [index, id] of receipts.entries()) {
    const uuid = uuids[index]
    const { body: receipt } = await key.receipt(uuid)
    // Found by the id that the row shows, too.
    expect((await key.receipt(id)).body).toEqual(receipt)
    expect(receipt).toMatchObject({
      state: 'completed',
      endpoint: path,
      customer_id: 'c-9',
      reference_id: 'r-9',
    })
    charged += BigInt(receipt.microcredits)
  }
  expect(charged).toBeGreaterThan(0n)
  expect(await world.balance()).toEqual({ available: before.available - charged, held: 0n })
  // No copy of the answers stays in the ledger.
  expect(
    await world.app.db.query({ text: 'select 1 from ledger.replies where receipt_id = any($1::uuid[])' }, [
      uuids,
    ]),
  ).toEqual([])
})

test('a row says whatever a message may: tools, thinking, schemas', async () => {
  const { body } = await create(key, [
    row('tool', { tools: [weather], messages: [user('get_weather in Paris')] }),
    row('thinks', { model: 'sandbox/reasoner', thinking: { type: 'adaptive' } }),
    row('not-streamed', { stream: false }),
  ])
  await ended(key, body.id)
  const lines = await results(key, body.id)
  expect(lines[0].result.message.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'get_weather' })
  expect(lines[1].result.message.content[0].type).toBe('thinking')
  expect(lines[2].result.message.content[0].type).toBe('text')
})

describe('refused before anything is kept or held', () => {
  const refusals: [string, unknown, { status?: number; code?: string; param: string }][] = [
    ['an empty custom_id', [row('')], { param: 'requests.0.custom_id' }],
    ['a custom_id of 65 characters', [row('a'.repeat(65))], { param: 'requests.0.custom_id' }],
    ['a custom_id with a dot', [row('a.b')], { param: 'requests.0.custom_id' }],
    ['two rows of one custom_id', [row('a'), row('b'), row('a')], { param: 'requests.2.custom_id' }],
    [
      'a row that wants a stream',
      [row('a'), row('b', { stream: true })],
      { param: 'requests.1.params.stream' },
    ],
    ['a limit of no tokens', [row('a', { max_tokens: 0 })], { param: 'requests.0.params.max_tokens' }],
    [
      'an unknown field of a message',
      [row('a'), row('b', { container: 'c' })],
      { code: 'UNKNOWN_FIELD', param: 'requests.1.params.container' },
    ],
    [
      'a model that does not exist',
      [row('a', { model: 'no/model' })],
      { status: 404, code: 'MODEL_NOT_FOUND', param: 'requests.0.params.model' },
    ],
    [
      'media of another type',
      [
        row('a', {
          messages: [
            user([{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8=' } }]),
          ],
        }),
      ],
      { code: 'INPUT_MODALITY_NOT_SUPPORTED', param: 'requests.0.params.messages.0.content.0' },
    ],
    [
      'a tool result without its call',
      [row('a', { messages: [user([{ type: 'tool_result', tool_use_id: 'x', content: 'y' }])] })],
      { param: 'requests.0.params.messages.0.content.0.tool_use_id' },
    ],
  ]
  test.each(refusals)('%s', async (_, requests, refusal) => {
    const count = async () =>
      (await world.app.db.query<{ n: bigint }>({ text: 'select count(*) as n from batches.rows' }, []))[0]!.n
    const before = await count()
    expectRefusal(await create(key, requests), { status: 400, code: 'INVALID_REQUEST', ...refusal })
    expect(await count()).toBe(before)
  })

  test('a model that the key may not use', async () => {
    const narrow = await world.key({ models: ['sandbox/fast'] })
    expectRefusal(await create(narrow, [row('a', { model: 'sandbox/reasoner' })]), {
      status: 403,
      code: 'MODEL_NOT_ALLOWED',
      param: 'requests.0.params.model',
    })
  })

  test('what only upstreams of this wire can do, where the model has none', async () => {
    await using at = await shareBatches()
    const tools = [{ type: 'bash_20250124', name: 'bash' }]
    expectRefusal(await create(at.key, [row('a', { tools })]), {
      status: 400,
      code: 'FEATURE_NOT_SUPPORTED',
      param: 'requests.0.params.tools.0.type',
    })
  })

  test('a batch without the version, or with sampling under the newer one', async () => {
    const requests = [row('a', { temperature: 0 })]
    expectRefusal(await key.post(path, { requests }), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'anthropic-version',
    })
    expectRefusal(await create(key, requests, { 'anthropic-version': '2026-10-21' }), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'requests.0.params.temperature',
    })
  })

  test('params beyond 4 MB, and a body beyond 32 MB', async () => {
    const messages = (bytes: number) => [user('x'.repeat(bytes))]
    const params = (bytes: number) => ({ max_tokens: 1, messages: messages(bytes) })
    const around = Buffer.byteLength(JSON.stringify(params(0)))
    const limit = 4 * 1024 * 1024
    const over = await create(key, [{ custom_id: 'a', params: params(limit - around + 1) }])
    expectRefusal(over, { status: 413, code: 'BODY_TOO_LARGE', param: 'requests.0.params' })
    const exact = await create(key, [{ custom_id: 'a', params: params(limit - around) }])
    expect(exact.status).toBe(200)
    await ended(key, exact.body.id)
    const whole = await create(
      key,
      Array.from({ length: 9 }, (_, i) => row(`${i}`, params(limit - 1000))),
    )
    expectRefusal(whole, { status: 413, code: 'BODY_TOO_LARGE' })
  })
})

test('1,000 rows and ids of 1 and 64 characters are taken', async () => {
  const long = 'aZ09_-'.padEnd(64, 'x')
  const { status, body } = await create(key, [row('a'), row(long)])
  expect(status).toBe(200)
  await ended(key, body.id)
  expect((await results(key, body.id)).map(({ custom_id }) => custom_id)).toEqual(['a', long])
  const many = await create(key, rows(1000, { max_tokens: 1 }))
  expect(many.body.request_counts.processing).toBe(1000)
  expect((await cancel(key, many.body.id)).status).toBe(200)
  const { succeeded, canceled } = (await ended(key, many.body.id)).request_counts
  expect(succeeded + canceled).toBe(1000)
  expect((await results(key, many.body.id)).map(({ custom_id }) => custom_id)).toEqual(
    rows(1000).map(({ custom_id }) => custom_id),
  )
})

describe('a repeated Idempotency-Key', () => {
  const claim = (name: string) => ({ 'idempotency-key': name })

  test('gives the same batch to the byte, and no row runs twice', async () => {
    await using at = await shareBatches()
    const first = await create(at.key, rows(2), claim('one'))
    await ended(at.key, first.body.id)
    const again = await create(at.key, rows(2), claim('one'))
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.headers.get('x-request-id')).toBe(first.headers.get('x-request-id'))
    expect(at.upstream.calls).toHaveLength(2)
    expect((await at.key.get(path)).body.data).toHaveLength(1)
  })

  test('is one claim with every other route, and 50 at once make one batch', async () => {
    const sent = () =>
      until(async () => {
        const reply = await create(key, [row('x')], claim('fifty'))
        // Fifty share ten connections to the database: on a busy machine one may be told to come again.
        return reply.status === 503 ? undefined : reply
      })
    const many = await Promise.all(Array.from({ length: 50 }, sent))
    expect(new Set(many.map(({ text }) => text)).size).toBe(1)
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]))
    expectRefusal(await create(key, [row('y')], claim('fifty')), {
      status: 409,
      code: 'IDEMPOTENCY_CONFLICT',
    })
    expectRefusal(await key.chat({}, claim('fifty')), { status: 409, code: 'IDEMPOTENCY_CONFLICT' })
    await key.chat({}, claim('chat-first'))
    expectRefusal(await create(key, [row('x')], claim('chat-first')), {
      status: 409,
      code: 'IDEMPOTENCY_CONFLICT',
    })
    const found = await key.get('/v1/requests/lookup?idempotency_key=fifty')
    expect(found.body.data).toMatchObject([{ endpoint: path, state: 'completed', credits: 0 }])
    await ended(key, many[0]!.body.id)
  })
})

describe('the list', () => {
  let lister: Client
  let ids: string[]
  beforeAll(async () => {
    lister = await world.key({ project: await world.newProject() })
    ids = []
    for (let i = 0; i < 5; i++) ids.unshift((await create(lister, [row('a', { max_tokens: 1 })])).body.id)
    for (const id of ids) await ended(lister, id)
  })
  const page = async (query: string) => {
    const { body } = await lister.get(`${path}?${query}`)
    return { ids: body.data.map(({ id }: { id: string }) => ids.indexOf(id)), more: body.has_more }
  }

  test('is newest first, 20 at a time', async () => {
    const { body } = await lister.get(path)
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(body).toMatchObject({ has_more: false, first_id: ids[0], last_id: ids[4] })
  })

  test('is empty for a project without batches', async () => {
    const empty = await world.key({ project: await world.newProject() })
    const { body } = await empty.get(path)
    expect(body).toEqual({ data: [], has_more: false, first_id: null, last_id: null })
  })

  test('goes on after an id, and back before one, and knows where it ends', async () => {
    expect(await page('limit=2')).toEqual({ ids: [0, 1], more: true })
    expect(await page(`limit=2&after_id=${ids[1]}`)).toEqual({ ids: [2, 3], more: true })
    expect(await page(`limit=2&after_id=${ids[3]}`)).toEqual({ ids: [4], more: false })
    expect(await page(`limit=2&after_id=${ids[4]}`)).toEqual({ ids: [], more: false })
    expect(await page(`limit=5`)).toEqual({ ids: [0, 1, 2, 3, 4], more: false })
    expect(await page(`limit=4`)).toEqual({ ids: [0, 1, 2, 3], more: true })
    expect(await page(`limit=2&before_id=${ids[4]}`)).toEqual({ ids: [2, 3], more: true })
    expect(await page(`limit=2&before_id=${ids[2]}`)).toEqual({ ids: [0, 1], more: false })
    expect(await page(`limit=2&before_id=${ids[0]}`)).toEqual({ ids: [], more: false })
  })

  test.each(['limit=0', 'limit=1001', 'limit=x', 'after_id=x', 'before_id=msgbatch_'])(
    'refuses %s',
    async (query) => {
      expectRefusal(await lister.get(`${path}?${query}`), {
        status: 400,
        code: 'INVALID_REQUEST',
        param: query.split('=')[0]!,
      })
    },
  )

  test('takes limits of 1 and 1000, ?beta=true, and one cursor only', async () => {
    expect((await page('limit=1')).ids).toEqual([0])
    expect((await page('limit=1000&beta=true')).ids).toHaveLength(5)
    expectRefusal(await lister.get(`${path}?after_id=${ids[0]}&before_id=${ids[1]}`), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'before_id',
    })
  })
})

describe('a row that fails', () => {
  test('for want of credits is errored with the whole error body, and the others are not held up', async () => {
    await using poor = await sharedWorld({ credits: 0.5 })
    const who = await poor.key()
    const { body } = await create(who, [row('small', { max_tokens: 1 }), row('large', { max_tokens: 8000 })])
    await ended(who, body.id)
    const [small, large] = await results(who, body.id)
    expect(small.result.type).toBe('succeeded')
    expect(large.result).toMatchObject({
      type: 'errored',
      error: {
        type: 'error',
        request_id: expect.any(String),
        error: { type: 'billing_error', code: 'INSUFFICIENT_CREDITS', execution_started: false },
      },
    })
  })

  test('reports its failure in the language of who sent the batch', async () => {
    await using poor = await sharedWorld({ credits: 0 })
    const who = await poor.key()
    const { body } = await create(who, rows(1), { 'accept-language': 'fa' })
    await ended(who, body.id)
    expect((await results(who, body.id))[0].result.error.error.message).toMatch(/اعتبار/)
  })

  test('at the upstream is errored with its failure and costs nothing', async () => {
    await using at = await shareBatches()
    at.upstream.reply(json(400, { error: { message: 'no', type: 'invalid_request_error' } }))
    const before = await at.world.balance()
    const { body } = await create(at.key, rows(1))
    expect((await ended(at.key, body.id)).request_counts).toMatchObject({ errored: 1, succeeded: 0 })
    const [{ result }] = await results(at.key, body.id)
    expect(result).toMatchObject({
      type: 'errored',
      error: { type: 'error', error: { code: expect.any(String) } },
    })
    await at.world.settled()
    expect(await at.world.balance()).toEqual(before)
  })

  test('of a key that was revoked meanwhile does not run', async () => {
    await using at = await bootBatches(1)
    const gate = Promise.withResolvers<void>()
    at.upstream.reply(async () => {
      await gate.promise
      return json(200, whole)
    })
    const leaked = await at.world.key()
    const { body } = await create(leaked, rows(3))
    await until(() => at.upstream.calls.length === 1)
    await at.world.app.db.query({ text: 'update auth.keys set revoked_at = now() where key_id = $1' }, [
      leaked.keyId,
    ])
    gate.resolve()
    await ended(at.key, body.id)
    const lines = await results(at.key, body.id)
    expect(lines.map(({ result }) => result.type).sort()).toEqual(['errored', 'errored', 'succeeded'])
    expect(lines.find(({ result }) => result.error)?.result.error.error.code).toBe('INVALID_API_KEY')
    expect(at.upstream.calls).toHaveLength(1)
  })
})

const whole = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'upstream-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'fine' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}

test('rows wait for a limit of concurrency, of the key as of the platform, and all are answered', async () => {
  await using at = await shareBatches()
  let open = 0
  let max = 0
  at.upstream.reply(async () => {
    max = Math.max(max, ++open)
    await new Promise((resolve) => setImmediate(resolve))
    open--
    return json(200, whole)
  })
  const limited = await at.world.key({ caps: { concurrency: 2 } })
  const { body } = await create(limited, rows(8))
  expect((await ended(limited, body.id)).request_counts.succeeded).toBe(8)
  expect(max).toBeLessThanOrEqual(2)
  expect(at.upstream.calls).toHaveLength(8)
})

test('a cancelled batch begins no more rows, lets those that run end, and reports it once', async () => {
  await using at = await bootBatches(2)
  const gate = Promise.withResolvers<void>()
  at.upstream.reply(async () => {
    await gate.promise
    return json(200, whole)
  })
  const { body } = await create(at.key, rows(10))
  await until(() => at.upstream.calls.length === 2)
  const asked = await cancel(at.key, body.id)
  expect(asked.body).toMatchObject({
    processing_status: 'canceling',
    cancel_initiated_at: expect.any(String),
    results_url: null,
  })
  await until(async () => (await read(at.key, body.id)).body.request_counts.canceled === 8)
  const again = await cancel(at.key, body.id)
  expect(again.body.cancel_initiated_at).toBe(asked.body.cancel_initiated_at)
  expectRefusal(await at.key.get(`${path}/${body.id}/results`), { status: 409, code: 'BATCH_NOT_ENDED' })
  expectRefusal(await at.key.request('DELETE', `${path}/${body.id}`), {
    status: 409,
    code: 'BATCH_NOT_ENDED',
  })
  gate.resolve()
  const batch = await ended(at.key, body.id)
  expect(batch.request_counts).toEqual({ processing: 0, succeeded: 2, errored: 0, canceled: 8, expired: 0 })
  expect(at.upstream.calls).toHaveLength(2)
  const lines = await results(at.key, body.id)
  expect(lines.filter(({ result }) => result.type === 'canceled')).toHaveLength(8)
  expect(lines.find(({ result }) => result.type === 'canceled')?.result).toEqual({ type: 'canceled' })
  const events = await at.world.app.db.query<{ type: string; data: object }>(
    { text: 'select type, data from events.outbox' },
    [],
  )
  expect(events).toMatchObject([
    { type: 'batch.cancelled', data: { id: body.id, request_counts: batch.request_counts } },
  ])
  // One that has ended stays as it is.
  expect((await cancel(at.key, body.id)).body).toEqual(batch)
})

test('the end of a batch is reported once, in the project that sent it', async () => {
  const { body } = await create(key, rows(2))
  await ended(key, body.id)
  const events = (await outbox('batch.completed')).filter(({ data }) => data['id'] === body.id)
  expect(events).toMatchObject([
    { project_id: world.project, data: { type: 'message_batch', request_counts: { succeeded: 2 } } },
  ])
})

test('a batch that has ended can be deleted, prompts and answers with it', async () => {
  const { body } = await create(key, rows(2))
  await ended(key, body.id)
  const gone = await key.request('DELETE', `${path}/${body.id}`)
  expect(gone.body).toEqual({ id: body.id, type: 'message_batch_deleted' })
  expect((await read(key, body.id)).status).toBe(404)
  const left = await world.app.db.query(
    { text: `select 1 from batches.rows where 'msgbatch_' || replace(batch_id::text, '-', '') = $1` },
    [body.id],
  )
  expect(left).toEqual([])
})

test('prompts are forgotten as soon as their row has ended', async () => {
  const { body } = await create(key, rows(2))
  await ended(key, body.id)
  const replies = await world.app.db.query(
    { text: 'select params from batches.rows where params is not null' },
    [],
  )
  expect(replies).toEqual([])
})

test('an account has at most 100 batches in progress', async () => {
  await using at = await shareBatches()
  const gate = Promise.withResolvers<void>()
  at.upstream.reply(async () => {
    await gate.promise
    return json(200, whole)
  })
  const made = []
  for (let i = 0; i < 100; i++) made.push((await create(at.key, rows(1))).status)
  expect(new Set(made)).toEqual(new Set([200]))
  const refused = await create(at.key, rows(1))
  expectRefusal(refused, { status: 429, code: 'TOO_MANY_BATCHES' })
  expect(refused.headers.get('retry-after')).not.toBeNull()
  gate.resolve()
  await until(async () => (await create(at.key, rows(1))).status === 200)
  const text = 'select 1 from batches.batches where account_id = $1 and ended_at is null'
  const open = async () => (await at.world.app.db.query({ text }, [at.world.account])).length
  await until(async () => (await open()) === 0)
})

describe('time', () => {
  const hours = 3_600_000

  test('rows that have not begun after 24 hours expire; those that run end', async () => {
    const clock = new MovableClock()
    await using at = await bootBatches(1, { clock })
    const gate = Promise.withResolvers<void>()
    at.upstream.reply(async () => {
      await gate.promise
      return json(200, whole)
    })
    const { body } = await create(at.key, rows(3))
    await until(() => at.upstream.calls.length === 1)
    clock.moveMs(24 * hours)
    await until(async () => (await read(at.key, body.id)).body.request_counts.expired === 2)
    expect((await read(at.key, body.id)).body.processing_status).toBe('in_progress')
    gate.resolve()
    await ended(at.key, body.id)
    const lines = await results(at.key, body.id)
    expect(lines.filter(({ result }) => result.type === 'expired')).toHaveLength(2)
    expect(at.upstream.calls).toHaveLength(1)
  })

  test('results are there for 29 days, then they are refused, and deleted', async () => {
    const clock = new MovableClock()
    await using at = await bootBatches(16, { clock })
    const { body } = await create(at.key, rows(2))
    const batch = await ended(at.key, body.id)
    const expires = Date.parse(batch.expires_at)
    clock.moveMs(expires - 1 - clock.nowMs())
    expect(await results(at.key, body.id)).toHaveLength(2)
    clock.moveMs(1)
    const late = await at.key.get(`${path}/${body.id}/results`)
    expectRefusal(late, { status: 404, code: 'BATCH_RESULTS_EXPIRED' })
    expect(late.body.error.message).toContain(batch.expires_at)
    await until(
      async () => (await at.world.app.db.query({ text: 'select 1 from batches.rows' }, [])).length === 0,
    )
    expect((await read(at.key, body.id)).body.archived_at).not.toBeNull()
    expectRefusal(await at.key.get(`${path}/${body.id}/results`), {
      status: 404,
      code: 'BATCH_RESULTS_EXPIRED',
    })
  })
})

describe('results_url', () => {
  const urlOf = async (who: Client, id: string, headers: Record<string, string>): Promise<string> =>
    (await who.get(`${path}/${id}`, headers)).body.results_url

  test('is of the host that the request reached, through a trusted proxy that says so', async () => {
    const { body } = await create(key, rows(1))
    await ended(key, body.id)
    const end = `${path}/${body.id}/results`
    expect(await urlOf(key, body.id, {})).toBe(world.url + end)
    const proxied = { 'x-forwarded-host': 'api.example.ir', 'x-forwarded-proto': 'https' }
    expect(await urlOf(key, body.id, proxied)).toBe(`https://api.example.ir${end}`)
    // What is no host is not believed.
    expect(await urlOf(key, body.id, { 'x-forwarded-host': 'evil.example/x?' })).toBe(
      world.app.config.baseUrl + end,
    )
  })
})
