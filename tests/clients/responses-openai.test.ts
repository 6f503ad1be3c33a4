/** The Responses API with the official OpenAI client. */
import OpenAI from 'openai'
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod'
import type { ResponseCreateParamsNonStreaming, ResponseInput } from 'openai/resources/responses/responses'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { chunk, cut, stream } from '../harness/upstream.ts'
import { explained } from '../text/chat-world.ts'
import { lasting } from '../text/responses-oracle.ts'
import { type ResponsesWorld, shareOnWires, weather } from '../text/responses-world.ts'
import { png } from './media-samples.ts'

let at: ResponsesWorld
let client: OpenAI
beforeAll(async () => {
  at = await shareOnWires('chat')
  client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
})
afterAll(() => at[Symbol.asyncDispose]())

const person = z.object({ name: z.string(), age: z.number().int() })

const asks: [string, ResponseCreateParamsNonStreaming][] = [
  ['an upstream', { model: 'test/model', input: 'hello' }],
  ['the sandbox in Persian', { model: 'sandbox/fast', input: 'سلام، حالت چطور است؟' }],
  ['parallel calls', { model: 'sandbox/fast', input: 'weather in Paris and in Tehran', tools: [weather] }],
  [
    'a schema',
    { model: 'sandbox/fast', input: 'a person', text: { format: zodTextFormat(person, 'person') } },
  ],
  ['a summary', { model: 'sandbox/reasoner', input: 'why?', reasoning: { effort: 'high', summary: 'auto' } }],
  ['a refusal', { model: 'sandbox/fast', input: '[[sandbox: refuse]]' }],
  ['a limit', { model: 'sandbox/fast', max_output_tokens: 3, input: 'count to 50' }],
]

describe.each(asks)('%s', (_, ask) => {
  test('answers whole, and its receipt is found by the request id that the client shows', async () => {
    const { data, request_id: id } = await client.responses.create(ask).withResponse()
    expect(data.output_text).toBe(lasting(data)['output_text'])
    const receipt = await explained(at.key, id!)
    expect(receipt.details.tokens).toMatchObject({
      input: data.usage?.input_tokens,
      output: data.usage?.output_tokens,
    })
  })

  test('gives the stream helper the same response as a whole answer', async () => {
    const { _request_id, ...whole } = (await client.responses.create(ask)) as OpenAI.Responses.Response & {
      _request_id: string
    }
    const types: string[] = []
    const helper = client.responses.stream(ask as Parameters<typeof client.responses.stream>[0])
    for await (const event of helper) types.push(event.type)
    const plain = JSON.parse(
      JSON.stringify(await helper.finalResponse(), (name, value) =>
        name === 'parsed' || name === 'output_parsed' || name === 'parsed_arguments' ? undefined : value,
      ),
    )
    expect(lasting(plain)).toEqual(lasting(whole))
    expect(types[0]).toBe('response.created')
    expect(types.at(-1)).toMatch(/^response\.(completed|incomplete)$/)
  })
})

test('deltas of text, calls and summaries are reported by the helper', async () => {
  const seen = new Map<string, string>()
  const note = (what: string, delta: string) => seen.set(what, (seen.get(what) ?? '') + delta)
  await client.responses
    .stream({
      model: 'sandbox/reasoner',
      input: 'weather in Paris',
      tools: [weather],
      reasoning: { summary: 'auto' },
    })
    .on('response.reasoning_summary_text.delta', ({ delta }) => note('summary', delta))
    .on('response.function_call_arguments.delta', ({ delta }) => note('arguments', delta))
    .finalResponse()
  expect(JSON.parse(seen.get('arguments')!)).toEqual({ city: 'Paris' })
  expect(seen.get('summary')?.length).toBeGreaterThan(0)
  await client.responses
    .stream({ model: 'sandbox/fast', input: 'count to 3' })
    .on('response.output_text.delta', ({ delta }) => note('text', delta))
    .finalResponse()
  expect(seen.get('text')).toBe('1, 2, 3')
})

test('parse() gives an object of the schema and parsed arguments', async () => {
  const parsed = await client.responses.parse({
    model: 'sandbox/fast',
    input: 'invent a person',
    text: { format: zodTextFormat(person, 'person') },
  })
  expect(person.parse(parsed.output_parsed)).toEqual(parsed.output_parsed)
  const tool = zodResponsesFunction({ name: 'get_weather', parameters: z.object({ city: z.string() }) })
  const called = await client.responses.parse({
    model: 'sandbox/fast',
    input: 'get_weather in Paris',
    tools: [tool],
    tool_choice: 'required',
  })
  expect(called.output[0]).toMatchObject({ type: 'function_call', parsed_arguments: { city: 'Paris' } })
})

test.each([{ streamed: false }, { streamed: true }])(
  'a conversation goes from question to calls to outputs to answer (streamed: $streamed)',
  async ({ streamed }) => {
    const input: ResponseInput = [{ role: 'user', content: 'the weather in Paris and in Tehran' }]
    const ask = { model: 'sandbox/reasoner', tools: [weather], reasoning: { summary: 'auto' as const } }
    const next = () =>
      streamed
        ? client.responses.stream({ ...ask, input }).finalResponse()
        : client.responses.create({ ...ask, input })
    const calling = await next()
    for (const item of calling.output) {
      input.push(item as ResponseInput[number])
    }
    for (const item of calling.output) {
      if (item.type !== 'function_call') continue
      const output = `${JSON.parse(item.arguments).city}: 21 °C`
      input.push({ type: 'function_call_output', call_id: item.call_id, output })
    }
    expect(input.map((item) => ('type' in item ? item.type : 'message'))).toEqual([
      'message',
      'reasoning',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ])
    const { output_text: answer } = await next()
    expect(answer).toContain('Paris: 21 °C')
    expect(answer).toContain('Tehran: 21 °C')
  },
)

test('a picture is taken by a model that sees', async () => {
  const image = {
    type: 'input_image' as const,
    image_url: `data:image/png;base64,${png}`,
    detail: 'auto' as const,
  }
  const text = { type: 'input_text' as const, text: 'what is this?' }
  const { output_text: answer } = await client.responses.create({
    model: 'sandbox/omni',
    input: [{ role: 'user', content: [text, image] }],
  })
  expect(answer).toMatch(/1\s?[x×]\s?1\b/)
})

test('an upstream that dies in the middle is a failed response with our code and message', async () => {
  at.upstream.replyOnce(stream([chunk({ content: 'half' }), cut]))
  const response = await client.responses.stream({ model: 'test/model', input: 'hello' }).finalResponse()
  expect(response.status).toBe('failed')
  expect(response.error).toMatchObject({
    code: 'UPSTREAM_FAILED',
    message: expect.stringMatching(/provider/),
  })
  expect(response.output_text).toBe('half')
})

test.each<[string, object, new (...args: never[]) => Error, object]>([
  ['400', { store: true }, OpenAI.BadRequestError, { code: 'INVALID_REQUEST', param: 'store' }],
  [
    '400',
    { previous_response_id: 'resp_1' },
    OpenAI.BadRequestError,
    { code: 'INVALID_REQUEST', param: 'previous_response_id' },
  ],
  ['404', { model: 'no/such' }, OpenAI.NotFoundError, { code: 'MODEL_NOT_FOUND', param: 'model' }],
])(
  '%s of %j is thrown as its own class with code, param and request id',
  async (status, body, Class, fields) => {
    const error = await client.responses.create({ model: 'sandbox/fast', input: 'x', ...body }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(Class)
    expect(error).toMatchObject({ status: Number(status), requestID: expect.any(String), ...fields })
  },
)
