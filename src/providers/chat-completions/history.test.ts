import { expect, test } from 'vitest'
import { vendorMessages } from './history.ts'
import { chatMessages } from './messages.ts'
import { vendorOf } from './vendors.ts'

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
  const messages = vendorMessages(vendorOf(host, 'gpt-5'), [
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
  expect(vendorMessages(vendorOf('openrouter.ai', 'qwen3'), messages)).toEqual(messages)
})

test('a vendor that refuses unknown fields gets no earlier reasoning, and none gets what another wire has signed', () => {
  const own = { type: 'reasoning.text', text: 'b', signature: 'EqQB' }
  const details = [own, { type: 'reasoning.encrypted', data: 'kherad.0123456789ab.x' }]
  const said = { role: 'assistant', content: 'a' }
  const thought = { ...said, reasoning: 'b', reasoning_content: 'b', reasoning_details: details }
  const at = (host: string) => vendorMessages(vendorOf(host, 'gpt-oss-120b'), [thought])
  const [openai] = at('api.openai.com')
  expect(openai).toEqual(said)
  for (const host of ['api.groq.com', 'api.cerebras.ai'])
    expect(at(host)).toEqual([{ ...said, reasoning: 'b' }])
  expect(at('openrouter.ai')).toEqual([{ ...thought, reasoning_details: [own] }])
})

test.each([
  ['api.deepseek.com', 'deepseek-flash', true, 'refused'],
  ['gateway.example', 'deepseek-ai/DeepSeek-V4-Pro', true, 'refused'],
  ['openrouter.ai', 'moonshotai/kimi-k2.6', true, 'refused'],
  ['api.moonshot.cn', 'kimi-k2.5', true, 'refused'],
  ['api.z.ai', 'glm-5.3', true, 'refused'],
  ['open.bigmodel.cn', 'glm-4.7', true, 'refused'],
  ['api.xiaomimimo.com', 'mimo-v2.5-pro', true, 'refused'],
  // Vendors that refuse the field, whatever their model.
  ['api.cerebras.ai', 'zai-glm-4.7', false, 'refused'],
  ['api.groq.com', 'moonshotai/kimi-k2', false, 'refused'],
  ['api.openai.com', 'gpt-5', false, 'refused'],
  ['generativelanguage.googleapis.com', 'gemini-3.1-pro-preview', false, 'needed'],
  ['generativelanguage.googleapis.com', 'models/gemini-flash-latest', false, 'needed'],
  ['generativelanguage.googleapis.com', 'gemini-2.5-flash', false, 'taken'],
  ['us-central1-aiplatform.googleapis.com', 'google/gemini-3-flash-preview', false, 'needed'],
  ['gateway.example', 'gemini-3-pro-preview', false, 'needed'],
  ['openrouter.ai', 'google/gemini-3.5-flash', false, 'refused'],
  ['gateway.example', 'claude-opus-4-8', false, 'refused'],
  ['127.0.0.1', 'fast', false, 'taken'],
] as const)(
  '%s with %s: reasoning has to come back: %s, signatures of calls: %s',
  (host, model, reasoning, signatures) => {
    expect(vendorOf(host, model)).toMatchObject({ needsReasoning: reasoning, callSignatures: signatures })
  },
)

test('reasoning goes back as reasoning_content, by whatever name it came, and a blank text stands for none', () => {
  const deepseek = vendorOf('api.deepseek.com', 'deepseek-flash')
  const said = { role: 'assistant', content: 'a' }
  const details = [
    { type: 'reasoning.summary', summary: 'b' },
    { type: 'reasoning.text', text: 'c' },
  ]
  const own = { ...said, reasoning_content: 'own', reasoning: 'other' }
  const user = { role: 'user', content: 'q' }
  const sent = [own, user, { ...said, reasoning: 'b' }, { ...said, reasoning_details: details }, said]
  const none = [
    { ...said, reasoning_content: '' },
    { ...said, reasoning_content: null },
  ]
  expect(vendorMessages(deepseek, [...sent, ...none])).toEqual([
    own,
    user,
    { ...said, reasoning: 'b', reasoning_content: 'b' },
    { ...said, reasoning_details: details, reasoning_content: 'bc' },
    { ...said, reasoning_content: ' ' },
    { ...said, reasoning_content: ' ' },
    { ...said, reasoning_content: ' ' },
  ])
  const kimi = vendorOf('openrouter.ai', 'moonshotai/kimi-k2.6')
  expect(vendorMessages(kimi, [...sent.slice(2)])).toEqual([
    { ...said, reasoning: 'b' },
    { ...said, reasoning_details: details },
    { ...said, reasoning_content: ' ' },
  ])
})

test('a signature stands on the call that it belongs to, for Gemini alone, and another stands for one that is missing', () => {
  const opaque = { wire: 'chat', data: 'sig', id: 'b' } as const
  const toolCalls = ['a', 'b'].map((id) => ({ id, name: 'f', arguments: '{}' }))
  const thought = { type: 'reasoning', text: 'so', opaque } as const
  const signatures = (host: string, model: string, content: [typeof thought] | []) => {
    const vendor = vendorOf(host, model)
    const messages = chatMessages([{ role: 'assistant', content, toolCalls }], vendor)
    const [message] = vendorMessages(vendor, messages) as [{ tool_calls: { extra_content?: unknown }[] }]
    return message.tool_calls.map(({ extra_content: extra }) => extra)
  }
  const signed = (thought_signature: string) => ({ google: { thought_signature } })
  const google = 'generativelanguage.googleapis.com'
  const missing = signed('skip_thought_signature_validator')
  expect(signatures(google, 'gemini-3-flash', [thought])).toEqual([missing, signed('sig')])
  expect(signatures(google, 'gemini-3-flash', [])).toEqual([missing, undefined])
  expect(signatures(google, 'gemini-2.5-flash', [thought])).toEqual([undefined, signed('sig')])
  expect(signatures('api.deepseek.com', 'deepseek-flash', [thought])).toEqual([undefined, undefined])
})
