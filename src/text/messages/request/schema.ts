import { type Static, Type } from 'typebox'
import { anyObject, closed, nameSchemas, oneOf, taggedUnion } from '#platform/schema'
import {
  AssistantBlock,
  CacheControl,
  closedObject,
  OnlyText,
  optional,
  textOr,
  UserBlock,
} from './block-schema.ts'
import { ContextManagement } from './context-edits.ts'
import { Tool, ToolChoice } from './tool-schema.ts'

const Message = taggedUnion('role', [
  closedObject({ role: Type.Literal('user'), content: textOr(UserBlock) }),
  closedObject({ role: Type.Literal('assistant'), content: textOr(AssistantBlock) }),
  closedObject({ role: Type.Literal('system'), content: textOr(OnlyText) }),
])
export type MessageParam = Static<typeof Message>

/** The smallest thinking budget of the wire, in tokens. */
const smallestBudget = 1024
const display = { display: optional(oneOf('summarized', 'omitted', 'updates')) }
const Thinking = taggedUnion('type', [
  closedObject({
    type: Type.Literal('enabled'),
    budget_tokens: Type.Integer({ minimum: smallestBudget, maximum: 1_000_000 }),
    ...display,
  }),
  closedObject({ type: Type.Literal('adaptive'), ...display }),
  closedObject({ type: Type.Literal('disabled') }),
  closedObject({ type: Type.Literal('between_tools') }),
])

const jsonSchema = { type: Type.Literal('json_schema'), schema: anyObject() }
const OutputConfig = closedObject({
  effort: optional(oneOf('low', 'medium', 'high', 'xhigh', 'max')),
  format: optional(closedObject(jsonSchema)),
})

/** The body of contract section 4, messages, and fields that clients of the wire send beside it; every other field is refused. */
export const MessagesBody = Type.Object(
  {
    model: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Default: the fast text model.',
        'x-description-fa': 'پیش‌فرض: مدل متنی سریع.',
      }),
    ),
    max_tokens: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description:
        'Output tokens, thinking included. What the model can write at most is applied where it is less.',
      'x-description-fa': 'توکن‌های خروجی، همراه با استدلال. اگر سقف مدل کمتر باشد، همان سقف اعمال می‌شود.',
    }),
    messages: Type.Array(Message, { minItems: 1, maxItems: 100_000 }),
    system: Type.Optional(textOr(OnlyText)),
    tools: Type.Optional(Type.Array(Tool, { maxItems: 1000 })),
    tool_choice: Type.Optional(ToolChoice),
    thinking: Type.Optional(Thinking),
    output_config: Type.Optional(OutputConfig),
    output_format: optional(
      Type.Object(jsonSchema, {
        ...closed,
        description: 'The older name of output_config.format.',
        'x-description-fa': 'نام پیشین output_config.format.',
      }),
    ),
    stop_sequences: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: 1000 })),
    stream: Type.Optional(Type.Boolean({ default: false })),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    top_p: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    top_k: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
    cache_control: optional(CacheControl),
    metadata: Type.Optional(closedObject({ user_id: optional(Type.String({ maxLength: 1024 })) })),
    context_management: optional(ContextManagement),
    service_tier: Type.Optional(oneOf('auto', 'standard_only')),
    inference_geo: optional(Type.String({ maxLength: 100 })),
    speed: optional(oneOf('standard', 'fast')),
    diagnostics: optional(closedObject({ previous_message_id: optional(Type.String({ maxLength: 200 })) })),
    thread: optional(
      anyObject({
        description: 'Refused: no conversation is kept here. Clients that ask for one go on without it.',
        'x-description-fa':
          'پذیرفته نیست: اینجا گفت‌وگویی نگه داشته نمی‌شود. کتابخانه‌ای که بخواهدش بی آن ادامه می‌دهد.',
      }),
    ),
  },
  {
    ...closed,
    examples: [{ max_tokens: 1024, messages: [{ role: 'user', content: 'سلام! خودت را معرفی کن.' }] }],
  },
)
export type MessagesBody = Static<typeof MessagesBody>

export const Version = Type.String({
  enum: ['2023-06-01', '2026-10-21'],
  examples: ['2023-06-01'],
  description: 'The version of the wire; required.',
  'x-description-fa': 'نسخهٔ این قالب؛ الزامی است.',
})
export const Betas = Type.String({
  description: 'Betas of the wire, separated by commas; those that are not known are ignored.',
  'x-description-fa': 'بتاهای این قالب، جداشده با ویرگول؛ آنچه شناخته نیست نادیده می‌ماند.',
})

nameSchemas({ MessageParam: Message, MessagesBody, ThinkingConfig: Thinking })
