/** What the tests of the messages wire share: questions, tools, and what an upstream of this wire says. */
import type { Client, Seen } from '../harness/client.ts'

export const path = '/v1/messages'
export const version = { 'anthropic-version': '2023-06-01' }

export const user = (content: unknown) => ({ role: 'user', content })
export const assistant = (content: unknown) => ({ role: 'assistant', content })

export const message = (
  key: Client,
  body: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Seen> =>
  key.post(path, { max_tokens: 2048, messages: [user('hello')], ...body }, { ...version, ...headers })

export const weather = {
  name: 'get_weather',
  description: 'The weather of a city.',
  input_schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
}

export const toolUse = (id: string, input: object = {}) => ({
  type: 'tool_use',
  id,
  name: 'get_weather',
  input,
})
export const toolResult = (id: string, content: unknown = 'ok', more: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})

/** A whole answer of an upstream of this wire. */
export const upstreamMessage = (content: unknown[], more: Record<string, unknown> = {}) => ({
  id: 'msg_upstream',
  type: 'message',
  role: 'assistant',
  model: 'upstream-model',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 4 },
  ...more,
})
