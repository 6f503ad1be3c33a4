import { expect, test } from 'vitest'
import type { Message, MessageContent, Turn } from '#core/turn'
import { forwardedFields, messagesProvider } from '#providers/messages'
import { fakeUpstream, json } from '../harness/upstream.ts'
import { callOf, chatTurn, hear } from './asking.ts'
import { messagesOf, messagesTurn } from './messages-wire.ts'

const answer = json(200, {
  type: 'message',
  content: [{ type: 'text', text: 'ok' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1, output_tokens: 1 },
})

/** What reaches the upstream of this turn, or the failure in its place. */
async function sent(turn: Turn) {
  await using upstream = await fakeUpstream()
  await using provider = messagesOf(upstream)
  upstream.reply(answer)
  const { error } = await hear(provider, callOf(turn))
  return { body: upstream.calls[0]?.body, headers: upstream.calls[0]?.headers, error, calls: upstream.calls }
}

const conversed = async (messages: Message[]) => (await sent(chatTurn({}, { messages }))).body

const user = (...content: MessageContent[]): Message => ({ role: 'user', content })
const said = (text: string): MessageContent => ({ type: 'text', text })
const picture: MessageContent = {
  type: 'image',
  media: { data: Uint8Array.of(1, 2, 3), mediaType: 'image/png' },
  detail: 'low',
}

test('the body of a messages caller goes on unchanged, what costs, keeps or orders stays here', async () => {
  const block = { type: 'text', text: 'be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }
  const passed = {
    system: [block],
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'EqQB==', tomorrow: [1, { deep: null }] },
          { type: 'redacted_thinking', data: 'EmwK==' },
        ],
      },
    ],
    tools: [{ name: 'f', input_schema: {}, defer_loading: true }],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 9_000, display: 'omitted' },
    output_config: { effort: 'max' },
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    cache_control: { type: 'ephemeral' },
    stop_sequences: ['END'],
    temperature: 0.5,
    top_p: 0.9,
    top_k: 4,
  }
  const kept = {
    service_tier: 'auto',
    inference_geo: 'us',
    speed: 'fast',
    container: 'c',
    diagnostics: {},
    mcp_servers: [],
  }
  const turn = messagesTurn(
    {
      ...passed,
      ...kept,
      model: 'ours',
      max_tokens: 10_000,
      stream: false,
      metadata: { user_id: 'u', tags: ['free'] },
      anthropic_beta: ['a-2025-01-01'],
    },
    { maxOutputTokens: 10_000, messages: [] },
  )
  const { body, headers } = await sent(turn)
  expect(body).toEqual({
    ...passed,
    metadata: { user_id: 'u' },
    model: 'upstream-model',
    max_tokens: 10_000,
    stream: true,
  })
  expect(JSON.stringify(body?.['messages'])).toBe(JSON.stringify(passed.messages))
  expect(headers).toMatchObject({ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-2025-01-01' })
  expect(Object.keys(turn.source.body!).filter((name) => !forwardedFields.has(name))).toEqual(
    Object.keys(kept),
  )
})

test('where the limit had to come down the budget for thinking comes down with it', async () => {
  const thinking = { type: 'enabled', budget_tokens: 9_000, display: 'omitted' }
  const within = (maxOutputTokens: number) =>
    sent(messagesTurn({ thinking, max_tokens: 10_000 }, { maxOutputTokens }))
  expect((await within(4_000)).body?.['thinking']).toEqual({ ...thinking, budget_tokens: 3_999 })
  const { error, calls } = await within(1_024)
  expect(error).toMatchObject({ fault: 'invalid_request', executed: false, param: 'max_tokens' })
  expect(calls).toEqual([])
  const interleaved = messagesTurn({ thinking, max_tokens: 2_000 }, { maxOutputTokens: 2_000 })
  expect(
    (await sent(interleaved)).body?.['thinking'],
    'a budget above the caller’s own limit has a meaning there',
  ).toEqual(thinking)
})

test.each<[unknown, string | undefined]>([
  [['computer-use-2025-11-24', 'context.management:1'], 'computer-use-2025-11-24,context.management:1'],
  [[], undefined],
  ['computer-use-2025-11-24', undefined],
  [['fine', 'x\r\nevil: 1'], undefined],
  [['fine', 1], undefined],
  [['a b'], undefined],
])('the betas %j go out as %s', async (betas, header) => {
  const { headers, body } = await sent(messagesTurn({ anthropic_beta: betas }))
  expect(headers?.['anthropic-beta']).toBe(header)
  expect(body).not.toHaveProperty('anthropic_beta')
})

test('betas of another wire mean nothing; those of the operator go out with every call', async () => {
  const { headers } = await sent(chatTurn({ anthropic_beta: ['a-2025-01-01'] }))
  expect(headers).not.toHaveProperty('anthropic-beta')
  await using upstream = await fakeUpstream()
  await using provider = messagesOf(upstream, { headers: { 'anthropic-beta': 'ours' } })
  upstream.reply(answer)
  await hear(provider, callOf(messagesTurn({ anthropic_beta: ['theirs'] })))
  await hear(provider, callOf(chatTurn()))
  expect(upstream.calls.map(({ headers: own }) => own['anthropic-beta'])).toEqual(['ours,theirs', 'ours'])
})

test('the key goes out in both spellings, headers of the operator win, ping proves the address', async () => {
  await using upstream = await fakeUpstream()
  await using provider = messagesOf(upstream, {
    apiKey: 'sk-secret-123456',
    headers: { authorization: 'Bearer other', 'x-team': 'blue' },
  })
  await provider.ping(new AbortController().signal)
  expect(upstream.calls[0]).toMatchObject({ method: 'GET', path: '/v1/models?limit=1000' })
  expect(upstream.calls[0]?.headers).toMatchObject({
    'anthropic-version': '2023-06-01',
    'x-api-key': 'sk-secret-123456',
    authorization: 'Bearer other',
    'x-team': 'blue',
  })
  await using plain = messagesOf(upstream, { apiKey: 'sk-secret-123456' })
  upstream.reply(answer)
  await hear(plain, callOf(chatTurn()))
  expect(upstream.calls[1]).toMatchObject({ method: 'POST', path: '/v1/messages' })
  expect(upstream.calls[1]?.headers).toMatchObject({
    'x-api-key': 'sk-secret-123456',
    authorization: 'Bearer sk-secret-123456',
  })
})

const parameters = { type: 'object', properties: { city: { type: 'string' } } }

/** Everything that a turn of another wire may hold. */
const wholeTurn = () =>
  chatTurn(
    {},
    {
      source: { wire: 'chat', body: { seed: 7, made_up: 1 } },
      maxOutputTokens: 500,
      messages: [
        { role: 'system', content: [said('be brief')] },
        user(said('see'), picture),
        { role: 'user', content: [said('and tell')], name: 'neda' },
        {
          role: 'assistant',
          content: [said('I look.')],
          toolCalls: [
            { id: 'c1', name: 'weather', arguments: '{"city":"شیراز"}' },
            { id: 'functions.now:1', name: 'now', arguments: '' },
          ],
        },
        { role: 'tool', content: [said('sunny'), picture], toolCallId: 'c1' },
        { role: 'tool', content: [said('no clock')], toolCallId: 'functions.now:1', isError: true },
        { role: 'developer', content: [said('in Persian')] },
        user(said('so?')),
      ],
      tools: [
        { name: 'weather', description: 'of a city', parameters, strict: true },
        { name: 'now', parameters: {} },
      ],
      toolChoice: { type: 'auto' },
      parallelToolCalls: false,
      output: { type: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: true },
      reasoning: { enabled: true, effort: 'high' },
      stop: ['END'],
      temperature: 1,
      topP: 0.5,
      topK: 3,
      seed: 7,
      frequencyPenalty: 1,
      presencePenalty: 1,
    },
  )

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } }

/** The same in this wire. */
const wholeBody = {
  model: 'upstream-model',
  max_tokens: 500,
  stream: true,
  system: [
    { type: 'text', text: 'be brief' },
    { type: 'text', text: 'in Persian' },
  ],
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text: 'see' }, image, { type: 'text', text: 'and tell' }],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'شیراز' } },
        { type: 'tool_use', id: 'functions_now_1', name: 'now', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'sunny' }, image] },
        {
          type: 'tool_result',
          tool_use_id: 'functions_now_1',
          content: [{ type: 'text', text: 'no clock' }],
          is_error: true,
        },
        { type: 'text', text: 'so?' },
      ],
    },
  ],
  tools: [
    { name: 'weather', description: 'of a city', input_schema: parameters, strict: true },
    { name: 'now', input_schema: { type: 'object' } },
  ],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  thinking: { type: 'adaptive', display: 'summarized' },
  output_config: { effort: 'high', format: { type: 'json_schema', schema: { type: 'object' } } },
  stop_sequences: ['END'],
  temperature: 1,
  top_p: 0.5,
  top_k: 3,
}

test('a whole conversation of another wire is written in this one', async () => {
  expect((await sent(wholeTurn())).body).toEqual(wholeBody)
})

test.each([{ type: 'required' }, { type: 'tool', name: 'now' }] as const)(
  'a call that is forced ($type) leaves thinking out, which this wire would refuse beside it, and keeps the effort',
  async (toolChoice) => {
    const tools = [{ name: 'now', parameters: {} }]
    const { body } = await sent(
      chatTurn({}, { tools, toolChoice, reasoning: { enabled: true, effort: 'high' } }),
    )
    expect(body).not.toHaveProperty('thinking')
    expect(body).toMatchObject({ output_config: { effort: 'high' } })
  },
)

test('a plain question carries nothing that nobody asked for', async () => {
  const { body, headers } = await sent(chatTurn({}, { stream: false }))
  expect(body).toEqual({
    model: 'upstream-model',
    max_tokens: 64,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hello there' }] }],
    stream: false,
  })
  expect(headers).toMatchObject({ accept: 'application/json' })
  expect(headers).not.toHaveProperty('anthropic-beta')
})

test.each<[string, MessageContent, unknown[]]>([
  [
    'an image behind a link',
    { type: 'image', media: { url: 'https://example.org/a.png' } },
    [{ type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } }],
  ],
  [
    'a PDF with all about it',
    {
      type: 'document',
      title: 'T',
      context: 'C',
      citations: true,
      media: { data: Uint8Array.of(37, 80), mediaType: 'application/pdf' },
    },
    [
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'JVA=' },
        title: 'T',
        context: 'C',
        citations: { enabled: true },
      },
    ],
  ],
  [
    'a PDF behind a link',
    { type: 'document', citations: false, media: { url: 'https://example.org/a.pdf' } },
    [{ type: 'document', source: { type: 'url', url: 'https://example.org/a.pdf' } }],
  ],
  [
    'a document of plain text',
    { type: 'document', citations: false, parts: [said('words')] },
    [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } }],
  ],
  [
    'a document of parts',
    { type: 'document', citations: true, parts: [said('words'), picture] },
    [
      {
        type: 'document',
        source: {
          type: 'content',
          content: [
            { type: 'text', text: 'words' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AQID' } },
          ],
        },
        citations: { enabled: true },
      },
    ],
  ],
  ['text that nobody can see', said(' \n'), []],
])('%s is written in this wire', async (_, content, blocks) => {
  const body = await conversed([user(said('see'), content)])
  expect(body?.['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'see' }, ...blocks] }])
})

test('its own thinking goes back unchanged, that of others and what is not sealed stays here', async () => {
  const body = await conversed([
    user(said('q')),
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'mine', opaque: { wire: 'messages', signature: 'EqQB==' } },
        { type: 'reasoning', text: '', opaque: { wire: 'messages', data: 'EmwK==' } },
        { type: 'reasoning', text: 'unsealed', opaque: { wire: 'messages' } },
        { type: 'reasoning', text: 'plain' },
        { type: 'reasoning', text: 'other', opaque: { wire: 'responses', data: 'gAAA' } },
        said('a'),
      ],
    },
    { role: 'assistant', content: [], refusal: 'I will not.' },
    user(said('r')),
  ])
  expect(body?.['messages']).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'q' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'mine', signature: 'EqQB==' },
        { type: 'redacted_thinking', data: 'EmwK==' },
        { type: 'text', text: 'a' },
        { type: 'text', text: 'I will not.' },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'r' }] },
  ])
})

const asks = { role: 'user', content: 'why?' }
const uses = (id: string, ...before: unknown[]) => ({
  role: 'assistant',
  content: [...before, { type: 'tool_use', id, name: 'f', input: {} }],
})
const finds = (id: string) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }],
})
const thought = (signature: string) => ({ type: 'thinking', thinking: 'hm', signature })

/** What a caller of this wire sends, as it reaches the upstream. */
const passed = async (body: Record<string, unknown>) => {
  const asked = { max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 1_024 }, ...body }
  return sent(messagesTurn(asked, { maxOutputTokens: 4_000 }))
}

test('of a caller of this wire too, thinking that nobody has signed stays here, and ids are such as the vendor takes', async () => {
  const { body } = await passed({
    messages: [
      asks,
      uses('toolu_functions.f:0', thought('EqQB')),
      finds('toolu_functions.f:0'),
      { role: 'assistant', content: [thought('')] },
      { role: 'user', content: 'go on' },
      { role: 'assistant', content: [thought('kherad.responses.e30'), { type: 'text', text: 'so' }] },
      { role: 'user', content: 'and?' },
    ],
  })
  expect(body?.['messages']).toEqual([
    asks,
    uses('toolu_functions_f_0', thought('EqQB')),
    finds('toolu_functions_f_0'),
    { role: 'user', content: 'go on' },
    { role: 'assistant', content: [{ type: 'text', text: 'so' }] },
    { role: 'user', content: 'and?' },
  ])
  expect(body?.['thinking']).toEqual({ type: 'enabled', budget_tokens: 1_024 })
})

test.each([
  ['a manual budget', 'enabled', [uses('toolu_01a'), finds('toolu_01a')], true],
  ['a manual budget after a cloud', 'enabled', [uses('toolu_bdrk_01a'), finds('toolu_bdrk_01a')], true],
  ['a manual budget after a vendor of chat', 'enabled', [uses('toolu_call_a'), finds('toolu_call_a')], false],
  [
    'a manual budget after thinking of another vendor',
    'enabled',
    [uses('a', thought('')), finds('a')],
    false,
  ],
  [
    'a manual budget with thinking',
    'enabled',
    [uses('a', thought('s')), finds('a'), uses('b'), finds('b')],
    true,
  ],
  ['a manual budget and a new question', 'enabled', [uses('a'), finds('a'), asks], true],
  ['an answer that was begun', 'enabled', [{ role: 'assistant', content: 'so' }], true],
  [
    'a manual budget after ids of letters',
    'enabled',
    [uses('toolu_x_D681PevKs'), finds('toolu_x_D681PevKs')],
    false,
  ],
  ['adaptive thinking', 'adaptive', [uses('toolu_call_a'), finds('toolu_call_a')], true],
  ['adaptive thinking after that of another vendor', 'adaptive', [uses('a', thought('')), finds('a')], false],
])('%s in an open turn keeps its thinking if the vendor takes it', async (_, type, open, isKept) => {
  const thinking = type === 'enabled' ? { type, budget_tokens: 1_024 } : { type }
  const { body } = await passed({ thinking, messages: [asks, ...open] })
  expect(body?.['thinking']).toEqual(isKept ? thinking : { type: 'disabled' })
})

test('a thought at the end of an answer, which the vendor refuses, stays here', async () => {
  const signed: MessageContent = {
    type: 'reasoning',
    text: 'hm',
    opaque: { wire: 'messages', signature: 's' },
  }
  const body = await conversed([
    user(said('q')),
    { role: 'assistant', content: [signed] },
    user(said('r')),
    { role: 'assistant', content: [signed, said('a'), signed] },
    user(said('s')),
  ])
  expect(body?.['messages']).toEqual([
    { role: 'user', content: [said('q'), said('r')] },
    { role: 'assistant', content: [thought('s'), said('a')] },
    { role: 'user', content: [said('s')] },
  ])
})

test('a result without words is a result', async () => {
  const body = await conversed([
    { role: 'assistant', content: [], toolCalls: [{ id: 'c1', name: 'f', arguments: '{}' }] },
    { role: 'tool', content: [said('')], toolCallId: 'c1' },
  ])
  expect(body?.['messages']).toEqual([
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1' }] },
  ])
})

test.each<[Turn['toolChoice'], boolean, unknown]>([
  [{ type: 'auto' }, true, undefined],
  [{ type: 'auto' }, false, { type: 'auto', disable_parallel_tool_use: true }],
  [{ type: 'required' }, true, { type: 'any' }],
  [{ type: 'tool', name: 'f' }, false, { type: 'tool', name: 'f', disable_parallel_tool_use: true }],
  [{ type: 'none' }, false, { type: 'none' }],
])('the choice %j with parallel calls %s is %j', async (toolChoice, parallelToolCalls, written) => {
  const tools = [{ name: 'f', parameters: { type: 'object' } }]
  const { body } = await sent(chatTurn({}, { tools, toolChoice, parallelToolCalls }))
  expect(body?.['tool_choice']).toEqual(written)
})

test.each<[Turn['reasoning'], unknown, unknown]>([
  [{ enabled: true, maxTokens: 3_000 }, { type: 'enabled', budget_tokens: 3_000 }, undefined],
  [{ enabled: true, maxTokens: 10 }, { type: 'enabled', budget_tokens: 1_024 }, undefined],
  [{ enabled: true, maxTokens: 9_000 }, { type: 'enabled', budget_tokens: 3_999 }, undefined],
  [
    { enabled: true, maxTokens: 3_000, effort: 'low' },
    { type: 'enabled', budget_tokens: 3_000 },
    { effort: 'low' },
  ],
  [{ enabled: true, effort: 'minimal' }, { type: 'adaptive', display: 'summarized' }, { effort: 'low' }],
  [{ enabled: true, effort: 'xhigh' }, { type: 'adaptive', display: 'summarized' }, { effort: 'xhigh' }],
  [{ enabled: true }, { type: 'adaptive', display: 'summarized' }, undefined],
  [{ enabled: true, effort: 'none' }, { type: 'disabled' }, undefined],
  [{ enabled: false }, { type: 'disabled' }, undefined],
  [undefined, undefined, undefined],
])('the wish to think %j is %j with %j', async (reasoning, thinking, output) => {
  const { body } = await sent(chatTurn({}, { maxOutputTokens: 4_000, ...(reasoning && { reasoning }) }))
  expect(body?.['thinking']).toEqual(thinking)
  expect(body?.['output_config']).toEqual(output)
})

test('an answer in JSON without a schema is asked for in words, after those of the caller', async () => {
  const messages: Message[] = [{ role: 'system', content: [said('be brief')] }, user(said('q'))]
  const { body } = await sent(chatTurn({}, { messages, output: { type: 'json_object' } }))
  const [own, ours, ...others] = (body?.['system'] ?? []) as { text: string }[]
  expect(own?.text).toBe('be brief')
  expect(ours?.text).toContain('JSON object')
  expect(others).toEqual([])
  expect(body).not.toHaveProperty('output_config')
})

const audio: MessageContent = { type: 'audio', media: { data: Uint8Array.of(1), mediaType: 'audio/wav' } }
const video: MessageContent = { type: 'video', media: { url: 'https://example.org/a.mp4' } }
const calling = (text: string): Message[] => [
  user(said('q')),
  {
    role: 'assistant',
    content: [],
    toolCalls: [
      { id: 'a', name: 'f', arguments: '{}' },
      { id: 'b', name: 'f', arguments: text },
    ],
  },
]

test('an earlier call whose arguments are no object is sent with an object that wraps them', async () => {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
  for (const [text, input] of [
    ['{"x":', { INVALID_JSON: '{"x":' }],
    ['not json', { INVALID_JSON: 'not json' }],
    ['[1]', { value: [1] }],
    ['5', { value: 5 }],
    ['null', {}],
    [' ', {}],
    ['"{\\"x\\":1}"', { x: 1 }],
    [deep, { value: deep }],
  ] as const) {
    const { error, calls } = await sent(chatTurn({}, { messages: calling(text) }))
    expect(error).toBeUndefined()
    expect(calls[0]!.body?.['messages']).toMatchObject([{}, { content: [{ input: {} }, { input }] }])
  }
})

test.each<[string, Partial<Turn>, string]>([
  ['temperature above 1', { temperature: 1.2 }, 'temperature'],
  ['audio', { messages: [user(said('hear'), audio)] }, 'messages.0.content.1'],
  ['video', { messages: [user(said('q')), user(video)] }, 'messages.1.content.0'],
  [
    'video in a document',
    { messages: [user({ type: 'document', citations: false, parts: [said('a'), video] })] },
    'messages.0.content.0',
  ],
  [
    'thinking without room for it',
    { reasoning: { enabled: true, maxTokens: 3_000 }, maxOutputTokens: 1_024 },
    'max_tokens',
  ],
])('%s is refused before anything is sent', async (_, more, param) => {
  const { error, calls } = await sent(chatTurn({}, more))
  expect(error).toMatchObject({ fault: 'invalid_request', executed: false, param })
  expect(error?.detail).toBeTruthy()
  expect(calls).toEqual([])
})

test('nobody listening is a connect fault, and nothing was executed', async () => {
  await using provider = messagesProvider({ id: 'gone', baseUrl: 'http://127.0.0.1:1/v1' })
  const { error } = await hear(provider, callOf(chatTurn()))
  expect(error).toMatchObject({ fault: 'connect', executed: false })
})
