/** What the messages wire accepts and refuses, at the exact bounds, before anything is held. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mp4, png } from '../clients/media-samples.ts'
import { expectRefusal } from '../contract/refusal.ts'
import { pdfOf } from '../core/tools/pdf.ts'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { assistant, message, path, toolResult, toolUse, user, version, weather } from './messages-world.ts'
import { bootOnWires, type ResponsesWorld } from './responses-world.ts'

type Body = Record<string, unknown>

let world: World
let key: Client
/** A model that reads files too, behind an upstream of this wire. */
let at: ResponsesWorld
beforeAll(async () => {
  world = await sharedWorld()
  key = await world.key()
  at = await bootOnWires('messages', { credits: 100_000, features: 'web_search, web_fetch' })
  at.upstream.reply({
    kind: 'json',
    status: 200,
    headers: {},
    body: {
      type: 'message',
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  })
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await at[Symbol.asyncDispose]()
})

const text = (more: Body = {}) => ({ type: 'text', text: 'a', ...more })
const image = (more: Body = {}) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: png },
  ...more,
})
const pdf = pdfOf(['words']).toString('base64')
const document = (source: Body, more: Body = {}) => ({ type: 'document', source, ...more })
const plain = { type: 'text', media_type: 'text/plain', data: 'words' }
const file = { type: 'base64', media_type: 'application/pdf', data: pdf }
const says = (...blocks: unknown[]): Body => ({ messages: [user(blocks)] })
const answered = (...blocks: unknown[]): Body => ({ messages: [user('a'), assistant(blocks), user('b')] })
const cache = [
  { type: 'ephemeral' },
  { type: 'ephemeral', ttl: '5m' },
  { type: 'ephemeral', ttl: '1h' },
  null,
]
const cached = cache.map((cache_control) => ({ cache_control }))
const place = { cited_text: 'x', document_index: 0, document_title: null }
const citations = [
  { type: 'char_location', ...place, file_id: null, start_char_index: 0, end_char_index: 1 },
  { type: 'page_location', ...place, start_page_number: 1, end_page_number: 2 },
  { type: 'content_block_location', ...place, start_block_index: 0, end_block_index: 1 },
  {
    type: 'search_result_location',
    cited_text: 'x',
    search_result_index: 0,
    source: 's',
    title: null,
    start_block_index: 0,
    end_block_index: 1,
  },
  {
    type: 'web_search_result_location',
    cited_text: 'x',
    url: 'https://a.b',
    title: null,
    encrypted_index: 'e',
  },
]
const search = (more: Body = {}) => ({ type: 'web_search_20250305', name: 'web_search', ...more })
const fetched = (more: Body = {}) => ({ type: 'web_fetch_20250910', name: 'web_fetch', ...more })
const computer = (more: Body = {}) => ({
  type: 'computer_20250124',
  name: 'computer',
  display_width_px: 1024,
  display_height_px: 768,
  ...more,
})
const result = (type: string, content: unknown) => ({ type, tool_use_id: 'srvtoolu_1', content })
const serverUse = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }

/** Everything that clients of the wire send; an upstream of this wire takes it all. */
const accepted: [string, Body][] = [
  ...cached.map((more): [string, Body] => [
    `cache_control ${JSON.stringify(more.cache_control)}`,
    {
      ...more,
      system: [text(more)],
      tools: [{ ...weather, ...more }, search(more)],
      messages: [
        user([text(more), image(more), document(plain, more)]),
        assistant([text(more), { ...toolUse('toolu_1'), ...more }]),
        user([toolResult('toolu_1', [text(more), image(more), document(plain, more)], more)]),
      ],
    },
  ]),
  ['metadata', { metadata: { user_id: 'u' } }],
  ['service_tier', { service_tier: 'standard_only' }],
  ['inference_geo', { inference_geo: 'us' }],
  ['speed', { speed: 'fast' }],
  ['diagnostics', { diagnostics: { previous_message_id: null } }],
  [
    'context_management',
    {
      context_management: {
        edits: [
          { type: 'clear_thinking_20251015', keep: 'all' },
          {
            type: 'clear_tool_uses_20250919',
            trigger: { type: 'input_tokens', value: 30_000 },
            keep: { type: 'tool_uses', value: 3 },
            exclude_tools: ['x'],
            clear_tool_inputs: true,
          },
        ],
      },
    },
  ],
  ['output_config', { output_config: { effort: 'low', format: null } }],
  ['empty tools', { tools: [] }],
  [
    'fields of a tool',
    {
      tools: [
        {
          ...weather,
          type: 'custom',
          strict: true,
          defer_loading: false,
          eager_input_streaming: true,
          input_examples: [{ city: 'Paris' }],
          allowed_callers: ['direct'],
        },
        { ...weather, name: 'other', type: null },
      ],
    },
  ],
  ['bash', { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
  ['an old editor', { tools: [{ type: 'text_editor_20250124', name: 'str_replace_editor' }] }],
  ['an editor', { tools: [{ type: 'text_editor_20250429', name: 'str_replace_based_edit_tool' }] }],
  [
    'a newer editor',
    { tools: [{ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 100 }] },
  ],
  ['memory', { tools: [{ type: 'memory_20250818', name: 'memory' }] }],
  ...['20250305', '20260209', '20260318'].map((date): [string, Body] => [
    `web_search_${date}`,
    {
      tools: [
        search({
          type: `web_search_${date}`,
          max_uses: 5,
          allowed_domains: ['a.b'],
          blocked_domains: null,
          user_location: { type: 'approximate', city: 'Tehran', country: 'IR' },
          ...(date === '20260318' && { response_inclusion: 'excluded' }),
        }),
      ],
    },
  ]),
  ...['20250910', '20260209', '20260309', '20260318'].map((date): [string, Body] => [
    `web_fetch_${date}`,
    {
      tools: [
        fetched({
          type: `web_fetch_${date}`,
          max_uses: 1,
          max_content_tokens: 32_000,
          citations: { enabled: true },
          ...(date >= '20260309' && { use_cache: false }),
        }),
      ],
    },
  ]),
  ...['enabled', 'adaptive', 'disabled', 'between_tools'].map((type): [string, Body] => [
    `thinking ${type}`,
    { thinking: { type, ...(type === 'enabled' && { budget_tokens: 1024 }) } },
  ]),
  ['a link to a picture', says({ type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } })],
  ['a link to a document', says(document({ type: 'url', url: 'https://example.org/a.pdf' }))],
  ['a PDF', says(document(file, { title: 'T', context: 'C', citations: { enabled: true } }))],
  ['text as a document', says(document(plain, { title: null }))],
  ['mixed content', says(document({ type: 'content', content: [text(), image()] }))],
  ['content as a string', says(document({ type: 'content', content: 'words' }))],
  [
    'search results',
    says({ type: 'search_result', source: 's', title: 't', content: [text()], citations: { enabled: true } }),
  ],
  [
    'a tool result without content, an error, and blocks',
    {
      messages: [
        user('a'),
        assistant([
          { ...toolUse('toolu_1'), caller: { type: 'direct' } },
          toolUse('toolu_2'),
          toolUse('toolu_3'),
        ]),
        user([
          { type: 'tool_result', tool_use_id: 'toolu_1' },
          toolResult('toolu_2', 'failed', { is_error: true }),
          toolResult('toolu_3', [
            text(),
            { type: 'search_result', source: 's', title: 't', content: [] },
            { type: 'tool_reference', tool_name: 'x' },
          ]),
        ]),
      ],
    },
  ],
  [
    'thinking, sealed and unreadable',
    answered(
      { type: 'thinking', thinking: 't', signature: 's' },
      { type: 'redacted_thinking', data: 'd' },
      text({ citations: null }),
    ),
  ],
  ['every kind of citation', answered(text({ citations }))],
  [
    'what tools at the service found',
    answered(
      serverUse,
      result('web_search_tool_result', [
        { type: 'web_search_result', url: 'u', title: 't', encrypted_content: 'e', page_age: null },
      ]),
      result('web_search_tool_result', { type: 'web_search_tool_result_error', error_code: 'unavailable' }),
      result('web_fetch_tool_result', { type: 'web_fetch_tool_result_error', error_code: 'unavailable' }),
      result('bash_code_execution_tool_result', { type: 'bash_code_execution_result' }),
    ),
  ],
  [
    'a note of the system in the middle',
    { messages: [user('a'), { role: 'system', content: [text()] }, user('b')] },
  ],
]

test.each(accepted)('taken: %s', async (_, body) => {
  const reply = await message(at.key, body)
  expect(reply.status, reply.text).toBe(200)
})

const odd = { surprise: 1 }
/** A field that is not known where it stands, by its path. */
const unknown: [string, Body][] = [
  ['container', { container: 'container_1' }],
  ['mcp_servers', { mcp_servers: [] }],
  ['tools.0.surprise', { tools: [{ ...weather, ...odd }] }],
  ['tools.0.surprise', { tools: [{ type: 'bash_20250124', name: 'bash', ...odd }] }],
  ['tools.0.surprise', { tools: [search(odd)] }],
  ['tools.0.user_location.surprise', { tools: [search({ user_location: { type: 'approximate', ...odd } })] }],
  ['tools.0.use_cache', { tools: [fetched({ use_cache: true })] }],
  ['tools.0.enable_zoom', { tools: [computer({ enable_zoom: true })] }],
  ['thinking.budget_tokens', { thinking: { type: 'adaptive', budget_tokens: 1024 } }],
]

test.each(unknown)('an unknown field is refused by name: %s', async (param, body) => {
  expectRefusal(await message(key, body), { status: 400, code: 'UNKNOWN_FIELD', param })
})

const fileId = { type: 'file', file_id: 'file_1' }
/** Wrong values, and the path that the refusal names. */
const wrong: [string, string, Body][] = [
  ['a conversation that would be kept', 'thread', { thread: { type: 'create' } }],
  ['a call by the user', 'messages.0.content.0.type', says(toolUse('t'))],
  ['a result by the assistant', 'messages.1.content.0.type', answered(toolResult('t'))],
  [
    'a picture by the system',
    'messages.0.content.0.type',
    { messages: [{ role: 'system', content: [image()] }] },
  ],
  ['an unknown block', 'messages.0.content.0.type', says({ type: 'container_upload', file_id: 'f' })],
  ['a picture by file id', 'messages.0.content.0.source.type', says(image({ source: fileId }))],
  ['a document by file id', 'messages.0.content.0.source.type', says(document(fileId))],
  [
    'a picture of another type',
    'messages.0.content.0.source.media_type',
    says(image({ source: { type: 'base64', media_type: 'image/bmp', data: png } })),
  ],
  [
    'a document of another type',
    'messages.0.content.0.source.media_type',
    says(document({ ...file, media_type: 'text/html' })),
  ],
  ['a tool without a schema', 'tools.0.input_schema', { tools: [{ name: 'x' }] }],
  ['an unknown tool', 'tools.0.type', { tools: [{ type: 'code_execution_20250825', name: 'x' }] }],
  ['a known tool by another name', 'tools.0.name', { tools: [{ type: 'bash_20250124', name: 'shell' }] }],
  ['no use of a search', 'tools.0.max_uses', { tools: [search({ max_uses: 0 })] }],
  ['half a use of a fetch', 'tools.0.max_uses', { tools: [fetched({ max_uses: 1.5 })] }],
  ['no page at all', 'tools.0.max_content_tokens', { tools: [fetched({ max_content_tokens: 0 })] }],
  [
    'a screen without width',
    'tools.0.display_width_px',
    { tools: [computer({ display_width_px: undefined })] },
  ],
]

test.each(wrong)('refused: %s (%s)', async (_, param, body) => {
  expectRefusal(await message(key, body), { status: 400, code: 'INVALID_REQUEST', param })
})

test('no refusal of this page has cost anything', async () => {
  await world.settled()
  const before = await world.balance()
  for (const [, body] of unknown) await message(key, body)
  for (const [, , body] of wrong) await message(key, body)
  expect(await world.balance()).toEqual(before)
})

describe('media', () => {
  const sent = (source: Body, model = 'sandbox/omni') => message(key, { model, ...says(image({ source })) })
  const inline = (data: string, type = 'image/png') => ({ type: 'base64', media_type: type, data })
  const invalid = (param: string) => ({
    status: 400,
    code: 'INVALID_MEDIA',
    param: `messages.0.content.0.${param}`,
  })

  test('a picture is what its bytes are, not what the block says', async () => {
    const unknown = ['application/octet-stream', '']
    for (const type of ['image/png', 'image/jpeg', 'image/jpg', 'IMAGE/PNG; charset=binary', ...unknown])
      expect((await sent(inline(png, type))).status, type).toBe(200)
    for (const type of unknown)
      expect(
        (await message(key, { model: 'sandbox/omni', ...says(document({ ...file, media_type: type })) }))
          .status,
        type,
      ).toBe(200)
    for (const source of [inline(mp4), inline('!!!!'), inline(''), inline(pdf), inline(pdf, unknown[0])])
      expectRefusal(await sent(source), invalid('source.data'))
  })

  test('a picture has at most 2,800,000 Base64 characters', async () => {
    const padded = (characters: number) => png.padEnd(0) + 'A'.repeat(characters - png.length)
    // Whole groups of four after the end of the picture: readers ignore them.
    const bare = Buffer.from(png, 'base64')
    const filled = (characters: number) =>
      Buffer.concat([bare, Buffer.alloc((characters / 4) * 3 - bare.length)]).toString('base64')
    expect(filled(2_800_000)).toHaveLength(2_800_000)
    expect((await sent(inline(filled(2_800_000)))).status).toBe(200)
    expectRefusal(await sent(inline(filled(2_800_004))), invalid('source.data'))
    expectRefusal(await sent(inline(padded(2_800_001))), invalid('source.data'))
  })

  test('a link begins with https://', async () => {
    expect((await sent({ type: 'url', url: 'https://example.org/a.png' })).status).toBe(200)
    for (const url of [
      'http://example.org/a.png',
      'ftp://a.b',
      'file:///etc/passwd',
      'a.png',
      `data:image/png;base64,${png}`,
    ])
      expectRefusal(await sent({ type: 'url', url }), invalid('source.url'))
  })

  test('a model that takes no pictures or files is not asked', async () => {
    expectRefusal(await sent(inline(png), 'sandbox/fast'), {
      status: 400,
      code: 'INPUT_MODALITY_NOT_SUPPORTED',
      param: 'messages.0.content.0',
    })
    expectRefusal(await message(key, { model: 'sandbox/reasoner', ...says(text(), document(file)) }), {
      status: 400,
      code: 'INPUT_MODALITY_NOT_SUPPORTED',
      param: 'messages.0.content.1',
    })
    const inResult = [user('a'), assistant([toolUse('toolu_1')]), user([toolResult('toolu_1', [image()])])]
    expectRefusal(await message(key, { messages: inResult }), {
      status: 400,
      code: 'INPUT_MODALITY_NOT_SUPPORTED',
      param: 'messages.2.content.0.content.0',
    })
  })

  test('a PDF is what its bytes are', async () => {
    const refused = await message(at.key, says(document({ ...file, data: png })))
    expectRefusal(refused, invalid('source.data'))
  })
})

test('a body has at most 4 MB, and the connection serves the next request', async () => {
  const limit = 4 * 1024 * 1024
  const body = (size: number): string => {
    const empty = JSON.stringify({ max_tokens: 1, model: 'no/such', messages: [user('')] })
    return empty.replace('"content":""', `"content":"${'a'.repeat(size - empty.length)}"`)
  }
  const at4 = await key.request('POST', path, body(limit), version)
  expectRefusal(at4, { status: 404, code: 'MODEL_NOT_FOUND', param: 'model' })
  expectRefusal(await key.request('POST', path, body(limit + 1), version), {
    status: 413,
    code: 'BODY_TOO_LARGE',
  })
  expect((await message(key)).status).toBe(200)
})

describe('tools that are known by their type', () => {
  test.each([
    ['computer_20250124', 'computer-use-2025-01-24'],
    ['computer_20251124', 'computer-use-2025-11-24'],
  ])('%s needs its own beta', async (type, beta) => {
    const body = { tools: [computer({ type })] }
    const refusal = { status: 400, code: 'INVALID_REQUEST', param: 'anthropic-beta' }
    expectRefusal(await message(key, body), refusal)
    expectRefusal(await message(key, body, { 'anthropic-beta': 'computer-use-2024-10-22' }), refusal)
    expect((await message(key, body, { 'anthropic-beta': `x, ${beta}` })).status).toBe(200)
  })

  test.each(['web_search', 'web_fetch', 'datetime', 'bash'])('kherad:%s is closed too', async (name) => {
    expectRefusal(await message(key, { tools: [{ type: `kherad:${name}`, surprise: 1 }] }), {
      status: 400,
      code: 'UNKNOWN_FIELD',
      param: 'tools.0.surprise',
    })
  })
})

test('fields that go to no upstream are named', async () => {
  const body = { service_tier: 'auto', speed: 'fast', metadata: { user_id: 'u' } }
  expect((await message(key, body)).headers.get('x-ignored-fields')).toBe('service_tier, speed')
  expect((await message(key)).headers.has('x-ignored-fields')).toBe(false)
})
