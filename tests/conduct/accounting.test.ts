/** Charges and keys across failover, and which deployments may take over. */
import { describe, expect, test } from 'vitest'
import { answer, chunk, cut, json, silence, stream } from '../harness/upstream.ts'
import { weather } from '../text/chat-world.ts'
import { callForReceipt, hastyWith, type ModelEntry, outcomesOf, shareConduct } from './conduct-world.ts'

const down = json(500, 'down')
const full = json(400, { error: { message: 'too long', code: 'context_length_exceeded' } })

const cheap: ModelEntry = {
  id: 'test/model',
  deployments: [{ on: 'primary' }],
  fallbacks: ['test/backup'],
  price: [1, 2],
}
const dear: ModelEntry = { id: 'test/backup', deployments: [{ on: 'backup' }], price: [10, 20] }

describe('a failover', () => {
  test.each([false, true])(
    'is held at the dearest price and charged at that of who answered (streamed: %s)',
    async (streamed) => {
      await using at = await shareConduct({ models: [cheap, dear] })
      const before = await at.world.balance()
      const plain = await at.ask('test/model', streamed)
      at.on('primary').reply(down)
      const moved = await at.ask('test/model', streamed)
      // The fake upstream counts words: one of the question, four of the answer.
      expect(BigInt(plain.receipt.microcredits)).toBe(1n * 1_000n + 4n * 2_000n)
      expect(BigInt(moved.receipt.microcredits)).toBe(1n * 10_000n + 4n * 20_000n)
      expect(moved.receipt.reserved_microcredits).toBe(plain.receipt.reserved_microcredits)
      expect(BigInt(moved.receipt.reserved_microcredits)).toBeGreaterThanOrEqual(
        BigInt(moved.receipt.microcredits),
      )
      expect(outcomesOf(moved)).toEqual(['unavailable', 'unavailable', 'unavailable', 'answered'])
      expect(await at.world.balance()).toEqual({ available: before.available - 9_000n - 90_000n, held: 0n })
      await at.isWellAgain('test/model')
    },
  )

  test('stands on the receipt with the model, deployment, outcome and times of every attempt', async () => {
    const timeouts = hastyWith('primary', { first_byte_ms: 1_000 })
    await using at = await shareConduct({ models: [cheap, dear], timeouts })
    at.on('primary').reply(silence)
    const { receipt } = await at.ask('test/model', true)
    const [first, second] = receipt.details.attempts as unknown as Record<string, number>[]
    expect(first).toMatchObject({
      model: 'test/model',
      deployment: 'primary/upstream-model',
      outcome: 'timeout',
      detail: expect.stringContaining('no answer'),
    })
    expect(second).toMatchObject({
      model: 'test/backup',
      deployment: 'backup/upstream-model',
      outcome: 'answered',
      upstream_id: 'chatcmpl-upstream',
    })
    expect(first!['ended_ms']! - first!['started_ms']!).toBeGreaterThanOrEqual(999)
    expect(first).not.toHaveProperty('first_part_ms')
    expect(second!['started_ms']).toBeGreaterThanOrEqual(first!['ended_ms']!)
    expect(second!['first_part_ms']).toBeGreaterThanOrEqual(second!['started_ms']!)
    expect(second!['ended_ms']).toBeGreaterThanOrEqual(second!['first_part_ms']!)
  })

  test('that fails everywhere costs nothing and frees its idempotency key when nobody did any work', async () => {
    await using at = await shareConduct({ models: [cheap, dear] })
    const before = await at.world.balance()
    for (const name of ['primary', 'backup']) at.on(name).reply(down)
    const ask = () => callForReceipt(at.key, { model: 'test/model' }, { 'idempotency-key': 'once' })
    expect(await ask()).toMatchObject({ status: 502, receipt: { microcredits: '0' } })
    at.on('primary').reply(answer('well'))
    expect(await ask()).toMatchObject({ status: 200, content: 'well' })
    expect((await at.world.balance()).available).toBeLessThan(before.available)
  })

  test('keeps its idempotency key when one of the failed attempts may have worked', async () => {
    const timeouts = hastyWith('primary', { first_byte_ms: 1_000 })
    await using at = await shareConduct({ models: [cheap, dear], timeouts })
    at.on('primary').reply(silence)
    at.on('backup').reply(down)
    const ask = () => at.key.chat({ model: 'test/model', max_tokens: 1 }, { 'idempotency-key': 'perhaps' })
    expect((await ask()).status).toBe(502)
    expect(await ask()).toMatchObject({ status: 409, body: { error: { code: 'REQUEST_ALREADY_ACCEPTED' } } })
    expect([at.on('primary').calls.length, at.on('backup').calls.length]).toEqual([1, 3])
  })

  test('never goes to a model that the key may not use', async () => {
    await using at = await shareConduct({ models: [cheap, dear] })
    const bound = await at.world.key({ models: ['test/model'] })
    at.on('primary').reply(down)
    expect(await callForReceipt(bound, { model: 'test/model' })).toMatchObject({ status: 502 })
    expect(at.on('backup').calls).toHaveLength(0)
  })

  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII='
  test.each<[string, Partial<ModelEntry>, Record<string, unknown>]>([
    ['tools', { features: ['tools'] }, { tools: [weather] }],
    [
      'a JSON schema',
      { features: ['json_schema'] },
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } } },
    ],
    [
      'images',
      { modalities: ['text', 'image'] },
      {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'what is it?' },
              { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
            ],
          },
        ],
      },
    ],
  ])('skips a fallback that cannot do %s for one that can', async (_, ability, more) => {
    await using at = await shareConduct({
      models: [
        { ...cheap, ...ability, fallbacks: ['test/backup', 'test/able'] },
        dear,
        { id: 'test/able', deployments: [{ on: 'able' }], ...ability },
      ],
    })
    at.on('primary').reply(down)
    expect(await at.ask('test/model', true, more)).toMatchObject({ status: 200, models: ['test/able'] })
    expect(at.on('backup').calls).toHaveLength(0)
    expect((await at.ask('test/model', true)).models).toEqual(['test/backup'])
  })

  test('for a full context passes over deployments of the same model and fallbacks that hold no more', async () => {
    await using at = await shareConduct({
      models: [
        {
          ...cheap,
          deployments: [
            { on: 'primary', priority: 0 },
            { on: 'twin', priority: 1 },
          ],
          fallbacks: ['test/backup', 'test/large'],
        },
        dear,
        { id: 'test/large', deployments: [{ on: 'large' }], context: 1_000_000 },
      ],
    })
    at.on('primary').reply(full)
    expect(await at.ask('test/model', true)).toMatchObject({ status: 200, models: ['test/large'] })
    expect([at.on('twin').calls.length, at.on('backup').calls.length]).toEqual([0, 0])
  })

  test('from a cut to a cut ends there: nobody is begun again where there was somebody else', async () => {
    await using at = await shareConduct({ models: [cheap, dear] })
    for (const name of ['primary', 'backup']) at.on(name).reply(stream([chunk({ role: 'assistant' }), cut]))
    const got = await at.ask('test/model', true)
    expect(got).toMatchObject({ status: 502, receipt: { microcredits: '0' } })
    expect(outcomesOf(got)).toEqual(['cut', 'cut'])
    expect([at.on('primary').calls.length, at.on('backup').calls.length]).toEqual([1, 1])
  })

  test('asks a fallback for no more than it can write', async () => {
    const small = { ...dear, context: 2_000, maxOutput: 1_500 }
    await using at = await shareConduct({ models: [{ ...cheap, maxOutput: 50_000 }, small] })
    at.on('primary').reply(down)
    const long = [{ role: 'user', content: 'x'.repeat(2_000) }]
    await at.ask('test/model', false, { max_tokens: undefined, messages: long })
    const limit = at.on('backup').calls[0]?.body?.['max_tokens']
    expect(limit).toBeLessThanOrEqual(1_000)
    expect(limit).toBeGreaterThan(256)
  })

  test('is not needed while all are well: calls are shared by weight among the lowest priority', async () => {
    await using at = await shareConduct({
      models: [
        {
          id: 'test/model',
          deployments: [
            { on: 'three', weight: 3 },
            { on: 'one', weight: 1 },
            { on: 'reserve', weight: 100, priority: 1 },
          ],
        },
      ],
    })
    const calls = 800
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'hello' }], model: 'test/model' })
    for (let batch = 0; batch < calls / 20; batch++)
      await Promise.all(
        Array.from({ length: 20 }, () => at.key.request('POST', '/v1/chat/completions', body)),
      )
    // More than five standard deviations: one false alarm in three million runs, as the binomial distribution has it.
    expect(Math.abs(at.on('three').calls.length - 600)).toBeLessThan(64)
    expect(at.on('three').calls.length + at.on('one').calls.length).toBe(calls)
    expect(at.on('reserve').calls).toHaveLength(0)
  })
})
