/** The embeddings provider against the wire bytes of an embeddings endpoint. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddingOrder, type EmbeddingResult, UpstreamError } from '#core/spec'
import { embeddingsProvider } from '#providers/embeddings'
import { somePlaces } from '../harness/seed.ts'
import {
  type FakeUpstream,
  fakeUpstream,
  json,
  reset,
  type Script,
  silence,
  stream,
} from '../harness/upstream.ts'
import { patient } from './asking.ts'
import { embedding, failsAsItShould, secret } from './media-asking.ts'

let upstream: FakeUpstream
beforeAll(async () => {
  upstream = await fakeUpstream()
})
afterAll(() => upstream[Symbol.asyncDispose]())

const floats = (...numbers: number[]): string =>
  Buffer.from(Float32Array.from(numbers).buffer).toString('base64')
const answer = (embeddings: unknown[], usage: unknown = { prompt_tokens: 7, total_tokens: 7 }): Script =>
  json(200, { object: 'list', data: embeddings.map((embedding, index) => ({ index, embedding })), usage })

async function ask(
  reply: Script,
  more: Partial<EmbeddingOrder> = {},
  { signal = new AbortController().signal, timeouts = patient } = {},
): Promise<{ embedded?: EmbeddingResult; error?: UpstreamError }> {
  upstream.reply(reply)
  await using provider = embeddingsProvider({ baseUrl: upstream.url, apiKey: 'sk-secret' })
  const order: EmbeddingOrder = { texts: ['یک', 'two'], encoding: 'base64', ...more }
  try {
    return {
      embedded: await provider.embed({ order, upstreamModel: 'near-1', signal, timeouts, attemptId: 'a-1' }),
    }
  } catch (error) {
    if (error instanceof UpstreamError) return { error }
    throw error
  }
}
const shown = ({ embedded }: { embedded?: EmbeddingResult | undefined }) =>
  embedded?.vectors.map((vector) => [...vector].map((value) => Math.round(value * 1e4) / 1e4))

test('texts go out as they are, with the key and the id of the attempt', async () => {
  await ask(answer([floats(1, 0), floats(0, 1)]))
  const { path, body, headers } = upstream.calls.at(-1)!
  expect(path).toBe('/v1/embeddings')
  expect(body).toEqual({ model: 'near-1', input: ['یک', 'two'], encoding_format: 'base64' })
  expect(headers).toMatchObject({ authorization: 'Bearer sk-secret', 'idempotency-key': 'a-1' })
  await ask(
    answer([
      [1, 0],
      [0, 1],
    ]),
    { dimensions: 2, encoding: 'float' },
  )
  expect(upstream.calls.at(-1)!.body).toMatchObject({ encoding_format: 'float', dimensions: 2 })
})

test('base64 and numbers are the same vectors, of length 1, whichever was asked for', async () => {
  const wanted = [
    [0.6, 0.8],
    [-1, 0],
  ]
  const packed = await ask(answer([floats(3, 4), floats(-2, 0)]))
  expect(shown(packed)).toEqual(wanted)
  expect(packed.embedded?.usage).toEqual({ input: 7 })
  expect(
    shown(
      await ask(
        answer([
          [3, 4],
          [-2, 0],
        ]),
      ),
    ),
  ).toEqual(wanted)
})

test('vectors are those of their index, and tokens are counted where anybody counts them', async () => {
  const data = [
    { index: 1, embedding: [0, 1] },
    { index: 0, embedding: [1, 0] },
  ]
  const turned = await ask(json(200, { data, usage: { total_tokens: 5 } }))
  expect(shown(turned)).toEqual([
    [1, 0],
    [0, 1],
  ])
  expect(turned.embedded?.usage).toEqual({ input: 5 })
  const bare = await ask(json(200, { data: [{ embedding: [1, 0] }, { embedding: [0, 1] }] }))
  expect(shown(bare)).toEqual([
    [1, 0],
    [0, 1],
  ])
  expect(bare.embedded?.usage).toBeUndefined()
  expect((await ask(answer([[1], [1]], { prompt_tokens: -1 }))).embedded?.usage).toBeUndefined()
})

describe('an answer of the wrong shape is malformed, and may have been billed', () => {
  test.each<[string, Script, Partial<EmbeddingOrder>?]>([
    ['no object', json(200, [])],
    ['no vectors', json(200, { data: [] })],
    ['one too few', answer([[1]])],
    ['one too many', answer([[1], [1], [1]])],
    [
      'one place twice',
      json(200, {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [1] },
        ],
      }),
    ],
    ['vectors of two lengths', answer([[1, 0], [1]])],
    [
      'another length than was asked for',
      answer([
        [1, 0],
        [0, 1],
      ]),
      { dimensions: 3 },
    ],
    ['an empty vector', answer([[], []])],
    [
      'nothing but zeros',
      answer([
        [0, 0],
        [0, 1],
      ]),
    ],
    ['words in a vector', answer([['a'], ['b']])],
    ['bytes that are no floats', answer([Buffer.from('abc').toString('base64'), floats(1)])],
    ['no number', answer([floats(Number.NaN), floats(1)])],
    ['too long a vector', answer([new Array(4_097).fill(1), [1]])],
  ])('%s', async (_, reply, more) => {
    const { error } = await ask(reply, more)
    expect(error).toMatchObject({ fault: 'malformed', executed: true })
  })
})

test('statuses, a broken line, silence and a caller who disconnects are distinguished', async () => {
  expect((await ask(json(429, {}, { 'retry-after': '2' }))).error).toMatchObject({
    fault: 'rate_limited',
    retryAfterMs: 2_000,
  })
  expect((await ask(json(401, {}))).error).toMatchObject({ fault: 'authentication' })
  expect((await ask(json(503, {}))).error).toMatchObject({ fault: 'unavailable' })
  expect((await ask(json(200, { error: { message: 'no sk-secret' } }))).error?.detail).not.toContain(
    'sk-secret',
  )
  expect((await ask(reset)).error).toMatchObject({ fault: 'reset' })
  // The next call is not taken for this one, however late this one arrives.
  const position = upstream.calls.length
  expect((await ask(silence, {}, { timeouts: { ...patient, firstByteMs: 300 } })).error).toMatchObject({
    fault: 'timeout',
  })
  await upstream.call(position)
  const left = new AbortController()
  const asking = ask(silence, {}, { signal: left.signal })
  await upstream.call(position + 1)
  left.abort()
  expect((await asking).error).toMatchObject({ fault: 'aborted', executed: true })
})

/** A whole answer, as bytes of the wire. */
const body = (embeddings: unknown[]): Buffer => {
  const data = embeddings.map((one, index) => ({ object: 'embedding', index, embedding: one }))
  const usage = { prompt_tokens: 7, total_tokens: 7 }
  return Buffer.from(JSON.stringify({ object: 'list', data, model: 'near-1', usage }))
}

describe.each<[string, EmbeddingOrder['encoding'], Buffer]>([
  ['in Base64', 'base64', body([floats(0.6, 0.8), floats(0, 1)])],
  [
    'in numbers',
    'float',
    body([
      [0.6, 0.8],
      [0, 1],
    ]),
  ],
])('vectors %s', (_, encoding, good) => {
  const room = () => embeddingsProvider({ baseUrl: upstream.url, apiKey: secret })

  failsAsItShould({
    upstream: () => upstream,
    ask: (options) => embedding(room(), { encoding }, options),
    good: () => ({ body: good, type: 'application/json' }),
  })

  test('that come byte by byte, and in two parts at any byte, are the same', async () => {
    const type = { 'content-type': 'application/json' }
    const wanted = [
      [0.6, 0.8],
      [0, 1],
    ]
    upstream.reply(
      stream(
        [...good].map((byte) => Uint8Array.of(byte)),
        type,
      ),
    )
    expect(shown(await embedding(room(), { encoding }))).toEqual(wanted)
    for (const at of somePlaces(good.length)) {
      upstream.reply(stream([good.subarray(0, at), good.subarray(at)], type))
      expect(shown(await embedding(room(), { encoding })), `split at byte ${at}`).toEqual(wanted)
    }
  })
})
