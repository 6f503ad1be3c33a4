/** The Vercel AI SDK with its OpenAI provider, which uses the responses wire. Nothing is stored here, hence `store: false`. */
import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, isStepCount, jsonSchema, Output, streamText, tool } from 'ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chunk, cut, json, stream } from '../harness/upstream.ts'
import { type ResponsesWorld, shareOnWires } from '../text/responses-world.ts'
import { png } from './media-samples.ts'

let at: ResponsesWorld
let provider: ReturnType<typeof createOpenAI>
beforeAll(async () => {
  at = await shareOnWires('chat')
  provider = createOpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret })
})
afterAll(() => at[Symbol.asyncDispose]())

const stateless = { openai: { store: false } }

test('generateText gives text, finish reason and every number of the usage', async () => {
  at.upstream.replyOnce(
    json(200, {
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } }],
      usage: {
        prompt_tokens: 20,
        completion_tokens: 9,
        total_tokens: 29,
        prompt_tokens_details: { cached_tokens: 8 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    }),
  )
  const answer = await generateText({ model: provider.responses('test/model'), prompt: 'hello' })
  expect(answer).toMatchObject({ text: 'hi', finishReason: 'stop', response: { modelId: 'test/model' } })
  expect(answer.usage).toMatchObject({
    inputTokens: 20,
    inputTokenDetails: { noCacheTokens: 12, cacheReadTokens: 8 },
    outputTokens: 9,
    outputTokenDetails: { textTokens: 5, reasoningTokens: 4 },
  })
})

test('streamText gives what generateText gives', async () => {
  const ask = { model: provider.responses('sandbox/fast'), prompt: 'tell me about cats' }
  const whole = await generateText(ask)
  const streamed = streamText(ask)
  const kinds = new Set<string>()
  for await (const part of streamed.fullStream) kinds.add(part.type)
  expect(kinds).not.toContain('error')
  expect(await streamed.text).toBe(whole.text)
  expect(await streamed.usage).toEqual(whole.usage)
})

const question = {
  prompt: 'the weather in Paris and in Tehran',
  providerOptions: stateless,
  stopWhen: isStepCount(3),
  tools: {
    get_weather: tool({
      description: 'The weather of a city.',
      inputSchema: jsonSchema<{ city: string }>({
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      }),
      execute: async ({ city }) => `${city} is sunny`,
    }),
  },
}

test('tools run over several steps, whole and streamed', async () => {
  const whole = await generateText({ model: provider.responses('sandbox/fast'), ...question })
  expect(whole.steps).toHaveLength(2)
  expect(whole.steps[0]?.toolCalls.map(({ input }) => input)).toEqual([{ city: 'Paris' }, { city: 'Tehran' }])
  expect(whole.steps[0]?.finishReason).toBe('tool-calls')
  expect(whole.text).toContain('Tehran is sunny')
  const streamed = streamText({ model: provider.responses('sandbox/fast'), ...question })
  expect(await streamed.text).toBe(whole.text)
})

test('structured output is an object of the schema', async () => {
  const schema = jsonSchema<{ name: string; age: number }>({
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
    additionalProperties: false,
  })
  const ask = {
    model: provider.responses('sandbox/fast'),
    prompt: 'a person',
    output: Output.object({ schema }),
  }
  const { output } = await generateText(ask)
  expect(output).toEqual({ name: expect.any(String), age: expect.any(Number) })
  expect(await streamText(ask).output).toEqual(output)
})

test('a summary arrives as reasoning, in every step, whole and streamed', async () => {
  const ask = {
    model: provider.responses('sandbox/reasoner'),
    ...question,
    providerOptions: {
      openai: { store: false, forceReasoning: true, reasoningEffort: 'low', reasoningSummary: 'auto' },
    },
  }
  const whole = await generateText(ask)
  expect(whole.steps[0]?.reasoningText?.length).toBeGreaterThan(0)
  expect(whole.text).toContain('Paris is sunny')
  const streamed = streamText(ask)
  expect((await streamed.steps)[0]?.reasoningText).toBe(whole.steps[0]?.reasoningText)
})

test('a picture is taken by a model that sees', async () => {
  const content = [
    { type: 'text' as const, text: 'what is this?' },
    { type: 'file' as const, mediaType: 'image/png', data: Buffer.from(png, 'base64') },
  ]
  const answer = await generateText({
    model: provider.responses('sandbox/omni'),
    messages: [{ role: 'user', content }],
  })
  expect(answer.text).toMatch(/1\s?[x×]\s?1\b/)
})

test('a refusal of ours is an APICallError with our message; a stream that breaks ends with an error that has it', async () => {
  const error = await generateText({ model: provider.responses('no/such'), prompt: 'x', maxRetries: 0 }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(APICallError.isInstance(error)).toBe(true)
  expect(error).toMatchObject({ statusCode: 404, message: expect.stringContaining('does not exist') })

  at.upstream.replyOnce(stream([chunk({ content: 'half' }), cut]))
  const broken = streamText({ model: provider.responses('test/model'), prompt: 'x', onError: () => {} })
  const errors: unknown[] = []
  for await (const part of broken.fullStream) if (part.type === 'error') errors.push(part.error)
  expect(errors).toHaveLength(1)
  expect(String((errors[0] as Error).message ?? errors[0])).toMatch(/provider/)
})
