/** Which parts of an input reach an upstream of the chat wire, and which parts of its answer reach the caller. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { png } from '../clients/media-samples.ts'
import { expectRefusal } from '../contract/refusal.ts'
import { pdfOf } from '../core/tools/pdf.ts'
import { chunk, cut, done, json, stream } from '../harness/upstream.ts'
import { explained, requestIdOf } from './chat-world.ts'
import { eventsIn, type Json, responseIn } from './responses-oracle.ts'
import { type ResponsesWorld, respond, shareOnWires, weather } from './responses-world.ts'

let at: ResponsesWorld
beforeAll(async () => {
  at = await shareOnWires('chat')
})
afterAll(() => at[Symbol.asyncDispose]())

/** The body that the upstream got for this question. */
async function sentFor(body: Json): Promise<Json> {
  const position = at.upstream.calls.length
  const reply = await respond(at.key, body)
  expect(reply.status, reply.text).toBe(200)
  return (await at.upstream.call(position)).body as Json
}

const call = (id: string, city: string) => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'get_weather',
  arguments: JSON.stringify({ city }),
})
const called = (id: string, city: string) => ({
  id,
  type: 'function',
  function: { name: 'get_weather', arguments: JSON.stringify({ city }) },
})

test('a conversation keeps its order; instructions come first, calls side by side are one message', async () => {
  const { messages } = await sentFor({
    instructions: 'Be brief.',
    tools: [weather],
    input: [
      { role: 'developer', content: 'Metric units.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Paris' },
          { type: 'input_text', text: 'and Tehran?' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'two cities' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Let me look.' }] },
      call('a', 'Paris'),
      call('b', 'Tehran'),
      { type: 'function_call_output', call_id: 'a', output: '21 °C' },
      { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: '25 °C' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No more.' }] },
      call('c', 'Berlin'),
      { type: 'function_call_output', call_id: 'c', output: '' },
      { role: 'system', content: 'Answer now.' },
    ],
  })
  expect(messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'system', content: 'Metric units.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Paris' },
        { type: 'text', text: 'and Tehran?' },
      ],
    },
    { role: 'assistant', content: 'Let me look.', tool_calls: [called('a', 'Paris'), called('b', 'Tehran')] },
    { role: 'tool', content: '21 °C', tool_call_id: 'a' },
    { role: 'tool', content: '25 °C', tool_call_id: 'b' },
    { role: 'assistant', content: null, refusal: 'No more.', tool_calls: [called('c', 'Berlin')] },
    { role: 'tool', content: '', tool_call_id: 'c' },
    { role: 'system', content: 'Answer now.' },
  ])
})

test('settings, tools and formats are translated', async () => {
  const schema = { type: 'object', properties: {} }
  const sent = await sentFor({
    tools: [weather],
    tool_choice: { type: 'function', name: 'get_weather' },
    parallel_tool_calls: false,
    text: { format: { type: 'json_schema', name: 'n', schema }, verbosity: 'low' },
    temperature: 0.5,
    top_p: 0.5,
    max_output_tokens: 77,
    reasoning: { effort: 'low' },
  })
  const { type, ...fn } = weather
  expect(sent).toMatchObject({
    model: 'upstream-model',
    tools: [{ type, function: fn }],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
    parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
    verbosity: 'low',
    temperature: 0.5,
    top_p: 0.5,
    max_tokens: 77,
    reasoning_effort: 'low',
  })
})

test('of allowed tools only those are offered', async () => {
  const other = { type: 'function', name: 'other', parameters: {} }
  const allowed = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'other' }] }
  const sent = await sentFor({ tools: [weather, other], tool_choice: allowed })
  expect(sent['tools'].map((tool: Json) => tool['function'].name)).toEqual(['other'])
  expect(sent['tool_choice']).toBe('required')
})

const pdf = pdfOf(['words']).toString('base64')

test('a picture and a PDF of data URLs go along, measured', async () => {
  const image = `data:image/png;base64,${png}`
  const file = `data:application/pdf;base64,${pdf}`
  const { messages } = await sentFor({
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: image, detail: 'low' },
          { type: 'input_file', filename: 'a.pdf', file_data: file },
        ],
      },
    ],
  })
  expect(messages[0].content).toContainEqual({ type: 'image_url', image_url: { url: image, detail: 'low' } })
  expect(messages[0].content.at(-1)).toMatchObject({ type: 'file', file: { file_data: file } })
})

const of = (part: Json, role = 'user') => ({ input: [{ role, content: [part] }] })
const png64 = `data:image/png;base64,${png}`

test.each<[string, Json, string, string]>([
  [
    'a picture behind a link',
    of({ type: 'input_image', image_url: 'https://example.com/a.png' }),
    'INVALID_MEDIA',
    'input.0.content.0.image_url',
  ],
  [
    'a picture that is stored',
    of({ type: 'input_image', file_id: 'file_1' }),
    'INVALID_MEDIA',
    'input.0.content.0.image_url',
  ],
  [
    'a picture that is none',
    of({ type: 'input_image', image_url: 'data:image/png;base64,AAAA' }),
    'INVALID_MEDIA',
    'input.0.content.0.image_url',
  ],
  [
    'a picture that is too large',
    of({ type: 'input_image', image_url: `data:image/png;base64,${'A'.repeat(2_800_004)}` }),
    'INVALID_MEDIA',
    'input.0.content.0.image_url',
  ],
  [
    'a picture of the system',
    of({ type: 'input_image', image_url: png64 }, 'system'),
    'INVALID_REQUEST',
    'input.0.content.0',
  ],
  [
    'a picture for a model that reads only',
    { model: 'sandbox/fast', ...of({ type: 'input_image', image_url: png64 }) },
    'INPUT_MODALITY_NOT_SUPPORTED',
    'input.0.content.0',
  ],
  [
    'a file that is stored',
    of({ type: 'input_file', file_id: 'file_1' }),
    'INVALID_MEDIA',
    'input.0.content.0.file_data',
  ],
  [
    'a file that is no PDF',
    of({ type: 'input_file', file_data: 'data:text/plain;base64,AAAA' }),
    'INVALID_MEDIA',
    'input.0.content.0.file_data',
  ],
  [
    'a picture with a stored one beside it',
    of({ type: 'input_image', image_url: png64, file_id: 'file_1' }),
    'INVALID_MEDIA',
    'input.0.content.0.image_url',
  ],
  [
    'an item that could bring tools with it',
    {
      input: [
        { role: 'user', content: 'a' },
        { type: 'additional_tools', tools: [{ type: 'web_search' }] },
      ],
    },
    'FEATURE_NOT_SUPPORTED',
    'input.1.type',
  ],
  [
    'a picture inside an item of another kind',
    {
      input: [
        { role: 'user', content: 'a' },
        {
          type: 'custom_tool_call_output',
          call_id: 'a',
          output: [{ type: 'input_image', image_url: png64 }],
        },
      ],
    },
    'FEATURE_NOT_SUPPORTED',
    'input.1.type',
  ],
  [
    'an item that only this wire knows',
    {
      input: [
        { role: 'user', content: 'a' },
        { type: 'custom_tool_call', call_id: 'a', name: 'b', input: 'c' },
      ],
    },
    'FEATURE_NOT_SUPPORTED',
    'input.1',
  ],
])('refused before anything is held: %s', async (_, body, code, param) => {
  await at.world.settled()
  const before = await at.world.balance()
  const calls = at.upstream.calls.length
  expectRefusal(await respond(at.key, body), { status: 400, code, param })
  expect(at.upstream.calls).toHaveLength(calls)
  expect(await at.world.balance()).toEqual(before)
})

test('usage is that which is charged, with its details', async () => {
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 9,
    total_tokens: 29,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 4 },
    cost: 1,
  }
  at.upstream.replyOnce(
    json(200, { choices: [{ index: 0, finish_reason: 'stop', message: { content: 'x' } }], usage }),
  )
  const reply = await respond(at.key)
  expect(responseIn(reply.body)['usage']).toEqual({
    input_tokens: 20,
    input_tokens_details: { cached_tokens: 8, cache_write_tokens: 0 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 4 },
    total_tokens: 29,
    credits: 0.0308,
    microcredits: '30800',
  })
  // 12 tokens at 1.0, 8 at 0.1 and 9 at 2.0 USD a million, 1,000 credits a USD.
  expect((await explained(at.key, requestIdOf(reply))).microcredits).toBe(String(12_000 + 800 + 18_000))
})

test('an answer that broke charges what was delivered, one that failed before costs nothing', async () => {
  at.upstream.replyOnce(stream([chunk({ content: 'half of' }), cut]))
  const broken = await explained(at.key, requestIdOf(await respond(at.key, { stream: true })))
  expect(broken).toMatchObject({ state: 'failed', details: { outcome: 'failed' } })
  expect(BigInt(broken.microcredits)).toBeGreaterThan(0n)
  at.upstream.replyOnce(json(400, { error: { message: 'bad' } }))
  const refused = await respond(at.key, { stream: true })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'UPSTREAM_INVALID_REQUEST' } } })
  expect((await explained(at.key, requestIdOf(refused))).microcredits).toBe('0')
})

test('a content filter is an incomplete answer', async () => {
  at.upstream.replyOnce(stream([chunk({ content: 'So' }), chunk({}, 'content_filter'), done]))
  expect(eventsIn((await respond(at.key, { stream: true })).text).at(-1)).toMatchObject({
    type: 'response.incomplete',
    response: { incomplete_details: { reason: 'content_filter' }, output: [{ status: 'incomplete' }] },
  })
})
