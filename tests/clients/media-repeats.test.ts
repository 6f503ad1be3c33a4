/** The official OpenAI client repeats failed requests by itself, without an idempotency key: a medium is ordered once all the same. */
import OpenAI, { APIError } from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { json, reset } from '../harness/upstream.ts'
import { forMediaClients, type MediaClientsWorld } from './media-clients-world.ts'

let at: MediaClientsWorld
let client: OpenAI
beforeAll(async () => {
  at = await forMediaClients()
  client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret })
})
beforeEach(() => at.upstream.reply(at.answers))
afterAll(() => at[Symbol.asyncDispose]())

const orders: [string, (language?: string) => Promise<unknown>][] = [
  [
    'images.generate',
    (language = 'en') =>
      client.images.generate(
        { model: 'test/painter', prompt: 'a cat' },
        { headers: { 'accept-language': language } },
      ),
  ],
  [
    'audio.speech.create',
    async (language = 'en') => {
      const reply = await client.audio.speech.create(
        { model: 'test/voice', input: 'سلام', voice: 'alloy' },
        { headers: { 'accept-language': language } },
      )
      return reply.arrayBuffer()
    },
  ],
]

const failureOf = async (asked: Promise<unknown>): Promise<InstanceType<typeof APIError>> => {
  const error = await asked.then(() => undefined).catch((failure: unknown) => failure)
  expect(error).toBeInstanceOf(APIError)
  return error as InstanceType<typeof APIError>
}

describe.each(orders)('%s', (_, order) => {
  test.each([
    ['answers 500', json(500, 'oops')],
    ['answers 504', json(504, 'gateway')],
    ['breaks off', reset],
  ])('an upstream that took the order and %s is not asked again', async (_, script) => {
    for (const [language, wanted, unwanted] of [
      ['en', /may have carried it out/, /send the request again|try again/],
      ['fa', /شاید آن را انجام داده باشد/, /دوباره بفرستید/],
    ] as const) {
      const before = at.upstream.calls.length
      at.upstream.reply(script)
      const failure = await failureOf(order(language))
      expect(failure.headers?.get('x-should-retry')).toBe('false')
      expect(failure.message).toMatch(wanted)
      expect(failure.message).not.toMatch(unwanted)
      await at.world.settled()
      expect(at.upstream.calls.length - before).toBe(1)
    }
  })

  test.each([429, 503])(
    'an upstream that refused the order with %i is asked again, and paid once',
    async (status) => {
      const { available } = await at.world.balance()
      const before = at.upstream.calls.length
      at.upstream.replyOnce(json(status, 'not now', { 'retry-after': '0' }))
      await order()
      await at.world.settled()
      expect(at.upstream.calls.length - before).toBe(2)
      expect((await at.world.balance()).available).toBeLessThan(available)
    },
  )

  test('an upstream that refuses every time leaves a failure that says to send it again', async () => {
    at.upstream.reply(json(429, 'not now', { 'retry-after': '0' }))
    const failure = await failureOf(order())
    expect(failure.headers?.get('x-should-retry')).toBeNull()
    expect(failure.message).toMatch(/try again/)
  })
})

test('the last event of a streamed picture says the same', async () => {
  at.upstream.reply(json(500, 'oops'))
  const reply = await at.key.post('/v1/images/generations', {
    model: 'test/painter',
    prompt: 'a cat',
    stream: true,
  })
  expect(reply.text).toMatch(/may have carried it out/)
})
