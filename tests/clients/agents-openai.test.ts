/** Agent runs read by the official OpenAI client, as responses and as events. */
import OpenAI from 'openai'
import type { Stream } from 'openai/streaming'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { agentOf } from '../work/agents-world.ts'

type Response = OpenAI.Responses.Response & { agent_id: string; agent_events: string[] }

let world: World
let client: OpenAI
let runs: string
beforeAll(async () => {
  world = await sharedWorld()
  const key = await world.key()
  client = new OpenAI({ baseURL: world.url, apiKey: key.secret, maxRetries: 0 })
  runs = `${await agentOf(key, { name: 'پذیرش', model: 'sandbox/reasoner' })}/runs`
})
afterAll(() => world[Symbol.asyncDispose]())

test('a whole answer is a response', async () => {
  const reply = (await client.post(runs, { body: { input: 'سلام! ساعت کاری شما چیست؟' } })) as Response
  const [message] = reply.output.filter((item) => item.type === 'message')
  expect(message?.content[0]).toMatchObject({ type: 'output_text', text: reply.output_text })
  expect(runs).toContain(reply.agent_id)
})

test('a streamed answer is reported in events that the client puts together again', async () => {
  const body = { input: 'request_handoff, please', stream: true, include_reasoning: true }
  const events = (await client.post(runs, {
    body,
    stream: true,
  })) as Stream<OpenAI.Responses.ResponseStreamEvent>
  let last: Response | undefined
  let text = ''
  for await (const event of events) {
    if (event.type === 'response.output_text.delta') text += event.delta
    if (event.type === 'response.completed') last = event.response as Response
  }
  expect(text.length).toBeGreaterThan(0)
  expect(last).toMatchObject({ output_text: text, agent_events: ['agent.handoff'] })
})

test('a refusal is the error class of its status', async () => {
  const refused = client.post(runs, { body: { input: '' } })
  await expect(refused).rejects.toThrow(OpenAI.BadRequestError)
})
