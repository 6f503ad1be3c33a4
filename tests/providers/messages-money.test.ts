import { expect, test } from 'vitest'
import { sharedWorld } from '../harness/shared-world.ts'
import { cut, fakeUpstream } from '../harness/upstream.ts'
import { upstreamConfig } from '../harness/world.ts'
import { chunksOf, contentOf, explained, requestIdOf } from '../text/chat-world.ts'
import { ended, input, opened, over, started, stopped, streamOf, text } from './messages-wire.ts'

/** A server whose default model is answered by an upstream that speaks messages only. */
async function onMessages() {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await fakeUpstream())
  const config = upstreamConfig(upstream.url).replace('dialects: [chat]', 'dialects: [messages]')
  const world = stack.use(await sharedWorld({ config }))
  const key = await world.key()
  const open = stack.move()
  return { world, upstream, key, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const perInputToken = 1_000
const perCachedToken = 100
const perOutputToken = 2_000
const prompt = { input_tokens: 10, cache_read_input_tokens: 4_000, output_tokens: 1 }
const question = { stream: true, messages: [{ role: 'user', content: 'hello' }] }

test('a chat caller is answered by an upstream that speaks messages, and pays what it counted', async () => {
  await using site = await onMessages()
  site.upstream.reply(
    streamOf([
      started(prompt),
      opened(0, { type: 'text', text: '' }),
      text(0, 'I '),
      text(0, 'look.'),
      stopped(0),
      opened(1, { type: 'tool_use', id: 'toolu_1', name: 'now', input: {} }),
      input(1, '{"a":1}'),
      stopped(1),
      ended('tool_use', { output_tokens: 20 }),
      over,
    ]),
  )
  const tools = [{ type: 'function', function: { name: 'now', parameters: { type: 'object' } } }]
  const reply = await site.key.raw(
    'POST',
    '/v1/chat/completions',
    JSON.stringify({ ...question, tools, stream_options: { include_usage: true } }),
  )
  const chunks = chunksOf(await reply.text())
  expect(contentOf(chunks)).toBe('I look.')
  expect(chunks.find(({ choices }) => choices[0]?.finish_reason)?.choices[0]?.finish_reason).toBe(
    'tool_calls',
  )
  expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 4_010, completion_tokens: 20 })
  const receipt = await explained(site.key, requestIdOf(reply))
  expect(receipt.details.usage_source).toBe('upstream')
  expect(receipt.details.attempts[0]).toMatchObject({ outcome: 'answered', upstream_id: 'msg_1' })
  expect(receipt.microcredits).toBe(String(10 * perInputToken + 4_000 * perCachedToken + 20 * perOutputToken))
})

test('an answer that was cut costs the prompt as it was counted and the words that were written', async () => {
  await using site = await onMessages()
  const words = Array.from({ length: 50 }, (_, position) => text(0, `w${position} `))
  site.upstream.reply(streamOf([started(prompt), opened(0, { type: 'text', text: '' }), ...words, cut]))
  const reply = await site.key.raw('POST', '/v1/chat/completions', JSON.stringify(question))
  expect(contentOf(chunksOf(await reply.text()).slice(0, -1))).toContain('w49')
  const { details, microcredits } = await explained(site.key, requestIdOf(reply))
  expect(details.usage_source).toBe('estimated')
  expect(details.tokens).toMatchObject({ input: 4_010, cachedInput: 4_000, output: 50 })
  expect(microcredits).toBe(String(10 * perInputToken + 4_000 * perCachedToken + 50 * perOutputToken))
})
