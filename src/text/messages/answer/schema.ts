import { Type } from 'typebox'
import { Cost } from '#core/calls'
import { anyObject, nameSchemas, nullable } from '#platform/schema'

const count = Type.Integer({ minimum: 0 })

/** The answer. Fields that an upstream of this wire adds pass through. */
export const MessageReply = Type.Object({
  id: Type.String({ pattern: '^msg_' }),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String(),
  content: Type.Array(Type.Object({ type: Type.String() })),
  container: nullable(anyObject()),
  diagnostics: nullable(anyObject()),
  stop_reason: Type.String({
    description:
      'end_turn, max_tokens, stop_sequence, tool_use, pause_turn, refusal or model_context_window_exceeded.',
    'x-description-fa':
      'یکی از end_turn، max_tokens، stop_sequence، tool_use، pause_turn، refusal یا model_context_window_exceeded.',
  }),
  stop_details: nullable(anyObject()),
  stop_sequence: nullable(Type.String()),
  usage: Type.Object({
    input_tokens: count,
    output_tokens: count,
    cache_creation_input_tokens: count,
    cache_read_input_tokens: count,
    ...Cost,
  }),
})

nameSchemas({ Message: MessageReply })
