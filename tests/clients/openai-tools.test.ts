/** Tools with the official OpenAI client: automatic, forced, forbidden, parallel, and the complete loop. */
import OpenAI from 'openai'
import type {
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { weather } from '../text/chat-world.ts'

let world: World
let client: OpenAI
beforeAll(async () => {
  world = await sharedWorld()
  client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: (await world.key()).secret })
})
afterAll(() => world[Symbol.asyncDispose]())

const clock = {
  type: 'function' as const,
  function: {
    name: 'get_time',
    description: 'The time now.',
    parameters: { type: 'object', properties: { zone: { type: 'string' } } },
  },
}
const tools = [weather, clock]
const model = 'sandbox/fast'

async function callsOf(
  content: string,
  more: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
): Promise<ChatCompletionMessageFunctionToolCall[]> {
  const { choices } = await client.chat.completions.create({
    model,
    tools,
    messages: [{ role: 'user', content }],
    ...more,
    stream: false,
  })
  const calls = choices[0]?.message.tool_calls ?? []
  expect(choices[0]?.finish_reason).toBe(calls.length > 0 ? 'tool_calls' : 'stop')
  return calls.filter((call) => call.type === 'function')
}

const namesOf = (calls: ChatCompletionMessageFunctionToolCall[]) => calls.map((call) => call.function.name)

test('tools are called when the question needs them, and left alone when not', async () => {
  expect(namesOf(await callsOf('what is the weather in Tehran?'))).toEqual(['get_weather'])
  expect(await callsOf('tell me a joke')).toEqual([])
})

test('a tool that is forced is called, one that is forbidden is not', async () => {
  expect(
    namesOf(await callsOf('a joke', { tool_choice: { type: 'function', function: { name: 'get_time' } } })),
  ).toEqual(['get_time'])
  expect(await callsOf('a joke', { tool_choice: 'required' })).toHaveLength(1)
  expect(await callsOf('what is the weather in Tehran?', { tool_choice: 'none' })).toEqual([])
})

test('several calls come at once with ids of their own, or one by one when parallel calls are off', async () => {
  const question = 'the weather in Paris, in Tehran and in Berlin'
  const calls = await callsOf(question)
  expect(calls.map((call) => JSON.parse(call.function.arguments).city)).toEqual(['Paris', 'Tehran', 'Berlin'])
  expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  expect(await callsOf(question, { parallel_tool_calls: false })).toHaveLength(1)
})

test.each([{ streamed: false }, { streamed: true }])(
  'a conversation goes from question to calls to results to answer (streamed: $streamed)',
  async ({ streamed }) => {
    const messages: ChatCompletionMessageParam[] = [
      { role: 'user', content: 'the weather in Paris and in Tehran' },
    ]
    const ask = async () => {
      if (!streamed)
        return (await client.chat.completions.create({ model, tools, messages })).choices[0]?.message
      return (await client.chat.completions.stream({ model, tools, messages }).finalChatCompletion())
        .choices[0]?.message
    }
    const calling = await ask()
    messages.push(calling!)
    for (const call of calling?.tool_calls ?? []) {
      if (call.type !== 'function') continue
      const { city } = JSON.parse(call.function.arguments)
      messages.push({ role: 'tool', tool_call_id: call.id, content: `${city}: 21 °C` })
    }
    expect(messages).toHaveLength(4)
    const answer = await ask()
    expect(answer?.tool_calls ?? []).toEqual([])
    expect(answer?.content).toContain('Paris: 21 °C')
    expect(answer?.content).toContain('Tehran: 21 °C')
  },
)

test.each([{ streamed: false }, { streamed: true }])(
  'runTools runs the functions and comes back with the answer (streamed: $streamed)',
  async ({ streamed }) => {
    const asked: string[] = []
    const tool = {
      type: 'function' as const,
      function: {
        ...weather.function,
        parse: (text: string) => JSON.parse(text) as { city: string },
        function: ({ city }: { city: string }) => {
          asked.push(city)
          return `${city} is sunny`
        },
      },
    }
    const body = {
      model,
      messages: [{ role: 'user' as const, content: 'the weather in Paris and in Tehran' }],
      tools: [tool],
    }
    const runner = streamed
      ? client.chat.completions.runTools({ ...body, stream: true })
      : client.chat.completions.runTools({ ...body, stream: false })
    const answer = await runner.finalContent()
    expect(asked).toEqual(['Paris', 'Tehran'])
    expect(answer).toContain('Paris is sunny')
    expect(answer).toContain('Tehran is sunny')
  },
)
