import { describe, expect, test } from 'vitest'
import type { Media, MessageContent, Tool, Turn, Usage } from '#core/turn'
import { estimateUsage } from './metering.ts'
import { plausibleUsage } from './plausible-usage.ts'
import { possibleInput } from './possible-input.ts'

const window = 1_000_000
const turnOf = (content: MessageContent[], more: Partial<Turn> = {}): Turn => ({
  messages: [{ role: 'user', content }],
  tools: [],
  toolChoice: { type: 'auto' },
  parallelToolCalls: true,
  output: { type: 'text' },
  maxOutputTokens: 1_000,
  stop: [],
  stream: true,
  source: { wire: 'chat' },
  ...more,
})
const text = (words: string): MessageContent => ({ type: 'text', text: words })
const usageOf = (more: Partial<Usage>): Usage => ({
  ...{ input: 5, cachedInput: 0, cacheWriteInput: 0, mediaInput: 0, output: 5, reasoning: 0 },
  ...more,
})
const seen = { deltas: 2, bytes: 40, reasoningBytes: 0, calls: 0 }
const model = { contextLength: window, features: ['reasoning'] as const }
const believed = (claim: Partial<Usage>, turn: Turn, of = seen): Usage =>
  plausibleUsage(usageOf(claim), { turn, model: { ...model, features: [...model.features] }, seen: of })
const maxInputTokens = (turn: Turn): number => believed({ input: 1e12 }, turn).input

/** The most tokens of a prompt without a byte: the frame of the turn and its message, and the template. */
const empty = 64 + 32 + 4_096
const tool = (bytes: number): Tool => ({
  name: 'weather',
  description: 'د'.repeat(bytes / 2),
  parameters: { type: 'object' },
})
const link = (type: 'image' | 'audio' | 'video'): MessageContent => ({
  type,
  media: { url: 'https://a.example/x' },
})
const inline = (more: Partial<Media>): Media => ({ data: new Uint8Array(100), ...more })

describe('an input that nothing hidden is read with has at most', () => {
  test('a token for each byte of its text, and the template', () => {
    expect(maxInputTokens(turnOf([]))).toBe(empty)
    expect(maxInputTokens(turnOf([text('x')]))).toBe(empty + 1)
    expect(maxInputTokens(turnOf([text('سلام')]))).toBe(empty + 8)
    const called = { id: 'call_1', name: 'weather', arguments: '{"city":"یزد"}' }
    const messages: Turn['messages'] = [
      { role: 'system', content: [text('Be kind.')] },
      { role: 'assistant', content: [], toolCalls: [called] },
      { role: 'tool', content: [text('sunny')], toolCallId: 'call_1' },
    ]
    const bytes = 8 + (6 + 7 + 17) + (5 + 6)
    expect(maxInputTokens(turnOf([], { messages }))).toBe(64 + 3 * 32 + 32 + bytes + 4_096)
    expect(maxInputTokens(turnOf([text('x')], { passthroughBytes: 700 }))).toBe(empty + 701)
  })

  test('the bytes of tools and of the schema of the answer, and 1,024 for each tool', () => {
    const tools = [tool(200), tool(4)]
    expect(maxInputTokens(turnOf([], { tools }))).toBe(
      empty + Buffer.byteLength(JSON.stringify(tools)) + 2 * 1_024,
    )
    const schema = { type: 'object', description: 'پاسخ' }
    const output = { type: 'json_schema', name: 'answer', schema, strict: true } as const
    expect(maxInputTokens(turnOf([], { output }))).toBe(empty + 6 + Buffer.byteLength(JSON.stringify(schema)))
    // A wire may be sent more tools than the choice leaves to the model.
    const source = { wire: 'responses' as const, body: { tools: [{}, {}, {}] } }
    expect(maxInputTokens(turnOf([], { source }))).toBe(empty + 3 * 1_024)
  })

  test('of media what the dearest vendor counts for it', () => {
    expect(maxInputTokens(turnOf([{ type: 'image', media: inline({ width: 8, height: 8 }) }]))).toBe(
      empty + 48_169,
    )
    expect(maxInputTokens(turnOf([{ type: 'audio', media: inline({ durationSeconds: 31 }) }]))).toBe(
      empty + 60 * 50,
    )
    expect(maxInputTokens(turnOf([{ type: 'video', media: inline({ durationSeconds: 1.5 }) }]))).toBe(
      empty + 8_000,
    )
    const pdf: MessageContent = { type: 'document', citations: false, media: inline({ pages: 2 }) }
    expect(maxInputTokens(turnOf([pdf]))).toBe(empty + 32 + 2 * (48_169 + 4_600) + 100)
    const picture: MessageContent = { type: 'image', media: inline({}) }
    const parts: MessageContent = { type: 'document', citations: false, parts: [text('abc'), picture] }
    expect(maxInputTokens(turnOf([parts]))).toBe(empty + 32 + 3 + 48_169)
  })

  test('and never more than the window', () => {
    const pictures = Array.from({ length: 30 }, (): MessageContent => ({ type: 'image', media: inline({}) }))
    expect(maxInputTokens(turnOf(pictures))).toBe(window)
  })

  test('with all of its parts inside: cache, media and what is written to the cache', () => {
    const turn = turnOf([text('x'), { type: 'audio', media: inline({ durationSeconds: 2 }) }])
    const usage = believed(
      { input: 9e9, cachedInput: 9e9, cacheWriteInput: 9e9, cacheWriteHourInput: 9e9, mediaInput: 9e9 },
      turn,
    )
    const { input, cachedInput, cacheWriteInput, mediaInput } = usage
    expect(input).toBe(empty + 1 + 1_500)
    expect(cachedInput + cacheWriteInput + mediaInput).toBeLessThanOrEqual(input)
    // No count is below zero, which would hide another count that is too large.
    expect(Math.min(cachedInput, cacheWriteInput, mediaInput)).toBeGreaterThanOrEqual(0)
    expect(believed({ input: 2_000, mediaInput: 2_000 }, turn).mediaInput).toBe(1_500)
    expect(believed({ input: 4_000, cacheWriteInput: 9e9, cacheWriteHourInput: 9e9 }, turn)).toMatchObject({
      cacheWriteInput: 4_000,
      cacheWriteHourInput: 4_000,
    })
  })
})

describe('an input that the request does not bound is believed up to the window', () => {
  test.each<[string, MessageContent[], Partial<Turn>, number]>([
    ['a picture by address', [link('image')], {}, 1],
    ['a video by address', [link('video')], {}, 1],
    [
      'a picture by address within a document',
      [{ type: 'document', citations: false, parts: [link('image')] }],
      {},
      1,
    ],
    ["a vendor's own tools", [text('x')], { upstreamRounds: 2 }, 3],
    ['a summary before the answer', [text('x')], { compacts: true }, 2],
  ])('%s', (_, content, more, readings) => {
    expect(possibleInput(turnOf(content, more))).toBeUndefined()
    expect(maxInputTokens(turnOf(content, more))).toBe(readings * window)
  })

  test('sound by address may be all of it', () => {
    expect(believed({ input: 9_000, mediaInput: 8_000 }, turnOf([link('audio')])).mediaInput).toBe(8_000)
  })
})

test('an output beyond the limit that was sent is not believed, nor one beyond two tokens for each byte that was seen', () => {
  const turn = { ...turnOf([text('x')]), maxOutputTokens: 1_000 }
  const hidden = (claimed: number) => believed({ output: claimed }, turn).output
  expect([1_000, 1_001].map(hidden)).toEqual([1_000, 1_000])
  const seenWhole = (output: number) =>
    plausibleUsage(usageOf({ output }), { turn, model: { ...model, features: [] }, seen }).output
  const maxTokens = 2 * seen.bytes + 512
  expect([maxTokens, maxTokens + 1].map(seenWhole)).toEqual([maxTokens, maxTokens])
})

describe('zero is no count', () => {
  const turn = turnOf([text('سلام '.repeat(100))])
  const estimate = estimateUsage(turn, seen)

  test('of a prompt, nor of an answer that was seen: each is estimated by itself', () => {
    expect(believed({ input: 0, output: 9 }, turn)).toMatchObject({ input: estimate.input, output: 9 })
    expect(believed({ input: 9, output: 0 }, turn)).toMatchObject({ input: 9, output: estimate.output })
    expect(estimate.input).toBeGreaterThan(200)
    expect(estimate.output).toBe(10)
  })

  test('but an answer of which nothing was seen may have none', () => {
    const nothing = { deltas: 0, bytes: 0, reasoningBytes: 0, calls: 0 }
    const claim = usageOf({ input: 9, output: 0 })
    expect(plausibleUsage(claim, { turn, model: { ...model, features: [] }, seen: nothing })).toBe(claim)
  })
})

test('what Anthropic documents of its counts is believed (platform.claude.com/docs, token counting)', () => {
  const weather: Tool = {
    name: 'get_weather',
    description: 'Get the current weather in a given location',
    parameters: {
      type: 'object',
      properties: {
        location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' },
      },
      required: ['location'],
    },
  }
  const picture: MessageContent = { type: 'image', media: inline({ width: 1_200, height: 1_000 }) }
  const pdf: MessageContent = { type: 'document', citations: false, media: inline({ pages: 1 }) }
  const asked: [MessageContent[], Partial<Turn>, number][] = [
    [[text('Hello, Claude')], {}, 14],
    [[text("What's the weather like in San Francisco?")], { tools: [weather] }, 403],
    [[picture, text('Describe this image')], {}, 1_551],
    [[pdf, text('Please summarize this document.')], {}, 2_188],
  ]
  for (const [content, more, input] of asked) {
    const claim = usageOf({ input })
    expect(
      plausibleUsage(claim, { turn: turnOf(content, more), model: { ...model, features: [] }, seen }),
    ).toBe(claim)
  }
})
