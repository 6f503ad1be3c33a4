/** What an upstream of chat completions calls the output limit, and what ends its streams: set, guessed, and learnt from its refusal. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedWorld } from '../harness/shared-world.ts'
import {
  chunk,
  done,
  type FakeUpstream,
  fakeUpstream,
  json,
  type Script,
  stream,
} from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'
import { chunksOf, contentOf, explained, requestIdOf } from './chat-world.ts'
import { message } from './messages-world.ts'
import { respond } from './responses-world.ts'
import { says } from './scripted-answer.ts'

type Json = Record<string, unknown>
let upstream: FakeUpstream
let world: World
let key: Awaited<ReturnType<World['key']>>

const entry = (id: string, deployment: string) => `
  - id: test/${id}
    kind: text
    deployments: [{ ${deployment} }]
    context_length: 128000
    max_output_tokens: 16384
    features: [tools]
    pricing: { input_per_million: 1.0, output_per_million: 2.0 }`
const provider = (id: string, more = '') => `
  - { id: ${id}, base_url: ${upstream.url}, api_key: upstream-secret, dialects: [chat]${more} }`

beforeAll(async () => {
  upstream = await fakeUpstream()
  world = await sharedWorld({
    config: `
providers:${provider('plain')}${provider('named', ', output_limit_name: max_completion_tokens, end_mark: done')}
models:${[
      entry('llama', 'provider: plain, model: llama-4'),
      entry('gpt', 'provider: plain, model: openai/gpt-5.4-mini'),
      entry('o', 'provider: plain, model: o3'),
      entry('oss', 'provider: plain, model: gpt-oss-120b'),
      entry('provider', 'provider: named, model: llama-4'),
      entry('deployment', 'provider: named, model: llama-5, output_limit_name: max_tokens'),
      entry('marked', 'provider: plain, model: marked, end_mark: done'),
      ...['openai', 'mistral', 'vllm', 'fastapi', 'both', 'number', 'moody'].map((id) =>
        entry(id, `provider: plain, model: ${id}`),
      ),
    ].join('')}
defaults: { text_model: test/llama, credits_per_usd: 1000, markup: 1.0 }
`,
  })
  key = await world.key()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const namesIn = (body: Json = {}): string[] =>
  ['max_tokens', 'max_completion_tokens'].filter((name) => name in body)

/** The names that the upstream was asked by, one for each request. */
async function asked(run: () => Promise<{ status: number; text: string }>): Promise<string[]> {
  const first = upstream.calls.length
  const reply = await run()
  expect(reply.status, reply.text).toBe(200)
  return upstream.calls.slice(first).flatMap(({ body }) => namesIn(body))
}

test('the name is that of the deployment, else of the provider, else guessed by the model, else that of the caller', async () => {
  upstream.reply((call) => says('chat', { text: 'ok' }, call))
  const ofModel = (id: string) => asked(() => key.chat({ model: `test/${id}`, max_tokens: 50 }))
  expect(await ofModel('llama')).toEqual(['max_tokens'])
  expect(await ofModel('oss')).toEqual(['max_tokens'])
  expect(await ofModel('gpt')).toEqual(['max_completion_tokens'])
  expect(await ofModel('o')).toEqual(['max_completion_tokens'])
  expect(await ofModel('provider')).toEqual(['max_completion_tokens'])
  expect(await ofModel('deployment')).toEqual(['max_tokens'])
  expect(await asked(() => key.chat({ model: 'test/llama', max_completion_tokens: 50 }))).toEqual([
    'max_completion_tokens',
  ])
  expect(await asked(() => respond(key, { model: 'test/gpt' }))).toEqual(['max_completion_tokens'])
  expect(await asked(() => message(key, { model: 'test/llama' }))).toEqual(['max_tokens'])
})

/** The refusals of vendors, word for word. */
const refusals: Record<string, Script> = {
  openai: json(400, {
    error: {
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      type: 'invalid_request_error',
      param: 'max_tokens',
      code: 'unsupported_parameter',
    },
  }),
  mistral: json(422, {
    detail: [
      {
        type: 'extra_forbidden',
        loc: ['body', 'max_tokens'],
        msg: 'Extra inputs are not permitted',
        input: 50,
      },
    ],
  }),
  vllm: json(400, {
    object: 'error',
    message:
      "[{'type': 'extra_forbidden', 'loc': ('body', 'max_tokens'), 'msg': 'Extra inputs are not permitted'}]",
    type: 'BadRequestError',
    param: null,
    code: 400,
  }),
  fastapi: json(400, { error: { message: 'Unknown field: max_tokens' } }),
}

test.each(Object.keys(refusals))(
  'a name that %s refuses is replaced by the other, once, and kept in mind; the refusal costs nothing',
  async (id) => {
    upstream.reply((call) => (call.body?.['max_tokens'] ? refusals[id]! : says('chat', { text: 'ok' }, call)))
    const first = upstream.calls.length
    const reply = await key.chat({ model: `test/${id}`, max_tokens: 50, stream: true })
    expect(reply.status).toBe(200)
    const [refused, answered] = upstream.calls.slice(first)
    expect([refused, answered].map((call) => namesIn(call?.body))).toEqual([
      ['max_tokens'],
      ['max_completion_tokens'],
    ])
    expect(answered?.body?.['max_completion_tokens']).toBe(50)
    expect(answered?.headers['idempotency-key']).not.toBe(refused?.headers['idempotency-key'])
    const receipt = await explained(key, requestIdOf(reply))
    expect(receipt.details.attempts).toHaveLength(1)
    expect(receipt.microcredits).toBe(String(10 * 1_000 + 5 * 2_000))
    expect(await asked(() => message(key, { model: `test/${id}` }))).toEqual(['max_completion_tokens'])
  },
)

test('where both names are refused, or the number is, the caller reads the first refusal and pays nothing', async () => {
  const before = await world.balance()
  upstream.reply(({ body }) =>
    json(400, { error: { message: `unknown field ${namesIn(body)}`, code: 'unknown' } }),
  )
  const both = await key.chat({ model: 'test/both', max_tokens: 50 })
  expect(both).toMatchObject({ status: 400, body: { error: { code: 'UPSTREAM_INVALID_REQUEST' } } })
  expect(both.text).toContain('unknown field max_tokens')
  const first = upstream.calls.length
  upstream.reply(
    json(400, { error: { message: 'max_tokens is too large: 50. This model supports at most 10' } }),
  )
  expect((await key.chat({ model: 'test/number', max_tokens: 50 })).text).toContain('too large')
  expect(upstream.calls).toHaveLength(first + 1)
  await world.settled()
  expect(await world.balance()).toEqual(before)
})

test('a vendor that changes its mind is believed again', async () => {
  const refusing = (name: string): void =>
    upstream.reply((call) =>
      call.body?.[name]
        ? json(400, { error: { message: `Unsupported parameter: '${name}'`, param: name } })
        : says('chat', { text: 'ok' }, call),
    )
  const ask = () => asked(() => key.chat({ model: 'test/moody', max_tokens: 50 }))
  refusing('max_tokens')
  expect(await ask()).toEqual(['max_tokens', 'max_completion_tokens'])
  refusing('max_completion_tokens')
  expect(await ask()).toEqual(['max_completion_tokens', 'max_tokens'])
  expect(await ask()).toEqual(['max_tokens'])
})

test('a stream that ends with [DONE] alone after text is a normal end where its entry says so, and else a broken one', async () => {
  upstream.reply(stream([chunk({ content: 'all of it' }), done]))
  for (const model of ['test/marked', 'test/provider']) {
    const chunks = chunksOf((await key.chat({ model, stream: true })).text)
    expect(contentOf(chunks)).toBe('all of it')
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual(['stop'])
    expect((await message(key, { model, stream: true })).text).toContain('"end_turn"')
  }
  expect((await key.chat({ model: 'test/llama', stream: true })).text).toContain('UPSTREAM_FAILED')
  // Neither the end of the connection nor a mark after nothing is an end.
  upstream.reply(stream([chunk({ content: 'half of' })]))
  expect((await key.chat({ model: 'test/marked', stream: true })).text).toContain('UPSTREAM_FAILED')
  upstream.reply(stream([chunk({ role: 'assistant' }), done]))
  expect((await key.chat({ model: 'test/marked', stream: true })).status).toBe(502)
})
