/** Fixed answers of the wires, whole and as events. */
export type UpstreamBehaviour =
  | 'plain'
  | 'caller'
  | 'refuses'
  | `fails-${string}`
  | 'cut'
  | 'painter'
  | 'near'

// biome-ignore lint/suspicious/noExplicitAny: bodies of several wires, each read where it is known.
type Body = any

const words = ['پاسخ ', 'ثابت ', 'of the ', 'upstream', '.']
const toolArguments = '{"city":"شیراز"}'
const isCalled = (behaviour: UpstreamBehaviour | undefined, body: Body) =>
  behaviour === 'caller' && body.tools?.length > 0

/** 1×1. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export function answerOf(path: string, behaviour: UpstreamBehaviour | undefined, body: Body): unknown {
  if (path.endsWith('/embeddings')) return vectors(body)
  if (path.includes('/images/')) return { created: 1, data: [{ b64_json: png }] }
  if (path.endsWith('/responses')) return responsesAnswer(behaviour, body)
  if (path.endsWith('/messages')) return messagesAnswer(behaviour, body)
  return chatAnswer(behaviour, body)
}

export function eventsOf(path: string, behaviour: UpstreamBehaviour | undefined, body: Body): string[] {
  if (path.endsWith('/responses')) return responsesEvents(behaviour, body)
  if (path.endsWith('/messages')) return messagesEvents(behaviour, body)
  return chatEvents(behaviour, body)
}

function vectors(body: Body): unknown {
  const data = body.input.map((text: string, index: number) => {
    const embedding = [1, text.length / 100, 0.5]
    const bytes = Buffer.from(new Float32Array(embedding).buffer)
    return { index, embedding: body.encoding_format === 'base64' ? bytes.toString('base64') : embedding }
  })
  return { data, usage: { prompt_tokens: 5 * data.length, total_tokens: 5 * data.length } }
}

const chatUsage = {
  prompt_tokens: 12,
  completion_tokens: 5,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 4 },
}
const chatHead = { id: 'chatcmpl-upstream', created: 1, model: 'upstream-model' }
const chatCall = {
  index: 0,
  id: 'call_a',
  type: 'function',
  function: { name: 'weather', arguments: toolArguments },
}

function chatAnswer(behaviour: UpstreamBehaviour | undefined, body: Body): unknown {
  const called = isCalled(behaviour, body)
  const { index: _, ...call } = chatCall
  const message = called
    ? { role: 'assistant', content: null, tool_calls: [call] }
    : { role: 'assistant', content: words.join('') }
  const choices = [{ index: 0, message, finish_reason: called ? 'tool_calls' : 'stop' }]
  return { ...chatHead, object: 'chat.completion', choices, usage: chatUsage }
}

function chatEvents(behaviour: UpstreamBehaviour | undefined, body: Body): string[] {
  const chunk = (delta: Body, finish_reason: string | null = null) =>
    event({ ...chatHead, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })
  const deltas = isCalled(behaviour, body)
    ? [chunk({ tool_calls: [chatCall] }), chunk({}, 'tool_calls')]
    : [...words.map((content) => chunk({ content })), chunk({}, 'stop')]
  return [
    chunk({ role: 'assistant', content: '' }),
    ...deltas,
    event({ ...chatHead, object: 'chat.completion.chunk', choices: [], usage: chatUsage }),
    'data: [DONE]\n\n',
  ]
}

const responsesUsage = {
  input_tokens: 12,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 17,
}
const responsesHead = { id: 'resp_up', object: 'response', model: 'upstream-model' }
const responsesCall = {
  id: 'i0',
  type: 'function_call',
  call_id: 'call_a',
  name: 'weather',
  arguments: toolArguments,
}
const responsesText = {
  id: 'i0',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: words.join(''), annotations: [] }],
}

function responsesAnswer(behaviour: UpstreamBehaviour | undefined, body: Body): unknown {
  const item = isCalled(behaviour, body) ? responsesCall : responsesText
  const output = [{ ...item, status: 'completed' }]
  return { ...responsesHead, status: 'completed', output, usage: responsesUsage }
}

function responsesEvents(behaviour: UpstreamBehaviour | undefined, body: Body): string[] {
  const item = isCalled(behaviour, body) ? responsesCall : responsesText
  const place = { item_id: 'i0', output_index: 0 }
  const deltas = isCalled(behaviour, body)
    ? [{ type: 'response.function_call_arguments.delta', ...place, delta: toolArguments }]
    : words.map((delta) => ({ type: 'response.output_text.delta', ...place, content_index: 0, delta }))
  const empty = isCalled(behaviour, body) ? { arguments: '' } : { content: [] }
  return [
    {
      type: 'response.created',
      response: { ...responsesHead, status: 'in_progress', output: [], usage: null },
    },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, ...empty, status: 'in_progress' },
    },
    ...deltas,
    { type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed' } },
    { type: 'response.completed', response: responsesAnswer(behaviour, body) },
  ].map((one) => event(one, one.type))
}

const messagesUsage = { input_tokens: 12, output_tokens: 5, cache_read_input_tokens: 4 }
const messagesHead = { id: 'msg_up', type: 'message', role: 'assistant', model: 'claude-upstream' }

function messagesAnswer(behaviour: UpstreamBehaviour | undefined, body: Body): unknown {
  const called = isCalled(behaviour, body)
  const content = called
    ? [{ type: 'tool_use', id: 'toolu_a', name: 'weather', input: JSON.parse(toolArguments) }]
    : [{ type: 'text', text: words.join('') }]
  const stop_reason = called ? 'tool_use' : 'end_turn'
  return { ...messagesHead, content, stop_reason, stop_sequence: null, usage: messagesUsage }
}

function messagesEvents(behaviour: UpstreamBehaviour | undefined, body: Body): string[] {
  const called = isCalled(behaviour, body)
  const block = called
    ? { type: 'tool_use', id: 'toolu_a', name: 'weather', input: {} }
    : { type: 'text', text: '' }
  const deltas = called
    ? [{ type: 'input_json_delta', partial_json: toolArguments }]
    : words.map((text) => ({ type: 'text_delta', text }))
  const stop_reason = called ? 'tool_use' : 'end_turn'
  return [
    {
      type: 'message_start',
      message: {
        ...messagesHead,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...messagesUsage, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ].map((one) => event(one, one.type))
}

const event = (value: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`
