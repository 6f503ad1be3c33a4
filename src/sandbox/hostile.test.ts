import { expect, test } from 'vitest'
import { UpstreamError } from '#core/spec'
import type { AnswerPart, Message, Turn } from '#core/turn'
import fc, { anyCharacter } from '../../tests/harness/fast-check.ts'
import { generated } from '../../tests/harness/parts.ts'
import { sandboxProvider } from './sandbox.ts'
import { loadTokenizer } from './tokens.ts'

const timeouts = { connectMs: 1000, firstByteMs: 5000, firstTokenMs: 5000, idleMs: 5000, totalMs: 60_000 }

const phrase = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.constantFrom(
    'write 20 words',
    'تا ۲۰ بشمار',
    '1/0=',
    'Repeat exactly: ',
    'weather in Paris',
    '[[sandbox: x]]',
    '(((1+',
    '\ud800',
  ),
)
const content = phrase.map((text) => [{ type: 'text' as const, text }])
const message: fc.Arbitrary<Message> = fc.record(
  {
    role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool'),
    content,
    name: phrase,
    toolCallId: phrase,
  },
  { requiredKeys: ['role', 'content'], noNullPrototype: true },
)
/** Objects with JSON Schema keywords and arbitrary values. */
const wildSchema = fc.dictionary(
  fc.constantFrom(
    'type',
    'properties',
    'items',
    'enum',
    'anyOf',
    'allOf',
    'not',
    '$ref',
    'pattern',
    'required',
    'minItems',
    'maximum',
    'if',
  ),
  fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('object', 'array', 'string', 'integer', '#', '(a+)+$', '[', '#/properties/a'),
  ),
  { noNullPrototype: true },
)
const turn: fc.Arbitrary<Turn> = fc.record({
  messages: fc.array(message, { maxLength: 5 }),
  tools: fc.array(fc.record({ name: phrase, parameters: wildSchema }), { maxLength: 3 }),
  toolChoice: fc.constantFrom(
    { type: 'auto' as const },
    { type: 'none' as const },
    { type: 'required' as const },
  ),
  parallelToolCalls: fc.boolean(),
  output: fc.oneof(
    fc.constantFrom({ type: 'text' as const }, { type: 'json_object' as const }),
    wildSchema.map((schema) => ({ type: 'json_schema' as const, name: 'n', schema, strict: true })),
  ),
  maxOutputTokens: fc.integer({ min: 1, max: 300 }),
  stop: fc.array(fc.string(), { maxLength: 4 }),
  stream: fc.boolean(),
  source: fc.constant({ wire: 'chat' as const, body: {} }),
})

test('any turn ends in a finish and usage within its limit, or in an UpstreamError', async () => {
  await fc.assert(
    fc.asyncProperty(turn, fc.constantFrom('fast', 'omni', 'reasoner'), async (asked, upstreamModel) => {
      const parts: AnswerPart[] = []
      try {
        const call = { turn: asked, upstreamModel, timeouts, attemptId: 'test' }
        for await (const part of generated(sandboxProvider(), call)) parts.push(part)
      } catch (error) {
        expect(error).toBeInstanceOf(UpstreamError)
        return
      }
      const usage = parts.find((part) => part.type === 'usage')?.usage
      expect(usage?.output).toBeLessThanOrEqual(asked.maxOutputTokens)
      expect(parts.filter((part) => part.type === 'finish')).toHaveLength(1)
      expect(parts[0]?.type).toBe('start')
      for (const part of parts)
        if (part.type === 'text') expect(part.text.isWellFormed() && part.text !== '').toBe(true)
    }),
    { numRuns: 400 },
  )
})

test('the pieces of any text add up to it and to its tokens', async () => {
  const tokenizer = await loadTokenizer()
  const long = fc
    .tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom(1, 300))
    .map(([text, times]) => text.repeat(times))
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), long), (text) => {
      const pieces = tokenizer.pieces(text)
      expect(pieces.map((piece) => piece.text).join('')).toBe(text.toWellFormed())
      expect(pieces.every((piece) => piece.text.isWellFormed())).toBe(true)
      expect(pieces.reduce((sum, piece) => sum + piece.tokens, 0)).toBe(tokenizer.count(text))
    }),
    // Characters of four tokens each.
    { numRuns: 300, examples: [['\u{12492}'.repeat(300)]] },
  )
})

test('long hostile questions are answered within seconds', async () => {
  const runs = ['a', ' ', '1 ', '(', '-1+', 'به ', 'repeat exactly ', 'a@', '[[sandbox:', '1/1 ', '"']
  const tools = [
    {
      name: 'send_mail',
      parameters: { type: 'object', properties: { email: { type: 'string' }, n: { type: 'number' } } },
    },
  ]
  const before = process.cpuUsage()
  for (const run of runs) {
    const messages: Message[] = [
      { role: 'user', content: [{ type: 'text', text: run.repeat(60_000 / run.length) }] },
    ]
    const turn: Turn = {
      messages,
      tools,
      toolChoice: { type: 'required' },
      parallelToolCalls: true,
      output: { type: 'text' },
      maxOutputTokens: 50,
      stop: [],
      stream: true,
      source: { wire: 'chat', body: {} },
    }
    for (const each of [turn, { ...turn, toolChoice: { type: 'none' } } as Turn]) {
      const call = {
        turn: each,
        upstreamModel: 'omni',
        timeouts,
        attemptId: 'test',
      }
      for await (const part of generated(sandboxProvider(), call)) expect(part).toBeDefined()
    }
  }
  expect(process.cpuUsage(before).user).toBeLessThan(30_000_000)
})

test('a schema nested a hundred thousand levels deep is refused', async () => {
  let schema: Record<string, unknown> = { type: 'string' }
  for (let level = 0; level < 100_000; level++) schema = { type: 'array', items: schema, minItems: 1 }
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }]
  const turn: Turn = {
    messages,
    tools: [],
    toolChoice: { type: 'auto' },
    parallelToolCalls: true,
    output: { type: 'json_schema', name: 'n', schema, strict: true },
    maxOutputTokens: 50,
    stop: [],
    stream: true,
    source: { wire: 'chat', body: {} },
  }
  const call = {
    turn,
    upstreamModel: 'omni',
    timeouts,
    attemptId: 'test',
  }
  const answer = generated(sandboxProvider(), call)[Symbol.asyncIterator]()
  await expect(answer.next()).rejects.toMatchObject({ fault: 'invalid_request', executed: false })
})
