/** Hosted tools through the clients of the messages wire: the official one and the Vercel AI SDK, which stops at unknown blocks. */
import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { weather } from '../text/messages-world.ts'
import { call, type ScriptedAnswer } from '../text/scripted-answer.ts'
import { bootWithTools, findings, heard, type ToolsWorld } from '../text/tools-world.ts'

let at: ToolsWorld
beforeAll(async () => {
  at = await bootWithTools('chat', { credits: 100_000 })
})
afterAll(() => at[Symbol.asyncDispose]())

const search = call('call_1', 'web_search', { query: 'خبر' })
const link = `[خبر یک](${findings[0]?.url})`

describe('@anthropic-ai/sdk', () => {
  const ask = (tools: Anthropic.MessageCreateParams['tools'], content = 'hello') => ({
    model: 'test/model',
    max_tokens: 1024,
    tools: tools!,
    messages: [{ role: 'user' as const, content }],
  })
  const client = () => new Anthropic({ baseURL: at.world.url, apiKey: null, authToken: at.key.secret })

  test('the tool runner, which asks for a conversation that is kept, goes on without one and comes to its end', async () => {
    const first = at.upstream.calls.length
    at.answers({ calls: [call('call_1', 'get_weather', { city: 'Qom' })] }, { text: 'آفتابی است.' })
    const cities: unknown[] = []
    const run = (input: unknown): string => {
      cities.push(input)
      return 'sunny'
    }
    const runner = client().beta.messages.toolRunner({
      ...ask([]),
      tools: [{ ...weather, type: 'custom', run, parse: (input: unknown) => input } as never],
    })
    const last = await runner
    expect(last.content).toMatchObject([{ type: 'text', text: 'آفتابی است.' }])
    expect(cities).toEqual([{ city: 'Qom' }])
    expect(at.upstream.calls.length - first).toBe(2)
  })

  test.each<[string, ScriptedAnswer[], () => Parameters<typeof ask>]>([
    [
      'a search with a citation',
      [{ text: 'می‌گردم.', calls: [search] }, { text: `گران شد ${link}. تمام.` }],
      () => [[{ type: 'web_search_20260209', name: 'web_search', max_uses: 2 }]],
    ],
    [
      'a fetch',
      [{ calls: [call('call_1', 'web_fetch', { url: 'https://pages.example.test/x' })] }, { text: 'ok' }],
      () => [[{ type: 'web_fetch_20250910', name: 'web_fetch' }], 'https://pages.example.test/x'],
    ],
    [
      'a script and a call of the caller',
      [
        {
          calls: [
            call('call_1', 'bash', { command: 'echo 1' }),
            call('call_2', 'get_weather', { city: 'Qom' }),
          ],
        },
      ],
      () => [[weather, { type: 'kherad:bash' } as never]],
    ],
  ])('finalMessage() of a stream is the whole answer: %s', async (_, answer, params) => {
    at.answers(...answer)
    const { id: _id, ...whole } = await client().messages.create(ask(...params()))
    // Of usage the client's helper puts together only what it knows; who reads the events has the cost too (cost.test.ts).
    for (const field of ['credits', 'microcredits']) Reflect.deleteProperty(whole.usage, field)
    at.answers(...answer)
    const helper = client().messages.stream(ask(...params()))
    const { id: _other, parsed_output: _parsed, ...streamed } = await helper.finalMessage()
    expect(JSON.parse(JSON.stringify(streamed))).toEqual(whole)
    expect(whole.content.map(({ type }) => type)).toContain('server_tool_use')
  })

  test('a loop over pause_turn comes to its end by sending content back', async () => {
    const steps = Array.from({ length: 7 }, (_, place) => ({
      calls: [call(`call_${place}`, 'web_search', { query: `${place}` })],
    }))
    at.answers(...steps, { text: 'done' })
    const params = ask([{ type: 'web_search_20250305', name: 'web_search' }])
    const reasons: (string | null)[] = []
    let reply: Anthropic.Message
    do {
      reply = await client().messages.create(params)
      reasons.push(reply.stop_reason)
      params.messages = [...params.messages, { role: 'assistant', content: reply.content } as never]
    } while (reply.stop_reason === 'pause_turn')
    expect(reasons).toEqual(['pause_turn', 'end_turn'])
    expect(heard(at.upstream.calls.at(-1)!).filter((line) => line.startsWith('result'))).toHaveLength(7)
  })
})

describe('Vercel AI SDK', () => {
  const provider = () => createAnthropic({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret })
  const asked = () => ({
    model: provider()('test/model'),
    prompt: 'news?',
    tools: { web_search: provider().tools.webSearch_20250305({ maxUses: 3 }) },
  })
  const answer = [{ text: 'Looking.', calls: [search] }, { text: `So it is ${link}. Done.` }]

  test('the search of its provider tool is parsed, whole', async () => {
    at.answers(...answer)
    const whole = await generateText(asked())
    expect(whole.finishReason).toBe('stop')
    expect(whole.toolCalls).toMatchObject([
      { toolName: 'web_search', input: { query: 'خبر' }, providerExecuted: true },
    ])
    expect(whole.toolResults[0]?.output).toMatchObject(findings.map(({ url, title }) => ({ url, title })))
    expect(whole.sources.map((source) => source.sourceType === 'url' && source.url)).toContain(
      findings[0]?.url,
    )
  })

  test('streamed, nothing of it is an error', async () => {
    at.answers(...answer)
    const streamed = streamText(asked())
    const parts: { type: string }[] = []
    for await (const part of streamed.fullStream) parts.push(part)
    const kinds = parts.map(({ type }) => type)
    expect(kinds).not.toContain('error')
    expect(kinds).toEqual(expect.arrayContaining(['tool-input-delta', 'tool-call', 'tool-result', 'source']))
    expect(await streamed.text).toContain('Done.')
  })

  test('a failed search is a failed tool, no failed answer', async () => {
    at.answers({ calls: [call('call_1', 'web_search', { query: '' })] }, { text: 'ok' })
    const { content, text } = await generateText(asked())
    expect(content.map(({ type }) => type)).toContain('tool-error')
    expect(text).toBe('ok')
  })

  test('a search beside its own tools goes on over several steps, sent back as the client writes it', async () => {
    const own = tool({
      description: 'The weather of a city.',
      inputSchema: jsonSchema<{ city: string }>(weather.input_schema as object),
      execute: async ({ city }) => `${city} is sunny`,
    })
    at.answers({ calls: [search, call('call_2', 'get_weather', { city: 'Qom' })] }, { text: 'ok' })
    const whole = await generateText({
      ...asked(),
      tools: { ...asked().tools, get_weather: own },
      stopWhen: isStepCount(3),
    })
    expect(whole.text).toBe('ok')
    const lines = heard(at.upstream.calls.at(-1)!)
    expect(lines.slice(1)).toEqual([
      'call call_1: web_search {"query":"خبر"}',
      'call call_2: get_weather {"city":"Qom"}',
      expect.stringContaining('متن خبر یک'),
      expect.stringContaining('Qom is sunny'),
    ])
  })
})
