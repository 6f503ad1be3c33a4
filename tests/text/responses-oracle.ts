/**
 * The responses wire, written down by hand from what its readers require (Open Responses, openai-node, the AI SDK): every
 * body and every event that the tests see is held against it.
 */
import { type TObject, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { expect } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came.
export type Json = Record<string, any>

const text = () => Type.String()
const id = () => Type.String({ minLength: 1 })
const whole = () => Type.Integer({ minimum: 0 })
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const is = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)))
const exact = (fields: Record<string, TSchema>): TObject =>
  Type.Object(fields, { additionalProperties: false })
const may = Type.Optional

const annotation = exact({
  type: Type.Literal('url_citation'),
  start_index: whole(),
  end_index: whole(),
  url: text(),
  title: text(),
})
const textPart = exact({
  type: Type.Literal('output_text'),
  text: text(),
  annotations: Type.Array(annotation),
  logprobs: Type.Array(Type.Never()),
})
const refusalPart = exact({ type: Type.Literal('refusal'), refusal: text() })
const part = Type.Union([textPart, refusalPart])
const summaryPart = exact({ type: Type.Literal('summary_text'), text: text() })
const itemStatus = is('in_progress', 'completed', 'incomplete')

const message = exact({
  type: Type.Literal('message'),
  id: Type.String({ pattern: '^msg_' }),
  status: itemStatus,
  role: Type.Literal('assistant'),
  content: Type.Array(part),
})
const functionCall = exact({
  type: Type.Literal('function_call'),
  id: Type.String({ pattern: '^fc_' }),
  call_id: id(),
  name: id(),
  namespace: may(id()),
  arguments: text(),
  status: itemStatus,
})
const reasoning = exact({
  type: Type.Literal('reasoning'),
  id: Type.String({ pattern: '^rs_' }),
  summary: Type.Array(summaryPart),
  content: may(Type.Array(exact({ type: Type.Literal('reasoning_text'), text: text() }))),
  encrypted_content: may(id()),
})
const searched = exact({
  type: Type.Literal('search'),
  query: text(),
  queries: Type.Array(text()),
  sources: may(Type.Array(exact({ type: Type.Literal('url'), url: id() }))),
})
const opened = exact({ type: Type.Literal('open_page'), url: text() })
const webCall = exact({
  type: Type.Literal('web_search_call'),
  id: Type.String({ pattern: '^ws_' }),
  status: is('in_progress', 'completed', 'failed', 'incomplete'),
  action: Type.Union([searched, opened]),
})
const item = Type.Union([message, functionCall, reasoning, webCall])

const tool = Type.Union([
  exact({
    type: Type.Literal('function'),
    name: id(),
    description: orNull(text()),
    parameters: orNull(Type.Object({})),
    strict: orNull(Type.Boolean()),
  }),
  Type.Object({ type: Type.String({ pattern: '^(web_search|kherad:)' }) }),
])
const format = Type.Union([
  exact({ type: is('text', 'json_object') }),
  exact({
    type: Type.Literal('json_schema'),
    name: id(),
    description: orNull(text()),
    schema: Type.Object({}),
    strict: Type.Boolean(),
  }),
])
/** What was charged; a number and the same, exactly. */
const cost = { credits: Type.Number({ minimum: 0 }), microcredits: Type.String({ pattern: '^[0-9]+$' }) }
const usage = exact({
  input_tokens: whole(),
  input_tokens_details: exact({ cached_tokens: whole(), cache_write_tokens: whole() }),
  output_tokens: whole(),
  output_tokens_details: exact({ reasoning_tokens: whole() }),
  total_tokens: whole(),
  ...cost,
})
const thoughts = exact({
  effort: orNull(text()),
  summary: orNull(is('auto', 'concise', 'detailed')),
  status: is('available', 'unavailable'),
  text: text(),
  format: is('summary', 'text'),
  source: Type.Literal('provider'),
})

/** The 31 keys of Open Responses, and `output_text` of the contract. */
const fields = {
  id: Type.String({ pattern: '^resp_[0-9a-f]{32}$' }),
  object: Type.Literal('response'),
  created_at: whole(),
  completed_at: orNull(whole()),
  status: is('in_progress', 'completed', 'incomplete', 'failed'),
  incomplete_details: orNull(exact({ reason: is('max_output_tokens', 'content_filter') })),
  model: id(),
  previous_response_id: Type.Null(),
  instructions: orNull(text()),
  output: Type.Array(item),
  error: orNull(exact({ code: Type.String({ pattern: '^[A-Z_]+$' }), message: id() })),
  tools: Type.Array(tool),
  tool_choice: Type.Union([is('auto', 'none', 'required'), Type.Object({ type: text() })]),
  truncation: Type.Literal('disabled'),
  parallel_tool_calls: Type.Boolean(),
  text: exact({ format, verbosity: may(is('low', 'medium', 'high')) }),
  top_p: Type.Number(),
  presence_penalty: Type.Number(),
  frequency_penalty: Type.Number(),
  top_logprobs: Type.Literal(0),
  temperature: Type.Number(),
  reasoning: orNull(thoughts),
  usage: orNull(usage),
  max_output_tokens: whole(),
  max_tool_calls: orNull(whole()),
  store: Type.Literal(false),
  background: Type.Literal(false),
  service_tier: Type.Literal('default'),
  metadata: Type.Object({}),
  safety_identifier: orNull(text()),
  prompt_cache_key: orNull(text()),
}
export const requiredKeys = Object.keys(fields)
const response = exact({ ...fields, output_text: text() })

const ofItem = { item_id: id(), output_index: whole() }
const ofPart = { ...ofItem, content_index: whole() }
const ofSummary = { ...ofItem, summary_index: whole() }
const events: Record<string, Record<string, TSchema>> = {
  'response.created': { response },
  'response.in_progress': { response },
  'response.output_item.added': { output_index: whole(), item },
  'response.output_item.done': { output_index: whole(), item },
  'response.content_part.added': { ...ofPart, part },
  'response.content_part.done': { ...ofPart, part },
  'response.output_text.delta': { ...ofPart, delta: text(), logprobs: Type.Array(Type.Never()) },
  'response.output_text.done': { ...ofPart, text: text(), logprobs: Type.Array(Type.Never()) },
  'response.output_text.annotation.added': { ...ofPart, annotation_index: whole(), annotation },
  'response.refusal.delta': { ...ofPart, delta: text() },
  'response.refusal.done': { ...ofPart, refusal: text() },
  'response.function_call_arguments.delta': { ...ofItem, delta: text() },
  'response.function_call_arguments.done': { ...ofItem, name: id(), arguments: text() },
  'response.reasoning_summary_part.added': { ...ofSummary, part: summaryPart },
  'response.reasoning_summary_part.done': { ...ofSummary, part: summaryPart },
  'response.reasoning_summary_text.delta': { ...ofSummary, delta: text() },
  'response.reasoning_summary_text.done': { ...ofSummary, text: text() },
  'response.web_search_call.in_progress': ofItem,
  'response.web_search_call.searching': ofItem,
  'response.web_search_call.completed': ofItem,
  'response.tool': {
    ...ofItem,
    tool: is('web_search', 'web_fetch'),
    status: is('in_progress', 'completed', 'failed'),
    input: Type.Object({ type: may(Type.Never()) }),
    results: may(Type.Array(exact({ url: id(), title: text() }))),
    error_code: may(id()),
  },
  'response.reasoning.delta': { ...ofPart, delta: text() },
  'response.reasoning.done': { ...ofPart, text: text() },
  'response.completed': { response },
  'response.incomplete': { response },
  'response.failed': { response },
}
const terminals = ['response.completed', 'response.incomplete', 'response.failed']

function hold(schema: TSchema, value: unknown): void {
  const [first] = Value.Errors(schema, value)
  expect(first && `${first.instancePath} ${first.message} in ${JSON.stringify(value)}`).toBeUndefined()
}

/** A whole body as the wire has it. */
export function responseIn(body: unknown): Json {
  hold(response, body)
  const checked = body as Json
  expect(checked['output_text']).toBe(textIn(checked['output']))
  expect(checked['usage'].total_tokens).toBe(checked['usage'].input_tokens + checked['usage'].output_tokens)
  expect(checked['completed_at'] === null).toBe(checked['status'] !== 'completed')
  expect(checked['incomplete_details'] === null).toBe(checked['status'] !== 'incomplete')
  return checked
}

const textIn = (output: Json[]): string =>
  output
    .flatMap((one) => (one['type'] === 'message' ? one['content'] : []))
    .map((one: Json) => one['text'] ?? '')
    .join('')

/** The events of a finished stream as they came, whatever they are; fails unless their frame is right. */
export function framed(stream: string): Json[] {
  const blocks = stream.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'))
  expect(blocks.at(-1)).toBe('data: [DONE]')
  return blocks.slice(0, -1).map((block, place) => {
    const [, name, data] = /^event: (\S+)\ndata: (.*)$/.exec(block) ?? []
    const event = JSON.parse(data ?? '') as Json
    expect(event['type']).toBe(name)
    expect(event['sequence_number']).toBe(place)
    return event
  })
}

/** The events of a finished stream, each of them and their order held against the wire. */
export function eventsIn(stream: string): Json[] {
  const all = framed(stream)
  for (const event of all) {
    const known = events[event['type']]
    expect(known, `${event['type']} is an event of the wire`).toBeDefined()
    hold(exact({ type: text(), sequence_number: whole(), ...known }), event)
  }
  expect(all.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress'])
  expect(all.filter(({ type }) => terminals.includes(type))).toEqual([all.at(-1)])
  for (const { response: early } of all.slice(0, 2))
    expect(early).toMatchObject({ status: 'in_progress', output: [], usage: null, output_text: '' })
  const { type, response: final } = all.at(-1)!
  expect(`response.${final.status}`).toBe(type)
  expect(new Set(all.flatMap((event) => event['response']?.id ?? [])).size).toBe(1)
  holdItems(all, final)
  return all
}

/** Items are added in order, written, and done; what their deltas say is what they are in the end. */
function holdItems(all: Json[], final: Json): void {
  const added = all.filter(({ type }) => type === 'response.output_item.added')
  expect(added.map(({ output_index: index }) => index)).toEqual(added.map((_, index) => index))
  const ids = added.map(({ item: one }) => one.id)
  const callIds = added.flatMap(({ item: one }) => one.call_id ?? [])
  expect(new Set([...ids, ...callIds]).size).toBe(ids.length + callIds.length)
  expect(final['output'].map((one: Json) => one['id'])).toEqual(ids)
  for (const { output_index: index, item: one } of added) {
    const own = all.filter((event) => event['output_index'] === index)
    for (const event of own) expect(event['item_id'] ?? event['item'].id).toBe(one.id)
    expect(own[0]?.['type']).toBe('response.output_item.added')
    if (final['status'] === 'failed' && own.at(-1)?.['type'] !== 'response.output_item.done') continue
    expect(own.filter(({ type }) => type === 'response.output_item.done')).toEqual([own.at(-1)])
    expect(final['output'][index]).toEqual(own.at(-1)?.['item'])
    holdWriting(own, final['output'][index])
  }
}

function holdWriting(own: Json[], done: Json): void {
  const joined = (type: string, place?: [string, number]): string =>
    own
      .filter((event) => event['type'] === type && (!place || event[place[0]] === place[1]))
      .map((event) => event['delta'])
      .join('')
  const only = (type: string, place: [string, number]): Json => {
    const found = own.filter((event) => event['type'] === type && event[place[0]] === place[1])
    expect(found).toHaveLength(1)
    return found[0]!
  }
  if (done['type'] === 'function_call') {
    expect(joined('response.function_call_arguments.delta')).toBe(done['arguments'])
    expect(own.find(({ type }) => type.endsWith('arguments.done'))?.['arguments']).toBe(done['arguments'])
    if (done['status'] === 'completed') JSON.parse(done['arguments'])
  }
  if (done['type'] === 'web_search_call') holdSearch(own, done)
  for (const [index, one] of (done['type'] === 'message' ? done['content'] : []).entries()) {
    const place: [string, number] = ['content_index', index]
    const kind = one.type === 'output_text' ? 'output_text' : 'refusal'
    const full = one.text ?? one.refusal
    expect(joined(`response.${kind}.delta`, place)).toBe(full)
    const ending = only(`response.${kind}.done`, place)
    expect(ending['text'] ?? ending['refusal']).toBe(full)
    expect(only('response.content_part.added', place)['part']).toEqual(
      kind === 'refusal' ? { ...one, refusal: '' } : { ...one, text: '', annotations: [] },
    )
    expect(only('response.content_part.done', place)['part']).toEqual(one)
    const cited = own.filter(
      (event) => event['type'].endsWith('annotation.added') && event['content_index'] === index,
    )
    expect(cited.map(({ annotation_index: at }) => at)).toEqual(cited.map((_, at) => at))
    expect(cited.map(({ annotation }) => annotation)).toEqual(one.annotations ?? [])
    for (const { start_index: start, end_index: end } of one.annotations ?? [])
      expect(0 <= start && start < end && end <= full.length, `${start} to ${end} of ${full.length}`).toBe(
        true,
      )
  }
  for (const [index, one] of (done['summary'] ?? []).entries()) {
    const place: [string, number] = ['summary_index', index]
    expect(joined('response.reasoning_summary_text.delta', place)).toBe(one.text)
    expect(only('response.reasoning_summary_text.done', place)['text']).toBe(one.text)
    expect(only('response.reasoning_summary_part.done', place)['part']).toEqual(one)
  }
}

/** A search is told in the wire's own steps; that it failed, by its item alone. */
function holdSearch(own: Json[], done: Json): void {
  const steps = own.map(({ type }) => type).filter((type) => type !== 'response.tool')
  expect(steps).toEqual([
    'response.output_item.added',
    'response.web_search_call.in_progress',
    'response.web_search_call.searching',
    ...(done['status'] === 'completed' ? ['response.web_search_call.completed'] : []),
    'response.output_item.done',
  ])
  expect(own[0]?.['item']).toMatchObject({ status: 'in_progress', action: { type: done['action'].type } })
}

/** What does not change from one answer to the same question to the next. */
export function lasting(body: Json): Json {
  const { id: _id, created_at: _created, completed_at: _completed, output, ...rest } = body
  return { ...rest, output: output.map(({ id: _own, ...one }: Json) => one) }
}
