/** Hosted search, through the search tools of common clients. */
import { createOpenAI } from '@ai-sdk/openai'
import { ChatOpenAI, tools as langchain } from '@langchain/openai'
import { Agent, OpenAIResponsesModel, run, setTracingDisabled, webSearchTool } from '@openai/agents'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import type { ResponseInput } from 'openai/resources/responses/responses'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { lasting } from '../text/responses-oracle.ts'
import { call } from '../text/scripted-answer.ts'
import { bootSearching, pages, type SearchWorld } from '../text/search-world.ts'

let at: SearchWorld
let client: OpenAI
beforeAll(async () => {
  setTracingDisabled(true)
  at = await bootSearching()
  client = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
})
afterAll(() => at[Symbol.asyncDispose]())

const searching = { calls: [call('call_1', 'web_search', { query: 'rate' })] }
const text = `61,200 [here](${pages.news.url}).`
const urls = Object.values(pages).map(({ url }) => url)
/** A search and its answer, as often as it is asked for. */
beforeEach(() => at.answers(searching, { text }, searching, { text }))

describe('the OpenAI client', () => {
  const ask = {
    model: 'test/model',
    input: 'The rate?',
    store: false,
    tools: [{ type: 'web_search' as const, filters: { allowed_domains: ['example.ir', 'example.com'] } }],
    include: ['web_search_call.action.sources' as const],
  }

  test('gets the same response whole and by its stream helper, with searches and annotations', async () => {
    const whole = await client.responses.create(ask)
    expect(whole.output_text).toBe(text)
    const [search, message] = whole.output
    expect(search).toMatchObject({
      type: 'web_search_call',
      action: { type: 'search', sources: urls.map((url) => ({ type: 'url', url })) },
    })
    expect(message).toMatchObject({ content: [{ annotations: [{ type: 'url_citation', url: urls[0] }] }] })
    const types: string[] = []
    const helper = client.responses.stream(ask)
    for await (const event of helper) types.push(event.type)
    const final = JSON.parse(
      JSON.stringify(await helper.finalResponse(), (name, value) =>
        name === 'parsed' || name === 'output_parsed' ? undefined : value,
      ),
    )
    const { _request_id, ...plain } = whole as OpenAI.Responses.Response & { _request_id: string }
    expect(lasting(final)).toEqual(lasting(plain))
    for (const step of ['in_progress', 'searching', 'completed'])
      expect(types).toContain(`response.web_search_call.${step}`)
    expect(types).toContain('response.output_text.annotation.added')
  })

  test('parses an answer that rests on a search', async () => {
    const rate = z.object({ tomans: z.number() })
    at.answers(searching, { text: '{"tomans":61200}' })
    const format = zodTextFormat(rate, 'rate')
    const { output_parsed: parsed } = await client.responses.parse({ ...ask, text: { format } })
    expect(parsed).toEqual({ tomans: 61_200 })
  })

  test('goes on by sending the output back', async () => {
    const first = await client.responses.create(ask)
    const input = [
      { role: 'user', content: 'The rate?' },
      ...first.output,
      { role: 'user', content: 'Sure?' },
    ] as ResponseInput
    at.answers({ text: 'Yes.' })
    expect((await client.responses.create({ ...ask, input })).output_text).toBe('Yes.')
  })
})

test('the AI SDK shows searches, sources and text, whole and streamed', async () => {
  const provider = createOpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret })
  const model = {
    model: provider.responses('test/model'),
    tools: { web_search: provider.tools.webSearch({ searchContextSize: 'low' }) },
    providerOptions: { openai: { store: false } },
  }
  const ask = { ...model, prompt: 'The rate?' }
  const whole = await generateText(ask)
  expect(whole.text).toBe(text)
  const found = (sources: typeof whole.sources) =>
    sources.flatMap((source) => (source.sourceType === 'url' ? [source.url] : []))
  expect(found(whole.sources)).toEqual(expect.arrayContaining(urls))
  expect(whole.toolResults).toMatchObject([
    { toolName: 'web_search', output: { action: { type: 'search', query: 'rate' } } },
  ])
  const streamed = streamText(ask)
  const kinds = new Set<string>()
  for await (const part of streamed.fullStream) kinds.add(part.type)
  expect(kinds).not.toContain('error')
  expect(await streamed.text).toBe(text)
  expect(found(await streamed.sources)).toEqual(found(whole.sources))

  at.answers({ text: 'Yes.' })
  const { messages } = await streamed.response
  const next = await generateText({
    ...model,
    messages: [{ role: 'user', content: 'The rate?' }, ...messages, { role: 'user', content: 'Sure?' }],
  })
  expect(next.text).toBe('Yes.')
})

test('an agent of the Agents SDK searches, whole and streamed', async () => {
  const agent = new Agent({
    name: 'guide',
    model: new OpenAIResponsesModel(client, 'test/model'),
    tools: [webSearchTool()],
  })
  const whole = await run(agent, 'The rate?')
  expect(whole.finalOutput).toBe(text)
  expect(whole.newItems.map(({ type }) => type)).toEqual(['tool_call_item', 'message_output_item'])
  const streamed = await run(agent, 'The rate?', { stream: true })
  let answer = ''
  for await (const piece of streamed.toTextStream()) answer += piece
  await streamed.completed
  expect(answer).toBe(text)

  at.answers({ text: 'Yes.' })
  const next = await run(agent, [...whole.history, { role: 'user', content: 'Sure?' }])
  expect(next.finalOutput).toBe('Yes.')
})

test('LangChain searches, whole and streamed, and knows the pages', async () => {
  const model = new ChatOpenAI({
    model: 'test/model',
    apiKey: at.key.secret,
    configuration: { baseURL: `${at.world.url}/v1` },
    useResponsesApi: true,
    maxRetries: 0,
  }).bindTools([langchain.webSearch()])
  const whole = await model.invoke('The rate?')
  expect(whole.text).toBe(text)
  expect(JSON.stringify(whole.content)).toContain(urls[0])
  let answer = ''
  for await (const piece of await model.stream('The rate?')) answer += piece.text
  expect(answer).toBe(text)
})
