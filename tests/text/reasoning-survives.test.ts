/** Reasoning goes back to the vendor that made it, over each pair of wires, and to no other: no vendor refuses a conversation that another one began. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { type FakeUpstream, fakeUpstream, json } from '../harness/upstream.ts'
import type { World } from '../harness/world.ts'
import { type Conversation, conversing, type Spoken } from './conversing.ts'
import type { SpokenWire } from './scripted-answer.ts'
import { type SigningVendor, signingVendor, station } from './signing-vendors.ts'

const wires = ['chat', 'responses', 'messages'] as const

/**
 * A vendor of each wire, others of chat that want reasoning or signatures back, another one of Messages and of Responses with a seal of its own, and one
 * of Messages that signs nothing.
 */
const names = {
  chat: 'kimi-k2.6',
  deepseek: 'deepseek-v4-pro',
  glm: 'glm-4.7',
  gemini: 'google/gemini-3.1-pro-preview',
  responses: 'gpt-5',
  messages: 'claude-opus-4-8',
  other: 'MiniMax-M2',
  grok: 'grok-4',
  open: 'glm-5',
  mistral: 'mistral-large',
}
type Name = keyof typeof names
const chatVendors = ['chat', 'deepseek', 'glm', 'gemini'] as const
const wireOf = (name: Name): SpokenWire =>
  name === 'mistral' || chatVendors.some((one) => one === name)
    ? 'chat'
    : /^(responses|grok)$/.test(name)
      ? 'responses'
      : 'messages'

let vendors: Record<Name, SigningVendor>
let broken: FakeUpstream
let world: World
let key: Client
beforeAll(async () => {
  const opened = await Promise.all(
    Object.entries(names).map(async ([name, model]) => [
      name,
      await signingVendor(wireOf(name as Name), model.replace('google/', ''), name === 'open'),
    ]),
  )
  vendors = Object.fromEntries(opened)
  broken = await fakeUpstream()
  broken.reply(json(404, { error: { message: 'no such model' } }))
  const entries = Object.entries(names)
  const providers = entries.map(
    ([name]) =>
      `  - { id: ${name}, base_url: ${vendors[name as Name].upstream.url}, api_key: k, dialects: [${wireOf(name as Name)}] }`,
  )
  providers.push(`  - { id: broken, base_url: ${broken.url}, api_key: k, dialects: [chat, messages] }`)
  const model = (id: string, provider: string, name: string, more = '') =>
    `  - { id: on/${id}, kind: text, context_length: 128000, max_output_tokens: 32000, input_modalities: [text], features: [tools, reasoning], reasoning: { supported_efforts: [none, low, high] }, pricing: { input_per_million: 1, output_per_million: 1 }${more}, deployments: [{ provider: ${provider}, model: ${name} }] }`
  const models = [
    ...entries.map(([name, upstream]) => model(name, name, upstream)),
    model('failing', 'broken', 'kimi-k2', ', fallbacks: [on/messages]'),
  ]
  const config = `providers:\n${providers.join('\n')}\nmodels:\n${models.join('\n')}\ndefaults: { text_model: on/chat }\n`
  world = await sharedWorld({ config, credits: 100_000 })
  key = await world.key()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  for (const { upstream } of [...Object.values(vendors), { upstream: broken }])
    await upstream[Symbol.asyncDispose]()
})

afterEach(() => {
  for (const vendor of Object.values(vendors))
    expect(vendor.refusals.splice(0), 'no vendor refuses anything').toEqual([])
})

function expectAnswer({ reply }: Spoken): Spoken['reply'] {
  expect(reply.status, reply.text).toBe(200)
  return reply
}

const skipped = ({ reply }: Spoken): string | null => reply.headers.get('x-skipped-features')
const lastSeen = (name: Name) => vendors[name].seen.at(-1)!

/** Asks, and gives the results of both calls to the same vendor. */
async function wholeTurn(conversation: Conversation, name: Name, question: string): Promise<Spoken> {
  const first = await conversation.ask(`on/${name}`, question)
  expectAnswer(first)
  expect(new Set(first.calls).size).toBe(2)
  const last = await conversation.answer(`on/${name}`, first.calls)
  expectAnswer(last)
  expect(last.text).toBe('it is warm')
  return last
}

const pairs = wires.flatMap((client) =>
  [...wires, 'gemini' as const].flatMap((vendor) =>
    [true, false].map((stream) => ({ client, vendor, stream })),
  ),
)

test.each(pairs)(
  'a client of $client over a vendor of $vendor holds three turns with a change of model in each place (streamed: $stream)',
  async ({ client, vendor, stream }) => {
    const other: Name = vendor === 'messages' ? 'other' : 'messages'
    const conversation = conversing(key, client, { stream })
    const first = await wholeTurn(conversation, vendor, 'the weather?')
    expect(skipped(first)).toBeNull()
    // The vendor has its reasoning back, between the calls and their results.
    expect(lastSeen(vendor)).toEqual({ thinks: true, reasoning: vendor === 'messages' ? 2 : 1 })

    // Another vendor goes on between a call and its result: it does not get the reasoning, and says that it goes on without.
    const asked = await conversation.ask(`on/${vendor}`, 'a deep question')
    expectAnswer(asked)
    const changed = await conversation.answer(`on/${other}`, asked.calls)
    expectAnswer(changed)
    expect(skipped(changed)).toBe('reasoning')
    expect(lastSeen(other)).toEqual({ thinks: false, reasoning: 0 })
    const last = await conversation.answer(`on/${other}`, changed.calls)
    expectAnswer(last)
    expect(last.text).toBe('it is warm')

    // It thinks again at the next question; its own reasoning stays out where the first vendor goes on.
    const again = await conversation.ask(`on/${other}`, 'and tomorrow?')
    expectAnswer(again)
    expect(skipped(again)).toBeNull()
    expect(lastSeen(other).thinks).toBe(true)
    const back = await conversation.answer(`on/${vendor}`, again.calls)
    expectAnswer(back)
    expect(skipped(back)).toBe(vendor === 'messages' ? 'reasoning' : null)
  },
)

describe.each([true, false])('streamed: %s', (stream) => {
  test.each(['chat', 'responses'] as const)(
    'a client of %s that sends no reasoning back is answered without, and a header says so',
    async (client) => {
      for (const more of [{}, { reasoning: { max_tokens: 1_500 } }]) {
        const conversation = conversing(key, client, { stream, forgets: true, more })
        const last = await wholeTurn(conversation, 'messages', 'the weather?')
        expect(skipped(last)).toBe('reasoning')
        expect(lastSeen('messages')).toEqual({ thinks: false, reasoning: 0 })
        expect(vendors.messages.upstream.calls.at(-1)?.body).not.toHaveProperty('thinking')
      }
    },
  )

  test('an edit of the context that needs thinking goes with it', async () => {
    const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }]
    const more = { context_management: { edits } }
    const conversation = conversing(key, 'messages', { stream, more })
    const first = await conversation.ask('on/chat', 'the weather?')
    const last = await conversation.answer('on/messages', first.calls)
    expectAnswer(last)
    expect(skipped(last)).toBe('reasoning')
    expect(vendors.messages.upstream.calls.at(-1)?.body).toMatchObject({
      context_management: { edits: edits.slice(1) },
    })
  })

  test('thinking that its vendor does not sign goes back to it, and to no other', async () => {
    for (const client of wires) {
      const conversation = conversing(key, client, { stream })
      await wholeTurn(conversation, 'open', 'the weather?')
      expect(lastSeen('open')).toEqual({ thinks: true, reasoning: 1 })
      await wholeTurn(conversation, 'messages', 'and tomorrow?')
      expect(lastSeen('messages').thinks).toBe(true)
    }
  })

  test('a turn that another vendor began without thinking goes on without, also where its ids have no sign', async () => {
    const thinking = { type: 'enabled', budget_tokens: 1_024, display: 'omitted' }
    const conversation = conversing(key, 'messages', { stream, more: { thinking } })
    const first = await conversation.ask('on/mistral', 'the weather?')
    const last = await conversation.answer('on/messages', first.calls)
    expectAnswer(last)
    expect(skipped(last)).toBe('reasoning')
    expect(lastSeen('messages')).toEqual({ thinks: false, reasoning: 0 })
  })

  test('reasoning that one vendor of Responses has encrypted goes back to it, and to no other', async () => {
    for (const client of wires) {
      const conversation = conversing(key, client, { stream })
      for (const name of ['responses', 'grok', 'responses'] as const) {
        await wholeTurn(conversation, name, 'the weather?')
        expect(lastSeen(name).reasoning).toBe(1)
      }
    }
  })

  test('a model that answers in the place of one that fails is not sent the reasoning of that one', async () => {
    for (const client of wires) {
      const conversation = conversing(key, client, { stream })
      const first = await conversation.ask('on/chat', 'the weather?')
      const last = await conversation.answer('on/failing', first.calls)
      expectAnswer(last)
      expect(skipped(last)).toBe('reasoning')
    }
  })
})

const offs: { reasoning?: { effort: string } | undefined; tool_choice?: string }[] = [
  { reasoning: undefined },
  { reasoning: { effort: 'none' } },
  { tool_choice: 'required' },
]

test.each((['chat', 'responses'] as const).flatMap((client) => offs.map((off) => ({ client, off }))))(
  'a client of $client may go on without thinking between a call and its result: $off',
  async ({ client, off }) => {
    for (const name of ['messages', 'other'] as const) {
      const conversation = conversing(key, client, { stream: false })
      const first = await conversation.ask(`on/${name}`, 'a deep question')
      expectAnswer(first)
      const last = await conversation.answer(`on/${name}`, first.calls, off)
      expectAnswer(last)
      expect(skipped(last)).toBeNull()
      // What is not requested is off at Claude alone: other models think by themselves, and get their reasoning back.
      const isOff = name === 'messages' || off.reasoning !== undefined
      expect(lastSeen(name)).toEqual(isOff ? { thinks: false, reasoning: 0 } : { thinks: true, reasoning: 2 })
      expectAnswer(await conversation.answer(`on/${name}`, last.calls))
    }
  },
)

test.each(chatVendors)('a client that sends nothing back to %s is answered as ever', async (name) => {
  for (const client of wires) {
    const conversation = conversing(key, client, { stream: client !== 'messages', forgets: true })
    for (const question of ['the weather?', 'a deep question']) {
      const first = await conversation.ask(`on/${name}`, question)
      let last = await conversation.answer(`on/${name}`, expectAnswer(first) && first.calls)
      if (last.calls.length > 0) last = await conversation.answer(`on/${name}`, last.calls)
      expectAnswer(last)
      expect(last.text).toBe('it is warm')
      expect(skipped(last)).toBeNull()
      expect(lastSeen(name).reasoning).toBe(0)
    }
  }
})

test('a signature of Gemini goes back to it, and to no other vendor of the wire', async () => {
  for (const client of wires) {
    const conversation = conversing(key, client, { stream: client !== 'chat' })
    for (const name of ['gemini', 'deepseek', 'gemini', 'chat'] as const) {
      await wholeTurn(conversation, name, 'the weather?')
      expect(lastSeen(name).reasoning).toBe(1)
    }
  }
})

test.each([
  ['messages', 'reasoning'],
  ['chat', null],
  ['gemini', null],
])(
  'the official client of OpenAI, which drops reasoning, uses tools with a model of %s, whose vendor requires it',
  async (name, told) => {
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: key.secret })
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'the weather?' }]
    const say = () =>
      client.chat.completions
        .create({ model: `on/${name}`, max_tokens: 4_000, reasoning_effort: 'high', messages })
        .withResponse()
    const first = await say()
    const { message } = first.data.choices[0]!
    messages.push(
      message,
      ...message.tool_calls!.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: '30 °C' })),
    )
    const last = await say()
    expect(last.data.choices[0]?.message.content).toBe('it is warm')
    expect([first, last].map(({ response }) => response.headers.get('x-skipped-features'))).toEqual([
      null,
      told,
    ])
  },
)

test.each(['messages', 'other', 'open'] as const)(
  'the official client of Anthropic streams the thinking of %s, and its vendor takes it back',
  async (name) => {
    const client = new Anthropic({ baseURL: world.url, apiKey: key.secret })
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'the weather?' }]
    const thinking = { type: 'enabled' as const, budget_tokens: 1_024 }
    const say = () =>
      client.messages.stream({ model: `on/${name}`, max_tokens: 4_000, thinking, messages }).finalMessage()
    const { content } = await say()
    const results = content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: '30 °C' }]
        : [],
    )
    messages.push({ role: 'assistant', content }, { role: 'user', content: results })
    expect((await say()).content.at(-1)).toMatchObject({ type: 'text', text: 'it is warm' })
    expect(lastSeen(name)).toEqual({ thinks: true, reasoning: name === 'open' ? 1 : 2 })
  },
)

test('signatures of Claude leave as they are, others bear the mark of their vendor, beside numbers with every digit', async () => {
  const thinking = { type: 'enabled', budget_tokens: 1_024 }
  const asked = { max_tokens: 4_000, thinking, messages: [{ role: 'user', content: 'why?' }] }
  const signatureOf = async (model: string): Promise<string> => {
    const reply = await key.post('/v1/messages', { ...asked, model }, { 'anthropic-version': '2023-06-01' })
    expect(reply.text).toContain(`"station":${station}`)
    return reply.body.content[0].signature
  }
  expect(await signatureOf('on/messages')).toMatch(/^claude-opus-4-8\+/)
  expect(await signatureOf('on/other')).toMatch(/^kherad\.[0-9a-f]{12}\.MiniMax-M2\+/)
  expect(await signatureOf('on/open')).toMatch(/^kherad\.[0-9a-f]{12}\.$/)
})

test.each([
  [{ include_reasoning: true }, true],
  [{ reasoning: { effort: 'high' } }, true],
  [{ reasoning: { effort: 'high' }, include_reasoning: false }, false],
  [{ reasoning: { effort: 'high', exclude: true }, include_reasoning: true }, false],
  [{ reasoning: { effort: 'high', exclude: false } }, true],
  [{ reasoning_effort: 'high' }, false],
])('a chat with %j shows its reasoning: %s', async (more, isShown) => {
  const asked = { model: 'on/messages', max_tokens: 4_000, messages: [{ role: 'user', content: 'why?' }] }
  const details = [
    { type: 'reasoning.text', text: expect.any(String), signature: expect.any(String) },
    { type: 'reasoning.encrypted', data: expect.any(String) },
  ]
  const thinks = { reasoning: { effort: 'high' }, ...more }
  const { message } = (await key.chat({ ...asked, ...('reasoning_effort' in more ? more : thinks) })).body
    .choices[0]
  if (isShown) expect(message).toMatchObject({ reasoning: expect.any(String), reasoning_details: details })
  else
    for (const name of ['reasoning', 'reasoning_content', 'reasoning_details'])
      expect(message).not.toHaveProperty(name)
})
