/** Pictures that are paid by tokens: what is held, charged and told, whatever the upstream counts. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Seen } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import {
  type FakeUpstream,
  fakeUpstream,
  json,
  type Script,
  stream,
  type UpstreamCall,
} from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'
import { type Explained, explained, quantitiesOf, requestIdOf } from '../text/chat-world.ts'
import { fieldOf, halves } from './images-world.ts'

/** 1 USD is 1,000 credits: a token of text costs 5,000 micro-credits, of a picture given along 8,000, of a drawn one 30,000. */
const config = (url: string) => `
providers:
  - { id: fake, base_url: ${url}, api_key: upstream-secret, dialects: [images] }
  - { id: google, base_url: ${url}, api_key: upstream-secret, dialects: [gemini] }
models:
  - id: test/counted
    kind: image
    deployments: [{ provider: fake, model: counted-1 }]
    image: { sizes: [128x128, 192x128], qualities: [low, medium, high], max_count: 2, max_references: 2, partial_images: 2 }
    pricing:
      unit: tokens
      input_per_million: 5
      media_input_per_million: 8
      output_per_million: 30
      output_tokens:
        - { quality: low, tokens: 196 }
        - { quality: medium, size: 128x128, tokens: 439 }
        - { quality: high, tokens: 1756 }
      reference_tokens: 1000
      partial_tokens: 100
      margin: 1.5
  - id: test/google
    kind: image
    deployments: [{ provider: google, model: banana-1 }]
    image: { sizes: [128x128], max_references: 2 }
    pricing: { unit: tokens, input_per_million: 5, media_input_per_million: 8, output_per_million: 30, output_tokens: [{ tokens: 1120 }], reference_tokens: 560 }
defaults: { credits_per_usd: 1000, markup: 1.0 }
`
const prompt = 'a cat on a roof'
/** Four bytes a token; two and those around it in the hold. */
const expectedText = 4n
const heldText = 108n
const text = 5_000n
const given = 8_000n
const drawn = 30_000n

let world: World
let upstream: FakeUpstream
let key: Awaited<ReturnType<World['key']>>
let square: string
const stack = new AsyncDisposableStack()
beforeAll(async () => {
  square = (await halves(128, 128)).toString('base64')
  upstream = stack.use(await fakeUpstream())
  world = stack.use(await sharedWorld({ config: config(upstream.url), credits: 100_000 }))
  key = await world.key()
})
afterAll(() => stack.disposeAsync())

const answer =
  (usage?: object, pictures?: number) =>
  (call: UpstreamCall): Script =>
    json(200, {
      data: Array(pictures ?? Number(fieldOf(call, 'n'))).fill({ b64_json: square }),
      ...(usage && { usage }),
    })
const counts = (input: number, output: number, image = 0) => ({
  input_tokens: input,
  input_tokens_details: { text_tokens: input - image, image_tokens: image },
  output_tokens: output,
  total_tokens: input + output,
})
beforeEach(() => upstream.reply(answer()))

const order = (body: Record<string, unknown> = {}, client = key): Promise<Seen> =>
  client.post('/v1/images/generations', { model: 'test/counted', prompt, quality: 'low', ...body })

interface Receipt extends Explained {
  details: Explained['details'] & { claims?: unknown[] }
}
const receiptOf = async (reply: Seen, client = key): Promise<Receipt> => {
  expect(reply.status, reply.text.slice(0, 300)).toBe(200)
  return (await explained(client, requestIdOf(reply))) as Receipt
}

test('the card shows the unit, the prices and what a picture is expected to have', async () => {
  const { body } = await key.get('/v1/models/test/counted')
  expect(body.pricing).toEqual({
    currency: 'USD',
    unit: 'tokens',
    input_per_million: 5,
    media_input_per_million: 8,
    output_per_million: 30,
    output_tokens: [
      { quality: 'low', tokens: 196 },
      { quality: 'medium', size: '128x128', tokens: 439 },
      { quality: 'high', tokens: 1756 },
    ],
    reference_tokens: 1000,
    partial_tokens: 100,
    margin: 1.5,
    credits_per_usd: 1000,
  })
  const { body: other } = await key.get('/v1/models/sandbox/image')
  expect(other.pricing).toMatchObject({ unit: 'image', per_image: 0.01 })
})

describe('what the upstream counts is charged', () => {
  test('to the micro-credit, on the receipt by kind of token, and more than that was held before', async () => {
    upstream.reply(answer(counts(12, 201)))
    const reply = await order()
    const cost = 12n * text + 201n * drawn
    expect(reply.body.usage).toEqual({
      input_tokens: 12,
      input_tokens_details: { text_tokens: 12, image_tokens: 0 },
      output_tokens: 201,
      total_tokens: 213,
      credits: Number(cost) / 1e6,
      microcredits: String(cost),
    })
    const receipt = await receiptOf(reply)
    expect(receipt).toMatchObject({
      microcredits: String(cost),
      reserved_microcredits: String(heldText * text + 294n * drawn),
      details: { usage_source: 'upstream', tokens: { input: 12, media_input: 0, output: 201 } },
    })
    expect(receipt.details).not.toHaveProperty('claims')
    expect(await quantitiesOf(world, requestIdOf(reply))).toEqual({
      pictures: 1,
      text_input_tokens: 12,
      image_output_tokens: 201,
    })
  })

  test.each<[string, Record<string, unknown>, bigint]>([
    ['the row of its quality', { quality: 'high' }, 2_634n],
    ['the row of its quality and size', { quality: 'medium' }, 659n],
    ['the dearest row where none fits', { quality: 'medium', size: '192x128' }, 2_634n],
  ])('the hold is that of %s', async (_, body, tokens) => {
    upstream.reply(answer(counts(12, 201)))
    const receipt = await receiptOf(await order(body))
    expect(receipt.reserved_microcredits).toBe(String(heldText * text + tokens * drawn))
  })

  test('pictures given along have a price of their own', async () => {
    upstream.reply(answer(counts(612, 201, 600)))
    const dataUrl = `data:image/png;base64,${square}`
    const reply = await key.post('/v1/studio/image', {
      ...{ model: 'test/counted', prompt, quality: 'low' },
      references: [{ dataUrl }, { dataUrl }],
    })
    const receipt = await receiptOf(reply)
    expect(receipt).toMatchObject({
      microcredits: String(12n * text + 600n * given + 201n * drawn),
      reserved_microcredits: String(heldText * text + 3_000n * given + 294n * drawn),
      details: { tokens: { input: 612, media_input: 600, output: 201 } },
    })
    expect(await quantitiesOf(world, requestIdOf(reply))).toMatchObject({ image_input_tokens: 600 })
  })

  test('prompt and pictures that are counted together are told apart: what the prompt cannot be is pictures', async () => {
    upstream.reply(answer({ input_tokens: 700, output_tokens: 201 }))
    const dataUrl = `data:image/png;base64,${square}`
    const body = { model: 'test/counted', prompt, quality: 'low', reference: { dataUrl } }
    const receipt = await receiptOf(await key.post('/v1/studio/image', body))
    expect(receipt.microcredits).toBe(String(heldText * text + 592n * given + 201n * drawn))
    expect(receipt.details).not.toHaveProperty('claims')
  })

  test('Gemini counts by modality, and its thoughts are output', async () => {
    upstream.reply(() =>
      json(200, {
        candidates: [
          {
            content: { parts: [{ inlineData: { mimeType: 'image/png', data: square } }] },
            finishReason: 'STOP',
          },
        ],
        usageMetadata: {
          ...{ promptTokenCount: 600, candidatesTokenCount: 1_120, thoughtsTokenCount: 80 },
          promptTokensDetails: [
            { modality: 'TEXT', tokenCount: 40 },
            { modality: 'IMAGE', tokenCount: 560 },
          ],
        },
      }),
    )
    const dataUrl = `data:image/png;base64,${square}`
    const body = { model: 'test/google', prompt, reference: { dataUrl } }
    const reply = await key.post('/v1/studio/image', body)
    expect((await receiptOf(reply)).microcredits).toBe(String(40n * text + 560n * given + 1_200n * drawn))
    expect(await quantitiesOf(world, requestIdOf(reply))).toEqual({
      pictures: 1,
      text_input_tokens: 40,
      image_input_tokens: 560,
      image_output_tokens: 1_200,
    })
  })

  test('several orders are held and charged together', async () => {
    upstream.reply(answer(counts(12, 400)))
    const reply = await order({ n: 4 })
    expect(upstream.calls.slice(-2).map((call) => fieldOf(call, 'n'))).toEqual(['2', '2'])
    const receipt = await receiptOf(reply)
    expect(receipt).toMatchObject({
      microcredits: String(2n * (12n * text + 400n * drawn)),
      // The prompt may be counted for each picture.
      reserved_microcredits: String(2n * (2n * heldText * text + 588n * drawn)),
    })
    expect(await quantitiesOf(world, requestIdOf(reply))).toEqual({
      pictures: 4,
      text_input_tokens: 24,
      image_output_tokens: 800,
    })
  })

  test('of an order of which less came, the share of what came', async () => {
    upstream.reply(answer(counts(12, 401), 1))
    const reply = await order({ n: 2 })
    expect(reply.body.data).toHaveLength(1)
    expect((await receiptOf(reply)).microcredits).toBe(String(12n * text + 201n * drawn))
  })

  test('an order that failed is free beside one that came', async () => {
    let calls = 0
    upstream.reply((call) => (++calls === 1 ? json(400, { error: {} }) : answer(counts(12, 400))(call)))
    const reply = await order({ n: 4 })
    expect(reply.body.data).toHaveLength(2)
    expect((await receiptOf(reply)).microcredits).toBe(String(12n * text + 400n * drawn))
  })
})

test('an upstream that counts nothing is charged as expected, and the receipt says so', async () => {
  const receipt = await receiptOf(await order({ n: 2 }))
  expect(receipt).toMatchObject({
    microcredits: String(expectedText * text + 392n * drawn),
    details: { usage_source: 'estimated', tokens: { input: 4, media_input: 0, output: 392 } },
  })
})

test('unfinished pictures are in the hold, and expected where the upstream counts nothing', async () => {
  const event = (type: string, more: object) => ({
    type: `image_generation.${type}`,
    b64_json: square,
    ...more,
  })
  const partial = event('partial_image', { partial_image_index: 0 })
  upstream.reply(() => stream([partial, event('completed', {})]))
  const reply = await order({ stream: true, partial_images: 2 })
  const receipt = await receiptOf(reply)
  expect(receipt).toMatchObject({
    // One of the two came.
    microcredits: String(expectedText * text + 296n * drawn),
    reserved_microcredits: String(heldText * text + 594n * drawn),
  })
})

describe('more than was held is not believed', () => {
  const held = heldText * text + 294n * drawn

  test('each kind of token is charged at what was held for it, whatever is free beside, and claim and belief stand on the receipt', async () => {
    upstream.reply(answer(counts(12, 400)))
    const receipt = await receiptOf(await order())
    expect(receipt).toMatchObject({
      microcredits: String(12n * text + 294n * drawn),
      reserved_microcredits: String(held),
      details: {
        claims: [
          {
            deployment: 'fake/counted-1',
            claimed: { input: 12, mediaInput: 0, output: 400 },
            believed: { input: 12, mediaInput: 0, output: 294 },
          },
        ],
      },
    })
  })

  test('an account that has nothing free is charged the same, and keeps no debt', async () => {
    await using poor = await sharedWorld({ config: config(upstream.url), credits: Number(held) / 1e6 })
    upstream.reply(answer(counts(9_000, 1_000_000)))
    const client = await poor.key()
    const reply = await order({}, client)
    expect(reply.body.usage.microcredits).toBe(String(held))
    expect((await receiptOf(reply, client)).microcredits).toBe(String(held))
    expect(await poor.balance()).toEqual({ available: 0n, held: 0n })
    expectRefusal(await order({}, client), { status: 402, code: 'INSUFFICIENT_CREDITS' })
  })

  test('all of it at once is charged exactly the hold, and counted in the alarm', async () => {
    const before = await alarms()
    upstream.reply(answer(counts(9_000, 1_000_000, 5_000)))
    const receipt = await receiptOf(await order())
    expect(receipt).toMatchObject({
      microcredits: String(held),
      details: {
        claims: [
          {
            deployment: 'fake/counted-1',
            claimed: { input: 9_000, mediaInput: 5_000, output: 1_000_000 },
            believed: { input: 108, mediaInput: 0, output: 294 },
          },
        ],
      },
    })
    expect(await alarms()).toEqual({ input: before.input + 1, output: before.output + 1 })
  })

  test('of several orders too', async () => {
    upstream.reply(answer(counts(1e9, 1e9)))
    const receipt = await receiptOf(await order({ n: 4 }))
    expect(receipt.microcredits).toBe(receipt.reserved_microcredits)
  })
})

/** Times that claims of the images wire were not believed. */
async function alarms(): Promise<{ input: number; output: number }> {
  const metrics = await (await fetch(`${world.url}/metrics`)).text()
  const of = (what: string): number => {
    const name = `kherad_upstream_disbelieved_total{deployment="fake/counted-1",what="${what}"}`
    const line = metrics.split('\n').find((one) => one.startsWith(name))
    return Number(line?.split(' ').at(-1) ?? 0)
  }
  return { input: of('input'), output: of('output') }
}

describe('no picture is free', () => {
  const expected = expectedText * text + 196n * drawn

  test.each([
    ['zeros', 0],
    ['negative', -7],
    ['words', '201'],
    ['lists', [201]],
    ['nothing', null],
    ['less than one', 0.4],
  ])('where the upstream counts %s the table is charged', async (_, figure) => {
    upstream.reply(answer({ input_tokens: figure, output_tokens: figure, total_tokens: figure }))
    const receipt = await receiptOf(await order())
    expect(receipt.microcredits).toBe(String(expected))
    expect(receipt.details.tokens).toMatchObject({ input: 4, output: 196 })
  })

  test('a count of zero is a fault: claim and belief stand on the receipt, and it is alarmed', async () => {
    const before = await alarms()
    upstream.reply(answer(counts(12, 0)))
    const receipt = await receiptOf(await order())
    expect(receipt).toMatchObject({
      microcredits: String(12n * text + 196n * drawn),
      details: { claims: [{ claimed: { input: 12, output: 0 }, believed: { input: 12, output: 196 } }] },
    })
    expect(await alarms()).toEqual({ ...before, output: before.output + 1 })
  })

  test('one figure that is missing is expected, the other is charged as it was counted', async () => {
    upstream.reply(answer({ output_tokens: 201 }))
    expect((await receiptOf(await order())).microcredits).toBe(String(expectedText * text + 201n * drawn))
    upstream.reply(answer({ input_tokens: 12 }))
    expect((await receiptOf(await order())).microcredits).toBe(String(12n * text + 196n * drawn))
  })

  test('of an order of which less came, the share of the table', async () => {
    upstream.reply(answer(counts(0, 0), 1))
    const receipt = await receiptOf(await order({ n: 2 }))
    expect(receipt.microcredits).toBe(String(expected))
  })

  test('pictures given along that are counted as none are what the prompt cannot be', async () => {
    const dataUrl = `data:image/png;base64,${square}`
    const body = { model: 'test/counted', prompt, quality: 'low', reference: { dataUrl } }
    upstream.reply(answer(counts(700, 201)))
    const receipt = await receiptOf(await key.post('/v1/studio/image', body))
    expect(receipt.microcredits).toBe(String(heldText * text + 592n * given + 201n * drawn))
    upstream.reply(answer(counts(0, 0)))
    const none = await receiptOf(await key.post('/v1/studio/image', body))
    expect(none.microcredits).toBe(String(expectedText * text + 1_000n * given + 196n * drawn))
  })

  test.each([
    ['nothing but thoughts', { promptTokenCount: 40, thoughtsTokenCount: 80 }, 40n],
    ['zero', { promptTokenCount: 40, candidatesTokenCount: 0, thoughtsTokenCount: 80 }, 40n],
    ['words', { promptTokenCount: 'many', candidatesTokenCount: '1120' }, expectedText],
  ])('Gemini counts %s: the table is charged', async (_, usageMetadata, input) => {
    const inlineData = { mimeType: 'image/png', data: square }
    const candidate = { content: { parts: [{ inlineData }] }, finishReason: 'STOP' }
    upstream.reply(() => json(200, { candidates: [candidate], usageMetadata }))
    const reply = await key.post('/v1/studio/image', { model: 'test/google', prompt })
    expect((await receiptOf(reply)).microcredits).toBe(String(input * text + 1_120n * drawn))
  })
})
