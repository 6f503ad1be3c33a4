/** The Vercel AI SDK with its OpenAI-compatible provider. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateText, isStepCount, jsonSchema, Output, streamText, tool } from 'ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chunk, cut, done, json, stream } from '../harness/upstream.ts'
import { shareOnUpstream, type UpstreamWorld } from '../text/chat-world.ts'
import { png } from './media-samples.ts'

let at: UpstreamWorld
let provider: ReturnType<typeof createOpenAICompatible>
beforeAll(async () => {
  at = await shareOnUpstream()
  provider = createOpenAICompatible({
    name: 'kherad',
    baseURL: `${at.world.url}/v1`,
    apiKey: at.key.secret,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })
})
afterAll(() => at[Symbol.asyncDispose]())

const usage = {
  prompt_tokens: 20,
  completion_tokens: 9,
  total_tokens: 29,
  prompt_tokens_details: { cached_tokens: 8 },
  completion_tokens_details: { reasoning_tokens: 4 },
}
const counted = {
  inputTokens: 20,
  inputTokenDetails: { noCacheTokens: 12, cacheReadTokens: 8 },
  outputTokens: 9,
  outputTokenDetails: { textTokens: 5, reasoningTokens: 4 },
  totalTokens: 29,
}

test('generateText gives text, finish reason and every number of the usage', async () => {
  at.upstream.replyOnce(
    json(200, {
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } }],
      usage,
    }),
  )
  const answer = await generateText({ model: provider('test/model'), prompt: 'hello' })
  expect(answer.text).toBe('hi')
  expect(answer.finishReason).toBe('stop')
  expect(answer.usage).toMatchObject(counted)
  expect(answer.response.modelId).toBe('test/model')
})

test('streamText gives the same, piece by piece', async () => {
  at.upstream.replyOnce(
    stream([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'h' }),
      chunk({ content: 'i' }),
      chunk({}, 'stop'),
      { ...chunk({}), choices: [], usage },
      done,
    ]),
  )
  const answer = streamText({ model: provider('test/model'), prompt: 'hello' })
  const pieces: string[] = []
  for await (const piece of answer.textStream) pieces.push(piece)
  expect(pieces).toEqual(['h', 'i'])
  expect(await answer.finishReason).toBe('stop')
  expect(await answer.usage).toMatchObject(counted)
})

const getWeather = tool({
  description: 'The weather of a city.',
  inputSchema: jsonSchema<{ city: string }>({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  }),
  execute: async ({ city }) => `${city} is sunny`,
})
const question = {
  prompt: 'the weather in Paris and in Tehran',
  tools: { get_weather: getWeather },
  stopWhen: isStepCount(3),
}

test('tools run over several steps, whole', async () => {
  const answer = await generateText({ model: provider('sandbox/fast'), ...question })
  expect(answer.steps).toHaveLength(2)
  expect(answer.steps[0]?.toolCalls.map(({ input }) => input)).toEqual([
    { city: 'Paris' },
    { city: 'Tehran' },
  ])
  expect(answer.steps[0]?.finishReason).toBe('tool-calls')
  expect(answer.text).toContain('Paris is sunny')
  expect(answer.text).toContain('Tehran is sunny')
})

test('tools run over several steps, streamed', async () => {
  const answer = streamText({ model: provider('sandbox/fast'), ...question })
  const kinds: string[] = []
  for await (const part of answer.fullStream) kinds.push(part.type)
  expect(kinds.filter((kind) => kind === 'tool-call')).toHaveLength(2)
  expect(kinds).not.toContain('error')
  expect(await answer.text).toContain('Tehran is sunny')
  expect((await answer.steps)[1]?.finishReason).toBe('stop')
})

test('structured output is an object of the schema', async () => {
  const schema = jsonSchema<{ name: string; age: number }>({
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
    additionalProperties: false,
  })
  const { output } = await generateText({
    model: provider('sandbox/fast'),
    prompt: 'invent a person',
    output: Output.object({ schema }),
  })
  expect(output).toEqual({ name: expect.any(String), age: expect.any(Number) })
  const streamed = streamText({
    model: provider('sandbox/fast'),
    prompt: 'invent a person',
    output: Output.object({ schema }),
  })
  expect(await streamed.output).toEqual(output)
})

test('reasoning that was asked for arrives as reasoning', async () => {
  const model = provider('sandbox/reasoner')
  const providerOptions = { kherad: { reasoningEffort: 'low', include_reasoning: true } }
  const whole = await generateText({ model, prompt: 'why?', providerOptions })
  expect(whole.reasoningText?.length).toBeGreaterThan(0)
  const streamed = streamText({ model, prompt: 'why?', providerOptions })
  expect(await streamed.reasoningText).toBe(whole.reasoningText)
  expect(await streamed.text).toBe(whole.text)
})

test('a picture is taken by a model that sees', async () => {
  const content = [
    { type: 'text' as const, text: 'what is this?' },
    { type: 'file' as const, mediaType: 'image/png', data: Buffer.from(png, 'base64') },
  ]
  const answer = await generateText({
    model: provider('sandbox/omni'),
    messages: [{ role: 'user', content }],
  })
  expect(answer.text).toMatch(/1\s?[x×]\s?1\b/)
})

async function failureOf(asked: PromiseLike<unknown>): Promise<APICallError> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!APICallError.isInstance(error)) throw new Error(`no APICallError: ${String(error)}`)
  return error
}

test('a refusal is an APICallError whose message is ours to the letter', async () => {
  const error = await failureOf(generateText({ model: provider('no/such'), prompt: 'hello', maxRetries: 0 }))
  const { body } = await at.key.chat({ model: 'no/such' })
  expect(error.message).toBe(body.error.message)
  expect(error.statusCode).toBe(404)
  expect(error.isRetryable).toBe(false)
  expect(error.data).toMatchObject({
    error: { code: 'MODEL_NOT_FOUND', type: 'not_found_error', param: 'model' },
  })
})

test('a busy upstream is tried again by the client, and then answers', async () => {
  const calls = at.upstream.calls.length
  at.upstream.replyOnce(json(429, { error: { message: 'slow' } }, { 'retry-after-ms': '50' }))
  expect(
    (await generateText({ model: provider('test/model'), prompt: 'hello' })).text.length,
  ).toBeGreaterThan(0)
  expect(at.upstream.calls).toHaveLength(calls + 2)
})

test('a stream that breaks in the middle ends with an error that has our message', async () => {
  at.upstream.replyOnce(stream([chunk({ content: 'half' }), cut]))
  const answer = streamText({ model: provider('test/model'), prompt: 'hello', onError: () => {} })
  let text = ''
  const errors: unknown[] = []
  for await (const part of answer.fullStream) {
    if (part.type === 'text-delta') text += part.text
    if (part.type === 'error') errors.push(part.error)
  }
  expect(text).toBe('half')
  expect(errors).toHaveLength(1)
  const [error] = errors
  expect(typeof error === 'string' ? error : (error as Error).message).toMatch(
    /model provider failed to answer/,
  )
})
