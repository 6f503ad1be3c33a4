/** One conversation through each client codec: the requests to the three kinds of upstream mean the same. */
import { expect, test } from 'vitest'
import type { Turn } from '#core/turn'
import { chatCompletionsProvider } from '#providers/chat-completions'
import { messagesProvider } from '#providers/messages'
import { responsesProvider } from '#providers/responses'
import { fakeUpstream } from '../harness/upstream.ts'
import { callOf, chatTurn, hear } from './asking.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies of three wires, read as their vendors would
type Wild = any

/** What a conversation says, in nobody's wire. */
type Saying =
  | { by: 'system' | 'user' | 'assistant'; text: string }
  | { by: 'user'; image: string }
  | { by: 'assistant'; call: string; name: string; input: unknown }
  | { by: 'tool'; call: string; text: string }

interface Meaning {
  sayings: Saying[]
  tools: { name: string; description: string; schema: unknown }[]
  choice: string
  parallel: boolean
  schema: unknown
  limit: number
  temperature: number
  stream: boolean
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const answer = { type: 'object', properties: { warm: { type: 'boolean' } }, required: ['warm'] }

const conversation: Partial<Turn> = {
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'کوتاه پاسخ بده' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'which is warmer?' },
        { type: 'image', media: { data: Uint8Array.of(1, 2, 3), mediaType: 'image/png' } },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'I look.' }],
      toolCalls: [
        { id: 'call_a', name: 'weather', arguments: '{"city":"شیراز"}' },
        { id: 'call_b', name: 'weather', arguments: '{"city":"Tabriz"}' },
      ],
    },
    { role: 'tool', toolCallId: 'call_a', content: [{ type: 'text', text: '31' }] },
    { role: 'tool', toolCallId: 'call_b', content: [{ type: 'text', text: '19' }] },
    { role: 'user', content: [{ type: 'text', text: 'well?' }] },
  ],
  tools: [{ name: 'weather', description: 'The weather of a city.', parameters }],
  toolChoice: { type: 'required' },
  parallelToolCalls: false,
  output: { type: 'json_schema', name: 'answer', schema: answer, strict: true },
  maxOutputTokens: 2_000,
  temperature: 0.5,
}

const expected: Meaning = {
  sayings: [
    { by: 'system', text: 'کوتاه پاسخ بده' },
    { by: 'user', text: 'which is warmer?' },
    { by: 'user', image: 'data:image/png;base64,AQID' },
    { by: 'assistant', text: 'I look.' },
    { by: 'assistant', call: 'call_a', name: 'weather', input: { city: 'شیراز' } },
    { by: 'assistant', call: 'call_b', name: 'weather', input: { city: 'Tabriz' } },
    { by: 'tool', call: 'call_a', text: '31' },
    { by: 'tool', call: 'call_b', text: '19' },
    { by: 'user', text: 'well?' },
  ],
  tools: [{ name: 'weather', description: 'The weather of a city.', schema: parameters }],
  choice: 'required',
  parallel: false,
  schema: answer,
  limit: 2_000,
  temperature: 0.5,
  stream: true,
}

function fromChat(body: Wild): Meaning {
  const said = ({ role: by, content, tool_calls: calls = [], tool_call_id: call }: Wild): Saying[] => {
    if (by === 'tool') return [{ by, call, text: content }]
    const parts = typeof content === 'string' ? [{ text: content }] : (content ?? [])
    return [
      ...parts.map((part: Wild) =>
        part.image_url ? { by, image: part.image_url.url } : { by, text: part.text },
      ),
      ...calls.map(({ id, function: { name, arguments: text } }: Wild) => ({
        by,
        call: id,
        name,
        input: JSON.parse(text),
      })),
    ]
  }
  return {
    sayings: body.messages.flatMap(said),
    tools: body.tools.map(({ function: tool }: Wild) => ({
      name: tool.name,
      description: tool.description,
      schema: tool.parameters,
    })),
    choice: body.tool_choice,
    parallel: body.parallel_tool_calls,
    schema: body.response_format.json_schema.schema,
    limit: body.max_tokens,
    temperature: body.temperature,
    stream: body.stream,
  }
}

function fromResponses(body: Wild): Meaning {
  const said = (item: Wild): Saying[] => {
    if (item.type === 'function_call')
      return [{ by: 'assistant', call: item.call_id, name: item.name, input: JSON.parse(item.arguments) }]
    if (item.type === 'function_call_output') return [{ by: 'tool', call: item.call_id, text: item.output }]
    const { role: by, content } = item
    const parts = typeof content === 'string' ? [{ text: content }] : content
    return parts.map((part: Wild) =>
      part.image_url ? { by, image: part.image_url } : { by, text: part.text },
    )
  }
  return {
    sayings: body.input.flatMap(said),
    tools: body.tools.map(({ name, description, parameters: schema }: Wild) => ({
      name,
      description,
      schema,
    })),
    choice: body.tool_choice,
    parallel: body.parallel_tool_calls,
    schema: body.text.format.schema,
    limit: body.max_output_tokens,
    temperature: body.temperature,
    stream: body.stream,
  }
}

function fromMessages(body: Wild): Meaning {
  const block = (by: 'user' | 'assistant', { type, ...rest }: Wild): Saying => {
    if (type === 'tool_use') return { by: 'assistant', call: rest.id, name: rest.name, input: rest.input }
    if (type === 'tool_result') return { by: 'tool', call: rest.tool_use_id, text: rest.content[0].text }
    const { source } = rest
    return source
      ? { by: 'user', image: `data:${source.media_type};base64,${source.data}` }
      : { by, text: rest.text }
  }
  return {
    sayings: [
      ...body.system.map(({ text }: Wild) => ({ by: 'system', text })),
      ...body.messages.flatMap(({ role, content }: Wild) => content.map((one: Wild) => block(role, one))),
    ],
    tools: body.tools.map(({ name, description, input_schema: schema }: Wild) => ({
      name,
      description,
      schema,
    })),
    choice: body.tool_choice.type === 'any' ? 'required' : body.tool_choice.type,
    parallel: body.tool_choice.disable_parallel_tool_use !== true,
    schema: body.output_config.format.schema,
    limit: body.max_tokens,
    temperature: body.temperature,
    stream: body.stream,
  }
}

test.each([
  { name: 'chat', provider: chatCompletionsProvider, source: 'responses', meaning: fromChat },
  { name: 'responses', provider: responsesProvider, source: 'messages', meaning: fromResponses },
  { name: 'messages', provider: messagesProvider, source: 'chat', meaning: fromMessages },
] as const)(
  'a conversation means the same on the wire $name',
  async ({ provider: room, source, meaning }) => {
    await using upstream = await fakeUpstream()
    await using provider = room({ id: 'fake', baseUrl: upstream.url })
    await hear(provider, callOf(chatTurn({}, { ...conversation, source: { wire: source, body: {} } })))
    expect(meaning(upstream.calls[0]?.body)).toEqual(expected)
  },
)
