import { expect, test } from 'vitest'
import { Failure } from '#platform/errors'
import '#platform/http'
import { readJsonSync } from '#platform/json'
import type { RealtimeEvent } from '../parts.ts'
import { readClientEvent } from './client-events.ts'
import { errorEvent } from './server-events.ts'
import { type CallSettings, freshSettings, type UpdateRules, updateSession } from './session-update.ts'

const rules: UpdateRules = {
  transcriptionModel: (name) => (name === 'sandbox/transcribe' ? name : undefined),
  isVoiceFixed: false,
}
const fresh = freshSettings('realtime', 'sandbox/realtime')
const update = (session: unknown, was: CallSettings = fresh, more: Partial<UpdateRules> = {}) =>
  updateSession(was, session, { ...rules, ...more })

/** The path and code of the refusal; undefined where the event is accepted. */
function refusalOf(act: () => unknown): { code: string; param: string | undefined } | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { code: error.code, param: error.more.param }
  }
}
const badParam = (session: unknown, was?: CallSettings): string | undefined =>
  refusalOf(() => update(session, was))?.param
const read = (event: RealtimeEvent) => readClientEvent(event, () => 'item_new')
const badEvent = (event: RealtimeEvent): string | undefined => refusalOf(() => read(event))?.param

test('the schema of a tool keeps every digit', () => {
  const parameters = '{"type":"object","properties":{"id":{"maximum":9223372036854775807}}}'
  const session = `{"type":"realtime","tools":[{"type":"function","name":"find","parameters":${parameters}}]}`
  const { settings } = update(readJsonSync(session, { exact: true }))
  expect(JSON.stringify(settings.tools[0]?.parameters)).toBe(parameters)
})

test('the session that the Agents SDK sends is taken, and what has no effect here is listed', () => {
  const { settings, ignored } = update({
    type: 'realtime',
    instructions: 'کوتاه جواب بده',
    model: 'gpt-realtime-2.1',
    output_modalities: ['audio'],
    audio: {
      input: {
        format: { type: 'audio/pcm', rate: 24_000 },
        noise_reduction: null,
        transcription: { model: 'gpt-4o-mini-transcribe', language: 'fa' },
        turn_detection: { type: 'semantic_vad', eagerness: 'high' },
      },
      output: { format: { type: 'audio/pcm', rate: 24_000 }, voice: 'nava', speed: 1 },
    },
    tracing: 'auto',
    tools: [
      { type: 'function', name: 'weather', description: 'هوا', parameters: { type: 'object' } },
      { type: 'mcp', server_label: 'x' },
    ],
    tool_choice: { type: 'function', name: 'weather' },
  })
  expect(settings).toMatchObject({
    model: 'sandbox/realtime',
    voice: 'nava',
    transcription: { language: 'fa' },
    tools: [{ name: 'weather' }],
    toolChoice: { name: 'weather' },
    turnDetection: { type: 'semantic_vad', createResponse: true },
  })
  expect(ignored).toEqual([
    'session.model',
    'session.audio.input.transcription.model',
    'session.audio.input.turn_detection.eagerness',
    'session.tracing',
    'session.tools.1',
  ])
})

test('an update changes what it names, null gives the first value back, and the rest stays', () => {
  const first = update({
    instructions: 'الف',
    max_output_tokens: 100,
    audio: {
      input: {
        transcription: { model: 'sandbox/transcribe', language: 'fa' },
        turn_detection: { type: 'server_vad', silence_duration_ms: 700, threshold: 0.9 },
      },
      output: { speed: 1.2 },
    },
  }).settings
  const second = update(
    {
      max_output_tokens: null,
      audio: {
        input: {
          transcription: { language: 'en' },
          turn_detection: { silence_duration_ms: null, create_response: false },
        },
      },
    },
    first,
  ).settings
  expect(second).toEqual({
    ...first,
    maxOutputTokens: 'inf',
    transcription: { model: 'sandbox/transcribe', language: 'en' },
    turnDetection: { ...first.turnDetection, silenceMs: undefined, createResponse: false },
  })
  for (const language of ['', 'auto', null]) {
    const unnamed = update({ audio: { input: { transcription: { language } } } }, second).settings
    expect(unnamed.transcription).toEqual({ model: 'sandbox/transcribe', language: undefined })
  }
  const third = update({ instructions: null, audio: { input: { turn_detection: null } } }, second).settings
  expect(third).toEqual({ ...second, instructions: '', turnDetection: null })
  expect(
    update({ audio: { input: { turn_detection: { type: 'semantic_vad' } } } }, second).settings,
  ).toMatchObject({ turnDetection: { type: 'semantic_vad', threshold: 0.5, createResponse: true } })
})

test('every number and text of a session is taken at its bound and refused beyond it', () => {
  const detection = (fields: object) => ({
    audio: { input: { turn_detection: { type: 'server_vad', ...fields } } },
  })
  const taken = [
    { instructions: 'ی'.repeat(12_000) },
    { instructions: '😀'.repeat(12_000) },
    { max_output_tokens: 1 },
    { max_output_tokens: 4_096 },
    { audio: { output: { speed: 0.25 } } },
    { audio: { output: { speed: 1.5 } } },
    { audio: { output: { voice: 'v'.repeat(80) } } },
    detection({ silence_duration_ms: 100, prefix_padding_ms: 0, threshold: 0, idle_timeout_ms: 5_000 }),
    detection({
      silence_duration_ms: 5_000,
      prefix_padding_ms: 1_000,
      threshold: 1,
      idle_timeout_ms: 60_000,
    }),
    { tools: Array.from({ length: 128 }, (_, at) => ({ type: 'function', name: `f${at}` })) },
  ]
  for (const session of taken) expect(badParam(session)).toBeUndefined()
  const at = 'session.audio.input.turn_detection'
  const refused: [unknown, string][] = [
    [{ instructions: 'ی'.repeat(12_001) }, 'session.instructions'],
    [{ instructions: '😀'.repeat(12_001) }, 'session.instructions'],
    [{ max_output_tokens: 0 }, 'session.max_output_tokens'],
    [{ max_output_tokens: 4_097 }, 'session.max_output_tokens'],
    [{ max_output_tokens: 1.5 }, 'session.max_output_tokens'],
    [{ audio: { output: { speed: 0.24 } } }, 'session.audio.output.speed'],
    [{ audio: { output: { speed: 1.51 } } }, 'session.audio.output.speed'],
    [{ audio: { output: { voice: '' } } }, 'session.audio.output.voice'],
    [{ audio: { output: { voice: 'v'.repeat(81) } } }, 'session.audio.output.voice'],
    [detection({ silence_duration_ms: 99 }), `${at}.silence_duration_ms`],
    [detection({ silence_duration_ms: 5_001 }), `${at}.silence_duration_ms`],
    [detection({ prefix_padding_ms: -1 }), `${at}.prefix_padding_ms`],
    [detection({ prefix_padding_ms: 1_001 }), `${at}.prefix_padding_ms`],
    [detection({ threshold: 1.01 }), `${at}.threshold`],
    [detection({ idle_timeout_ms: 4_999 }), `${at}.idle_timeout_ms`],
    [detection({ idle_timeout_ms: 60_001 }), `${at}.idle_timeout_ms`],
    [detection({ create_response: 'yes' }), `${at}.create_response`],
    [
      { tools: Array.from({ length: 129 }, (_, n) => ({ type: 'function', name: `f${n}` })) },
      'session.tools',
    ],
    [{ tools: [{ name: 'a' }, { name: 'a' }] }, 'session.tools.1.name'],
    [{ tools: [{ name: 'n'.repeat(65) }] }, 'session.tools.0.name'],
    [{ tool_choice: { type: 'function', name: 'absent' } }, 'session.tool_choice'],
    [{ output_modalities: [] }, 'session.output_modalities'],
    [
      { audio: { input: { format: { type: 'audio/pcm', rate: 16_000 } } } },
      'session.audio.input.format.rate',
    ],
    [{ audio: { output: { format: { type: 'audio/mp3' } } } }, 'session.audio.output.format.type'],
    [{ audio: [] }, 'session.audio'],
    [{ type: 'transcription' }, 'session.type'],
    ['text', 'session'],
  ]
  for (const [session, param] of refused) expect([session, badParam(session)]).toEqual([session, param])
})

test('a voice that was heard stays, and a client that sends another is told so', () => {
  const spoken = { ...fresh, voice: 'nava' }
  const session = { audio: { output: { voice: 'other' } } }
  expect(update(session, spoken, { isVoiceFixed: true })).toEqual({
    settings: spoken,
    ignored: ['session.audio.output.voice'],
  })
  expect(update(session, spoken).settings.voice).toBe('other')
})

test('fields that an object inherits are unknown ones, and a thousand of them are listed as fifty', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`f${at}`.repeat(200), 1]))
  const { settings, ignored } = update({ constructor: 1, __proto__: {}, toString: {}, ...many })
  expect(settings).toEqual(fresh)
  expect(ignored.slice(0, 2)).toEqual(['session.constructor', 'session.toString'])
  expect(ignored).toHaveLength(50)
  expect(Math.max(...ignored.map(({ length }) => length))).toBeLessThanOrEqual(100)
  expect(refusalOf(() => read({ type: 'constructor' }))).toMatchObject({ code: 'UNKNOWN_EVENT' })
})

test('items of a client are read with what each kind needs, and named where they have no name', () => {
  const create = (item: unknown) => read({ type: 'conversation.item.create', item })
  expect(create({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'سلام' }] })).toEqual({
    type: 'conversation.item.create',
    previousId: undefined,
    item: {
      id: 'item_new',
      type: 'message',
      status: 'completed',
      role: 'user',
      content: [{ type: 'input_text', text: 'سلام' }],
    },
  })
  expect(create({ id: 'mine', type: 'function_call_output', call_id: 'c', output: '{}' })).toMatchObject({
    item: { id: 'mine', type: 'function_call_output', call_id: 'c', output: '{}' },
  })
  const image = 'data:image/png;base64,iVBORw0KGgo='
  const ofUser = (part: unknown) => ({ type: 'message', role: 'user', content: [part] })
  expect(create(ofUser({ type: 'input_image', image_url: image }))).toMatchObject({
    item: { content: [{ type: 'input_image', image_url: image }] },
  })
  const jpeg = '/9j/4AAQSkZJRgABAQ=='
  expect(
    create(ofUser({ type: 'input_image', image_url: `data:image/PNG;a=b;base64,${jpeg}` })),
  ).toMatchObject({
    item: { content: [{ type: 'input_image', image_url: `data:image/jpeg;base64,${jpeg}` }] },
  })
  const bad = (item: unknown) => badEvent({ type: 'conversation.item.create', item })
  expect(bad(undefined)).toBe('item')
  expect(bad({ type: 'mcp_call' })).toBe('item.type')
  expect(bad({ type: 'message', role: 'tool', content: [] })).toBe('item.role')
  expect(bad(ofUser({ type: 'output_text', text: 'x' }))).toBe('item.content.0.type')
  expect(bad(ofUser({ type: 'input_audio', audio: 'AAAA' }))).toBe('item.content.0.transcript')
  expect(bad(ofUser({ type: 'input_image', image_url: 'https://example.org/a.png' }))).toBe(
    'item.content.0.image_url',
  )
  expect(bad(ofUser({ type: 'input_image', image_url: `${image}<` }))).toBe('item.content.0.image_url')
  expect(bad({ type: 'function_call_output', call_id: 'c' })).toBe('item.output')
  expect(bad({ type: 'function_call', call_id: 'c', name: 'a b', arguments: '' })).toBe('item.name')
})

test('a field of 256 KB is judged as a short one is, and an error never repeats it', () => {
  const large = 'A'.repeat(256 * 1024)
  const events: RealtimeEvent[] = [
    { type: large },
    { type: 'session.update', session: { [large]: 1, instructions: '' } },
    {
      type: 'conversation.item.create',
      item: {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_image', image_url: `data:image/png;base64,${large}` }],
      },
    },
    { type: 'conversation.item.retrieve', item_id: large },
  ]
  const outcomes = events.map((event) => refusalOf(() => read(event))?.code)
  expect(outcomes).toEqual(['UNKNOWN_EVENT', undefined, undefined, 'INVALID_REQUEST'])
  try {
    read(events[0]!)
  } catch (error) {
    expect(JSON.stringify(errorEvent(error, 'fa')).length).toBeLessThan(1_000)
  }
})

test('a response may have options of its own, each checked as those of the session', () => {
  expect(
    read({
      type: 'response.create',
      response: {
        instructions: 'فقط بله بگو',
        output_modalities: ['text'],
        conversation: 'none',
        metadata: { topic: 'x' },
        input: [
          { type: 'item_reference', id: 'item_1' },
          { type: 'message', role: 'user', content: [] },
        ],
      },
    }),
  ).toMatchObject({
    response: {
      instructions: 'فقط بله بگو',
      modalities: ['text'],
      conversation: 'none',
      metadata: { topic: 'x' },
      input: ['item_1', { type: 'message' }],
    },
  })
  const bad = (response: unknown) => badEvent({ type: 'response.create', response })
  expect(bad({ max_output_tokens: 4_097 })).toBe('response.max_output_tokens')
  expect(bad({ conversation: 'other' })).toBe('response.conversation')
  expect(bad({ metadata: { a: 'x'.repeat(513) } })).toBe('response.metadata.a')
  expect(bad({ input: Array(101).fill({ type: 'item_reference', id: 'x' }) })).toBe('response.input')
  expect(bad({ input: Array(100).fill({ type: 'item_reference', id: 'x' }) })).toBeUndefined()
})

test('an error names the event of the client and speaks the language of the call', () => {
  const failure = new Failure('ITEM_NOT_FOUND', { item: 'item_7' }, { param: 'item_id' })
  expect(errorEvent(failure, 'en', 'mine')).toEqual({
    type: 'error',
    error: {
      type: 'not_found_error',
      code: 'ITEM_NOT_FOUND',
      message: 'The conversation has no item item_7: it was never added, or it was deleted.',
      param: 'item_id',
      event_id: 'mine',
    },
  })
  expect(JSON.stringify(errorEvent(failure, 'fa'))).toContain('گفت‌وگو موردی با نام item_7 ندارد')
  expect(JSON.stringify(errorEvent(new Error('secret words'), 'en'))).not.toContain('secret words')
})
