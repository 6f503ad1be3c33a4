/**
 * Of several pictures some come and others do not, by every wire: what is stored is charged, what an upstream may bill beside it is the
 * platform's loss and raises its alarm, and what was certainly not drawn costs nobody.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Seen } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { type FakeUpstream, fakeUpstream, json, type Script, type UpstreamCall } from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'
import { explained, requestIdOf } from '../text/chat-world.ts'
import { colourAt, halves } from './images-world.ts'

const modelOf = (id: string, provider: string, more = '') => `
  - id: test/${id}
    kind: image
    deployments: [{ provider: ${provider}, model: owner/${id} }]
    image: { sizes: [64x64], max_references: 1${more} }
    pricing: { per_image: 0.04, per_reference: 0.003 }`
const config = (url: string) => `
providers:
${['images', 'gemini', 'modalities', 'fal'].map((one) => `  - { id: by-${one}, base_url: ${url}, api_key: secret, dialects: [${one}] }`).join('\n')}
models:${modelOf('single', 'by-images')}${['images', 'gemini', 'modalities', 'fal'].map((one) => modelOf(one, `by-${one}`, ', max_count: 4')).join('')}
  - id: test/counted
    kind: image
    deployments: [{ provider: by-images, model: owner/counted }]
    image: { sizes: [64x64], max_count: 4 }
    pricing: { unit: tokens, input_per_million: 5, output_per_million: 30, output_tokens: [{ tokens: 200 }] }
defaults: { credits_per_usd: 1000, markup: 1.0 }
`

/** In micro-credits. */
const each = 40_000_000n
const reference = 3_000_000n

let world: World
let upstream: FakeUpstream
let whole: string
let cutOff: string
const rubbish = Buffer.from('no picture at all').toString('base64')
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  const bytes = await halves(64, 64)
  whole = bytes.toString('base64')
  cutOff = bytes.subarray(0, 80).toString('base64')
  upstream = stack.use(await fakeUpstream())
  world = stack.use(await sharedWorld({ config: config(upstream.url) }))
})
afterAll(() => stack.disposeAsync())

/** An account of its own, and what a request of it did to all books since. */
async function newcomer() {
  const { account, client } = await world.stranger()
  const first = (await world.app.ledger.balance(account)).balance
  const calls = upstream.calls.length
  const alarm = await lossCounted(client)
  return {
    client,
    calls: () => upstream.calls.slice(calls),
    books: async () => {
      await world.settled()
      const [loss] = await world.app.db.query<{ sum: bigint }>(
        {
          text: `select coalesce(-sum(amount), 0)::bigint as sum from ledger.entries where account_id = $1 and book = 'loss'`,
        },
        [account],
      )
      const { balance, held } = await world.app.ledger.balance(account)
      expect(held).toBe(0n)
      expect(BigInt((await lossCounted(client)) - alarm), 'the alarm is the book').toBe(loss!.sum)
      return { charged: first - balance, lost: loss!.sum }
    },
  }
}

async function lossCounted(client: Client): Promise<number> {
  const { text } = await client.get('/metrics')
  return Number(/^kherad_platform_loss_microcredits_total (\d+)$/m.exec(text)?.[1] ?? 0)
}

const draw = (client: Client, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  client.post('/v1/studio/image', { prompt: 'a cat', ...body }, headers)

const filesOf = (reply: Seen): string[] => reply.headers.get('x-file-ids')!.split(', ')

/** So many of so many came: the answer, its headers, its files and its receipt say so. */
async function expectPartial(client: Client, reply: Seen, came: number, asked: number): Promise<void> {
  expect(reply.status, reply.text.slice(0, 300)).toBe(200)
  expect(reply.body.outputs).toHaveLength(came)
  expect(reply.headers.get('x-missing-outputs')).toBe(came < asked ? String(asked - came) : null)
  const receipt = await explained(client, requestIdOf(reply))
  expect(receipt).toMatchObject({
    state: 'completed',
    microcredits: reply.headers.get('x-microcredits'),
    details: { pictures: { asked, delivered: came }, files: filesOf(reply) },
  })
  for (const [index, id] of filesOf(reply).entries()) {
    const kept = Buffer.from(await (await client.raw('GET', `/v1/files/${id}`)).arrayBuffer())
    expect(kept.toString('base64')).toBe(reply.body.outputs[index].data)
  }
}

const listed = (...pictures: string[]): Script =>
  json(200, { data: pictures.map((one) => ({ b64_json: one })) })

describe('one order of several pictures', () => {
  test.each<[string, () => string[], bigint, bigint]>([
    ['all', () => [whole, whole, whole, whole], 4n, 0n],
    ['all but one that is no picture', () => [whole, rubbish, whole, whole], 3n, 1n],
    ['all but one that is cut off', () => [whole, whole, whole, cutOff], 3n, 1n],
    ['fewer than were asked for', () => [whole, whole], 2n, 2n],
    ['more than were asked for', () => [whole, whole, whole, whole, whole], 4n, 0n],
  ])(
    '%s: those that are whole are delivered and charged, the others are lost',
    async (_, answer, came, lost) => {
      const own = await newcomer()
      upstream.replyOnce(listed(...answer()))
      const reply = await draw(own.client, { model: 'test/images', count: 4 })
      await expectPartial(own.client, reply, Number(came), 4)
      expect(await own.books()).toEqual({ charged: came * each, lost: lost * each })
      expect(own.calls()).toHaveLength(1)
    },
  )

  test.each<[string, () => string[]]>([
    ['is a picture', () => [rubbish, rubbish]],
    ['can be finished', () => [cutOff, cutOff]],
  ])('where none of them %s nothing is charged and all of it is lost', async (_, answer) => {
    const own = await newcomer()
    upstream.replyOnce(listed(...answer()))
    const reply = await draw(own.client, { model: 'test/images', count: 2 })
    expect(reply.status).toBe(502)
    expect(await own.books()).toEqual({ charged: 0n, lost: 2n * each })
    expect((await own.client.get('/v1/files')).body.data).toEqual([])
  })

  test('pictures given along are charged with what came, and not lost once more with what did not', async () => {
    const own = await newcomer()
    upstream.replyOnce(listed(whole, rubbish))
    const given = { reference: { dataUrl: `data:image/png;base64,${whole}` } }
    const reply = await draw(own.client, { model: 'test/images', count: 2, ...given })
    await expectPartial(own.client, reply, 1, 2)
    expect(await own.books()).toEqual({ charged: each + reference, lost: each })
  })

  test('by tokens: the prompt and the share of what came are charged, the share of the rest is lost', async () => {
    const own = await newcomer()
    const data = [whole, rubbish].map((one) => ({ b64_json: one }))
    upstream.replyOnce(json(200, { data, usage: { input_tokens: 60, output_tokens: 402 } }))
    const reply = await draw(own.client, { model: 'test/counted', count: 2 })
    await expectPartial(own.client, reply, 1, 2)
    expect(await own.books()).toEqual({ charged: 60n * 5_000n + 201n * 30_000n, lost: 201n * 30_000n })
  })

  test('by fal: one of its links leads nowhere', async () => {
    const own = await newcomer()
    const images = [whole, rubbish, whole].map((one) => ({ url: `data:image/png;base64,${one}` }))
    upstream.reply(({ method, path }) => {
      if (method === 'POST') return json(200, { request_id: 'a-job' })
      return json(200, path.endsWith('/status') ? { status: 'COMPLETED' } : { images })
    })
    const reply = await draw(own.client, { model: 'test/fal', count: 3 })
    await expectPartial(own.client, reply, 2, 3)
    expect(await own.books()).toEqual({ charged: 2n * each, lost: each })
  })
})

/** How a wire that draws one picture for a call answers. */
const drawn: Record<string, () => Script> = {
  single: () => listed(whole),
  gemini: () =>
    json(200, {
      candidates: [{ content: { parts: [{ inlineData: { mimeType: 'image/png', data: whole } }] } }],
    }),
  modalities: () =>
    json(200, {
      choices: [
        {
          message: { images: [{ image_url: { url: `data:image/png;base64,${whole}` } }] },
          finish_reason: 'stop',
        },
      ],
    }),
}

describe.each(Object.keys(drawn))('an order for each picture: test/%s', (name) => {
  const model = `test/${name}`
  const answered = (...first: Script[]): void => {
    upstream.reply(drawn[name]!)
    upstream.replyOnce(...first)
  }

  test('has a key of its own at the upstream and an attempt on the receipt', async () => {
    const own = await newcomer()
    answered()
    const reply = await draw(own.client, { model, count: 4 })
    await expectPartial(own.client, reply, 4, 4)
    const keys = own.calls().map(({ headers }: UpstreamCall) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(4)
    const receipt = await explained(own.client, requestIdOf(reply))
    expect(receipt.details).toMatchObject({ attempts: Array(4).fill({ outcome: 'answered' }) })
    expect(await own.books()).toEqual({ charged: 4n * each, lost: 0n })
  })

  test.each<[string, () => Script, bigint]>([
    ['that the upstream may have drawn is lost', () => json(500, 'oops'), 1n],
    ['that it refused costs nobody', () => json(400, { error: { message: 'no' } }), 0n],
  ])('one %s; the others are charged', async (_, failed, lost) => {
    const own = await newcomer()
    answered(failed())
    const reply = await draw(own.client, { model, count: 4 })
    await expectPartial(own.client, reply, 3, 4)
    expect(own.calls()).toHaveLength(4)
    expect(await own.books()).toEqual({ charged: 3n * each, lost: lost * each })
  })

  test('one whose upstream has no time is asked for again, and the others are not', async () => {
    const own = await newcomer()
    answered(json(429, 'slow down', { 'retry-after': '0' }))
    const reply = await draw(own.client, { model, count: 3 })
    await expectPartial(own.client, reply, 3, 3)
    expect(own.calls()).toHaveLength(4)
    expect(await own.books()).toEqual({ charged: 3n * each, lost: 0n })
  })
})

describe('the store', () => {
  /** Replaces the store's `put` for as long as the test runs. */
  function storing(
    put: (number: number, store: () => Promise<void>, bytes: Uint8Array) => Promise<void>,
  ): Disposable {
    const { storage } = world.app
    const original = storage.put
    let number = 0
    storage.put = (...stored) => put(++number, () => original.apply(storage, stored), stored[1])
    return {
      [Symbol.dispose]: () => {
        storage.put = original
      },
    }
  }
  const coloured = async (): Promise<string[]> =>
    Promise.all(
      ['#ff0000', '#00ff00', '#0000ff', '#ffff00'].map(async (background) => {
        const { default: sharp } = await import('sharp')
        const made = sharp({ create: { width: 64, height: 64, channels: 3, background } })
        return (await made.png().toBuffer()).toString('base64')
      }),
    )

  test('that fails for the third of four: the other three are delivered in their order and charged, one is lost', async () => {
    const own = await newcomer()
    upstream.replyOnce(listed(...(await coloured())))
    // Two are stored at once: the third is told by what it shows, not by when it comes.
    using _failing = storing(async (_, store, bytes) => {
      if ((await colourAt(Buffer.from(bytes), 9, 9)) === '#0000ff') throw new Error('no space left')
      await store()
    })
    const reply = await draw(own.client, { model: 'test/images', count: 4 })
    await expectPartial(own.client, reply, 3, 4)
    const outputs: { data: string }[] = reply.body.outputs
    expect(await Promise.all(outputs.map(({ data }) => colourAt(Buffer.from(data, 'base64'), 9, 9)))).toEqual(
      ['#ff0000', '#00ff00', '#ffff00'],
    )
    expect(await own.books()).toEqual({ charged: 3n * each, lost: each })
  })

  test('that fails for all: no answer, no charge, no file, and all is lost', async () => {
    const own = await newcomer()
    upstream.replyOnce(listed(whole, whole))
    using _failing = storing(() => Promise.reject(new Error('no space left')))
    const reply = await draw(own.client, { model: 'test/images', count: 2 })
    expect([reply.status, reply.body.error.code]).toEqual([503, 'RESULT_NOT_STORED'])
    expect(await own.books()).toEqual({ charged: 0n, lost: 2n * each })
    expect((await own.client.get('/v1/files')).body.data).toEqual([])
  })

  test('is given two pictures at once, and no more', async () => {
    const own = await newcomer()
    upstream.replyOnce(listed(whole, whole, whole, whole))
    const [open, second] = [new Set<number>(), Promise.withResolvers<void>()]
    let most = 0
    using _counting = storing(async (number, store) => {
      open.add(number)
      most = Math.max(most, open.size)
      if (number === 2) second.resolve()
      await second.promise
      await store()
      open.delete(number)
    })
    expect((await draw(own.client, { model: 'test/images', count: 4 })).status).toBe(200)
    expect(most).toBe(2)
  })
})

test('a repeat of an answer in which pictures are missing says so again, and neither charges nor loses more', async () => {
  const own = await newcomer()
  upstream.replyOnce(listed(whole, rubbish, whole))
  const order = () => draw(own.client, { model: 'test/images', count: 3 }, { 'idempotency-key': 'once' })
  const first = await order()
  await expectPartial(own.client, first, 2, 3)
  const again = await order()
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.text).toBe(first.text)
  for (const name of ['x-missing-outputs', 'x-file-ids', 'x-microcredits'])
    expect(again.headers.get(name), name).toBe(first.headers.get(name))
  expect(own.calls()).toHaveLength(1)
  expect(await own.books()).toEqual({ charged: 2n * each, lost: each })
})
