/** The image shape of the responses wire, written down by hand from what its readers require: every body and event that the tests see is held against it. */
import { type TObject, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { expect } from 'vitest'
import { framed, type Json } from './responses-oracle.ts'

const is = (...values: string[]) => Type.Union(values.map((value) => Type.Literal(value)))
const exact = (fields: Record<string, TSchema>): TObject =>
  Type.Object(fields, { additionalProperties: false })
const whole = () => Type.Integer({ minimum: 0 })
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const item = exact({
  type: Type.Literal('image_generation_call'),
  id: Type.String({ pattern: '^ig_[0-9a-f]{32}$' }),
  status: is('in_progress', 'completed', 'failed'),
  // Base64, which `pictureIn` checks: a regular expression over megabytes can exhaust the stack of its engine.
  result: orNull(Type.String({ minLength: 16 })),
  output_format: is('png', 'jpeg', 'webp'),
  size: Type.String({ pattern: '^[1-9][0-9]*x[1-9][0-9]*$' }),
  quality: is('auto', 'low', 'medium', 'high'),
  background: is('auto', 'opaque', 'transparent'),
  action: is('generate', 'edit'),
})
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

const response = exact({
  id: Type.String({ pattern: '^resp_[0-9a-f]{32}$' }),
  object: Type.Literal('response'),
  created_at: whole(),
  completed_at: orNull(whole()),
  status: is('in_progress', 'completed', 'failed'),
  incomplete_details: Type.Null(),
  model: Type.String({ minLength: 1 }),
  previous_response_id: Type.Null(),
  instructions: orNull(Type.String()),
  output: Type.Array(item, { maxItems: 1 }),
  output_text: Type.Literal(''),
  error: orNull(
    exact({ code: Type.String({ pattern: '^[A-Z_]+$' }), message: Type.String({ minLength: 1 }) }),
  ),
  tools: Type.Array(Type.Object({ type: Type.Literal('image_generation') }), { maxItems: 1 }),
  tool_choice: Type.Union([is('auto', 'required'), exact({ type: Type.Literal('image_generation') })]),
  truncation: Type.Literal('disabled'),
  parallel_tool_calls: Type.Boolean(),
  text: exact({ format: exact({ type: Type.Literal('text') }) }),
  top_p: Type.Number(),
  presence_penalty: Type.Number(),
  frequency_penalty: Type.Number(),
  top_logprobs: Type.Literal(0),
  temperature: Type.Number(),
  reasoning: Type.Null(),
  usage: orNull(usage),
  max_output_tokens: Type.Null(),
  max_tool_calls: Type.Null(),
  store: Type.Literal(false),
  background: Type.Literal(false),
  service_tier: Type.Literal('default'),
  metadata: Type.Object({}),
  safety_identifier: orNull(Type.String()),
  prompt_cache_key: orNull(Type.String()),
})

function hold(schema: TSchema, value: unknown): void {
  const [first] = Value.Errors(schema, value)
  expect(first && `${first.instancePath} ${first.message}`).toBeUndefined()
}

/** A whole body as the wire has it, with its one picture. */
export function pictureIn(body: unknown): { response: Json; item: Json; bytes: Buffer } {
  hold(response, body)
  const answer = body as Json
  expect(answer['status']).toBe('completed')
  expect(answer['error']).toBeNull()
  expect(answer['completed_at']).toBeGreaterThanOrEqual(answer['created_at'])
  expect(answer['usage'].total_tokens).toBe(answer['usage'].input_tokens + answer['usage'].output_tokens)
  expect(answer['output']).toHaveLength(1)
  const [drawn] = answer['output']
  expect(drawn.status).toBe('completed')
  const bytes = Buffer.from(drawn.result, 'base64')
  expect(bytes.toString('base64') === drawn.result).toBe(true)
  return { response: answer, item: drawn, bytes }
}

const steps = ['in_progress', 'generating', 'completed'].map(
  (step) => `response.image_generation_call.${step}`,
)

/** The events of a finished stream, each of them and their order held against the wire; answers the last response. */
export function imageEventsIn(stream: string): { events: Json[]; final: Json } {
  const events = framed(stream)
  const final = events.at(-1)!['response'] as Json
  const types = events.map(({ type }) => type)
  const begun = [
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    ...steps.slice(0, 2),
  ]
  expect(types).toEqual(
    final['status'] === 'completed'
      ? [...begun, steps[2], 'response.output_item.done', 'response.completed']
      : [...begun, 'response.failed'],
  )
  for (const event of events) {
    if (event['response']) hold(response, event['response'])
    if (event['item']) hold(item, event['item'])
    expect(event['output_index'] ?? 0).toBe(0)
  }
  for (const { response } of events.slice(0, 2))
    expect(response).toMatchObject({ status: 'in_progress', output: [], usage: null, completed_at: null })
  const ids = events.flatMap(({ item_id: id, item: one }) => id ?? one?.id ?? [])
  expect(new Set(ids).size).toBe(1)
  expect(events[2]).toMatchObject({ item: { status: 'in_progress', result: null } })
  if (final['status'] === 'completed') {
    expect(events.at(-2)!['item']).toEqual(final['output'][0])
    pictureIn(final)
  } else
    expect(final).toMatchObject({
      completed_at: null,
      usage: null,
      output: [{ status: 'failed', result: null }],
    })
  return { events, final }
}
