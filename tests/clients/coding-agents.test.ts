/** Requests like those of coding agents, sent by the official clients that they use, through upstreams of all three wires. */
import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { ChatAnthropic } from '@langchain/anthropic'
import { generateText } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../text/responses-oracle.ts'
import { call } from '../text/scripted-answer.ts'
import { bootSearching, pages, type SearchWorld } from '../text/search-world.ts'

const wires = ['chat', 'responses', 'messages'] as const
const worlds = {} as Record<(typeof wires)[number], SearchWorld>
beforeAll(async () => {
  for (const wire of wires) worlds[wire] = await bootSearching({ wire, credits: 10_000 })
})
afterAll(async () => {
  for (const wire of wires) await worlds[wire][Symbol.asyncDispose]()
})

const tool = (name: string, more: object = {}) => ({
  name,
  description: 'd'.repeat(9_000),
  input_schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object' as const,
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  },
  ...more,
})

/** A turn of Claude Code: cached system blocks, many tools, edits of the context, a user's id of JSON, deferred tools that were searched for. */
const turn = {
  model: 'test/model',
  max_tokens: 32_000,
  temperature: 1,
  system: [
    { type: 'text' as const, text: 'x-anthropic-billing-header: cc_version=2.1.274; cc_entrypoint=cli;' },
    {
      type: 'text' as const,
      text: 'You are a coding agent. '.repeat(2_000),
      cache_control: { type: 'ephemeral' as const },
    },
  ],
  tools: [
    ...Array.from({ length: 140 }, (_, index) => tool(`mcp__server__tool_${index}`, { defer_loading: true })),
    tool('ToolSearch'),
  ].map((one) => ({ ...one, description: one.description.slice(0, 900) })),
  metadata: { user_id: JSON.stringify({ device_id: 'd'.repeat(64), session_id: 's'.repeat(36) }) },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  thinking: { type: 'enabled', budget_tokens: 10_000 },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>date</system-reminder>' },
        { type: 'text', text: 'go on' },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { path: 'x' } }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'tool_reference', tool_name: 'mcp__server__tool_7' }],
        },
      ],
    },
  ],
}
const betas = [
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'prompt-caching-scope-2026-01-05',
  'fine-grained-tool-streaming-2025-05-14',
]

describe.each(wires)('over an upstream of %s', (wire) => {
  const client = () =>
    new Anthropic({ baseURL: worlds[wire].world.url, apiKey: worlds[wire].key.secret, maxRetries: 0 })

  test('a turn of Claude Code with a search for tools and a budget calls the tool that was found', async () => {
    const at = worlds[wire]
    const first = at.upstream.calls.length
    at.answers({ text: 'Let me see.', calls: [call('call_1', 'mcp__server__tool_7', { path: 'a' })] })
    const asked = { ...turn, betas } as unknown as Parameters<Anthropic['beta']['messages']['stream']>[0]
    // The version that it speaks.
    const stream = client().beta.messages.stream(asked, { headers: { 'anthropic-version': '2023-06-01' } })
    const { response } = await stream.withResponse()
    const data = await stream.finalMessage()
    expect(data.stop_reason).toBe('tool_use')
    expect(data.content.at(-1)).toMatchObject({
      type: 'tool_use',
      name: 'mcp__server__tool_7',
      input: { path: 'a' },
    })
    const sent = (await at.upstream.call(first)).body as Json
    expect(sent['tools']).toHaveLength(141)
    if (wire === 'messages') expect(sent['thinking']).toEqual(turn.thinking)
    else expect(response.headers.get('x-mapped-fields')).toBe('thinking.budget_tokens=effort:medium')
  })

  test('its web search asks for eight uses, gets five and a header, and finds', async () => {
    const at = worlds[wire]
    at.answers({ calls: [call('call_1', 'web_search', { query: 'rate' })] }, { text: 'It is 61,200.' })
    const stream = client().beta.messages.stream({
      model: 'test/model',
      max_tokens: 2_048,
      system: [{ type: 'text', text: 'You are an assistant for performing a web search tool use' }],
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
      tool_choice: { type: 'tool', name: 'web_search' },
      messages: [{ role: 'user', content: 'Perform a web search for the query: rate' }],
      betas,
    })
    const { response } = await stream.withResponse()
    expect(response.headers.get('x-clamped-fields')).toBe('tools.0.max_uses=5')
    const message = await stream.finalMessage()
    const found = message.content.find(({ type }) => type === 'web_search_tool_result')
    expect(JSON.stringify(found)).toContain(pages.news.url)
    expect(message.stop_reason).toBe('end_turn')
  })

  test('an agent of the OpenAI client bounds its thinking on chat and Responses', async () => {
    const at = worlds[wire]
    const openai = new OpenAI({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret, maxRetries: 0 })
    const wish = { model: 'test/model', reasoning: { max_tokens: 20_000 } }
    const first = at.upstream.calls.length
    at.answers({ text: 'a' }, { text: 'b' })
    const chat = {
      ...wish,
      messages: [{ role: 'user', content: 'hi' }],
    } as OpenAI.ChatCompletionCreateParamsNonStreaming
    await openai.chat.completions.create(chat)
    await openai.responses.create({
      ...wish,
      max_output_tokens: 16_384,
      input: 'hi',
      reasoning: { max_tokens: 16_383 } as object,
    })
    for (const [index, budget] of [16_383, 16_383].entries()) {
      const sent = (await at.upstream.call(first + index)).body as Json
      const expected = {
        chat: { reasoning_effort: index === 0 ? 'high' : 'medium' },
        responses: { reasoning: { effort: index === 0 ? 'high' : 'medium' } },
        messages: { thinking: { type: 'enabled', budget_tokens: budget } },
      }
      expect(sent).toMatchObject(expected[wire])
    }
  })

  test('the AI SDK and LangChain send a budget of their own', async () => {
    const at = worlds[wire]
    const first = at.upstream.calls.length
    at.answers({ text: 'a' }, { text: 'b' })
    const provider = createAnthropic({ baseURL: `${at.world.url}/v1`, apiKey: at.key.secret })
    const thinking = { type: 'enabled' as const, budgetTokens: 2_000 }
    const answer = await generateText({
      model: provider('test/model'),
      prompt: 'hi',
      maxOutputTokens: 2_000,
      providerOptions: { anthropic: { thinking } },
    })
    expect(answer.text).toBe('a')
    const chat = new ChatAnthropic({
      model: 'test/model',
      apiKey: at.key.secret,
      anthropicApiUrl: at.world.url,
      maxTokens: 5_000,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      maxRetries: 0,
    })
    expect((await chat.invoke('hi')).text).toBe('b')
    for (const index of [0, 1])
      expect((await at.upstream.call(first + index)).body).toMatchObject(
        {
          chat: { reasoning_effort: 'low' },
          responses: { reasoning: { effort: 'low' } },
          messages: { thinking: { type: 'enabled', budget_tokens: 2_000 } },
        }[wire],
      )
  })
})

test('the Anthropic client lists the models with its key as x-api-key', async () => {
  const at = worlds.chat
  const client = new Anthropic({ baseURL: at.world.url, apiKey: at.key.secret })
  const ids: string[] = []
  for await (const model of client.models.list()) ids.push(model.id)
  expect(ids).toContain('test/model')
})

test('the helper of the older output_format has its JSON parsed by the Anthropic client', async () => {
  const at = worlds.messages
  at.answers({ text: '{"answer":42}' })
  const client = new Anthropic({ baseURL: at.world.url, apiKey: at.key.secret, maxRetries: 0 })
  const schema = { type: 'object', properties: { answer: { type: 'number' } } }
  const message = await client.beta.messages.create({
    model: 'test/model',
    max_tokens: 1_000,
    messages: [{ role: 'user', content: 'answer' }],
    output_format: { type: 'json_schema', schema },
    betas: ['structured-outputs-2025-11-13'],
  })
  expect(message.content).toMatchObject([{ type: 'text', text: '{"answer":42}' }])
  const sent = (await at.upstream.call(at.upstream.calls.length - 1)).body as Json
  expect(sent['output_config']).toEqual({ format: { type: 'json_schema', schema } })
})
