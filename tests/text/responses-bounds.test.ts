/** Every bound of POST /v1/responses: the last accepted value and the first refused one. Lengths are counted in characters. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { emoji, persian } from './chat-bounds.ts'
import type { Json } from './responses-oracle.ts'
import { respond } from './responses-world.ts'

let world: World
let key: Client
beforeAll(async () => {
  world = await sharedWorld({ credits: 1_000_000 })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

const user = { role: 'user', content: 'hello' }
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'look', arguments: '{}' })
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'ok' })
const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
const tool = (more: Json = {}): Json => ({ type: 'function', name: 'look', parameters: {}, ...more })
const without = (from: Json, name: string): Json =>
  Object.fromEntries(Object.entries(from).filter(([field]) => field !== name))
const schemaFormat = (more: Json = {}) => ({
  text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, ...more } },
})
const numbers = (param: string, min: number, max: number, step: number) => ({
  param,
  edges: [{ [param]: min }, { [param]: max }, { [param]: null }],
  past: [{ [param]: min - step }, { [param]: max + step }, { [param]: '1' }],
})

/** Every bound of contract section 4, POST /v1/responses (text): just accepted, and one past it. */
const bounds: { param: string; edges: Json[]; past: Json[] }[] = [
  {
    param: 'instructions',
    edges: [{ instructions: persian(12_000) }, { instructions: emoji(12_000), model: 'sandbox/omni' }],
    past: [{ instructions: persian(12_001) }, { instructions: 1 }],
  },
  numbers('max_output_tokens', 1, 32_768, 1),
  numbers('temperature', 0, 2, 0.01),
  numbers('top_p', 0, 1, 0.01),
  numbers('presence_penalty', -2, 2, 0.01),
  numbers('frequency_penalty', -2, 2, 0.01),
  {
    param: 'tools',
    edges: [{ tools: [] }, { tools: Array.from({ length: 128 }, (_, at) => tool({ name: `t${at}` })) }],
    past: [{ tools: many(129, tool()) }, { tools: {} }],
  },
  {
    param: 'tools.0.description',
    edges: [{ tools: [tool({ description: persian(16_000) })] }, { tools: [tool({ description: null })] }],
    past: [{ tools: [tool({ description: persian(16_001) })] }],
  },
  {
    param: 'tools.0.name',
    edges: [{ tools: [tool()] }],
    past: [{ tools: [without(tool(), 'name')] }, { tools: [tool({ name: '' })] }],
  },
  {
    param: 'tools.0.parameters',
    edges: [{ tools: [tool()] }],
    past: [{ tools: [without(tool(), 'parameters')] }, { tools: [tool({ parameters: 'x' })] }],
  },
  {
    param: 'tools.0.strict',
    edges: [{ tools: [tool({ strict: true })] }],
    past: [{ tools: [tool({ strict: 'yes' })] }],
  },
  { param: 'tools.0.type', edges: [{ tools: [tool()] }], past: [{ tools: [without(tool(), 'type')] }] },
  {
    param: 'tool_choice',
    edges: [{ tool_choice: 'auto' }],
    past: [{ tool_choice: 'any' }, { tool_choice: 1 }, { tool_choice: 'required' }],
  },
  {
    param: 'tool_choice.name',
    edges: [],
    past: [{ tools: [tool()], tool_choice: { type: 'function', name: 'other' } }],
  },
  {
    param: 'tool_choice.tools.0.name',
    edges: [],
    past: [
      {
        tools: [tool()],
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'other' }] },
      },
    ],
  },
  {
    param: 'tool_choice.type',
    edges: [],
    past: [{ tools: [tool()], tool_choice: { type: 'custom', name: 'x' } }],
  },
  {
    param: 'text.verbosity',
    edges: [{ text: { verbosity: 'low' } }],
    past: [{ text: { verbosity: 'loud' } }],
  },
  {
    param: 'text.format.type',
    edges: [{ text: { format: { type: 'text' } } }],
    past: [{ text: { format: { type: 'xml' } } }],
  },
  { param: 'text.format.schema', edges: [schemaFormat()], past: [schemaFormat({ schema: undefined })] },
  { param: 'text.format.name', edges: [schemaFormat()], past: [schemaFormat({ name: undefined })] },
  {
    param: 'text.format.description',
    edges: [schemaFormat({ description: persian(16_000) })],
    past: [schemaFormat({ description: persian(16_001) })],
  },
  {
    param: 'reasoning.summary',
    edges: ['auto', 'concise', 'detailed', null].map((summary) => ({ reasoning: { summary } })),
    past: [{ reasoning: { summary: 'all' } }],
  },
  {
    param: 'reasoning.effort',
    edges: [{ model: 'sandbox/reasoner', reasoning: { effort: 'low' }, reasoning_effort: 'low' }],
    past: [
      { model: 'sandbox/reasoner', reasoning: { effort: 'low' }, reasoning_effort: 'high' },
      { model: 'sandbox/reasoner', reasoning: { effort: 'huge' } },
      { model: 'sandbox/fast', reasoning: { effort: 'low' } },
    ],
  },
  { param: 'reasoning_effort', edges: [], past: [{ model: 'sandbox/reasoner', reasoning_effort: 'huge' }] },
  { param: 'include_reasoning', edges: [{ include_reasoning: false }], past: [{ include_reasoning: 1 }] },
  { param: 'stream', edges: [{ stream: false }], past: [{ stream: 'yes' }] },
  { param: 'store', edges: [{ store: false }, { store: null }], past: [{ store: true }] },
  { param: 'web_search', edges: [{ web_search: false }], past: [{ web_search: true }, { web_search: 1 }] },
  {
    param: 'max_tool_calls',
    edges: [{ max_tool_calls: 1 }, { max_tool_calls: 128 }],
    past: [{ max_tool_calls: 0 }, { max_tool_calls: '1' }],
  },
  {
    param: 'tools.0.max_uses',
    edges: [],
    past: [0, 1.5].map((uses) => ({ tools: [{ type: 'kherad:web_fetch', max_uses: uses }] })),
  },
  {
    param: 'tools.0.max_content_tokens',
    edges: [{ tools: [{ type: 'kherad:web_fetch', max_uses: 5, max_content_tokens: 32_000 }] }],
    past: [0, 1.5].map((tokens) => ({
      tools: [{ type: 'kherad:web_fetch', max_content_tokens: tokens }],
    })),
  },
  {
    param: 'tools.1',
    edges: [],
    past: [{ tools: [tool(), { type: 'web_search' }] }, { tools: [tool(), { type: 'image_generation' }] }],
  },
  {
    param: 'previous_response_id',
    edges: [{ previous_response_id: null }],
    past: [{ previous_response_id: 'resp_1' }],
  },
  {
    param: 'conversation',
    edges: [],
    past: [{ conversation: 'conv_1' }, { conversation: { id: 'conv_1' } }],
  },
  { param: 'prompt', edges: [], past: [{ prompt: { id: 'pmpt_1' } }] },
  { param: 'background', edges: [{ background: false }], past: [{ background: true }] },
  {
    param: 'input',
    edges: [{ input: 'a' }, { input: many(1_000, user) }],
    past: [{ input: undefined }, { input: '' }, { input: [] }, { input: 1 }],
  },
  {
    param: 'input.0.content',
    edges: [],
    past: [{ input: [{ role: 'user' }] }, { input: [{ type: 'message', role: 'user' }] }],
  },
  {
    param: 'input.0.role',
    edges: [],
    past: [{ input: [{ role: 'robot', content: 'a' }] }, { input: [{ content: 'a' }] }],
  },
  {
    param: 'input.0.content.0.type',
    edges: [],
    past: [
      {
        input: [
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] },
        ],
      },
      { input: [{ role: 'user', content: [{ type: 'input_video' }] }] },
    ],
  },
  { param: 'input.1.type', edges: [], past: [{ input: [user, { type: 'item_reference', id: 'msg_1' }] }] },
  {
    param: 'input.1.call_id',
    edges: [{ input: [user, call('a'.repeat(200)), output('a'.repeat(200))] }],
    past: [{ input: [user, call('a'.repeat(201))] }, { input: [user, call('')] }],
  },
  {
    param: 'input.1.arguments',
    edges: [],
    past: [
      { input: [user, { ...call('a'), arguments: 'x'.repeat(1_000_001) }] },
      { input: [user, without(call('a'), 'arguments')] },
    ],
  },
  { param: 'input.0.output', edges: [], past: [{ input: [{ type: 'function_call_output', call_id: 'a' }] }] },
  { param: 'model', edges: [], past: [{ model: 'm'.repeat(201) }] },
]

describe('at its edge an input is accepted, past it refused before anything is held', () => {
  test.each(bounds)('$param', async ({ param, edges, past }) => {
    await world.settled()
    const before = await world.balance()
    for (const body of past)
      expectRefusal(await respond(key, body), { status: 400, param }, JSON.stringify(body).slice(0, 200))
    expect(await world.balance()).toEqual(before)
    for (const body of edges) {
      const reply = await respond(key, body)
      expect(reply.status, `${JSON.stringify(body).slice(0, 200)} ${reply.text.slice(0, 300)}`).toBe(200)
    }
    await world.settled()
  })
})
