/** The items of an input: messages, function calls and their outputs, reasoning that is sent back, and their parts. */
import { type Static, type TSchema, Type } from 'typebox'
import { anyObject, nameSchemas, nullable, oneOf, taggedUnion } from '#platform/schema'

/** An object whose schema depends on its `type`; objects of other types, or without a type, have the schema `otherwise`. */
export const byType = <Value>(
  shapes: Record<string, TSchema>,
  more: Record<string, unknown>,
  otherwise: TSchema = anyObject(),
) =>
  Type.Unsafe<Value>({
    type: 'object',
    ...more,
    allOf: [
      ...Object.entries(shapes).map(([type, shape]) => ({
        if: { required: ['type'], properties: { type: { const: type } } },
        // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
        then: shape,
      })),
      { if: { required: ['type'] }, else: otherwise },
    ],
  })

const textPart = <Name extends string>(type: Name) =>
  Type.Object({ type: Type.Literal(type), text: Type.String() })

export const ContentPart = taggedUnion('type', [
  textPart('input_text'),
  textPart('output_text'),
  textPart('text'),
  Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
  Type.Object({
    type: Type.Literal('input_image'),
    image_url: Type.Optional(
      nullable(
        Type.String({
          description: 'A data URL (PNG, JPEG, GIF or WebP); links are not opened.',
          'x-description-fa': 'نشانی داده (PNG، JPEG، GIF یا WebP)؛ پیوندها باز نمی‌شوند.',
        }),
      ),
    ),
    detail: Type.Optional(nullable(Type.String())),
  }),
  Type.Object({
    type: Type.Literal('input_file'),
    file_data: Type.Optional(
      nullable(
        Type.String({
          description: 'A PDF, a text or a picture as a data URL.',
          'x-description-fa': 'یک PDF، متن یا تصویر به شکل نشانی داده.',
        }),
      ),
    ),
    file_url: Type.Optional(
      nullable(
        Type.String({
          description: 'An HTTPS link to a PDF, in place of file_data.',
          'x-description-fa': 'پیوند HTTPS به یک PDF، به جای file_data.',
        }),
      ),
    ),
    filename: Type.Optional(nullable(Type.String({ maxLength: 1000 }))),
  }),
])
export type ContentPart = Static<typeof ContentPart>

const stringOrParts = () =>
  Type.Unsafe<string | ContentPart[]>({ type: ['string', 'array'], items: ContentPart, maxItems: 1000 })

const callId = () => Type.String({ minLength: 1, maxLength: 200 })

const MessageItem = Type.Object({
  role: oneOf('user', 'system', 'developer', 'assistant'),
  content: stringOrParts(),
})
export type MessageItem = Static<typeof MessageItem>

const FunctionCall = Type.Object({
  call_id: callId(),
  name: Type.String({ minLength: 1 }),
  arguments: Type.String({ maxLength: 1_000_000 }),
  namespace: Type.Optional(nullable(Type.String())),
})
export type FunctionCall = Static<typeof FunctionCall>

const FunctionCallOutput = Type.Object({ call_id: callId(), output: stringOrParts() })
export type FunctionCallOutput = Static<typeof FunctionCallOutput>

const ReasoningText = Type.Object({ text: Type.String() })
const ReasoningItem = Type.Object({
  id: Type.Optional(nullable(Type.String())),
  summary: Type.Optional(nullable(Type.Array(ReasoningText, { maxItems: 1000 }))),
  content: Type.Optional(nullable(Type.Array(ReasoningText, { maxItems: 1000 }))),
  encrypted_content: Type.Optional(nullable(Type.String())),
})
export type ReasoningItem = Static<typeof ReasoningItem>

/** An item without a `type` is a message. Items of types that are not listed are sent to upstreams of this wire only. */
export const InputItem = byType<{ type?: string }>(
  {
    message: MessageItem,
    function_call: FunctionCall,
    function_call_output: FunctionCallOutput,
    reasoning: ReasoningItem,
  },
  {
    properties: { type: { type: 'string' } },
    description: 'A message (role, content), function_call, function_call_output or reasoning item.',
    'x-description-fa': 'پیام (role و content)، یا یکی از function_call، function_call_output و reasoning.',
  },
  MessageItem,
)
export type InputItem = Static<typeof InputItem>

/** The input of a request: text, or items. */
export const input = (words: Record<string, string> = {}) =>
  Type.Unsafe<string | InputItem[]>({
    type: ['string', 'array'],
    items: InputItem,
    minLength: 1,
    minItems: 1,
    maxItems: 10_000,
    ...words,
  })

nameSchemas({ ResponsesInputItem: InputItem, ResponsesPart: ContentPart })
