import { expect, test } from 'vitest'
import { vendorMessages } from './history.ts'

const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' }, extra: 1 })),
})
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' })
const idsIn = (messages: readonly unknown[]): string[] =>
  (messages as { tool_calls?: { id: string }[]; tool_call_id?: string }[]).flatMap(
    ({ tool_calls: made, tool_call_id: id }) => made?.map((call) => call.id) ?? id ?? [],
  )

test.each([
  ['api.openai.com', /^.{1,40}$/],
  ['acme.openai.azure.com', /^.{1,40}$/],
  ['api.mistral.ai', /^[a-zA-Z0-9]{9}$/],
])('%s gets ids of calls that it takes, two of two calls', (host, taken) => {
  const long = 'chatcmpl-tool-0123456789abcdef0123456789abcdef'
  const messages = vendorMessages(host, true, [
    calls(`${long}1`, `${long}2`),
    result(`${long}1`),
    result(`${long}2`),
  ])
  const [one, other, ...results] = idsIn(messages)
  for (const id of [one, other]) expect(id).toMatch(taken)
  expect(one).not.toBe(other)
  expect(results).toEqual([one, other])
  expect(JSON.stringify(messages)).toContain('"extra":1')
})

test('others get what they were sent', () => {
  const messages = [calls('a'.repeat(200)), result('a'.repeat(200)), 'no message']
  expect(vendorMessages('openrouter.ai', false, messages)).toEqual(messages)
})

test('a vendor that refuses unknown fields gets no earlier reasoning, and none gets what another wire has signed', () => {
  const own = { type: 'reasoning.text', text: 'b', signature: 'EqQB' }
  const details = [own, { type: 'reasoning.encrypted', data: 'kherad.0123456789ab.x' }]
  const said = { role: 'assistant', content: 'a' }
  const thought = { ...said, reasoning: 'b', reasoning_content: 'b', reasoning_details: details }
  const [openai] = vendorMessages('api.openai.com', true, [thought])
  expect(openai).toEqual(said)
  expect(vendorMessages('api.groq.com', true, [thought])).toEqual([{ ...said, reasoning: 'b' }])
  expect(vendorMessages('openrouter.ai', false, [thought])).toEqual([
    { ...thought, reasoning_details: [own] },
  ])
})
