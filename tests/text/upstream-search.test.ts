/** Searches that a provider runs itself are held, counted and charged at the price of the model's entry. */
import { expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { loadConfig } from '#settings'
import { json, stream } from '../harness/upstream.ts'
import { upstreamConfig } from '../harness/world.ts'
import { explained, quantitiesOf, requestIdOf } from './chat-world.ts'
import { message, upstreamMessage } from './messages-world.ts'
import { shareOnWires } from './responses-world.ts'

/** A cent is ten credits. */
const perSearch = 10_000_000n
/** Ten tokens read, four written. */
const tokens = 10n * 1_000n + 4n * 2_000n
const features = 'web_search'
const pricePerSearch = 0.01

const microcreditsOf = async (key: Parameters<typeof explained>[0], id: string) => {
  const { microcredits, reserved_microcredits } = await explained(key, id)
  return { charged: BigInt(microcredits), held: BigInt(reserved_microcredits) }
}

test.each([false, true])('on the messages wire, streamed: %s', async (streamed) => {
  await using at = await shareOnWires('messages', { credits: 1_000, features, pricePerSearch })
  const usage = { input_tokens: 10, output_tokens: 4, server_tool_use: { web_search_requests: 2 } }
  const body = upstreamMessage([{ type: 'text', text: 'a' }], { usage })
  let held = 0n
  at.upstream.reply(async () => {
    held = (await at.world.balance()).held
    if (!streamed) return json(200, body)
    const events = [
      { type: 'message_start', message: { ...body, content: [], usage: { ...usage, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ]
    return stream(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
  })
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }]
  const reply = await message(at.key, { tools, stream: streamed })
  expect(reply.status, reply.text).toBe(200)
  await at.world.settled()
  expect(await microcreditsOf(at.key, requestIdOf(reply))).toMatchObject({ charged: tokens + 2n * perSearch })
  expect(await quantitiesOf(at.world, requestIdOf(reply))).toEqual({ searches: 2 })
  expect(held > 3n * perSearch && held < 4n * perSearch + 1_000_000_000n).toBe(true)
})

test.each([false, true])('on the responses wire, streamed: %s', async (streamed) => {
  await using at = await shareOnWires('responses', { credits: 1_000, features, pricePerSearch })
  const searched = (id: string, action: object, status = 'completed') => ({
    type: 'web_search_call',
    id,
    status,
    action,
  })
  const output = [
    searched('ws_1', { type: 'search', query: 'a' }),
    searched('ws_2', { type: 'open_page', url: 'https://example.com/' }),
    searched('ws_3', { type: 'search', query: 'b' }),
    searched('ws_4', { type: 'search', query: 'c' }, 'failed'),
    {
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'y', annotations: [], logprobs: [] }],
    },
  ]
  const usage = { input_tokens: 10, output_tokens: 4, total_tokens: 14 }
  const response = { id: 'resp_1', object: 'response', status: 'completed', output, usage }
  at.upstream.reply(
    streamed
      ? stream([
          { type: 'response.created', response: { ...response, output: [], usage: null } },
          ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
          { type: 'response.completed', response },
          'data: [DONE]\n\n',
        ])
      : json(200, response),
  )
  const reply = await at.key.post('/v1/responses', { input: 'x', web_search: true, stream: streamed })
  expect(reply.status, reply.text).toBe(200)
  await at.world.settled()
  expect(await microcreditsOf(at.key, requestIdOf(reply))).toMatchObject({ charged: tokens + 2n * perSearch })
  expect(await quantitiesOf(at.world, requestIdOf(reply))).toEqual({ searches: 2 })
})

test('a model whose provider searches has a price for it, and only such a model', () => {
  const entry = (features: string, price: string): string =>
    upstreamConfig('http://127.0.0.1:9/v1').replace(
      '    features: [tools, json_schema, reasoning]',
      `    features: [tools, json_schema, reasoning${features}]${price}`,
    )
  const load = (text: string) => () => loadConfig(readEnv({}), text)
  expect(load(entry(', web_search', ''))).toThrow(/price_per_search_usd.*write what the provider takes/s)
  expect(load(entry('', '\n    price_per_search_usd: 1'))).toThrow(/features does not name web_search/)
  expect(load(entry(', web_search', '\n    price_per_search_usd: 0'))).not.toThrow()
})
