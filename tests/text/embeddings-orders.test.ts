/** A request for many vectors: cut into orders that its model takes, under one hold and one receipt, answered and paid whole or not at all. */
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { seesClose } from '../harness/closes.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import {
  type FakeUpstream,
  fakeUpstream,
  json,
  reset,
  type Script,
  type UpstreamCall,
} from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'
import { explained } from './chat-world.ts'

const config = (url: string) => `
providers:
  - { id: fake, base_url: ${url}, dialects: [chat] }
models:
  - id: test/few
    kind: embedding
    deployments: [{ provider: fake, model: near-1 }]
    max_input_tokens: 8192
    max_batch: 2
    pricing: { input_per_million: 0.5 }
  - id: test/slow
    kind: embedding
    deployments: [{ provider: fake, model: near-1 }]
    max_input_tokens: 8192
    max_batch: 300
    pricing: { input_per_million: 0.5 }
  - id: test/short
    kind: embedding
    deployments: [{ provider: fake, model: near-1 }]
    max_input_tokens: 8192
    max_batch: 2048
    max_batch_tokens: 30
    pricing: { input_per_million: 0.5 }
  - id: test/many
    kind: embedding
    deployments: [{ provider: fake, model: near-1 }]
    max_input_tokens: 8192
    max_batch: 2048
    allowed_dimensions: [2, 1024]
    pricing: { input_per_million: 0.5 }
defaults: { credits_per_usd: 1000, markup: 1.0 }
`
const credits = 1_000n * 1_000_000n
/** 0.5 USD a million. */
const perToken = 500n
/** As the upstream counts a text. */
const tokensEach = 3n

let world: World
let upstream: FakeUpstream
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  upstream = stack.use(await fakeUpstream())
  world = stack.use(await sharedWorld({ config: config(upstream.url) }))
})
afterAll(() => stack.disposeAsync())
afterEach(() => upstream.reset())

const textsIn = (call: UpstreamCall | undefined): string[] => call?.body?.['input'] as string[]
/** The texts `t0`, `t1` …, and the direction in which each of them points. */
const texts = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `t${from + at}`)
const directionOf = (text: string, dimensions: number): number[] => {
  const angle = Number(text.slice(1)) / 1_000
  return [Math.cos(angle), Math.sin(angle), ...new Array<number>(dimensions - 2).fill(0)]
}
const vectors =
  (dimensions = 2) =>
  (call: UpstreamCall): Script => {
    const data = textsIn(call).map((text, index) => ({ index, embedding: directionOf(text, dimensions) }))
    return json(200, { data, usage: { prompt_tokens: Number(tokensEach) * data.length } })
  }

/** An account of its own, with its books. */
async function newcomer() {
  const { account, client } = await world.stranger(Number(credits / 1_000_000n))
  const before = upstream.calls.length
  return {
    client,
    sent: () => upstream.calls.slice(before).map(textsIn),
    charged: async () => credits - (await world.app.ledger.balance(account)).balance,
    lost: async () => {
      const [row] = await world.app.db.query<{ lost: bigint }>(
        {
          text: `select coalesce(-sum(amount), 0)::bigint as lost from ledger.entries where account_id = $1 and book = 'loss'`,
        },
        [account],
      )
      return row!.lost
    },
    receipts: () =>
      world.app.db.query<{ receipt_id: string; state: string; status_code: number }>(
        { text: 'select receipt_id, state, status_code from ledger.receipts where account_id = $1' },
        [account],
      ),
  }
}

const ask = (client: Client, model: string, input: string[], headers: Record<string, string> = {}) =>
  client.post('/v1/embeddings', { model, input }, headers)
const pointsAt = (embedding: number[], text: string) => {
  const [x, y] = directionOf(text, 2)
  expect(embedding[0]).toBeCloseTo(x!, 5)
  expect(embedding[1]).toBeCloseTo(y!, 5)
}

test.each<[string, unknown, bigint]>([
  ['zeros', { prompt_tokens: 0, total_tokens: 0 }, 2n],
  ['less than nothing', { prompt_tokens: -9, total_tokens: -9 }, 2n],
  ['words', { prompt_tokens: '9', total_tokens: '9' }, 2n],
  ['nothing', undefined, 2n],
  ['zero for the prompt, and a total', { prompt_tokens: 0, total_tokens: 9 }, 9n],
  ['a word for the prompt, and a total', { prompt_tokens: 'many', total_tokens: 9 }, 9n],
])('no vector is free: an upstream counts %s', async (_, usage, tokens) => {
  upstream.reply((call) =>
    json(200, {
      data: textsIn(call).map((text, index) => ({ index, embedding: directionOf(text, 2) })),
      ...(usage !== undefined && { usage }),
    }),
  )
  const own = await newcomer()
  const { status, body } = await ask(own.client, 'test/few', texts(2))
  expect([status, BigInt(body.usage.prompt_tokens)]).toEqual([200, tokens])
  await world.settled()
  expect(await own.charged()).toBe(tokens * perToken)
})

test('texts beyond the batch of the model go out in several orders, under one hold and one receipt, and come back in order', async () => {
  upstream.reply(vectors())
  const own = await newcomer()
  const { status, body, headers } = await ask(own.client, 'test/few', texts(11))
  expect(status).toBe(200)
  expect(body.data.map(({ index }: { index: number }) => index)).toEqual([...texts(11).keys()])
  for (const [at, text] of texts(11).entries()) pointsAt(body.data[at].embedding, text)
  expect(
    own
      .sent()
      .map(({ length }) => length)
      .toSorted(),
  ).toEqual([1, 2, 2, 2, 2, 2])
  expect(own.sent().flat().toSorted()).toEqual(texts(11).toSorted())
  expect(body.usage).toMatchObject({ prompt_tokens: 33, total_tokens: 33 })
  await world.settled()
  expect(await own.charged()).toBe(11n * tokensEach * perToken)
  expect(headers.get('x-microcredits')).toBe(String(11n * tokensEach * perToken))
  const receipts = await own.receipts()
  expect(receipts).toHaveLength(1)
  const receipt = await explained(own.client, receipts[0]!.receipt_id)
  // Two letters are one token at most, and four around them; "t10" is two.
  expect(receipt.reserved_microcredits).toBe(String(perToken * (10n * 5n + 6n)))
  const details = receipt.details as unknown as { texts: number; orders: number; attempts: unknown[] }
  expect([details.texts, details.orders, details.attempts.length]).toEqual([11, 6, 6])
  const ids = upstream.calls.slice(-6).map((call) => call.headers['idempotency-key'])
  expect(new Set(ids).size).toBe(6)
})

test('2,048 texts are taken, and one more is refused before anything is held', async () => {
  upstream.reply(vectors())
  const own = await newcomer()
  const { status, body } = await ask(own.client, 'test/slow', texts(2_048))
  expect(status).toBe(200)
  expect(own.sent().map(({ length }) => length)).toEqual([300, 300, 300, 300, 300, 300, 248])
  for (const at of [0, 299, 300, 1_799, 2_047]) pointsAt(body.data[at].embedding, `t${at}`)
  await world.settled()
  expect(await own.charged()).toBe(2_048n * tokensEach * perToken)
  const more = await ask(own.client, 'test/slow', texts(2_049))
  expect([more.status, more.body.error.param]).toEqual([400, 'input'])
  expect(more.body.error.message).toContain('2048')
  expect([await own.receipts().then(({ length }) => length), own.sent().length]).toEqual([1, 7])
})

test('an order has at most the tokens that the model takes at once', async () => {
  upstream.reply(vectors())
  const own = await newcomer()
  const input = [...texts(5), `t6${' '.repeat(100)}`, ...texts(2, 7)]
  expect((await ask(own.client, 'test/short', input)).status).toBe(200)
  // Five texts are 25 tokens at most, a sixth would be 30 and more; the long one goes alone.
  expect(
    own
      .sent()
      .map(({ length }) => length)
      .toSorted(),
  ).toEqual([1, 2, 5])
})

describe('one order of several fails: nothing is answered or charged, and no more is sent', () => {
  test.each<[string, Script, bigint]>([
    ['which did nothing', json(400, { error: { message: 'no' } }), 0n],
    // A token for every four bytes is guessed.
    ['which may have worked', reset, 300n],
  ])('the second one, %s', async (_, failure, guessed) => {
    const own = await newcomer()
    upstream.reply(async (call) => {
      if (!textsIn(call).includes('t300')) return vectors()(call)
      return failure
    })
    const key = { 'idempotency-key': 'once' }
    const { status, body } = await ask(own.client, 'test/slow', texts(900), key)
    expect([status >= 400, body.error.code]).toEqual([true, expect.any(String)])
    expect(own.sent().map(({ length }) => length)).toEqual([300, 300])
    await world.settled()
    expect(await own.charged()).toBe(0n)
    expect(await own.lost()).toBe(perToken * (300n * tokensEach + guessed))
    const again = await ask(own.client, 'test/slow', texts(900), key)
    expect([again.status, again.body.error.code]).toEqual([409, 'REQUEST_ALREADY_ACCEPTED'])
    expect(own.sent()).toHaveLength(2)
  })

  test('orders whose vectors are of different lengths', async () => {
    const own = await newcomer()
    upstream.reply((call) => vectors(textsIn(call).includes('t2') ? 3 : 2)(call))
    const { status, body } = await ask(own.client, 'test/few', texts(4))
    expect([status, body.error.code]).toEqual([502, 'UPSTREAM_FAILED'])
    await world.settled()
    expect([await own.charged(), await own.lost()]).toEqual([0n, 4n * tokensEach * perToken])
  })
})

test('an order that is refused for a moment is sent again, alone', async () => {
  const own = await newcomer()
  let refused = false
  upstream.reply((call) => {
    if (refused || !textsIn(call).includes('t2')) return vectors()(call)
    refused = true
    return json(429, 'slow down', { 'retry-after': '0' })
  })
  expect((await ask(own.client, 'test/few', texts(4))).status).toBe(200)
  expect(own.sent()).toHaveLength(3)
  await world.settled()
  expect(await own.charged()).toBe(4n * tokensEach * perToken)
})

describe('the caller leaves while the first of several orders is worked on', () => {
  /** Leaves when the first order has arrived, and lets the upstream answer once the server knows. */
  async function leave(model: string, input: string[], headers: Record<string, string> = {}) {
    const own = await newcomer()
    const gate = Promise.withResolvers<void>()
    const dimensions = model === 'test/many' ? 1_024 : 2
    upstream.reply(async (call) => {
      await gate.promise
      return vectors(dimensions)(call)
    })
    const leaving = new AbortController()
    const closed = seesClose(own.client.secret)
    const position = upstream.calls.length
    const body = JSON.stringify({ model, input })
    const asked = own.client.raw('POST', '/v1/embeddings', body, headers, leaving.signal)
    const call = await upstream.call(position)
    leaving.abort()
    await expect(asked).rejects.toThrow()
    await closed
    await turn()
    expect(call.aborted).toBe(false)
    gate.resolve()
    await until(async () => (await own.receipts()).every(({ state }) => state !== 'running'))
    await world.settled()
    return own
  }

  test('without a key: that one is read to its end, no more is sent, and it is the platform’s loss', async () => {
    const own = await leave('test/few', texts(6))
    expect(own.sent()).toHaveLength(1)
    expect([await own.charged(), await own.lost()]).toEqual([0n, 2n * tokensEach * perToken])
    const [receipt] = await own.receipts()
    expect(receipt).toMatchObject({ state: 'failed', status_code: 499 })
    expect(await explained(own.client, receipt!.receipt_id)).toMatchObject({
      details: { outcome: 'client_left' },
    })
  })

  test('without a key, of the only order: free, too', async () => {
    const own = await leave('test/few', texts(2))
    expect([await own.charged(), await own.lost()]).toEqual([0n, 2n * tokensEach * perToken])
    expect(await own.receipts()).toMatchObject([{ state: 'failed', status_code: 499 }])
  })

  test('with a key: all are filled, charged exactly, and found by the repeat', async () => {
    const key = { 'idempotency-key': 'once' }
    const own = await leave('test/few', texts(6), key)
    expect(own.sent()).toHaveLength(3)
    expect([await own.charged(), await own.lost()]).toEqual([6n * tokensEach * perToken, 0n])
    const again = await ask(own.client, 'test/few', texts(6), key)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    for (const [at, text] of texts(6).entries()) pointsAt(again.body.data[at].embedding, text)
    expect([own.sent().length, await own.charged()]).toEqual([3, 6n * tokensEach * perToken])
  })

  test('with a key, and an answer too large to be kept: free, and the repeat is told so', async () => {
    const key = { 'idempotency-key': 'once' }
    const own = await leave('test/many', texts(600), key)
    expect([await own.charged(), await own.lost()]).toEqual([0n, 600n * tokensEach * perToken])
    const again = await ask(own.client, 'test/many', texts(600), key)
    expect([again.status, again.body.error.code]).toEqual([409, 'REQUEST_ALREADY_ACCEPTED'])
    expect(own.sent()).toHaveLength(1)
  })
})

test.each(['float', 'base64'] as const)(
  'an answer of megabytes is written as it goes out, whole: %s',
  async (encoding) => {
    upstream.reply(vectors(1_024))
    const own = await newcomer()
    const asked = { model: 'test/many', input: texts(2_048), encoding_format: encoding, dimensions: 1_024 }
    const { status, text, body, headers } = await own.client.post('/v1/embeddings', asked)
    expect(status).toBe(200)
    expect(text.length).toBeGreaterThan(4_000_000)
    expect(headers.get('x-microcredits')).toBe(String(2_048n * tokensEach * perToken))
    expect(body.data).toHaveLength(2_048)
    for (const at of [0, 1, 1_000, 2_047]) {
      const { embedding } = body.data[at]
      const bytes = encoding === 'base64' ? Uint8Array.from(Buffer.from(embedding, 'base64')) : undefined
      pointsAt(bytes ? [...new Float32Array(bytes.buffer)] : embedding, `t${at}`)
    }
    await world.settled()
    expect(await own.charged()).toBe(2_048n * tokensEach * perToken)
  },
)

test('dimensions that the model does not take are refused, with those that it takes, before anything is held', async () => {
  upstream.reply(vectors(1_024))
  const own = await newcomer()
  for (const [model, dimensions, says] of [
    ['test/many', 3, '2, 1024'],
    ['test/few', 3, 'max_dimensions'],
    ['sandbox/embedding', 257, '1 to 256'],
  ] as const) {
    const { status, body } = await own.client.post('/v1/embeddings', { model, input: 'a', dimensions })
    expect([status, body.error.param, body.error.message]).toEqual([
      400,
      'dimensions',
      expect.stringContaining(says),
    ])
  }
  expect([await own.receipts(), own.sent()]).toEqual([[], []])
  const asked = { model: 'test/many', input: ['t1'], dimensions: 1_024 }
  expect((await own.client.post('/v1/embeddings', asked)).body.data[0].embedding).toHaveLength(1_024)
})
