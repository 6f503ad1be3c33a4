/** POST /v1/studio/text: presets, bounds, the execution record, and what an answer without text costs. */
import { beforeAll, describe, expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { loadConfig } from '#settings'
import type { Client, Seen } from '../harness/client.ts'
import { answer, json } from '../harness/upstream.ts'
import { boot } from '../harness/world.ts'
import { bootOnUpstream, explained, recover, requestIdOf, type UpstreamWorld } from '../text/chat-world.ts'

const write = (key: Client, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  key.post('/v1/studio/text', { prompt: 'a', ...body }, headers)

const refusedAt = (reply: Seen, param: string, code = 'INVALID_REQUEST') => {
  expect(reply.status, reply.text).toBe(400)
  expect(reply.body.error).toMatchObject({ code, param })
}

describe('behind an upstream', () => {
  let at: UpstreamWorld
  beforeAll(async () => {
    at = await bootOnUpstream({ credits: 1_000_000 })
    return () => at[Symbol.asyncDispose]()
  })

  test('a text comes with who wrote it, its tokens and its cost, which the receipt says too', async () => {
    await recover(at)
    const reply = await write(at.key, { prompt: 'دو جمله دربارهٔ کتاب' })
    expect(reply.status, reply.text).toBe(200)
    const { text, execution, ...rest } = reply.body
    expect(rest).toEqual({})
    expect(text).toMatch(/./)
    const receipt = await explained(at.key, requestIdOf(reply))
    const { inputTokens, outputTokens } = execution
    const microcredits = BigInt(receipt.microcredits)
    expect(execution).toEqual({
      requestId: requestIdOf(reply),
      model: 'test/model',
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      costUsd: Math.round(Number(microcredits) / 1_000) / 1_000_000,
    })
    expect(microcredits).toBe(BigInt(inputTokens) * 1_000n + BigInt(outputTokens) * 2_000n)
    expect(reply.headers.get('x-microcredits')).toBe(String(microcredits))
    expect(at.upstream.calls.at(-1)!.body).toMatchObject({
      messages: [{ role: 'user', content: 'دو جمله دربارهٔ کتاب' }],
    })
  })

  test('2,048 tokens are asked for where nothing is said, and what is said otherwise', async () => {
    await recover(at)
    await write(at.key, {})
    await write(at.key, { maxOutputTokens: 128 })
    await write(at.key, { maxOutputTokens: 8_192 })
    const asked = at.upstream.calls.slice(-3).map(({ body }) => body?.['max_tokens'])
    const bound = Number((await at.key.get('/v1/models/test/model')).body.max_output_tokens)
    expect(asked).toEqual([2_048, 128, 8_192].map((tokens) => Math.min(tokens, bound)))
  })

  test.each([
    ['prompt', { prompt: '\u200c \u200b' }],
    ['reasoningEffort', { model: 'sandbox/fast', reasoningEffort: 'high' }, 'REASONING_NOT_SUPPORTED'],
    [
      'reasoningEffort',
      { model: 'sandbox/reasoner', reasoningEffort: 'x'.repeat(40) },
      'REASONING_NOT_SUPPORTED',
    ],
  ] as [string, Record<string, unknown>, string?][])(
    '%s is refused before anything is held: %j',
    async (param, body, code) => {
      // An answer leaves before it is settled: that of another test must not settle in between.
      await at.world.settled()
      const before = at.upstream.calls.length
      const held = await at.world.balance()
      refusedAt(await write(at.key, body), param, code)
      expect(at.upstream.calls.length).toBe(before)
      expect(await at.world.balance()).toEqual(held)
    },
  )

  test('12,000 characters are taken, each Persian letter as one', async () => {
    await recover(at)
    expect((await write(at.key, { prompt: '😀ک'.repeat(6_000) })).status).toBe(200)
  })

  test.each([
    ['س'.repeat(63_999) + '😀'.repeat(10), `${'س'.repeat(63_999)}😀`],
    ['😀'.repeat(64_001), '😀'.repeat(64_000)],
    ['س'.repeat(64_000), 'س'.repeat(64_000)],
  ])('an answer is cut at 64,000 characters, counted as those of the prompt are', async (written, told) => {
    await recover(at)
    at.upstream.reply(() => answer(written))
    const { text } = (await write(at.key, { maxOutputTokens: 8_192 })).body as { text: string }
    expect(text === told).toBe(true)
  })

  test('a model that used up its tokens without a text is told so, and what it used is on the receipt', async () => {
    await recover(at)
    at.upstream.reply(() =>
      json(200, {
        id: 'x',
        object: 'chat.completion',
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'length' }],
        usage: { prompt_tokens: 5, completion_tokens: 128, total_tokens: 133 },
      }),
    )
    const reply = await write(at.key, { maxOutputTokens: 128 }, { 'idempotency-key': 'without-text' })
    expect(reply.status).toBe(502)
    expect(reply.body.error).toMatchObject({ code: 'NO_TEXT_WRITTEN' })
    await at.world.settled()
    const receipt = await explained(at.key, requestIdOf(reply))
    expect(receipt).toMatchObject({ state: 'failed', microcredits: String(5n * 1_000n + 128n * 2_000n) })
    const calls = at.upstream.calls.length
    await write(at.key, { maxOutputTokens: 128 }, { 'idempotency-key': 'without-text' })
    expect(at.upstream.calls.length).toBe(calls)
  })

  test('what an upstream cites is listed, at most eight pages by HTTPS with short titles', async () => {
    await recover(at)
    const cited = (url: string, title: string) => ({
      type: 'url_citation',
      url_citation: { url, title, start_index: 0, end_index: 1 },
    })
    const annotations = [
      cited('http://plain.example.com/', 'plain'),
      cited('javascript:alert(1)', 'script'),
      cited(`https://example.com/${'a'.repeat(2_048)}`, 'long'),
      cited('https://example.com/0', 't'.repeat(301)),
      cited('https://example.com/0', 'twice'),
      cited('https://example.com/1', '  \n '),
      cited('https://example.com/2', '😀'.repeat(301)),
      ...Array.from({ length: 9 }, (_, index) => cited(`https://example.com/${index + 3}`, `صفحهٔ ${index}`)),
    ]
    at.upstream.reply(() =>
      json(200, {
        id: 'x',
        object: 'chat.completion',
        model: 'm',
        choices: [
          { index: 0, message: { role: 'assistant', content: 'found', annotations }, finish_reason: 'stop' },
        ],
        usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
      }),
    )
    const { research } = (await write(at.key, {})).body
    expect(research.searched).toBe(true)
    expect(research.sources.map(({ url }: { url: string }) => url)).toEqual(
      Array.from({ length: 8 }, (_, index) => `https://example.com/${index}`),
    )
    expect(research.sources[0].title).toBe('t'.repeat(300))
    expect(research.sources[1].title).toBe('example.com')
    expect(research.sources[2].title).toBe('😀'.repeat(300))
  })
})

describe('presets', () => {
  const answered = async (key: Client, body: Record<string, unknown>) =>
    (await write(key, body)).body.execution.model

  test('each has its model, `model` goes before it, and balanced is the one where nothing is said', async () => {
    await using world = await boot({
      credits: 1_000,
      config:
        'defaults: { studio: { text: { fast: sandbox/fast, balanced: sandbox/omni, quality: sandbox/reasoner } } }',
    })
    const key = await world.key()
    expect(await answered(key, {})).toBe('sandbox/omni')
    expect(await answered(key, { preset: 'fast' })).toBe('sandbox/fast')
    expect(await answered(key, { preset: 'quality', reasoningEffort: 'low' })).toBe('sandbox/reasoner')
    expect(await answered(key, { preset: 'quality', model: 'sandbox/fast' })).toBe('sandbox/fast')
    refusedAt(await write(key, { preset: 'fast', model: 'sandbox/image' }), 'model', 'MODEL_KIND_MISMATCH')
  })

  test('one that is not set is balanced; where only one is set, it is all; where none is, the default model', async () => {
    await using some = await boot({
      credits: 1_000,
      config: 'defaults: { studio: { text: { quality: sandbox/reasoner } } }',
    })
    const key = await some.key()
    for (const preset of ['fast', 'balanced', 'quality'])
      expect(await answered(key, { preset }), preset).toBe('sandbox/reasoner')
    await using none = await boot({ credits: 1_000, config: 'defaults: { text_model: sandbox/omni }' })
    expect(await answered(await none.key(), { preset: 'quality' })).toBe('sandbox/omni')
  })

  test('a preset of a model that writes no text stops the start, and says where', async () => {
    const start = boot({ config: 'defaults:\n  studio: { text: { fast: sandbox/image } }' })
    await expect(start).rejects.toThrow(StartRefused)
    await expect(start).rejects.toThrow(
      /2.*defaults\.studio\.text\.fast is sandbox\/image, which is not a model of the kind text/,
    )
    expect(() => loadConfig(readEnv({}), 'defaults: { studio: { text: { best: a/b } } }')).toThrow(/best/)
  })
})
