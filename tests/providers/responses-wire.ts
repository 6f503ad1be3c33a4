/** Answers of the Responses wire as its servers write them, and what they mean. */
import type { AnswerPart, Turn } from '#core/turn'
import { responsesProvider } from '#providers/responses'
import { type FakeUpstream, fakeUpstream, type Script, type Step, stream } from '../harness/upstream.ts'
import { callOf, chatTurn, type Event, type Heard, hear, patient, sse } from './asking.ts'

type Json = Record<string, unknown>
const head = { id: 'resp_1', object: 'response', model: 'upstream-model' }
export const usage = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 21,
}
export const counted: AnswerPart = {
  type: 'usage',
  usage: { input: 12, cachedInput: 4, cacheWriteInput: 0, mediaInput: 0, output: 9, reasoning: 5 },
  raw: usage,
}

export const created: Event = {
  type: 'response.created',
  response: { ...head, status: 'in_progress', output: [], usage: null },
}
export const inProgress: Event = { ...created, type: 'response.in_progress' }
export const added = (index: number, item: Json): Event => ({
  type: 'response.output_item.added',
  output_index: index,
  item: { status: 'in_progress', ...item },
})
export const done = (index: number, item: Json): Event => ({
  type: 'response.output_item.done',
  output_index: index,
  item: { status: 'completed', ...item },
})
export const text = (index: number, delta: string, place = 0): Event => ({
  type: 'response.output_text.delta',
  item_id: `i${index}`,
  output_index: index,
  content_index: place,
  delta,
})
export const args = (index: number, delta: string): Event => ({
  type: 'response.function_call_arguments.delta',
  item_id: `i${index}`,
  output_index: index,
  delta,
})
const argsDone = (index: number, whole: string): Event => ({
  type: 'response.function_call_arguments.done',
  item_id: `i${index}`,
  output_index: index,
  arguments: whole,
})
const summary = (index: number, place: number, delta: string): Event => ({
  type: 'response.reasoning_summary_text.delta',
  item_id: `i${index}`,
  output_index: index,
  summary_index: place,
  delta,
})
export const textDone = (index: number, whole: string, place = 0): Event => ({
  type: 'response.output_text.done',
  item_id: `i${index}`,
  output_index: index,
  content_index: place,
  text: whole,
})
export const over = (output: Json[], more: Json = {}, type = 'response.completed'): Event => ({
  type,
  response: { ...head, status: 'completed', output, usage, ...more },
})

export const message = (index: number, whole: string, annotations: Json[] = []): Json => ({
  id: `i${index}`,
  type: 'message',
  role: 'assistant',
  content: whole === '' ? [] : [{ type: 'output_text', text: whole, annotations }],
})
export const call = (index: number, callId: string, name: string, whole: string): Json => ({
  id: `i${index}`,
  type: 'function_call',
  call_id: callId,
  name,
  arguments: whole,
})
export const thought = (index: number, texts: string[], sealed?: string): Json => ({
  id: `i${index}`,
  type: 'reasoning',
  summary: texts.map((one) => ({ type: 'summary_text', text: one })),
  ...(sealed !== undefined && { encrypted_content: sealed }),
})

const start: AnswerPart = { type: 'start', upstreamId: 'resp_1', upstreamModel: 'upstream-model' }
const stop: AnswerPart = { type: 'finish', reason: 'stop' }
const said = (piece: string): AnswerPart => ({ type: 'text', text: piece })
const thinking = (piece: string): AnswerPart => ({ type: 'reasoning', text: piece })

const page = {
  type: 'url_citation',
  start_index: 0,
  end_index: 5,
  url: 'https://example.org/a',
  title: 'A page',
}
const file = { type: 'file_citation', file_id: 'f', index: 3 }
const image = { id: 'i0', type: 'image_generation_call', result: 'aGVsbG8=' }

/** A transcript, and the parts that it means; parts that only carry their event are left out. */
export interface Transcript {
  name: string
  events: Event[]
  parts: AnswerPart[]
}

const twoCalls: AnswerPart[] = [
  { type: 'tool-call', index: 0, id: 'call_a', name: 'weather' },
  { type: 'tool-arguments', index: 0, delta: '{"city":"شیراز"}' },
  { type: 'tool-call', index: 1, id: 'call_b', name: 'now' },
  { type: 'tool-arguments', index: 1, delta: '{}' },
  { type: 'finish', reason: 'tool_calls' },
  counted,
]

export const transcripts: Transcript[] = [
  {
    name: 'plain text, in two scripts',
    events: [
      created,
      inProgress,
      added(0, message(0, '')),
      {
        type: 'response.content_part.added',
        item_id: 'i0',
        output_index: 0,
        part: { type: 'output_text', text: '' },
      },
      text(0, 'سلام '),
      text(0, 'world 🌱'),
      textDone(0, 'سلام world 🌱'),
      done(0, message(0, 'سلام world 🌱')),
      over([message(0, 'سلام world 🌱')]),
    ],
    parts: [start, said('سلام '), said('world 🌱'), stop, counted],
  },
  {
    name: 'two calls written at the same time',
    events: [
      created,
      added(0, call(0, 'call_a', 'weather', '')),
      added(1, call(1, 'call_b', 'now', '')),
      args(0, '{"city":'),
      args(1, '{}'),
      args(0, '"شیراز"}'),
      argsDone(0, '{"city":"شیراز"}'),
      done(0, call(0, 'call_a', 'weather', '{"city":"شیراز"}')),
      done(1, call(1, 'call_b', 'now', '{}')),
      over([call(0, 'call_a', 'weather', '{"city":"شیراز"}'), call(1, 'call_b', 'now', '{}')]),
    ],
    parts: [
      start,
      { type: 'tool-call', index: 0, id: 'call_a', name: 'weather' },
      { type: 'tool-call', index: 1, id: 'call_b', name: 'now' },
      { type: 'tool-arguments', index: 0, delta: '{"city":' },
      { type: 'tool-arguments', index: 1, delta: '{}' },
      { type: 'tool-arguments', index: 0, delta: '"شیراز"}' },
      { type: 'finish', reason: 'tool_calls' },
      counted,
    ],
  },
  {
    name: 'a summary of thoughts in two parts, sealed, and a thought that nobody can read',
    events: [
      created,
      added(0, thought(0, [], 'not-whole')),
      summary(0, 0, 'first '),
      summary(0, 0, 'this'),
      summary(0, 1, 'then that'),
      done(0, thought(0, ['first this', 'then that'], 'gAAA==')),
      done(1, thought(1, [], 'gBBB==')),
      added(2, message(2, '')),
      text(2, '4'),
      done(2, message(2, '4')),
      over([thought(0, ['first this', 'then that'], 'gAAA=='), thought(1, [], 'gBBB=='), message(2, '4')]),
    ],
    parts: [
      start,
      thinking('first '),
      thinking('this'),
      thinking('\n\nthen that'),
      { type: 'reasoning-end', opaque: { wire: 'responses', id: 'i0', data: 'gAAA==' } },
      { type: 'reasoning-end', opaque: { wire: 'responses', id: 'i1', data: 'gBBB==' } },
      said('4'),
      stop,
      counted,
    ],
  },
  {
    name: 'thoughts in plain text, as open servers tell them',
    events: [
      created,
      added(0, { id: 'i0', type: 'reasoning', summary: [] }),
      {
        type: 'response.reasoning_text.delta',
        item_id: 'other',
        output_index: 0,
        content_index: 0,
        delta: 'hm',
      },
      done(0, {
        id: 'another',
        type: 'reasoning',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'hm' }],
      }),
      text(1, 'yes'),
      over([message(1, 'yes')]),
    ],
    parts: [start, thinking('hm'), { type: 'reasoning-end' }, said('yes'), stop, counted],
  },
  {
    name: 'a refusal',
    events: [
      created,
      {
        type: 'response.refusal.delta',
        item_id: 'i0',
        output_index: 0,
        content_index: 0,
        delta: 'I ca',
      },
      {
        type: 'response.refusal.delta',
        item_id: 'i0',
        output_index: 0,
        content_index: 0,
        delta: 'nnot',
      },
      {
        type: 'response.refusal.done',
        item_id: 'i0',
        output_index: 0,
        content_index: 0,
        refusal: 'I cannot',
      },
      over([{ id: 'i0', type: 'message', content: [{ type: 'refusal', refusal: 'I cannot' }] }]),
    ],
    parts: [start, { type: 'refusal', text: 'I ca' }, { type: 'refusal', text: 'nnot' }, stop, counted],
  },
  {
    name: 'a search at the upstream, and its pages as sources in the second message',
    events: [
      created,
      added(0, { id: 'i0', type: 'web_search_call' }),
      { type: 'response.web_search_call.searching', item_id: 'i0', output_index: 0 },
      done(0, { id: 'i0', type: 'web_search_call', action: { type: 'search', query: 'a' } }),
      text(1, 'Wait: '),
      done(1, message(1, 'Wait: ')),
      text(2, 'known'),
      {
        type: 'response.output_text.annotation.added',
        output_index: 2,
        content_index: 0,
        annotation_index: 0,
        annotation: page,
      },
      {
        type: 'response.output_text.annotation.added',
        output_index: 2,
        content_index: 0,
        annotation_index: 1,
        annotation: file,
      },
      done(2, message(2, 'known', [page, file, page])),
      over([message(1, 'Wait: '), message(2, 'known', [page, file, page])]),
    ],
    parts: [
      start,
      said('Wait: '),
      said('known'),
      { type: 'citation', citation: { url: page.url, title: 'A page', start: 6, end: 11 } },
      { type: 'citation', citation: { url: page.url, title: 'A page', start: 6, end: 11 } },
      stop,
      counted,
    ],
  },
  {
    name: 'an answer that reached its limit',
    events: [
      created,
      text(0, 'too lo'),
      over(
        [message(0, 'too lo')],
        { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
        'response.incomplete',
      ),
    ],
    parts: [start, said('too lo'), { type: 'finish', reason: 'length' }, counted],
  },
  {
    name: 'a picture, and events and items of tomorrow',
    events: [
      created,
      added(0, { id: 'i0', type: 'image_generation_call' }),
      { type: 'response.image_generation_call.generating', item_id: 'i0', output_index: 0 },
      done(0, image),
      { type: 'response.hologram.delta', output_index: 1, voxels: [1, 2] },
      over([image, { id: 'i1', type: 'hologram', content: [{ type: 'output_text', text: 'no' }] }]),
    ],
    parts: [start, stop, counted],
  },
  {
    name: 'a server without deltas, only with the ends of items',
    events: [
      created,
      textDone(0, 'hello'),
      done(0, message(0, 'hello')),
      done(1, call(1, 'call_a', 'weather', '{"city":"شیراز"}')),
      argsDone(2, '{}'),
      done(2, call(2, 'call_b', 'now', '{}')),
      over([message(0, 'hello')]),
    ],
    parts: [start, said('hello'), ...twoCalls],
  },
  {
    name: 'a server that tells all in its last event',
    events: [
      created,
      over([
        thought(0, ['a', 'b'], 'gAAA=='),
        message(1, 'hello', [page]),
        call(2, 'call_a', 'weather', '{"city":"شیراز"}'),
        call(3, 'call_b', 'now', '{}'),
      ]),
    ],
    parts: [
      start,
      thinking('a\n\nb'),
      { type: 'reasoning-end', opaque: { wire: 'responses', id: 'i0', data: 'gAAA==' } },
      said('hello'),
      { type: 'citation', citation: { url: page.url, title: 'A page', start: 0, end: 5 } },
      ...twoCalls,
    ],
  },
  {
    name: 'a server that cuts its items otherwise in the last event, with other ids, and sends a rest there',
    events: [
      created,
      text(0, 'one '),
      done(0, message(0, 'one ')),
      added(1, call(1, 'call_a', 'weather', '')),
      args(1, '{"city":'),
      text(2, 'two '),
      done(2, message(2, 'two ')),
      over([
        { ...message(9, 'one two three'), id: 'x' },
        call(8, 'call_x', 'weather', '{"city":1}'),
        call(7, 'call_y', 'now', '{}'),
      ]),
    ],
    parts: [
      start,
      said('one '),
      { type: 'tool-call', index: 0, id: 'call_a', name: 'weather' },
      { type: 'tool-arguments', index: 0, delta: '{"city":' },
      said('two '),
      said('three'),
      { type: 'tool-arguments', index: 0, delta: '1}' },
      { type: 'tool-call', index: 1, id: 'call_y', name: 'now' },
      { type: 'tool-arguments', index: 1, delta: '{}' },
      { type: 'finish', reason: 'tool_calls' },
      counted,
    ],
  },
]

export const responsesOf = (
  upstream: FakeUpstream,
  more: { apiKey?: string; headers?: Record<string, string> } = {},
) => responsesProvider({ id: 'fake', baseUrl: upstream.url, ...more })

/** A turn that came by responses with this body. */
export const responsesTurn = (body: Json = {}, more: Partial<Turn> = {}): Turn =>
  chatTurn({}, { source: { wire: 'responses', body: { input: 'hello there', ...body } }, ...more })

export async function hearScript(script: Script, timeouts = patient, turn = responsesTurn()): Promise<Heard> {
  await using upstream = await fakeUpstream()
  await using provider = responsesOf(upstream, { apiKey: 'sk-live-abcdefgh' })
  upstream.reply(script)
  return await hear(provider, callOf(turn, { timeouts }))
}

/** An event of this wire has a name; everything else is a step as usual. */
export const streamOf = (steps: (Event | Step)[]): Script =>
  stream(steps.map((step) => (isEvent(step) ? sse(step) : step)))

const isEvent = (step: Event | Step): step is Event =>
  typeof step === 'object' && 'type' in step && typeof step['type'] === 'string'
