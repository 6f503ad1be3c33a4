import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedWorld } from '../harness/shared-world.ts'
import { chunk, done, json, stream, type UpstreamUsage } from '../harness/upstream.ts'
import { type Explained, explained, requestIdOf, shareOnUpstream, type UpstreamWorld } from './chat-world.ts'

/** USD per million tokens, as text so that the expected charge is worked out without binary fractions. */
const prices = {
  'test/model': { input: '1.0', output: '2.0', cached: '0.1' },
  'test/odd': { input: '0.0375', output: '0.15', cached: '0.00375' },
  'test/dear': { input: '15', output: '75.123456', cached: '1.5' },
  'test/dust': { input: '0.000001', output: '0.000003', cached: '0.000001' },
  'test/free': { input: '0', output: '0', cached: '0' },
} as const
type Priced = keyof typeof prices

const entry = (id: Priced, more = '') => `
  - id: ${id}
    kind: text
    deployments: [{ provider: fake, model: upstream-model }]
    context_length: 128000
    max_output_tokens: 16384
    input_modalities: [text${more ? ', image' : ''}]
    features: []
    pricing: { input_per_million: ${prices[id].input}, output_per_million: ${prices[id].output}, cached_input_per_million: ${prices[id].cached} }`
const model = entry('test/odd') + entry('test/dear') + entry('test/dust') + entry('test/free')

let at: UpstreamWorld
beforeAll(async () => {
  at = await shareOnUpstream({ model, credits: 1_000_000 })
})
afterAll(() => at[Symbol.asyncDispose]())

/** Billionths of a micro-credit for one token: 1 USD per million tokens is 1,000 micro-credits at 1,000 credits per USD. */
const scale = 1_000_000_000n
function perToken(usdPerMillion: string): bigint {
  const [whole = '0', fraction = ''] = usdPerMillion.split('.')
  return BigInt(whole + fraction.padEnd(9, '0')) * 1_000n
}

function chargeOf(id: Priced, usage: { input: number; cached: number; output: number }): bigint {
  const { input, output, cached } = prices[id]
  const scaled =
    BigInt(usage.input - usage.cached) * perToken(input) +
    BigInt(usage.cached) * perToken(cached) +
    BigInt(usage.output) * perToken(output)
  return (scaled + scale - 1n) / scale
}

const usages = [
  { input: 1, cached: 0, output: 1 },
  { input: 7, cached: 3, output: 0 },
  { input: 7, cached: 7, output: 11 },
  { input: 999, cached: 1, output: 333 },
  { input: 12_345, cached: 6_789, output: 4_321 },
]

const answerWith = ({ input, cached, output }: (typeof usages)[number]) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
})

const rows = (Object.keys(prices) as Priced[]).flatMap((id) =>
  usages.map((usage) => ({ id, ...usage, charge: chargeOf(id, usage) })),
)

describe.each([{ streamed: false }, { streamed: true }])('streamed: $streamed', ({ streamed }) => {
  test.each(rows)(
    '$input tokens in ($cached cached) and $output out of $id cost $charge micro-credits',
    async ({ id, charge, ...used }) => {
      await at.world.settled()
      const before = await at.world.balance()
      const usage = answerWith(used)
      // These models have no reasoning to hide: their tokens have to be seen, and those of the prompt have to be sent.
      const content = 'x '.repeat(used.output)
      const messages = [{ role: 'user', content: 'x'.repeat(used.input) }]
      at.upstream.replyOnce(
        streamed
          ? stream([chunk({ content }, 'stop'), { ...chunk({}), choices: [], usage }, done])
          : json(200, {
              choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
              usage,
            }),
      )
      const reply = await at.key.chat({ model: id, messages, stream: streamed })
      const receipt = await explained(at.key, requestIdOf(reply))
      expect(BigInt(receipt.microcredits)).toBe(charge)
      expect(receipt.credits).toBe(Number((charge + 999_999n) / 1_000_000n))
      expect(receipt.details.tokens).toMatchObject({
        input: used.input,
        cachedInput: used.cached,
        output: used.output,
      })
      expect(await at.world.balance()).toEqual({ available: before.available - charge, held: 0n })
    },
  )
})

/** UTF-8 as a header takes it: a character for each byte. */
const bytesOf = (text: string) => Buffer.from(text).toString('latin1')

test('balance, receipts, usage and the entries of the ledger report the same sum', async () => {
  const { world, upstream } = at
  await world.settled()
  const before = await world.balance()
  const key = await world.key({ project: await world.newProject() })
  upstream.reply({ kind: 'answer', text: 'five words are here now' })
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      key.chat(
        { model: index % 2 ? 'test/odd' : 'test/model', stream: index % 3 === 0 },
        { 'x-customer-id': index % 2 ? bytesOf('مشتری') : 'other', 'x-reference-id': `order-${index % 3}` },
      ),
    ),
  )
  const receipts = await Promise.all(replies.map((reply) => explained(key, requestIdOf(reply))))
  const charged = receipts.reduce((sum, { microcredits }) => sum + BigInt(microcredits), 0n)
  expect(before.available - (await world.balance()).available).toBe(charged)

  const usage = (await key.get('/v1/usage?group_by=reference')).body
  expect(usage.totals).toMatchObject({ requests: 12, failures: 0, microcredits: String(charged) })
  const rowsOf = (name: string, value: string) =>
    usage.data.filter((row: Record<string, unknown>) => row[name] === value)
  expect(
    rowsOf('customer_id', 'مشتری').reduce((sum: number, row: { requests: number }) => sum + row.requests, 0),
  ).toBe(6)
  expect(
    rowsOf('reference_id', 'order-0').reduce(
      (sum: number, row: { requests: number }) => sum + row.requests,
      0,
    ),
  ).toBe(4)
  const tokens = receipts.reduce((sum, { details }) => sum + (details.tokens?.['output'] ?? 0), 0)
  expect(usage.totals.tokens.output).toBe(tokens)

  const entries = await world.app.db.query<{ amount: bigint }>(
    {
      text: `select amount from ledger.entries where account_id = $1 and book = 'credits' and receipt_id = any($2::uuid[])`,
    },
    [world.account, replies.map(requestIdOf)],
  )
  expect(entries).toHaveLength(12)
  expect(entries.reduce((sum, { amount }) => sum + amount, 0n)).toBe(-charged)
})

test('the receipt shows the charge as a sum of tokens times price, cached ones apart', async () => {
  const used = { input: 999, cached: 1, output: 333 }
  const message = { role: 'assistant', content: 'x '.repeat(used.output) }
  const choices = [{ index: 0, finish_reason: 'stop', message }]
  at.upstream.replyOnce(json(200, { choices, usage: answerWith(used) }))
  const messages = [{ role: 'user', content: 'x'.repeat(used.input) }]
  const reply = await at.key.chat({ model: 'test/odd', messages })
  const { charge, details, microcredits } = await explained(at.key, requestIdOf(reply))
  const line = (unit: string, quantity: number, price: string, amount: string) => ({
    ...{ unit, quantity, price_microcredits: price, per: 1_000_000, microcredits: amount },
    model: 'test/odd',
  })
  expect(charge).toEqual({
    lines: [
      line('input_tokens', 998, '37500000', '37425'),
      line('cached_input_tokens', 1, '3750000', '3.75'),
      line('output_tokens', 333, '150000000', '49950'),
    ],
    ...{ rounding_microcredits: '0.25', sum_microcredits: '87379', charged_microcredits: microcredits },
    adjustment: null,
  })
  expect(details).not.toHaveProperty('charge')
})

test('a failure that is free says so, and has no lines', async () => {
  at.upstream.replyOnce(json(400, { error: { message: 'no', type: 'invalid_request_error' } }))
  const reply = await at.key.chat({ model: 'test/model' })
  const { charge } = await explained(at.key, requestIdOf(reply))
  expect(charge).toEqual({
    ...{ lines: [], rounding_microcredits: '0', sum_microcredits: '0', charged_microcredits: '0' },
    adjustment: { kind: 'free', microcredits: '0' },
  })
})

test('customer and reference ids stand on the receipt as they were sent, Persian included', async () => {
  const reply = await at.key.chat({}, { 'x-customer-id': 'c-1', 'x-reference-id': bytesOf('سفارش ۱۲') })
  expect(await explained(at.key, requestIdOf(reply))).toMatchObject({
    customer_id: 'c-1',
    reference_id: 'سفارش ۱۲',
  })
})

/** Asks while the upstream waits, answers what is held meanwhile, then lets the upstream go on. */
async function heldBy(
  body: Record<string, unknown>,
): Promise<{ held: bigint; receipt: Explained; usage: UpstreamUsage }> {
  const { world, upstream, key } = at
  await world.settled()
  const position = upstream.calls.length
  const release = Promise.withResolvers<void>()
  const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 }
  upstream.replyOnce(
    stream([release.promise, chunk({ content: 'done' }, 'stop'), { ...chunk({}), choices: [], usage }, done]),
  )
  const reply = key.chat({ ...body, stream: true })
  await upstream.call(position)
  const { held } = await world.balance()
  release.resolve()
  const receipt = await explained(key, requestIdOf(await reply))
  expect((await world.balance()).held).toBe(0n)
  return { held, receipt, usage }
}

test('while the upstream works its worst case is held: every output token that may come, and the question at half its bytes', async () => {
  const ask = (content: string, limit: number) =>
    heldBy({ max_tokens: limit, messages: [{ role: 'user', content }] })
  const small = await ask('hello', 100)
  expect(small.receipt.reserved_microcredits).toBe(String(small.held))
  expect((await ask('hello', 1_100)).held - small.held).toBe(1_000n * 2_000n)
  // 2,000 bytes more are at most 1,000 tokens more; Persian letters have two bytes each.
  expect((await ask(`hello${'x'.repeat(2_000)}`, 100)).held - small.held).toBe(1_000n * 1_000n)
  expect((await ask(`hello${'ش'.repeat(1_000)}`, 100)).held - small.held).toBe(1_000n * 1_000n)
  expect(small.held).toBeGreaterThanOrEqual(100n * 2_000n + 4n * 1_000n)
})

test('what goes upstream without our reading it is held for too', async () => {
  const asked = (message: Record<string, unknown>) =>
    heldBy({
      max_tokens: 1,
      messages: [
        { role: 'assistant', content: 'a', ...message },
        { role: 'user', content: 'b' },
      ],
    })
  const plain = (await asked({})).held
  const long = 'z'.repeat(2_000)
  for (const message of [
    { reasoning_details: [{ type: 'reasoning.text', text: long }] },
    { vendor_field: long },
    { reasoning: 'r', reasoning_content: long },
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'refusal', refusal: long },
      ],
    },
    {
      tool_calls: [
        {
          id: 'c',
          type: 'function',
          function: { name: 'f', arguments: '{}' },
          extra_content: { signature: long },
        },
      ],
    },
  ]) {
    expect((await asked(message)).held - plain).toBeGreaterThanOrEqual(1_000n * 1_000n)
  }
})

describe('a small balance', () => {
  /** Pays some 300 output tokens of test/model: 0.6 credits, and the question. */
  const credits = 0.7

  test('clamps a limit that was left out to what it pays, says so, and never goes below zero', async () => {
    await using poor = await shareOnUpstream({ credits })
    poor.upstream.reply({ kind: 'answer', text: 'word '.repeat(2_000).trim() })
    const reply = await poor.key.chat({})
    expect(reply.status).toBe(200)
    const applied = Number(reply.headers.get('x-max-output-tokens'))
    expect(applied).toBeGreaterThanOrEqual(256)
    expect(applied).toBeLessThan(350)
    expect(poor.upstream.calls[0]?.body).toMatchObject({ max_tokens: applied })
    expect(reply.body.choices[0].finish_reason).toBe('length')
    const receipt = await explained(poor.key, requestIdOf(reply))
    expect(receipt.details.max_output_tokens).toBe(applied)
    expect(BigInt(receipt.reserved_microcredits)).toBeLessThanOrEqual(700_000n)
    // What is left does not pay for 256 tokens: nothing is asked any more.
    const next = await poor.key.chat({})
    expect(next).toMatchObject({
      status: 402,
      body: { error: { code: 'INSUFFICIENT_CREDITS', type: 'billing_error' } },
    })
    expect(next.headers.get('x-should-retry')).toBe('false')
    expect(poor.upstream.calls).toHaveLength(1)
    expect((await poor.world.balance()).available).toBeGreaterThanOrEqual(0n)
  })

  test('refuses a limit of the caller that it cannot pay, before any call and without a hold', async () => {
    await using poor = await shareOnUpstream({ credits })
    const before = await poor.world.balance()
    expect(await poor.key.chat({ max_tokens: 10_000 })).toMatchObject({
      status: 402,
      body: { error: { code: 'INSUFFICIENT_CREDITS' } },
    })
    expect(poor.upstream.calls).toHaveLength(0)
    expect(await poor.world.balance()).toEqual(before)
    expect((await poor.key.chat({ max_tokens: 200 })).status).toBe(200)
  })

  test('of a key is as good as one of the account: its cap clamps too', async () => {
    const key = await at.world.key({ caps: { cap: 700_000n } })
    const reply = await key.chat({})
    expect(reply.status).toBe(200)
    expect(Number(reply.headers.get('x-max-output-tokens'))).toBeLessThan(350)
    expect(await key.chat({ max_tokens: 10_000 })).toMatchObject({
      status: 402,
      body: { error: { code: 'BUDGET_EXCEEDED' } },
    })
  })

  test('of nothing at all still pays for what is free, at its full length', async () => {
    await using broke = await shareOnUpstream({ credits: 0, model })
    const reply = await broke.key.chat({ model: 'test/free' })
    expect(reply.status).toBe(200)
    expect(broke.upstream.calls[0]?.body).toMatchObject({ max_tokens: 16_384 })
    expect((await explained(broke.key, requestIdOf(reply))).microcredits).toBe('0')
    expect((await broke.key.chat({ model: 'test/dust' })).status).toBe(402)
    expect(broke.upstream.calls).toHaveLength(1)
  })
})

test('an upstream that uses more than could be foreseen is charged as far as the account reaches, never below zero', async () => {
  await using poor = await shareOnUpstream({ credits: 1 })
  const usage = { prompt_tokens: 5_000, completion_tokens: 0, total_tokens: 5_000 }
  poor.upstream.replyOnce(
    json(200, {
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'x' } }],
      usage,
    }),
  )
  const reply = await poor.key.chat({ max_tokens: 10 })
  expect(reply.status).toBe(200)
  const { charge, microcredits } = await explained(poor.key, requestIdOf(reply))
  expect(microcredits).toBe('1000000')
  const sum = BigInt((charge as { sum_microcredits: string }).sum_microcredits)
  expect(sum).toBeGreaterThan(1_000_000n)
  expect(charge).toMatchObject({
    charged_microcredits: microcredits,
    adjustment: { kind: 'within_hold', microcredits: String(1_000_000n - sum) },
  })
  expect(await poor.world.balance()).toEqual({ available: 0n, held: 0n })
})

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
const picture = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: png } }] }]

test.each([
  [
    'an image for a model without eyes',
    { model: 'test/odd', messages: picture },
    'INPUT_MODALITY_NOT_SUPPORTED',
    'messages.0.content.0',
  ],
  [
    'two efforts that disagree',
    { reasoning_effort: 'low', reasoning: { effort: 'high' } },
    'REASONING_EFFORT_CONFLICT',
    'reasoning.effort',
  ],
  [
    'an effort the model does not know',
    { reasoning_effort: 'heroic' },
    'REASONING_NOT_SUPPORTED',
    'reasoning_effort',
  ],
  [
    'an effort for a model that does not think',
    { model: 'test/odd', reasoning: { effort: 'low' } },
    'REASONING_NOT_SUPPORTED',
    'reasoning.effort',
  ],
  [
    'tools for a model that has none',
    { model: 'test/odd', tools: [{ type: 'function', function: { name: 'f', parameters: {} } }] },
    'FEATURE_NOT_SUPPORTED',
    'tools',
  ],
])('%s is refused before any hold and any upstream call', async (_, body, code, param) => {
  await at.world.settled()
  const before = await at.world.balance()
  const calls = at.upstream.calls.length
  const reply = await at.key.chat(body)
  expect(reply).toMatchObject({ status: 400, body: { error: { code, param, execution_started: false } } })
  expect(at.upstream.calls).toHaveLength(calls)
  expect((await at.key.receipt(requestIdOf(reply))).status).toBe(404)
  expect(await at.world.balance()).toEqual(before)
})

test('cached tokens of the sandbox cost a tenth, as its price list says', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  const ask = async (content: string) =>
    explained(
      key,
      requestIdOf(
        await key.chat({ model: 'sandbox/omni', max_tokens: 1, messages: [{ role: 'user', content }] }),
      ),
    )
  const receipt = await ask('[[sandbox: cached=6]] one two three four five six seven')
  const { input, cachedInput, output } = receipt.details.tokens as {
    input: number
    cachedInput: number
    output: number
  }
  expect(cachedInput).toBe(6)
  // 0.5, 0.05 and 1.5 USD per million tokens.
  expect(BigInt(receipt.microcredits)).toBe(BigInt((input - 6) * 500 + 6 * 50 + output * 1_500))
})
