/** `resume: restart`: a text answer that was cut is continued by a fallback, or ends with a clear error. */
import { describe, expect, test } from 'vitest'
import {
  chunk,
  cut,
  done,
  json,
  type Script,
  type Step,
  stall,
  stream,
  type UpstreamCall,
} from '../harness/upstream.ts'
import { weather } from '../text/chat-world.ts'
import {
  type CallResult,
  type Conduct,
  type ConductOptions,
  hastyWith,
  outcomesOf,
  shareConduct,
} from './conduct-world.ts'

const features = ['tools', 'json_schema', 'reasoning']
const models: ConductOptions['models'] = [
  {
    id: 'test/model',
    deployments: [{ on: 'primary' }],
    fallbacks: ['test/backup', 'test/last'],
    resume: 'restart',
    features,
    price: [1, 2],
  },
  { id: 'test/backup', deployments: [{ on: 'backup' }], features, price: [3, 5] },
  { id: 'test/last', deployments: [{ on: 'last' }], features, price: [7, 11] },
]
const words = (...words: string[]) => words.map((content) => chunk({ content }))
const halfway: Step[] = [...words('one', ' two', ' three'), cut]
const usageOf = (prompt: number, completion: number) => ({
  choices: [],
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
})
const ending = [chunk({}, 'stop'), usageOf(40, 2), done]

const tokensOf = ({ receipt }: CallResult): { input: number; output: number } => ({
  input: receipt.details.tokens?.['input'] ?? 0,
  output: receipt.details.tokens?.['output'] ?? 0,
})

interface Sent {
  role: string
  content: string
}
const messagesOf = (call: UpstreamCall | undefined) => (call?.body?.['messages'] ?? []) as Sent[]

/** Micro-credits of tokens at USD per million, at 1,000 credits a dollar. */
const charge = (
  [input, output]: readonly [number, number],
  tokens: { input: number; output: number },
): bigint => BigInt(tokens.input * input * 1_000 + tokens.output * output * 1_000)

/** Only of a primary that stalls the silence is short: one that is cut has to be heard to the cut. */
const resuming = (stalls = false): Promise<Conduct> =>
  shareConduct({ models, ...(stalls && { timeouts: hastyWith('primary', { idle_ms: 2_000 }) }) })
const ask = (at: Conduct, more: Record<string, unknown> = {}) =>
  at.ask('test/model', true, { max_tokens: 50, ...more })

describe('a text answer that is cut', () => {
  test.each<[string, Script]>([
    ['cut', stream(halfway)],
    ['stalled', stream([...words('one', ' two', ' three'), stall])],
  ])(
    '(%s) is completed by a fallback that refuses to go on from an assistant message',
    async (how, broken) => {
      await using at = await resuming(how === 'stalled')
      at.on('primary').reply(broken)
      at.on('backup').reply((call) =>
        messagesOf(call).at(-1)?.role === 'user'
          ? stream([...words(' four', ' five'), ...ending])
          : json(400, { error: { message: 'This model does not support assistant message prefill.' } }),
      )
      const got = await ask(at)
      expect(got).toMatchObject({
        status: 200,
        content: 'one two three four five',
        error: undefined,
        finish: 'stop',
        models: ['test/model', 'test/backup'],
      })
      const [order] = at.on('backup').calls
      expect(messagesOf(order).map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
      expect(messagesOf(order)[1]?.content).toBe('one two three')
      expect(order?.body?.['max_tokens']).toBe(47)

      // Only the attempt that completed it is paid, at its own price and by its own report.
      expect(got.usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 2 })
      expect(got.receipt).toMatchObject({ state: 'completed', model: 'test/backup' })
      expect(got.receipt.details).toMatchObject({
        outcome: 'completed',
        usage_source: 'upstream',
        attempts: [{ outcome: expect.stringMatching(/cut|timeout/) }, { outcome: 'answered', resumed: true }],
      })
      expect(BigInt(got.receipt.microcredits)).toBe(charge([3, 5], { input: 40, output: 2 }))
      expect(BigInt(got.receipt.reserved_microcredits)).toBeGreaterThanOrEqual(
        BigInt(got.receipt.microcredits),
      )
      await at.isWellAgain('test/model')
    },
  )

  test('twice is completed by the third, which is given all that was said', async () => {
    await using at = await resuming()
    at.on('primary').reply(stream(halfway))
    at.on('backup').reply(stream([...words(' four'), cut]))
    at.on('last').reply(stream([...words(' five'), ...ending]))
    const got = await ask(at)
    expect(got).toMatchObject({ content: 'one two three four five', error: undefined, finish: 'stop' })
    expect(messagesOf(at.on('last').calls[0])[1]?.content).toBe('one two three four')
    expect(got.receipt.model).toBe('test/last')
    expect(BigInt(got.receipt.microcredits)).toBe(charge([7, 11], { input: 40, output: 2 }))
  })

  test('waits for a fallback that is busy for a moment', async () => {
    await using at = await resuming()
    at.on('primary').reply(stream(halfway))
    at.on('backup').replyOnce(json(503, 'busy'), stream([...words(' four'), ...ending]))
    const got = await ask(at)
    expect(got).toMatchObject({ content: 'one two three four', error: undefined })
    expect(outcomesOf(got)).toEqual(['cut', 'unavailable', 'answered'])
  })

  test('and that nobody goes on with ends with the error of the cut, and costs what was delivered at the price of who wrote it', async () => {
    await using at = await resuming()
    at.on('primary').reply(stream(halfway))
    at.on('backup').reply(json(400, { error: { message: 'I do not take such orders' } }))
    at.on('last').reply(json(401, {}))
    const got = await ask(at)
    expect(got).toMatchObject({
      status: 200,
      content: 'one two three',
      error: { code: 'UPSTREAM_FAILED' },
      finish: undefined,
    })
    expect(outcomesOf(got)).toEqual(['cut', 'invalid_request', 'authentication'])
    expect(got.receipt).toMatchObject({ state: 'failed', model: 'test/model' })
    const tokens = tokensOf(got)
    expect(tokens.output).toBe(3)
    expect(BigInt(got.receipt.microcredits)).toBe(charge([1, 2], tokens))
    await at.isWellAgain('test/model')
  })

  test('again after it was gone on with ends with an error, and costs what the second delivered', async () => {
    await using at = await resuming()
    at.on('primary').reply(stream(halfway))
    at.on('backup').reply(stream([...words(' four', ' five'), cut]))
    at.on('last').reply(json(401, {}))
    const got = await ask(at)
    expect(got).toMatchObject({ content: 'one two three four five', error: { code: 'UPSTREAM_FAILED' } })
    expect(got.receipt).toMatchObject({ state: 'failed', model: 'test/backup' })
    const tokens = tokensOf(got)
    expect(tokens.output).toBe(2)
    expect(BigInt(got.receipt.microcredits)).toBe(charge([3, 5], tokens))
  })

  test.each<[string, Script, Record<string, unknown>]>([
    [
      'a tool call went out',
      stream([
        ...words('let me look'),
        chunk({
          tool_calls: [{ index: 0, id: 'call_1', function: { name: 'get_weather', arguments: '{' } }],
        }),
        cut,
      ]),
      { tools: [weather] },
    ],
    [
      'reasoning went out',
      stream([chunk({ reasoning_content: 'hm' }), ...halfway]),
      { include_reasoning: true },
    ],
    [
      'it had to be of a JSON schema',
      stream(halfway),
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'answer', schema: { type: 'object' }, strict: false },
        },
      },
    ],
    ['its limit of tokens is used up', stream(halfway), { max_tokens: 3 }],
  ])('is not gone on with where %s', async (_, broken, more) => {
    await using at = await resuming()
    at.on('primary').reply(broken)
    const got = await ask(at, more)
    expect(got).toMatchObject({ status: 200, error: { code: 'UPSTREAM_FAILED' }, finish: undefined })
    expect(outcomesOf(got)).toEqual(['cut'])
    expect(at.on('backup').calls).toHaveLength(0)
  })

  test('is gone on with although it may call tools, which the fallback gets too', async () => {
    await using at = await resuming()
    at.on('primary').reply(stream(halfway))
    at.on('backup').reply(stream([...words(' four'), ...ending]))
    const got = await ask(at, { tools: [weather] })
    expect(got).toMatchObject({ content: 'one two three four', error: undefined })
    expect(at.on('backup').calls[0]?.body).toMatchObject({ tools: [weather] })
  })

  test('after reasoning that the caller does not see is gone on with', async () => {
    await using at = await resuming()
    at.on('primary').reply(stream([chunk({ reasoning_content: 'hm' }), ...halfway]))
    at.on('backup').reply(stream([...words(' four'), ...ending]))
    expect(await ask(at)).toMatchObject({ content: 'one two three four', error: undefined })
  })
})
