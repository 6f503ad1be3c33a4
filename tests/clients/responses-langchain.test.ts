/** LangChain's OpenAI chat model on the responses wire. */
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'

let world: World
let model: ChatOpenAI
beforeAll(async () => {
  world = await sharedWorld()
  model = new ChatOpenAI({
    model: 'sandbox/fast',
    apiKey: (await world.key()).secret,
    configuration: { baseURL: `${world.url}/v1` },
    useResponsesApi: true,
    maxRetries: 0,
  })
})
afterAll(() => world[Symbol.asyncDispose]())

const getWeather = tool(async ({ city }: { city: string }) => `${city} is sunny`, {
  name: 'get_weather',
  description: 'The weather of a city.',
  schema: z.object({ city: z.string() }),
})

test('invoke and stream say the same, with usage', async () => {
  const whole = await model.invoke('tell me about cats')
  expect(whole.text.length).toBeGreaterThan(0)
  expect(whole).toMatchObject({ usage_metadata: { output_tokens: expect.any(Number) } })
  let text = ''
  for await (const piece of await model.stream('tell me about cats')) text += piece.text
  expect(text).toBe(whole.text)
})

test('a conversation goes from question to calls to results to answer', async () => {
  const bound = model.bindTools([getWeather])
  const question = new HumanMessage('the weather in Paris and in Tehran')
  const calling = await bound.invoke([question])
  const calls = calling.tool_calls ?? []
  expect(calls.map(({ args }) => args['city'])).toEqual(['Paris', 'Tehran'])
  const results = calls.map(
    ({ id, args }) => new ToolMessage({ tool_call_id: id!, content: `${args['city']} is sunny` }),
  )
  const answer = await bound.invoke([question, calling, ...results])
  expect(answer.text).toContain('Paris is sunny')
  expect(answer.text).toContain('Tehran is sunny')
})

test('structured output is an object of the schema', async () => {
  const person = z.object({ name: z.string(), age: z.number().int() })
  const parsed = await model.withStructuredOutput(person).invoke('invent a person')
  expect(person.parse(parsed)).toEqual(parsed)
})

test('an unknown model is told in the words that the client looks for', async () => {
  const lost = new ChatOpenAI({
    model: 'no/such',
    apiKey: model.apiKey as string,
    configuration: { baseURL: `${world.url}/v1` },
    useResponsesApi: true,
    maxRetries: 0,
  })
  await expect(lost.invoke('hello')).rejects.toThrow(/does not exist/)
})
