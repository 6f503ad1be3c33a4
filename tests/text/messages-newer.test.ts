/** Fields of the messages wire that are newer than the contract, through upstreams of all three wires. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Seen } from '../harness/client.ts'
import { json } from '../harness/upstream.ts'
import { explained, requestIdOf } from './chat-world.ts'
import { assistant, message, toolResult, toolUse, upstreamMessage, user, weather } from './messages-world.ts'
import { bootOnWires, type ResponsesWorld } from './responses-world.ts'
import { says } from './scripted-answer.ts'

const wires = ['chat', 'responses', 'messages'] as const
type Wire = (typeof wires)[number]
type Json = Record<string, unknown>

const worlds = {} as Record<Wire, ResponsesWorld>
beforeAll(async () => {
  for (const wire of wires) worlds[wire] = await bootOnWires(wire, { credits: 10_000 })
})
afterAll(async () => {
  for (const wire of wires) await worlds[wire][Symbol.asyncDispose]()
})

/** What the upstream was told, and the answer. */
async function ask(wire: Wire, body: Json, headers: Record<string, string> = {}) {
  const { upstream, key } = worlds[wire]
  const first = upstream.calls.length
  upstream.reply((call) => says(wire, { text: '{"a":1}' }, call))
  const reply = await message(key, body, headers)
  expect(reply.status, reply.text).toBe(200)
  const call = await upstream.call(first)
  return { sent: call.body as Json, headers: call.headers, reply }
}
const reserved = async (wire: Wire, reply: Seen): Promise<bigint> => {
  await worlds[wire].world.settled()
  return BigInt((await explained(worlds[wire].key, requestIdOf(reply))).reserved_microcredits)
}
const ignored = (reply: Seen) => reply.headers.get('x-ignored-fields')

describe('output_format, the older name of output_config.format', () => {
  const format = { type: 'json_schema', schema: { type: 'object', properties: { a: { type: 'number' } } } }

  test.each([false, true])('has its schema kept by every upstream (streamed: %s)', async (stream) => {
    const { sent: own, reply } = await ask('messages', { output_format: format, stream })
    expect(own['output_config']).toEqual({ format })
    expect(own).not.toHaveProperty('output_format')
    expect(ignored(reply)).toBeNull()
    const { sent: chat } = await ask('chat', { output_format: format, stream })
    expect(chat['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: { schema: format.schema },
    })
    const { sent: responses } = await ask('responses', { output_format: format, stream })
    expect(responses['text']).toMatchObject({ format: { type: 'json_schema', schema: format.schema } })
  })

  test('stands beside an effort, and null is none', async () => {
    const { sent } = await ask('messages', { output_format: format, output_config: { effort: 'low' } })
    expect(sent['output_config']).toEqual({ effort: 'low', format })
    const none = await ask('messages', { output_format: null })
    expect(none.sent).not.toHaveProperty('output_config')
    expect(ignored(none.reply)).toBeNull()
  })

  test('is refused by its own name: beside the newer one, without a schema, and with more than one', async () => {
    const { key } = worlds.messages
    const refused = (body: Json, param: string, code = 'INVALID_REQUEST') =>
      message(key, body).then((reply) => expectRefusal(reply, { status: 400, code, param }))
    await refused({ output_format: format, output_config: { format } }, 'output_format')
    await refused({ output_format: { type: 'json_schema' } }, 'output_format.schema')
    await refused({ output_format: { ...format, name: 'x' } }, 'output_format.name', 'UNKNOWN_FIELD')
  })
})

describe('context_management', () => {
  const compact = {
    type: 'compact_20260112',
    trigger: { type: 'input_tokens', value: 50_000 },
    instructions: 'Keep the names.',
    pause_after_compaction: true,
  }
  const tomorrow = { type: 'summarise_20270101', depth: { levels: 3 }, keep: ['a'] }
  const clearing = { type: 'clear_tool_uses_20250919', keep: { type: 'tool_uses', value: 3 } }

  test('goes to an upstream of the wire as it came: known edits, the newest, and those of tomorrow', async () => {
    const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }, clearing, compact, tomorrow]
    const beta = 'context-management-2025-06-27,compact-2026-01-12'
    const { sent, headers, reply } = await ask(
      'messages',
      { context_management: { edits } },
      { 'anthropic-beta': beta },
    )
    expect(sent['context_management']).toEqual({ edits })
    expect(headers['anthropic-beta']).toBe(beta)
    expect(ignored(reply)).toBeNull()
  })

  test.each(['chat', 'responses'] as const)(
    'over %s is named as ignored, and costs no more hold',
    async (wire) => {
      const { sent, reply } = await ask(wire, { context_management: { edits: [compact, tomorrow] } })
      expect(JSON.stringify(sent)).not.toContain('Keep the names')
      expect(ignored(reply)).toBe('context_management')
      expect(await reserved(wire, reply)).toBe(await reserved(wire, (await ask(wire, {})).reply))
    },
  )

  test('a known edit with a field that it has not, an edit without a type, and too many are refused', async () => {
    const refused = async (edits: unknown[], param: string, code = 'INVALID_REQUEST') =>
      expectRefusal(await message(worlds.messages.key, { context_management: { edits } }), {
        status: 400,
        code,
        param: `context_management.${param}`,
      })
    await refused([{ ...compact, surprise: 1 }], 'edits.0.surprise', 'UNKNOWN_FIELD')
    await refused([{ keep: 'all' }], 'edits.0.type')
    await refused(Array(11).fill(clearing), 'edits')
  })

  test('what may sum the conversation up is held for twice, and the summary is charged', async () => {
    const long = { messages: [user('a word '.repeat(2_000))] }
    const plain = await reserved('messages', (await ask('messages', long)).reply)
    const cleared = await ask('messages', { ...long, context_management: { edits: [clearing] } })
    const summed = await ask('messages', { ...long, context_management: { edits: [compact] } })
    const unknown = await ask('messages', { ...long, context_management: { edits: [tomorrow] } })
    expect((await reserved('messages', cleared.reply)) - plain).toBeLessThan(plain / 10n)
    for (const { reply } of [summed, unknown])
      expect(await reserved('messages', reply)).toBeGreaterThan(2n * plain)
    const { upstream, key, world } = worlds.messages
    const tokens = { input_tokens: 1_000, output_tokens: 100 }
    const usage = {
      ...tokens,
      iterations: [
        { type: 'compaction', ...tokens },
        { type: 'message', ...tokens },
      ],
    }
    const block = { type: 'compaction', content: 'They spoke of words.', encrypted_content: 'seal' }
    upstream.replyOnce(json(200, upstreamMessage([block, { type: 'text', text: 'ok' }], { usage })))
    const reply = await message(key, { ...long, context_management: { edits: [compact] } })
    expect(reply.body.content).toEqual([block, { type: 'text', text: 'ok' }])
    await world.settled()
    const { microcredits } = await explained(key, requestIdOf(reply))
    expect(BigInt(microcredits)).toBe(2n * (1_000n * 1_000n + 100n * 2_000n))
  })

  test('a summary comes back with the conversation: as it was to its wire, as words to others, and none where it failed', async () => {
    const summary = {
      type: 'compaction',
      content: 'They spoke of words.',
      encrypted_content: 'seal',
      signature: 'sig',
      tool_changes: null,
      cache_control: { type: 'ephemeral' },
    }
    const messages = [user('a'), assistant([summary]), user('b')]
    expect((await ask('messages', { messages })).sent['messages']).toEqual(messages)
    for (const wire of ['chat', 'responses'] as const) {
      const sent = JSON.stringify((await ask(wire, { messages })).sent)
      expect(sent).toContain('They spoke of words.')
      expect(sent).not.toContain('seal')
      await ask(wire, {
        messages: [user('a'), assistant([{ type: 'compaction', content: null }]), user('b')],
      })
    }
  })
})

test('ids that differ by their prefix alone are two calls for upstreams of other wires', async () => {
  const messages = [
    user('weather?'),
    assistant([toolUse('toolu_1', { city: 'Yazd' }), toolUse('1', { city: 'Qom' })]),
    user([toolResult('1', 'of Qom'), toolResult('toolu_1', 'of Yazd')]),
  ]
  const { sent: chat } = await ask('chat', { messages, tools: [weather] })
  const [, { tool_calls: called }, ...told] = chat['messages'] as Json[] as [Json, { tool_calls: Json[] }]
  expect(called.map(({ id }) => id)).toEqual(['1', 'toolu_1'])
  expect(told).toMatchObject([
    { tool_call_id: 'toolu_1', content: 'of Qom' },
    { tool_call_id: '1', content: 'of Yazd' },
  ])
  const { sent } = await ask('responses', { messages, tools: [weather] })
  expect((sent['input'] as Json[]).slice(1)).toMatchObject([
    { call_id: '1', arguments: '{"city":"Yazd"}' },
    { call_id: 'toolu_1', arguments: '{"city":"Qom"}' },
    { call_id: 'toolu_1', output: 'of Qom' },
    { call_id: '1', output: 'of Yazd' },
  ])
})

describe('a search for tools that the caller runs', () => {
  const reference = { type: 'tool_reference', tool_name: 'get_weather' }
  const search = { name: 'ToolSearch', description: 'Finds tools.', input_schema: { type: 'object' } }
  const body = {
    tools: [search, { ...weather, defer_loading: true }],
    messages: [
      user('weather?'),
      assistant([{ type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { query: 'weather' } }]),
      user([toolResult('toolu_1', [reference])]),
    ],
  }

  test.each([false, true])(
    'is passed on to its wire, and costs no refused call over others (streamed: %s)',
    async (stream) => {
      const own = await ask('messages', { ...body, stream })
      expect(own.sent['messages']).toEqual(body.messages)
      expect(own.sent['tools']).toEqual(body.tools)
      const chat = await ask('chat', { ...body, stream })
      expect(chat.sent['messages']).toContainEqual({
        role: 'tool',
        tool_call_id: expect.any(String),
        content: expect.stringContaining('get_weather'),
      })
      expect((chat.sent['tools'] as Json[]).map((tool) => (tool['function'] as Json)['name'])).toEqual([
        'ToolSearch',
        'get_weather',
      ])
      expect(JSON.stringify(chat.sent)).not.toContain('defer_loading')
      const responses = await ask('responses', { ...body, stream })
      expect(JSON.stringify(responses.sent['input'])).toContain('get_weather')
      expect(JSON.stringify(responses.sent)).not.toMatch(/defer_loading|tool_reference/)
    },
  )
})
