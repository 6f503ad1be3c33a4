/** The OpenAI Agents SDK, on both APIs of its client: a run with a tool, streamed and non-streamed, and an output type. */
import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from '@openai/agents'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'

let world: World
let client: OpenAI
beforeAll(async () => {
  setTracingDisabled(true)
  world = await sharedWorld()
  client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: (await world.key()).secret })
})
afterAll(() => world[Symbol.asyncDispose]())

const getWeather = tool({
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `${city} is sunny`,
})
const person = z.object({ name: z.string(), age: z.number().int() })

describe.each([
  ['responses', () => new OpenAIResponsesModel(client, 'sandbox/fast')],
  ['chat', () => new OpenAIChatCompletionsModel(client, 'sandbox/fast')],
] as const)('by %s', (_, model) => {
  test('an agent calls its tools and comes back with the answer, whole and streamed', async () => {
    const agent = new Agent({ name: 'guide', instructions: 'Be brief.', model: model(), tools: [getWeather] })
    const question = 'the weather in Paris and in Tehran'
    const whole = await run(agent, question)
    expect(whole.finalOutput).toContain('Paris is sunny')
    expect(whole.finalOutput).toContain('Tehran is sunny')

    const streamed = await run(agent, question, { stream: true })
    let text = ''
    for await (const piece of streamed.toTextStream()) text += piece
    await streamed.completed
    expect(text).toBe(whole.finalOutput)
  })

  test('an output type is an object of it', async () => {
    const agent = new Agent({ name: 'writer', model: model(), outputType: person })
    const { finalOutput } = await run(agent, 'invent a person')
    expect(person.parse(finalOutput)).toEqual(finalOutput)
  })
})
