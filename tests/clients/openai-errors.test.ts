/** Failures as the official OpenAI client sees them: classes, fields, retries, timeouts. */
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { Failure } from '#platform/errors'
import { chunk, cut, json, silence, stream } from '../harness/upstream.ts'
import { explained, recover, shareOnUpstream, type UpstreamWorld } from '../text/chat-world.ts'

let at: UpstreamWorld
beforeAll(async () => {
  at = await shareOnUpstream()
})
afterEach(() => recover(at))
afterAll(() => at[Symbol.asyncDispose]())

/** A client that notes when each of its requests really left. */
function counting(
  secret = at.key.secret,
  more: { maxRetries?: number; timeout?: number } = {},
  { world } = at,
) {
  const sentAtMs: number[] = []
  const client = new OpenAI({
    baseURL: `${world.url}/v1`,
    apiKey: secret,
    ...more,
    fetch: (url, init) => {
      sentAtMs.push(performance.now())
      return fetch(url, init)
    },
  })
  return { client, sentAtMs }
}

const hello = [{ role: 'user' as const, content: 'hello' }]
const ask = { model: 'test/model', messages: hello }

async function errorOf(asked: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof OpenAI.APIError)) throw new Error(`no APIError: ${String(error)}`)
  return error
}

const create = (body: object, secret?: string) =>
  errorOf(counting(secret, { maxRetries: 0 }).client.chat.completions.create(body as typeof ask))

test.each<
  [string, () => Promise<InstanceType<typeof OpenAI.APIError>>, new (...args: never[]) => Error, object]
>([
  [
    '400',
    () => create({ ...ask, messages: [] }),
    OpenAI.BadRequestError,
    { status: 400, code: 'INVALID_REQUEST', type: 'invalid_request_error', param: 'messages' },
  ],
  [
    '401',
    () => create(ask, 'khr_wrong'),
    OpenAI.AuthenticationError,
    { status: 401, code: 'INVALID_API_KEY', type: 'authentication_error' },
  ],
  [
    '402',
    async () => create(ask, (await at.world.key({ caps: { cap: 0n } })).secret),
    OpenAI.APIError,
    { status: 402, code: 'BUDGET_EXCEEDED', type: 'billing_error' },
  ],
  [
    '403',
    async () => create(ask, (await at.world.key({ scopes: [] })).secret),
    OpenAI.PermissionDeniedError,
    { status: 403, code: 'INSUFFICIENT_SCOPE', type: 'permission_error' },
  ],
  [
    '404',
    () => create({ ...ask, model: 'no/such' }),
    OpenAI.NotFoundError,
    { status: 404, code: 'MODEL_NOT_FOUND', type: 'not_found_error', param: 'model' },
  ],
])(
  '%s is thrown as its own class with status, code, type, param and request id',
  async (_, asked, Class, fields) => {
    const error = await asked()
    expect(error).toBeInstanceOf(Class)
    expect(error).toMatchObject(fields)
    expect(error.requestID).toMatch(/^[0-9a-f-]{36}$/)
    expect(error.requestID).toBe(error.headers?.get('x-request-id'))
    expect(error.message.length).toBeGreaterThan(10)
  },
)

test.each([
  [
    429,
    json(429, { error: { message: 'slow' } }),
    OpenAI.RateLimitError,
    'UPSTREAM_RATE_LIMITED',
    'rate_limit_error',
  ],
  [502, json(500, {}), OpenAI.InternalServerError, 'UPSTREAM_FAILED', 'api_error'],
  [529, json(529, {}), OpenAI.InternalServerError, 'UPSTREAM_OVERLOADED', 'overloaded_error'],
])('%i of an upstream is thrown as its own class', async (status, script, Class, code, type) => {
  at.upstream.reply(script)
  const error = await create(ask)
  expect(error).toBeInstanceOf(Class)
  expect(error).toMatchObject({ status, code, type })
})

test('a conflict of an idempotency key is thrown as one, after exactly one request', async () => {
  const { client, sentAtMs } = counting()
  const headers = { 'Idempotency-Key': 'conflict' }
  await client.chat.completions.create(ask, { headers })
  sentAtMs.length = 0
  const error = await errorOf(client.chat.completions.create({ ...ask, seed: 1 }, { headers }))
  expect(error).toBeInstanceOf(OpenAI.ConflictError)
  expect(error).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT', type: 'conflict_error' })
  expect(sentAtMs).toHaveLength(1)
})

test('a stream that was accepted before is refused for good, after exactly one request', async () => {
  const { client, sentAtMs } = counting()
  const headers = { 'Idempotency-Key': 'streamed-once' }
  for await (const _ of await client.chat.completions.create({ ...ask, stream: true }, { headers }));
  await at.world.settled()
  sentAtMs.length = 0
  const calls = at.upstream.calls.length
  const error = await errorOf(client.chat.completions.create({ ...ask, stream: true }, { headers }))
  expect(error).toMatchObject({ status: 409, code: 'REQUEST_ALREADY_ACCEPTED' })
  expect(sentAtMs).toHaveLength(1)
  expect(at.upstream.calls).toHaveLength(calls)
})

test('an empty balance is told after exactly one request', async () => {
  const { secret } = await at.world.key({ caps: { cap: 1n } })
  const { client, sentAtMs } = counting(secret)
  expect(await errorOf(client.chat.completions.create(ask))).toMatchObject({ status: 402 })
  expect(sentAtMs).toHaveLength(1)
})

test('a 503 of ours is sent again by the client after the time it was given', async () => {
  const { client, sentAtMs } = counting()
  const { ledger } = at.world.app
  const { hold } = ledger
  // What the ledger does while its database is away; the real absence is proven where databases are taken away.
  ledger.hold = async () => {
    ledger.hold = hold
    throw new Failure('SERVICE_UNAVAILABLE', { why: 'database' }, { retryAfterMs: 700 })
  }
  expect((await client.chat.completions.create(ask)).choices).toHaveLength(1)
  expect(sentAtMs).toHaveLength(2)
  expect(sentAtMs[1]! - sentAtMs[0]!).toBeGreaterThanOrEqual(700)
})

test('a 429 that lasts longer than our own tries is passed on with its wait, which the client keeps', async () => {
  const { client, sentAtMs } = counting()
  const calls = at.upstream.calls.length
  const slow = json(429, { error: { message: 'slow' } }, { 'retry-after-ms': '600' })
  at.upstream.replyOnce(slow, slow, slow)
  expect((await client.chat.completions.create(ask)).choices).toHaveLength(1)
  expect(sentAtMs).toHaveLength(2)
  expect(at.upstream.calls).toHaveLength(calls + 4)
  expect(sentAtMs[1]! - sentAtMs[0]!).toBeGreaterThanOrEqual(600)
})

test('a failing upstream is tried as often as the client wants, and no failed attempt costs anything', async () => {
  // A world of its own, whose breaker stays open.
  await using own = await shareOnUpstream()
  const before = await own.world.balance()
  const { client, sentAtMs } = counting(own.key.secret, { maxRetries: 1 }, own)
  own.upstream.reply(json(500, {}))
  expect(await errorOf(client.chat.completions.create(ask))).toMatchObject({ status: 502 })
  expect(sentAtMs).toHaveLength(2)
  // Three tries for the first request; the fifth failure in a row opens the breaker and ends those for the second.
  expect(own.upstream.calls).toHaveLength(5)
  await own.world.settled()
  expect(await own.world.balance()).toEqual(before)
})

test('a timeout of the client ends the call at the upstream too', async () => {
  const timeout = 1_234_567
  const { client } = counting(at.key.secret, { maxRetries: 0, timeout })
  const position = at.upstream.calls.length
  at.upstream.replyOnce(silence)
  // The client's timer is over once the upstream is asked, which takes a busy machine longer than any time that is worth waiting.
  const begin = globalThis.setTimeout
  let ring: (() => void) | undefined
  const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, ms?: number) => {
    if (ms === timeout) ring = act
    return begin(act, ms)
  }) as typeof setTimeout)
  const asked = client.chat.completions.create(ask)
  const call = await at.upstream.call(position).finally(() => timers.mockRestore())
  ring!()
  await expect(asked).rejects.toThrow(OpenAI.APIConnectionTimeoutError)
  await call.whenAborted
  await at.world.settled()
})

test('aborting a stream ends the call at the upstream too', async () => {
  const { client } = counting()
  const position = at.upstream.calls.length
  at.upstream.replyOnce(stream([chunk({ content: 'one' }), new Promise(() => {})]))
  const opened = await client.chat.completions.create({ ...ask, stream: true })
  for await (const _ of opened) opened.controller.abort()
  await (await at.upstream.call(position)).whenAborted
  await at.world.settled()
})

test('a stream that breaks in the middle throws an APIError with code and type, after what was said', async () => {
  const { client, sentAtMs } = counting()
  at.upstream.replyOnce(stream([chunk({ content: 'half' }), cut]))
  const { data: opened, request_id: id } = await client.chat.completions
    .create({ ...ask, stream: true })
    .withResponse()
  let text = ''
  const error = await errorOf(
    (async () => {
      for await (const { choices } of opened) text += choices[0]?.delta.content ?? ''
    })(),
  )
  expect(text).toBe('half')
  expect(error).toMatchObject({ code: 'UPSTREAM_FAILED', type: 'api_error' })
  expect(sentAtMs).toHaveLength(1)
  expect((await explained(at.key, id!)).state).toBe('failed')
})

test('the stream helper throws too', async () => {
  at.upstream.replyOnce(stream([chunk({ content: 'half' }), cut]))
  const error = await errorOf(counting().client.chat.completions.stream(ask).finalChatCompletion())
  expect(error).toMatchObject({ code: 'UPSTREAM_FAILED' })
})
