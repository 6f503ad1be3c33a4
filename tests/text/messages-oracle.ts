/**
 * The messages wire, written down by hand from what its readers require (the official client's types, the AI SDK): every
 * body and every event that the tests see is held against it.
 */
import { type TObject, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { expect } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export type Json = Record<string, any>

const text = () => Type.String()
const whole = () => Type.Integer({ minimum: 0 })
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const is = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)))
const exact = (fields: Record<string, TSchema>): TObject =>
  Type.Object(fields, { additionalProperties: false })
const may = Type.Optional

const inDocument = {
  cited_text: text(),
  document_index: whole(),
  document_title: orNull(text()),
  file_id: orNull(text()),
}
const inBlocks = { start_block_index: whole(), end_block_index: whole() }
const citation = Type.Union([
  exact({ type: is('char_location'), ...inDocument, start_char_index: whole(), end_char_index: whole() }),
  exact({ type: is('page_location'), ...inDocument, start_page_number: whole(), end_page_number: whole() }),
  exact({ type: is('content_block_location'), ...inDocument, ...inBlocks }),
  exact({
    type: is('search_result_location'),
    cited_text: text(),
    search_result_index: whole(),
    source: text(),
    title: orNull(text()),
    ...inBlocks,
  }),
  exact({
    type: is('web_search_result_location'),
    cited_text: text(),
    encrypted_index: text(),
    title: orNull(text()),
    url: text(),
  }),
])

const caller = exact({ type: is('direct') })
const source = Type.Union([
  exact({ type: is('base64'), media_type: is('application/pdf'), data: text() }),
  exact({ type: is('text'), media_type: is('text/plain'), data: text() }),
])
const searched = Type.Union([
  Type.Array(
    exact({
      type: is('web_search_result'),
      url: text(),
      title: text(),
      encrypted_content: text(),
      page_age: orNull(text()),
    }),
  ),
  exact({
    type: is('web_search_tool_result_error'),
    error_code: is(
      'invalid_tool_input',
      'unavailable',
      'max_uses_exceeded',
      'too_many_requests',
      'query_too_long',
      'request_too_large',
    ),
  }),
])
const fetched = Type.Union([
  exact({
    type: is('web_fetch_result'),
    url: text(),
    retrieved_at: orNull(text()),
    content: exact({
      type: is('document'),
      title: orNull(text()),
      // Never null: one client refuses that, though the official types allow it.
      citations: exact({ enabled: Type.Boolean() }),
      source,
    }),
  }),
  exact({
    type: is('web_fetch_tool_result_error'),
    error_code: is(
      'invalid_tool_input',
      'url_too_long',
      'url_not_allowed',
      'url_not_in_prior_context',
      'url_not_accessible',
      'unsupported_content_type',
      'too_many_requests',
      'max_uses_exceeded',
      'unavailable',
      'content_too_large',
    ),
  }),
])
const ran = Type.Union([
  exact({
    type: is('bash_code_execution_result'),
    stdout: text(),
    stderr: text(),
    return_code: Type.Integer(),
    content: Type.Array(exact({ type: is('bash_code_execution_output'), file_id: text() })),
  }),
  exact({
    type: is('bash_code_execution_tool_result_error'),
    error_code: is(
      'invalid_tool_input',
      'unavailable',
      'too_many_requests',
      'execution_time_exceeded',
      'output_file_too_large',
    ),
  }),
])
const callFields = { name: text(), input: Type.Object({}), caller }
const results = [
  exact({ type: is('redacted_thinking'), data: text() }),
  exact({ type: is('web_search_tool_result'), tool_use_id: text(), content: searched, caller }),
  exact({ type: is('web_fetch_tool_result'), tool_use_id: text(), content: fetched, caller }),
  exact({ type: is('bash_code_execution_tool_result'), tool_use_id: text(), content: ran }),
]
/** Names that clients know; they stop at any other. */
const serverUse = {
  type: is('server_tool_use'),
  id: Type.String({ pattern: '^srvtoolu_' }),
  ...callFields,
  name: is('web_search', 'web_fetch', 'bash_code_execution'),
}
const toolUse = { type: is('tool_use'), id: Type.String({ pattern: '^toolu_' }), ...callFields }

const block = Type.Union([
  exact({ type: is('text'), text: text(), citations: may(orNull(Type.Array(citation))) }),
  exact({ type: is('thinking'), thinking: text(), signature: text() }),
  exact(toolUse),
  exact(serverUse),
  ...results,
])
/** At its start a block is empty, unless it comes whole. */
const startedBlock = Type.Union([
  exact({ type: is('text'), text: is(''), citations: may(orNull(Type.Array(citation, { maxItems: 0 }))) }),
  exact({ type: is('thinking'), thinking: is(''), signature: is('') }),
  exact({ ...toolUse, input: exact({}) }),
  exact({ ...serverUse, input: exact({}) }),
  ...results,
])

const details = orNull(exact({ thinking_tokens: whole() }))
const serverTools = orNull(exact({ web_search_requests: whole(), web_fetch_requests: whole() }))
/** What was charged; a number and the same, exactly. */
const cost = { credits: Type.Number({ minimum: 0 }), microcredits: Type.String({ pattern: '^[0-9]+$' }) }
const usage = {
  input_tokens: whole(),
  output_tokens: whole(),
  cache_creation_input_tokens: orNull(whole()),
  cache_read_input_tokens: orNull(whole()),
  cache_creation: orNull(exact({ ephemeral_5m_input_tokens: whole(), ephemeral_1h_input_tokens: whole() })),
  server_tool_use: serverTools,
  service_tier: orNull(is('standard', 'priority', 'batch')),
  inference_geo: orNull(text()),
  speed: orNull(is('standard', 'fast')),
  output_tokens_details: details,
}
const deltaUsage = exact({
  input_tokens: whole(),
  output_tokens: whole(),
  cache_creation_input_tokens: whole(),
  cache_read_input_tokens: whole(),
  server_tool_use: serverTools,
  output_tokens_details: details,
  ...cost,
})
const stopReason = is(
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
)
const stopDetails = orNull(
  exact({ type: is('refusal'), category: orNull(text()), explanation: orNull(text()) }),
)
const message = {
  id: Type.String({ pattern: '^msg_[0-9a-f]{32}$' }),
  type: is('message'),
  role: is('assistant'),
  model: text(),
  container: Type.Null(),
  diagnostics: Type.Null(),
  usage: exact({ ...usage, ...cost }),
}

const error = exact({
  type: text(),
  code: text(),
  message: text(),
  request_id: text(),
  param: may(text()),
})
const index = whole()
const events: Record<string, TObject> = {
  message_start: exact({
    type: is('message_start'),
    message: exact({
      ...message,
      usage: exact(usage),
      content: Type.Array(Type.Never()),
      stop_reason: Type.Null(),
      stop_sequence: Type.Null(),
      stop_details: Type.Null(),
    }),
  }),
  ping: exact({ type: is('ping') }),
  content_block_start: exact({ type: is('content_block_start'), index, content_block: startedBlock }),
  content_block_delta: exact({
    type: is('content_block_delta'),
    index,
    delta: Type.Union([
      exact({ type: is('text_delta'), text: text() }),
      exact({ type: is('thinking_delta'), thinking: text() }),
      exact({ type: is('signature_delta'), signature: text() }),
      exact({ type: is('input_json_delta'), partial_json: text() }),
      exact({ type: is('citations_delta'), citation }),
    ]),
  }),
  content_block_stop: exact({ type: is('content_block_stop'), index }),
  message_delta: exact({
    type: is('message_delta'),
    delta: exact({
      stop_reason: stopReason,
      stop_sequence: orNull(text()),
      stop_details: stopDetails,
      container: Type.Null(),
    }),
    usage: deltaUsage,
  }),
  message_stop: exact({ type: is('message_stop') }),
  error: exact({ type: is('error'), error, request_id: text() }),
}

const wholeMessage = exact({
  ...message,
  content: Type.Array(block),
  stop_reason: stopReason,
  stop_sequence: orNull(text()),
  stop_details: stopDetails,
})

function expectShape(schema: TSchema, value: unknown): void {
  const wrong = Value.Errors(schema, value)
  expect(wrong.slice(0, 5), JSON.stringify(value).slice(0, 2000)).toEqual([])
}

/** A whole answer. */
export function expectMessage(body: Json): void {
  expectShape(wholeMessage, body)
}

/** Every result follows the call that it answers and is of its tool; a call is answered once, or not at all. */
export function expectAnswered(content: Json[]): void {
  const open = new Map<string, string>()
  for (const { type, id, name, tool_use_id: answers } of content) {
    if (type === 'server_tool_use') open.set(id, `${name}_tool_result`)
    if (!/._tool_result$/.test(type)) continue
    expect(open.get(answers), JSON.stringify(content).slice(0, 2000)).toBe(type)
    open.delete(answers)
  }
}

/** The events of a stream that is over: names equal to types, shapes, and order. */
export function eventsOf(stream: string): Json[] {
  expect(stream.endsWith('\n\n')).toBe(true)
  const found = stream
    .split('\n\n')
    .slice(0, -1)
    .map((event) => {
      const lines = /^event: (\S+)\ndata: (.+)$/.exec(event)
      expect(lines, event).not.toBeNull()
      const data = JSON.parse(lines![2]!) as Json
      expect(data['type']).toBe(lines![1])
      expectShape(events[lines![1]!] ?? Type.Never(), data)
      return data
    })
  expectOrder(found.filter(({ type }) => type !== 'ping'))
  return found
}

/** One message; blocks one after the other, their indices without a gap; the end once, or an error in its place. */
function expectOrder(found: Json[]): void {
  const types = found.map(({ type }) => type)
  expect(types[0]).toBe('message_start')
  const failed = types.at(-1) === 'error'
  if (!failed) expect(types.slice(-2)).toEqual(['message_delta', 'message_stop'])
  const inner = found.slice(1, failed ? -1 : -2)
  let open: Json | undefined
  let next = 0
  let signatures = 0
  for (const event of inner) {
    if (event['type'] === 'content_block_start') {
      expect(open).toBeUndefined()
      expect(event['index']).toBe(next++)
      open = event
      signatures = 0
      continue
    }
    expect(event['index'], event['type']).toBe(open?.['index'])
    if (event['type'] === 'content_block_stop') {
      if (open?.['content_block'].type === 'thinking') expect(signatures).toBe(1)
      open = undefined
    } else {
      expect(event['type']).toBe('content_block_delta')
      expect(event['delta'].type).toMatch(kinds[open?.['content_block'].type] ?? /^never$/)
      if (event['delta'].type === 'signature_delta') signatures++
    }
  }
  if (!failed) expect(open).toBeUndefined()
}

const kinds: Record<string, RegExp> = {
  text: /^(text|citations)_delta$/,
  thinking: /^(thinking|signature)_delta$/,
  tool_use: /^input_json_delta$/,
  server_tool_use: /^input_json_delta$/,
}

/** The message that a client puts together from a stream, written independently of the code under test. */
export function joined(stream: readonly Json[]): Json {
  const first = stream.find(({ type }) => type === 'message_start')!['message']
  const last = stream.find(({ type }) => type === 'message_delta')!
  const ofBlock = (place: number) =>
    stream
      .filter(({ type, index: at }) => type === 'content_block_delta' && at === place)
      .map(({ delta }) => delta)
  const content = stream
    .filter(({ type }) => type === 'content_block_start')
    .map(({ content_block: start, index: place }) => {
      const deltas = ofBlock(place)
      const all = (field: string) => deltas.map((delta) => delta[field] ?? '').join('')
      const citations = deltas.flatMap(({ citation: one }) => (one ? [one] : []))
      if (start.type === 'text')
        return { ...start, text: all('text'), ...(citations.length > 0 && { citations }) }
      if (start.type === 'thinking')
        return { ...start, thinking: all('thinking'), signature: all('signature') }
      if (start.type.endsWith('tool_use')) return { ...start, input: JSON.parse(all('partial_json') || '{}') }
      return start
    })
  return { ...first, content, ...last['delta'], usage: { ...first.usage, ...last['usage'] } }
}
