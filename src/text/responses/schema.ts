import { type Static, Type } from 'typebox'
import { Cost } from '#core/calls'
import { anyObject, nameSchemas, nullable, oneOf, taggedUnion } from '#platform/schema'
import { type HostedType, hostedShapes } from './hosted-schema.ts'
import { byType, input } from './item-schema.ts'

const optional = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema))

const functionFields = {
  type: Type.Literal('function'),
  name: Type.String({ minLength: 1 }),
  description: optional(Type.String({ maxLength: 16_000 })),
  strict: optional(Type.Boolean()),
}
const FunctionTool = Type.Object({
  ...functionFields,
  parameters: anyObject({
    description: 'JSON Schema of the arguments.',
    'x-description-fa': 'JSON Schema آرگومان‌ها.',
  }),
})
/** A function inside a namespace, whose parameters are optional. */
const InnerTool = Type.Object({ ...functionFields, parameters: optional(anyObject()) })
const typed = { required: ['type'], properties: { type: { type: 'string' } } }
const NamespaceTool = Type.Object({
  name: Type.String({ minLength: 1 }),
  tools: Type.Array(byType<{ type: string }>({ function: InnerTool }, typed), { maxItems: 128 }),
})

export type FunctionTool = Static<typeof InnerTool>
export type NamespaceTool = Static<typeof NamespaceTool>
/** A function, a namespace of functions, a hosted tool, or a tool of a kind that is not supported here. */
export const AnyTool = byType<{ type: string }>(
  { function: FunctionTool, namespace: NamespaceTool, ...hostedShapes },
  {
    ...typed,
    description:
      'A function (name, description, parameters, strict), a namespace of functions, web_search, or one of kherad:web_search, kherad:web_fetch, kherad:datetime and kherad:bash.',
    'x-description-fa':
      'یک تابع (name، description، parameters و strict)، namespace چند تابع، web_search، یا یکی از kherad:web_search، kherad:web_fetch، kherad:datetime و kherad:bash.',
  },
)
export type AnyTool = Static<typeof AnyTool>

const AllowedTools = Type.Object({
  mode: oneOf('auto', 'required'),
  tools: Type.Array(anyObject(), { maxItems: 1000 }),
})

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { type: 'function'; name: string; namespace?: string | null }
  | ({ type: 'allowed_tools' } & Static<typeof AllowedTools>)
  | { type: HostedType }

const ToolChoice = Type.Unsafe<ToolChoice>({
  description:
    'none, auto, required, {type: "function", name}, {type: "web_search"} or {type: "allowed_tools", mode, tools}.',
  'x-description-fa':
    'یکی از none، auto، required، یا `{type: "function", name}` یا `{type: "web_search"}` یا `{type: "allowed_tools", mode, tools}`.',
  type: ['string', 'object'],
  if: { type: 'string' },
  // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
  then: { enum: ['none', 'auto', 'required'] },
  else: byType(
    { function: Type.Object({ name: Type.String() }), allowed_tools: AllowedTools },
    { required: ['type'], properties: { type: { type: 'string' } } },
  ),
})

const Format = taggedUnion('type', [
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    name: Type.String({ minLength: 1 }),
    description: optional(Type.String({ maxLength: 16_000 })),
    schema: anyObject(),
    strict: optional(Type.Boolean({ default: true })),
  }),
])

/** The text form of contract section 4. Other fields are tolerated and named in `X-Ignored-Fields`. */
export const ResponsesBody = Type.Object(
  {
    model: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Default: the fast text model.',
        'x-description-fa': 'پیش‌فرض: مدل متنی سریع.',
      }),
    ),
    input: input(),
    instructions: optional(Type.String({ maxLength: 12_000 })),
    max_output_tokens: optional(
      Type.Integer({
        minimum: 1,
        maximum: 32_768,
        default: 2048,
        description:
          'Output tokens, reasoning included. Left out: 2048, or what the operator has set for the server or the key; X-Max-Output-Tokens says what was applied.',
        'x-description-fa':
          'توکن‌های خروجی، همراه با استدلال. اگر نگویید: ۲۰۴۸، یا آنچه گرداننده برای سرور یا کلید گذاشته است؛ X-Max-Output-Tokens می‌گوید چه به کار رفت.',
      }),
    ),
    tools: optional(Type.Array(AnyTool, { maxItems: 128 })),
    tool_choice: optional(ToolChoice),
    parallel_tool_calls: optional(Type.Boolean({ default: true })),
    max_tool_calls: optional(
      Type.Integer({
        minimum: 1,
        description: 'Uses of all tools that run while the model answers, together; each has at most 5.',
        'x-description-fa':
          'شمار به‌کارگیری همهٔ ابزارهایی که هنگام پاسخ اجرا می‌شوند روی هم؛ هرکدام حداکثر ۵ بار.',
      }),
    ),
    text: optional(
      Type.Object({
        format: optional(Format),
        verbosity: optional(oneOf('low', 'medium', 'high')),
      }),
    ),
    reasoning_effort: optional(Type.String()),
    reasoning: optional(
      Type.Object({
        effort: optional(Type.String()),
        summary: optional(oneOf('auto', 'concise', 'detailed')),
        max_tokens: optional(
          Type.Integer({
            minimum: 1,
            maximum: 32_768,
            description: 'A budget for the thinking, in place of an effort.',
            'x-description-fa': 'بودجهٔ استدلال به توکن، به جای سطح آن.',
          }),
        ),
      }),
    ),
    include_reasoning: optional(
      Type.Boolean({
        default: false,
        description: 'True shows the reasoning of the model in the answer.',
        'x-description-fa': 'اگر درست باشد، استدلال مدل در پاسخ می‌آید.',
      }),
    ),
    include: optional(
      Type.Array(Type.String(), {
        maxItems: 100,
        description:
          '`reasoning.encrypted_content` gives sealed reasoning to send back with the next turn, `web_search_call.action.sources` the pages that a search found.',
        'x-description-fa':
          'با `reasoning.encrypted_content` استدلال مُهرشده می‌آید تا با نوبت بعدی پس فرستاده شود، و با `web_search_call.action.sources` صفحه‌هایی که جست‌وجو یافته است.',
      }),
    ),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
    presence_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
    frequency_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
    stream: optional(Type.Boolean({ default: false })),
    web_search: optional(
      Type.Boolean({
        default: false,
        description: 'True lets the model search the web, and tells its searches as response.tool too.',
        'x-description-fa':
          'اگر درست باشد، مدل می‌تواند در وب جست‌وجو کند و جست‌وجوها با response.tool هم گفته می‌شوند.',
      }),
    ),
    store: optional(
      Type.Literal(false, {
        description: 'Answers are not stored; send the whole conversation with each turn.',
        'x-description-fa': 'پاسخ‌ها نگه داشته نمی‌شوند؛ با هر نوبت همهٔ گفت‌وگو را بفرستید.',
      }),
    ),
    metadata: optional(anyObject()),
    prompt_cache_key: optional(Type.String()),
    safety_identifier: optional(Type.String()),
    user: optional(Type.String()),
  },
  { examples: [{ input: 'سلام! خودت را معرفی کن.' }] },
)
export type ResponsesBody = Static<typeof ResponsesBody>

const count = () => Type.Integer({ minimum: 0 })

export const ResponseObject = Type.Object({
  id: Type.String({ pattern: '^resp_' }),
  object: Type.Literal('response'),
  created_at: count(),
  completed_at: nullable(count()),
  status: oneOf('completed', 'incomplete'),
  incomplete_details: nullable(Type.Object({ reason: Type.String() })),
  model: Type.String(),
  output_text: Type.String(),
  output: Type.Array(Type.Object({ type: Type.String() })),
  reasoning: nullable(
    Type.Object({
      status: oneOf('available', 'unavailable'),
      text: Type.String(),
      format: oneOf('summary', 'text'),
      source: Type.Literal('provider'),
    }),
  ),
  usage: Type.Object({
    input_tokens: count(),
    input_tokens_details: Type.Object({ cached_tokens: count() }),
    output_tokens: count(),
    output_tokens_details: Type.Object({ reasoning_tokens: count() }),
    total_tokens: count(),
    ...Cost,
  }),
})

nameSchemas({
  Response: ResponseObject,
  ResponsesBody,
  ResponsesTool: AnyTool,
  ResponsesToolChoice: ToolChoice,
})
