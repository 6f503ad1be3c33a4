/** Other clients of the messages wire: the Vercel AI SDK and LangChain. */
import { createAnthropic } from '@ai-sdk/anthropic'
import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { APICallError, generateText, isStepCount, jsonSchema, Output, streamText, tool } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chunk, cut, stream } from '../harness/upstream.ts'
import { shareOnUpstream, type UpstreamWorld } from '../text/chat-world.ts'
import { weather } from '../text/messages-world.ts'
import { png } from './media-samples.ts'

let at: UpstreamWorld
let provider: ReturnType<typeof createAnthropic>
beforeAll(async () => {
  at = await shareOnUpstream()
  provider = createAnthropic({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret })
})
afterAll(() => at[Symbol.asyncDispose]())

describe('Vercel AI SDK', () => {
  const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } } as const

  test('generateText and streamText give the same text, end and usage', async () => {
    const asked = { model: provider('sandbox/fast'), prompt: 'hello' }
    const whole = await generateText(asked)
    expect(whole.finishReason).toBe('stop')
    expect(whole.response.modelId).toBe('sandbox/fast')
    const streamed = streamText(asked)
    expect(await streamed.text).toBe(whole.text)
    expect(await streamed.finishReason).toBe('stop')
    const { inputTokens, outputTokens } = await streamed.usage
    expect({ inputTokens, outputTokens }).toEqual({
      inputTokens: whole.usage.inputTokens,
      outputTokens: whole.usage.outputTokens,
    })
  })

  const getWeather = tool({
    description: 'The weather of a city.',
    inputSchema: jsonSchema<{ city: string }>(weather.input_schema as object),
    execute: async ({ city }) => `${city} is sunny`,
  })

  test('tools run over several steps, whole and streamed, with thinking', async () => {
    const asked = {
      model: provider('sandbox/reasoner'),
      prompt: 'the weather in Paris and in Tehran',
      tools: { get_weather: getWeather },
      stopWhen: isStepCount(3),
      maxOutputTokens: 3000,
      providerOptions: thinking,
    }
    const whole = await generateText(asked)
    expect(whole.steps[0]?.toolCalls.map(({ input }) => input)).toEqual([
      { city: 'Paris' },
      { city: 'Tehran' },
    ])
    expect(whole.steps[0]?.finishReason).toBe('tool-calls')
    expect(whole.text).toContain('Tehran is sunny')
    const streamed = streamText(asked)
    const kinds: string[] = []
    for await (const part of streamed.fullStream) kinds.push(part.type)
    expect(kinds.filter((kind) => kind === 'tool-call')).toHaveLength(2)
    expect(kinds).not.toContain('error')
    expect(await streamed.text).toContain('Tehran is sunny')
  })

  test('reasoning that was asked for arrives as reasoning', async () => {
    const asked = { model: provider('sandbox/reasoner'), prompt: 'why?', providerOptions: thinking }
    const whole = await generateText({ ...asked, maxOutputTokens: 3000 })
    expect(whole.reasoningText?.length).toBeGreaterThan(0)
    const streamed = streamText({ ...asked, maxOutputTokens: 3000 })
    expect(await streamed.reasoningText).toBe(whole.reasoningText)
    expect(await streamed.text).toBe(whole.text)
  })

  test('structured output is an object of the schema', async () => {
    const schema = jsonSchema<{ name: string }>({
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    })
    const { output } = await generateText({
      model: provider('sandbox/fast'),
      prompt: 'invent a person',
      output: Output.object({ schema }),
    })
    expect(output).toEqual({ name: expect.any(String) })
  })

  test('a picture is taken by a model that sees', async () => {
    const content = [
      { type: 'text' as const, text: 'what is this?' },
      { type: 'file' as const, mediaType: 'image/png', data: Buffer.from(png, 'base64') },
    ]
    const { text } = await generateText({
      model: provider('sandbox/omni'),
      messages: [{ role: 'user', content }],
    })
    expect(text).toMatch(/1\s?[x×]\s?1\b/)
  })

  test('a refusal is an APICallError whose message is ours to the letter', async () => {
    const error = await generateText({ model: provider('no/such'), prompt: 'hello', maxRetries: 0 }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!APICallError.isInstance(error)) throw new Error(`no APICallError: ${String(error)}`)
    const { body } = await at.key.chat({ model: 'no/such' })
    expect(error).toMatchObject({ message: body.error.message, statusCode: 404, isRetryable: false })
  })

  test('a stream that breaks in the middle ends with an error that has our message', async () => {
    at.upstream.replyOnce(stream([chunk({ content: 'half' }), cut]))
    const answer = streamText({ model: provider('test/model'), prompt: 'hello', onError: () => {} })
    let text = ''
    const errors: string[] = []
    for await (const part of answer.fullStream) {
      if (part.type === 'text-delta') text += part.text
      if (part.type === 'error') errors.push(JSON.stringify(part.error) + String(part.error))
    }
    expect(text).toBe('half')
    expect(errors).toHaveLength(1)
    expect(errors[0]).toMatch(/model provider failed to answer/)
  })
})

describe('LangChain', () => {
  const chat = (model: string, more: Partial<ConstructorParameters<typeof ChatAnthropic>[0] & object> = {}) =>
    new ChatAnthropic({
      model,
      apiKey: at.key.secret,
      anthropicApiUrl: at.world.url,
      maxTokens: 3000,
      maxRetries: 0,
      ...more,
    })

  test('invoke and stream give the same text', async () => {
    const model = chat('sandbox/fast')
    const { text, ...answer } = await model.invoke('hello')
    expect(text.length).toBeGreaterThan(0)
    expect(answer).toMatchObject({ usage_metadata: { output_tokens: expect.any(Number) } })
    let streamed = ''
    for await (const piece of await model.stream('hello')) streamed += piece.text
    expect(streamed).toBe(text)
  })

  test.each(['whole', 'streamed'])('tools and thinking go through a whole round: %s', async (how) => {
    const model = chat('sandbox/reasoner', {
      thinking: { type: 'enabled', budget_tokens: 1024 },
      streaming: how === 'streamed',
    }).bindTools([weather])
    const question = new HumanMessage('weather in Paris')
    const first = await model.invoke([question])
    const [call] = first.tool_calls ?? []
    expect(call).toMatchObject({ name: 'get_weather', args: { city: 'Paris' } })
    const result = new ToolMessage({ content: 'sunny', tool_call_id: call!.id! })
    expect((await model.invoke([question, first, result])).text).toContain('sunny')
  })

  test('an overlong prompt is known as one', async () => {
    const error = await chat('sandbox/fast')
      .invoke('word '.repeat(40_000))
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ lc_error_code: 'CONTEXT_OVERFLOW' })
  })
})
