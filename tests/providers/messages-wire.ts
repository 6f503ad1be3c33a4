/** Answers of the Messages wire as Anthropic's server writes them, and what they mean. */
import type { AnswerPart, Turn } from '#core/turn'
import { messagesProvider } from '#providers/messages'
import { type FakeUpstream, fakeUpstream, type Script, type Step, stream } from '../harness/upstream.ts'
import { callOf, chatTurn, type Event, type Heard, hear, patient, sse } from './asking.ts'

export function started(usage: Record<string, unknown> = { input_tokens: 12, output_tokens: 1 }): Event {
  return {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-upstream',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  }
}
export const opened = (index: number, block: Record<string, unknown>): Event => ({
  type: 'content_block_start',
  index,
  content_block: block,
})
export const delta = (index: number, more: Record<string, unknown>): Event => ({
  type: 'content_block_delta',
  index,
  delta: more,
})
export const text = (index: number, piece: string): Event => delta(index, { type: 'text_delta', text: piece })
export const input = (index: number, piece: string): Event =>
  delta(index, { type: 'input_json_delta', partial_json: piece })
export const stopped = (index: number): Event => ({ type: 'content_block_stop', index })
export const ended = (
  reason: string,
  usage: Record<string, unknown> = { output_tokens: 9 },
  more: Record<string, unknown> = {},
): Event => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null, ...more },
  usage,
})
export const over: Event = { type: 'message_stop' }
export const ping: Event = { type: 'ping' }

const plainText = { type: 'text', text: '' }
const plainUsage = {
  input: 12,
  cachedInput: 0,
  cacheWriteInput: 0,
  cacheWriteHourInput: 0,
  mediaInput: 0,
  output: 9,
  reasoning: 0,
}
const start: AnswerPart = { type: 'start', upstreamId: 'msg_1', upstreamModel: 'claude-upstream' }

const webPage = {
  type: 'web_search_result_location',
  url: 'https://example.org/a',
  title: 'A page',
  encrypted_index: 'opaque==',
  cited_text: 'as it stands there',
}
const searchResult = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [{ type: 'web_search_result', url: 'https://example.org/a', encrypted_content: 'x==' }],
}

/** A transcript, and the parts that it means; parts that only carry their event are left out. */
export interface Transcript {
  name: string
  events: Event[]
  parts: AnswerPart[]
}

export const transcripts: Transcript[] = [
  {
    name: 'plain text, in two scripts',
    events: [
      started(),
      opened(0, plainText),
      ping,
      text(0, 'سلام '),
      text(0, 'world 🌱'),
      stopped(0),
      ended('end_turn'),
      over,
    ],
    parts: [
      start,
      { type: 'text', text: 'سلام ' },
      { type: 'text', text: 'world 🌱' },
      { type: 'finish', reason: 'stop' },
      { type: 'usage', usage: plainUsage, raw: { input_tokens: 12, output_tokens: 9 } },
    ],
  },
  {
    name: 'thinking with its signature, and thinking that nobody can read',
    events: [
      started(),
      opened(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'let me ' }),
      delta(0, { type: 'thinking_delta', thinking: 'see' }),
      delta(0, { type: 'signature_delta', signature: 'EqQB==' }),
      stopped(0),
      opened(1, { type: 'redacted_thinking', data: 'EmwK==' }),
      stopped(1),
      opened(2, plainText),
      text(2, '4'),
      stopped(2),
      ended('end_turn', { output_tokens: 9, output_tokens_details: { thinking_tokens: 7 } }),
      over,
    ],
    parts: [
      start,
      { type: 'reasoning', text: 'let me ' },
      { type: 'reasoning', text: 'see' },
      { type: 'reasoning-end', opaque: { wire: 'messages', signature: 'EqQB==' } },
      { type: 'reasoning-end', opaque: { wire: 'messages', data: 'EmwK==' } },
      { type: 'text', text: '4' },
      { type: 'finish', reason: 'stop' },
      {
        type: 'usage',
        usage: { ...plainUsage, reasoning: 7 },
        raw: { input_tokens: 12, output_tokens: 9, output_tokens_details: { thinking_tokens: 7 } },
      },
    ],
  },
  {
    name: 'two calls, one of them without arguments',
    events: [
      started(),
      opened(0, plainText),
      text(0, 'I look.'),
      stopped(0),
      opened(1, { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {}, caller: { type: 'direct' } }),
      input(1, ''),
      input(1, '{"city": "شی'),
      input(1, 'راز"}'),
      stopped(1),
      opened(2, { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} }),
      stopped(2),
      ended('tool_use'),
      over,
    ],
    parts: [
      start,
      { type: 'text', text: 'I look.' },
      { type: 'tool-call', index: 0, id: 'toolu_1', name: 'weather' },
      { type: 'tool-arguments', index: 0, delta: '{"city": "شی' },
      { type: 'tool-arguments', index: 0, delta: 'راز"}' },
      { type: 'tool-call', index: 1, id: 'toolu_2', name: 'now' },
      { type: 'tool-arguments', index: 1, delta: '{}' },
      { type: 'finish', reason: 'tool_calls' },
      { type: 'usage', usage: plainUsage, raw: { input_tokens: 12, output_tokens: 9 } },
    ],
  },
  {
    name: 'tools at the upstream, web pages and places in documents as sources',
    events: [
      started(),
      opened(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
      input(0, '{"query":"a"}'),
      stopped(0),
      opened(1, searchResult),
      stopped(1),
      opened(2, plainText),
      text(2, 'Known: '),
      stopped(2),
      opened(3, { type: 'text', text: '', citations: [] }),
      delta(3, { type: 'citations_delta', citation: webPage }),
      text(3, 'it is so'),
      delta(3, {
        type: 'citations_delta',
        citation: { type: 'page_location', cited_text: 'p', document_index: 0, start_page_number: 1 },
      }),
      stopped(3),
      ended('pause_turn', { output_tokens: 9, server_tool_use: { web_search_requests: 1 } }),
      over,
    ],
    parts: [
      start,
      { type: 'text', text: 'Known: ' },
      { type: 'text', text: 'it is so' },
      {
        type: 'citation',
        citation: {
          url: 'https://example.org/a',
          title: 'A page',
          citedText: 'as it stands there',
          start: 7,
          end: 15,
        },
      },
      { type: 'finish', reason: 'pause' },
      {
        type: 'usage',
        usage: { ...plainUsage, webSearches: 1 },
        raw: { input_tokens: 12, output_tokens: 9, server_tool_use: { web_search_requests: 1 } },
      },
    ],
  },
  {
    name: 'a prompt read from the cache and written to it',
    events: [
      started({
        input_tokens: 5,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 40,
        cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 10 },
        output_tokens: 1,
        service_tier: 'standard',
      }),
      opened(0, plainText),
      text(0, 'ok'),
      stopped(0),
      ended('stop_sequence', { output_tokens: 3, input_tokens: null }, { stop_sequence: 'END' }),
      over,
    ],
    parts: [
      start,
      { type: 'text', text: 'ok' },
      { type: 'finish', reason: 'stop', stopSequence: 'END' },
      {
        type: 'usage',
        usage: {
          input: 145,
          cachedInput: 100,
          cacheWriteInput: 40,
          cacheWriteHourInput: 10,
          mediaInput: 0,
          output: 3,
          reasoning: 0,
        },
        raw: {
          input_tokens: 5,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 40,
          cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 10 },
          output_tokens: 3,
          service_tier: 'standard',
        },
      },
    ],
  },
  {
    name: 'a refusal, among events and blocks of tomorrow',
    events: [
      started(),
      { type: 'message_weather', sky: { blue: true } },
      opened(0, { type: 'hologram', depth: 3 }),
      delta(0, { type: 'hologram_delta', voxels: [1, 2] }),
      stopped(0),
      ended('refusal', { output_tokens: 9 }, { stop_details: { type: 'refusal', category: 'bio' } }),
      over,
    ],
    parts: [
      start,
      { type: 'finish', reason: 'content_filter' },
      { type: 'usage', usage: plainUsage, raw: { input_tokens: 12, output_tokens: 9 } },
    ],
  },
]

export const messagesOf = (
  upstream: FakeUpstream,
  more: { apiKey?: string; headers?: Record<string, string> } = {},
) => messagesProvider({ id: 'fake', baseUrl: upstream.url, ...more })

/** A turn that came by messages with this body. */
export const messagesTurn = (body: Record<string, unknown> = {}, more: Partial<Turn> = {}): Turn =>
  chatTurn(
    {},
    {
      source: {
        wire: 'messages',
        body: { max_tokens: 64, messages: [{ role: 'user', content: 'hello there' }], ...body },
      },
      ...more,
    },
  )

export async function hearScript(script: Script, timeouts = patient, turn = messagesTurn()): Promise<Heard> {
  await using upstream = await fakeUpstream()
  await using provider = messagesOf(upstream, { apiKey: 'sk-ant-abcdefgh' })
  upstream.reply(script)
  return await hear(provider, callOf(turn, { timeouts }))
}

/** An event of this wire has a name; everything else is a step as usual. */
export const streamOf = (steps: (Event | Step)[]): Script =>
  stream(steps.map((step) => (isEvent(step) ? sse(step) : step)))

const isEvent = (step: Event | Step): step is Event =>
  typeof step === 'object' && 'type' in step && typeof step['type'] === 'string'
