/** Clients that hold a conversation on each of the three wires: they send back what they were given, as their vendors' documents say. */
import type { Client, Seen } from '../harness/client.ts'
import { type Chunk, chunksOf } from './chat-world.ts'
import { eventsOf, type Json, joined } from './messages-oracle.ts'
import type { SpokenWire } from './scripted-answer.ts'

export interface Spoken {
  reply: Seen
  /** The ids of the calls that wait for results. */
  calls: string[]
  text: string
}

export interface Conversation {
  /** Adds a question, and asks the model. */
  ask(model: string, question: string): Promise<Spoken>
  /** Adds a result for each of the calls, and asks the model, with the fields of `more` instead of the usual ones. */
  answer(model: string, calls: readonly string[], more?: Json): Promise<Spoken>
}

export interface ConversationOptions {
  stream: boolean
  /** The client sends no reasoning back, as the OpenAI library. */
  forgets?: boolean
  /** Fields of each request. */
  more?: Json
}

const parameters = { type: 'object', properties: { city: { type: 'string' } } }

export const conversing = (key: Client, wire: SpokenWire, options: ConversationOptions): Conversation =>
  ({ chat: overChat, responses: overResponses, messages: overMessages })[wire](key, options)

function overChat(key: Client, { stream, forgets, more }: ConversationOptions): Conversation {
  const messages: Json[] = []
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }]
  const say = async (model: string, other: Json = {}): Promise<Spoken> => {
    const body = {
      model,
      messages,
      tools,
      stream,
      max_tokens: 4_000,
      reasoning: { effort: 'high' },
      ...more,
      ...other,
    }
    const reply = await key.post('/v1/chat/completions', body)
    if (reply.status !== 200) return { reply, calls: [], text: '' }
    const whole = stream ? joinedChat(chunksOf(reply.text)) : reply.body.choices[0].message
    const { role, content, tool_calls: calls, reasoning_details: details } = whole
    messages.push({
      role,
      content,
      ...(calls && { tool_calls: forgets ? calls.map(withoutExtra) : calls }),
      ...(!forgets && details && { reasoning_details: details }),
    })
    return { reply, calls: (calls ?? []).map(({ id }: Json) => id), text: content ?? '' }
  }
  return {
    ask: (model, question) => {
      messages.push({ role: 'user', content: question })
      return say(model)
    },
    answer: (model, calls, other) => {
      messages.push(...calls.map((id) => ({ role: 'tool', tool_call_id: id, content: '30 °C' })))
      return say(model, other)
    },
  }
}

const withoutExtra = ({ extra_content: _, ...call }: Json): Json => call

/** A message of its deltas, its reasoning put together by type and index as OpenRouter's clients do it. */
function joinedChat(chunks: readonly Chunk[]): Json {
  const message: Json = { role: 'assistant', content: null }
  const calls: Json[] = []
  const details: Json[] = []
  for (const delta of chunks.flatMap(({ choices }) => choices.map((choice) => choice.delta as Json))) {
    if (delta['content']) message['content'] = (message['content'] ?? '') + delta['content']
    for (const { index, ...piece } of delta['tool_calls'] ?? []) {
      calls[index] ??= { ...piece, function: { ...piece.function, arguments: '' } }
      calls[index]!['function'].arguments += piece.function?.arguments ?? ''
    }
    for (const piece of delta['reasoning_details'] ?? []) {
      const last = details.at(-1)
      if (last && last['type'] === piece.type && last['index'] === piece.index)
        Object.assign(last, { ...piece, text: last['text'] + (piece.text ?? '') })
      else details.push({ ...piece })
    }
  }
  return {
    ...message,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(details.length > 0 && { reasoning_details: details }),
  }
}

function overResponses(key: Client, { stream, forgets, more }: ConversationOptions): Conversation {
  const input: Json[] = []
  const tools = [{ type: 'function', name: 'get_weather', parameters, strict: false }]
  const say = async (model: string, other: Json = {}): Promise<Spoken> => {
    const include = forgets ? [] : ['reasoning.encrypted_content']
    const asked = { model, input, tools, stream, include, max_output_tokens: 4_000 }
    const reply = await key.post('/v1/responses', {
      ...asked,
      reasoning: { effort: 'high', summary: 'auto' },
      ...more,
      ...other,
    })
    if (reply.status !== 200) return { reply, calls: [], text: '' }
    const response = stream ? lastResponse(reply.text) : reply.body
    const output = (response.output as Json[]).filter(({ type }) => !(forgets && type === 'reasoning'))
    input.push(...output)
    const calls = output.flatMap(({ type, call_id: id }) => (type === 'function_call' ? [id] : []))
    return { reply, calls, text: response.output_text }
  }
  return {
    ask: (model, question) => {
      input.push({ role: 'user', content: question })
      return say(model)
    },
    answer: (model, calls, other) => {
      input.push(...calls.map((id) => ({ type: 'function_call_output', call_id: id, output: '30 °C' })))
      return say(model, other)
    },
  }
}

function lastResponse(text: string): Json {
  const events = text.split('\n\n').filter((event) => event.includes('data: {'))
  const last = events.findLast((event) => event.includes('"type":"response.completed"')) ?? ''
  return JSON.parse(last.slice(last.indexOf('data: ') + 'data: '.length)).response
}

function overMessages(key: Client, { stream, forgets, more }: ConversationOptions): Conversation {
  const messages: Json[] = []
  const tools = [{ name: 'get_weather', input_schema: parameters }]
  const say = async (model: string, other: Json = {}): Promise<Spoken> => {
    const thinking = { type: 'enabled', budget_tokens: 1_024 }
    const body = { model, messages, tools, stream, max_tokens: 4_000, thinking, ...more, ...other }
    const reply = await key.post('/v1/messages', body, { 'anthropic-version': '2023-06-01' })
    if (reply.status !== 200) return { reply, calls: [], text: '' }
    const whole = (stream ? joined(eventsOf(reply.text)) : reply.body) as Json
    const content = (whole['content'] as Json[]).filter(({ type }) => !(forgets && /thinking$/.test(type)))
    messages.push({ role: 'assistant', content })
    const calls = content.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []))
    return { reply, calls, text: content.flatMap(({ text }) => text ?? []).join('') }
  }
  return {
    ask: (model, question) => {
      messages.push({ role: 'user', content: question })
      return say(model)
    },
    answer: (model, calls, other) => {
      const results = calls.map((id) => ({ type: 'tool_result', tool_use_id: id, content: '30 °C' }))
      messages.push({ role: 'user', content: results })
      return say(model, other)
    },
  }
}
