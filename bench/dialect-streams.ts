/** One answer as an upstream of each wire streams it: a text of Persian and Latin words, a tool call, and the usage. */
import type { Wire } from '#core/turn'

const words =
  'سلام ! با Type Script می‌ توان برنامه‌ های بزرگ را ساده‌تر نوشت ، because the compiler reads every line \n\n پیش از شما . "نوع‌ها" سند هستند'.split(
    ' ',
  )
/** Occurs nowhere else in an answer of any wire. */
export const firstWord = words[0]!
const textOf = (tokens: number): string[] =>
  Array.from({ length: tokens }, (_, place) => ` ${words[place % words.length]}`)
const call = JSON.stringify({ city: 'تهران', days: Array.from({ length: 90 }, (_, day) => day) }).match(
  /.{1,4}/gsu,
)!
const callHead = { id: 'call_Xp2Lk0Tz9Qm4', name: 'get_weather' }
const counted = { input: 412, output: 1986 }
/** OpenAI pads its events, so that the length of a token cannot be observed. */
const padding = (place: number): string => 'aZ3kQ9xT'.slice(place % 8)

/** The events of an answer with `tokens` tokens of text, in the format of each wire's vendor. */
export const eventsOf = (wire: Wire, tokens: number): string[] => writers[wire](textOf(tokens))

const writers: Record<Wire, (text: string[]) => string[]> = { chat, responses, messages }

function chat(text: string[]): string[] {
  const head = { id: 'chatcmpl-Bk31vJ7rT2', object: 'chat.completion.chunk', created: 1_790_000_000 }
  const more = { model: 'upstream-model-2026', service_tier: 'default', system_fingerprint: 'fp_50cad350e4' }
  const chunk = (choices: object[], usage: object | null = null, place = 0): string =>
    `data: ${JSON.stringify({ ...head, ...more, choices, usage, obfuscation: padding(place) })}\n\n`
  const delta = (delta: object, finish: string | null = null, place = 0): string =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason: finish }], null, place)
  const args = (piece: string): object => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })
  const { id, name } = callHead
  const usage = {
    prompt_tokens: counted.input,
    completion_tokens: counted.output,
    total_tokens: counted.input + counted.output,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  }
  return [
    delta({ role: 'assistant', content: '', refusal: null }),
    ...text.map((content, place) => delta({ content }, null, place)),
    delta({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] }),
    ...call.map((piece, place) => delta(args(piece), null, place)),
    delta({}, 'tool_calls'),
    chunk([], usage),
    'data: [DONE]\n\n',
  ]
}

function responses(text: string[]): string[] {
  let number = 0
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...fields })}\n\n`
  const response = {
    id: 'resp_68af4030592c81938ec0a5fbab4a3e9f',
    object: 'response',
    created_at: 1_790_000_000,
  }
  const more = { model: 'upstream-model-2026', parallel_tool_calls: true, store: true, tools: [], output: [] }
  const item_id = 'msg_68af40337e5c8193b4bba3f9a1'
  const place = { item_id, output_index: 0, content_index: 0 }
  const part = { type: 'output_text', annotations: [], logprobs: [], text: '' }
  const message = { id: item_id, type: 'message', status: 'in_progress', content: [], role: 'assistant' }
  const { id: call_id, name } = callHead
  const callItem = {
    id: 'fc_68af4037',
    type: 'function_call',
    status: 'in_progress',
    arguments: '',
    call_id,
    name,
  }
  const callPlace = { item_id: callItem.id, output_index: 1 }
  const wholePart = { ...part, text: text.join('') }
  const items = [
    { ...message, status: 'completed', content: [wholePart] },
    { ...callItem, status: 'completed', arguments: call.join('') },
  ]
  const usage = {
    input_tokens: counted.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: counted.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: counted.input + counted.output,
  }
  const completed = { ...response, ...more, status: 'completed', output: items, usage }
  return [
    event('response.created', { response: { ...response, ...more, status: 'in_progress', usage: null } }),
    event('response.in_progress', { response: { ...response, ...more, status: 'in_progress', usage: null } }),
    event('response.output_item.added', { output_index: 0, item: message }),
    event('response.content_part.added', { ...place, part }),
    ...text.map((delta, at) =>
      event('response.output_text.delta', { ...place, delta, logprobs: [], obfuscation: padding(at) }),
    ),
    event('response.output_text.done', { ...place, text: wholePart.text, logprobs: [] }),
    event('response.content_part.done', { ...place, part: wholePart }),
    event('response.output_item.done', { output_index: 0, item: items[0] }),
    event('response.output_item.added', { output_index: 1, item: callItem }),
    ...call.map((delta, at) =>
      event('response.function_call_arguments.delta', { ...callPlace, delta, obfuscation: padding(at) }),
    ),
    event('response.function_call_arguments.done', { ...callPlace, arguments: call.join('') }),
    event('response.output_item.done', { output_index: 1, item: items[1] }),
    event('response.completed', { response: completed }),
  ]
}

function messages(text: string[]): string[] {
  const event = (type: string, fields: object = {}): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const delta = (index: number, delta: object): string => event('content_block_delta', { index, delta })
  const start = (index: number, block: object): string =>
    event('content_block_start', { index, content_block: block })
  const usage = { input_tokens: counted.input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const message = { id: 'msg_01XFDUDYJgAACzvnptvVoYEL', type: 'message', role: 'assistant', content: [] }
  const more = { model: 'upstream-model-2026', stop_reason: null, stop_sequence: null }
  return [
    event('message_start', { message: { ...message, ...more, usage: { ...usage, output_tokens: 1 } } }),
    start(0, { type: 'text', text: '' }),
    event('ping'),
    ...text.map((piece) => delta(0, { type: 'text_delta', text: piece })),
    event('content_block_stop', { index: 0 }),
    start(1, { type: 'tool_use', ...callHead, input: {} }),
    ...call.map((piece) => delta(1, { type: 'input_json_delta', partial_json: piece })),
    event('content_block_stop', { index: 1 }),
    event('message_delta', {
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { ...usage, output_tokens: counted.output },
    }),
    event('message_stop'),
  ]
}

/** Split as by a network: mostly one event in a piece, sometimes several, now and then one split in the middle. */
export function piecesOf(events: readonly string[]): Buffer[] {
  const rhythm = [1, 1, 1, 2, 1, 1, 0.5, 1.5, 1, 3, 1, 1]
  const bytes = events.map((event) => Buffer.from(event))
  const all = Buffer.concat(bytes)
  const ends = bytes.map(({ length }) => length)
  for (let place = 1; place < ends.length; place++) ends[place]! += ends[place - 1]!
  const pieces: Buffer[] = []
  for (let from = 0, place = 0, beat = 0; place < events.length; beat++) {
    place += rhythm[beat % rhythm.length]!
    const before = ends[Math.floor(place) - 1] ?? 0
    const after = ends[Math.min(Math.ceil(place), ends.length) - 1]!
    const end = Math.floor((before + after) / 2)
    pieces.push(all.subarray(from, end))
    from = end
  }
  return pieces
}
