/** Limits that a client exceeds by a constant of its own: clamped and reported, never refused. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Seen } from '../harness/client.ts'
import { json } from '../harness/upstream.ts'
import { create, ended, results, row } from './batches-world.ts'
import { explained, requestIdOf } from './chat-world.ts'
import { message, upstreamMessage } from './messages-world.ts'
import { respond, shareOnWires } from './responses-world.ts'
import { call } from './scripted-answer.ts'
import { bootSearching, type SearchWorld } from './search-world.ts'

const clampedFields = (reply: Seen) => reply.headers.get('x-clamped-fields')
const taken = (reply: Seen): Seen => {
  expect(reply.status, reply.text).toBe(200)
  return reply
}
/** More uses than are allowed, in one step of the model. */
const sixSearches = {
  calls: Array.from({ length: 6 }, (_, index) => call(`call_${index}`, 'web_search', { query: `q${index}` })),
}
const vendors = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 }
const ours = { type: 'kherad:web_search', max_uses: 8 }

describe.each(['chat', 'responses', 'messages'] as const)('over an upstream of %s', (wire) => {
  let at: SearchWorld
  beforeAll(async () => {
    at = await bootSearching({ wire, credits: 10_000 })
  })
  afterAll(() => at[Symbol.asyncDispose]())

  test.each([
    ['messages', 'a vendor’s search', vendors, false],
    ['messages', 'a vendor’s search', vendors, true],
    ['messages', 'our search', ours, false],
    ['responses', 'our search', ours, false],
    ['responses', 'our search', ours, true],
  ] as const)(
    'on %s, eight uses of %s are five, reported, and held as five (streamed: %#)',
    async (path, _, tool, stream) => {
      const ask = path === 'messages' ? message : respond
      const asked = at.asked.length
      at.answers(sixSearches, { text: 'ok' })
      const reply = taken(await ask(at.key, { tools: [tool], stream }))
      expect(clampedFields(reply)).toBe('tools.0.max_uses=5')
      expect(at.asked.length - asked).toBe(5)
      at.answers({ text: 'ok' })
      const five = taken(await ask(at.key, { tools: [{ ...tool, max_uses: 5 }], stream }))
      expect(clampedFields(five)).toBeNull()
      await at.world.settled()
      const reserved = async (of: Seen) => (await explained(at.key, requestIdOf(of))).reserved_microcredits
      at.answers({ text: 'ok' })
      const again = taken(await ask(at.key, { tools: [tool], stream }))
      await at.world.settled()
      expect(await reserved(again)).toBe(await reserved(five))
    },
  )
})

test('what a vendor runs itself gets the lowered numbers, and is held for with them', async () => {
  await using at = await shareOnWires('messages', {
    credits: 10_000,
    features: 'web_search, web_fetch',
    pricePerSearch: 0.01,
  })
  at.upstream.reply(json(200, upstreamMessage([{ type: 'text', text: 'a' }])))
  const fetched = { type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 6, max_content_tokens: 100_000 }
  const reply = taken(await message(at.key, { tools: [vendors, fetched] }))
  expect(clampedFields(reply)).toBe(
    'tools.0.max_uses=5, tools.1.max_uses=5, tools.1.max_content_tokens=32000',
  )
  const { body } = await at.upstream.call(0)
  const lowered = [
    { ...vendors, max_uses: 5 },
    { ...fetched, max_uses: 5, max_content_tokens: 32_000 },
  ]
  expect(body?.['tools']).toEqual(lowered)
  const five = taken(await message(at.key, { tools: lowered }))
  expect(clampedFields(five)).toBeNull()
  const [one, other] = await Promise.all(
    [reply, five].map(async (of) => (await explained(at.key, requestIdOf(of))).reserved_microcredits),
  )
  expect(one).toBe(other)
})

test('a search that an upstream of Responses runs has five calls at most, and that is reported', async () => {
  await using at = await shareOnWires('responses', { features: 'web_search', pricePerSearch: 0.01 })
  at.upstream.reply(json(200, { id: 'r', object: 'response', status: 'completed', output: [] }))
  const ask = { tools: [{ type: 'web_search' }] }
  expect(clampedFields(await respond(at.key, { ...ask, max_tool_calls: 6 }))).toBe('max_tool_calls=5')
  expect((await at.upstream.call(0)).body?.['max_tool_calls']).toBe(5)
  expect(clampedFields(await respond(at.key, { ...ask, max_tool_calls: 5 }))).toBeNull()
})

test('a batch reports the rows that were clamped, and answers them so', async () => {
  await using at = await bootSearching()
  at.answers({ text: 'ok' })
  const batch = taken(await create(at.key, [row('a'), row('b', { tools: [vendors] })]))
  expect(clampedFields(batch)).toBe('requests.1.params.tools.0.max_uses=5')
  await ended(at.key, batch.body.id)
  const lines = await results(at.key, batch.body.id)
  expect(lines.map(({ result }) => result.type)).toEqual(['succeeded', 'succeeded'])
})

describe('what no client means stays refused', () => {
  let at: SearchWorld
  beforeAll(async () => {
    at = await bootSearching()
  })
  afterAll(() => at[Symbol.asyncDispose]())

  const fetched = { type: 'kherad:web_fetch' }
  test.each([0, -1, 1.5, '8', 1e300])('%j uses, or tokens of a page', async (value) => {
    for (const ask of [message, respond]) {
      const refused = async (param: string, tool: object) =>
        expectRefusal(await ask(at.key, { tools: [tool] }), { status: 400, code: 'INVALID_REQUEST', param })
      await refused('tools.0.max_uses', { ...ours, max_uses: value })
      await refused('tools.0.max_content_tokens', { ...fetched, max_content_tokens: value })
    }
  })
})
