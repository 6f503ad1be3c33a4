/** The responses wire over an upstream of the messages wire: encrypted reasoning travels both ways, citations become annotations. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Step, stream } from '../harness/upstream.ts'
import { eventsIn, type Json } from './responses-oracle.ts'
import { type ResponsesWorld, respond, shareOnWires, weather } from './responses-world.ts'

let at: ResponsesWorld
beforeAll(async () => {
  at = await shareOnWires('messages')
})
afterAll(() => at[Symbol.asyncDispose]())

const start = {
  type: 'message_start',
  message: {
    id: 'msg_up',
    type: 'message',
    role: 'assistant',
    model: 'upstream-model',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 20, output_tokens: 1 },
  },
}
const block = (index: number, content: Json, ...deltas: Json[]): Step[] =>
  [
    { type: 'content_block_start', index, content_block: content },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ].map(named)
const ending = (reason: string): Step[] =>
  [
    {
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    { type: 'message_stop' },
  ].map(named)
const named = (event: Json): string => `event: ${event['type']}\ndata: ${JSON.stringify(event)}\n\n`
const script = (...steps: Step[][]) => stream([named(start), ...steps.flat()])

const thinking = block(
  0,
  { type: 'thinking', thinking: '', signature: '' },
  { type: 'thinking_delta', thinking: 'two cities' },
  { type: 'signature_delta', signature: 'c2lnbmVk' },
)
const calling = block(
  1,
  { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} },
  { type: 'input_json_delta', partial_json: '{"city":"Paris"}' },
)

async function finalOf(body: Json): Promise<Json> {
  const reply = await respond(at.key, { stream: true, tools: [weather], ...body })
  expect(reply.status, reply.text).toBe(200)
  return eventsIn(reply.text).at(-1)?.['response']
}

test('a signed thought comes sealed to who asks for it, and goes back to its maker as it was', async () => {
  at.upstream.replyOnce(script(thinking, calling, ending('tool_use')))
  const asked = { include: ['reasoning.encrypted_content'], reasoning: { effort: 'high' } }
  const { output, reasoning } = await finalOf(asked)
  expect(output).toMatchObject([
    { type: 'reasoning', summary: [], encrypted_content: expect.any(String) },
    { type: 'function_call', call_id: 'toolu_1', arguments: '{"city":"Paris"}' },
  ])
  expect(reasoning).toBeNull()

  at.upstream.replyOnce(
    script(block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'warm' }), ending('end_turn')),
  )
  const position = at.upstream.calls.length
  const result = { type: 'function_call_output', call_id: 'toolu_1', output: '21 °C' }
  const user = { role: 'user', content: 'Paris?' }
  expect((await finalOf({ ...asked, input: [user, ...output, result] }))['output_text']).toBe('warm')
  const { messages } = (await at.upstream.call(position)).body as Json
  expect(messages[1]).toMatchObject({
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'two cities', signature: 'c2lnbmVk' },
      { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Paris' } },
    ],
  })
})

test('without that wish no thought comes, sealed or not', async () => {
  at.upstream.replyOnce(script(thinking, calling, ending('tool_use')))
  const { output } = await finalOf({ reasoning: { effort: 'high' } })
  expect(output.map(({ type }: Json) => type)).toEqual(['function_call'])
})

test('pages that an answer rests on are annotations of their text', async () => {
  const cited = {
    type: 'citations_delta',
    citation: {
      type: 'web_search_result_location',
      url: 'https://a.example/',
      title: 'A',
      cited_text: 'x',
      encrypted_index: 'e',
    },
  }
  at.upstream.replyOnce(
    script(
      block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'warm' }, cited),
      ending('end_turn'),
    ),
  )
  const { output } = await finalOf({})
  expect(output[0].content[0]).toMatchObject({
    text: 'warm',
    annotations: [
      {
        type: 'url_citation',
        url: 'https://a.example/',
        title: 'A',
        start_index: expect.any(Number),
        end_index: 4,
      },
    ],
  })
})
