import { type Static, Type } from 'typebox'
import { Cost } from '#core/calls'
import { anyTypeAs } from '#core/media'
import { anyObject, nameSchemas, nullable, oneOf, spelled, taggedUnion } from '#platform/schema'

const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String() })
const RefusalPart = Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() })
const ImagePart = Type.Object({
  type: Type.Literal('image_url'),
  image_url: Type.Object({
    url: Type.String({
      description: 'A data URL (PNG, JPEG, GIF or WebP) or an HTTPS link.',
      'x-description-fa': 'نشانی داده (PNG، JPEG، GIF یا WebP) یا پیوند HTTPS.',
    }),
    detail: Type.Optional(Type.String()),
  }),
})
/** What clients write in place of the format: types, and names of their own. */
const soundFormats: Readonly<Record<string, 'wav' | 'mp3'>> = {
  ...{ 'audio/wav': 'wav', 'audio/x-wav': 'wav', 'audio/wave': 'wav', 'audio/vnd.wave': 'wav', wave: 'wav' },
  ...{ 'audio/mpeg': 'mp3', 'audio/mp3': 'mp3', mpeg: 'mp3', mpga: 'mp3', 'x-wav': 'wav' },
  ...anyTypeAs('wav'),
}

const AudioPart = Type.Object({
  type: Type.Literal('input_audio'),
  input_audio: Type.Object({
    data: Type.String({ description: 'Raw Base64.', 'x-description-fa': 'Base64 خام.' }),
    format: spelled(['wav', 'mp3'], soundFormats, {
      description: 'Its bytes decide which of them it is.',
      'x-description-fa': 'اینکه کدام است را بایت‌ها می‌گویند.',
    }),
  }),
})
const VideoPart = Type.Object({
  type: Type.Literal('video_url'),
  video_url: Type.Object({ url: Type.String({ description: 'data:video/mp4;base64,…' }) }),
})

const FilePart = Type.Object({
  type: Type.Literal('file'),
  file: Type.Object({
    file_data: Type.Optional(
      nullable(
        Type.String({
          description:
            'A PDF, a text in UTF-8 (text/plain) or a picture as a data URL (data:application/pdf;base64,…).',
          'x-description-fa':
            'یک PDF، متنی با UTF-8 (text/plain) یا تصویری به شکل نشانی داده (data:application/pdf;base64,…).',
        }),
      ),
    ),
    filename: Type.Optional(nullable(Type.String({ maxLength: 1000 }))),
    file_id: Type.Optional(
      nullable(
        Type.String({
          description: 'Refused: no file of a vendor is kept here.',
          'x-description-fa': 'پذیرفته نیست: فایلی نزد سازنده‌ای نگه داشته نمی‌شود.',
        }),
      ),
    ),
  }),
})

export const ChatContentPart = taggedUnion('type', [
  TextPart,
  ImagePart,
  AudioPart,
  VideoPart,
  FilePart,
  RefusalPart,
])
export type ChatContentPart = Static<typeof ChatContentPart>

const ToolCall = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 200 }),
  index: Type.Optional(Type.Integer({ minimum: 0, maximum: 127 })),
  type: Type.Literal('function'),
  function: Type.Object({ name: Type.String(), arguments: Type.String({ maxLength: 1_000_000 }) }),
})

export const ChatMessage = Type.Object({
  role: oneOf('system', 'developer', 'user', 'assistant', 'tool'),
  content: Type.Optional(
    Type.Unsafe<string | ChatContentPart[] | null>({
      type: ['string', 'array', 'null'],
      items: ChatContentPart,
    }),
  ),
  refusal: Type.Optional(nullable(Type.String())),
  name: Type.Optional(Type.String()),
  tool_call_id: Type.Optional(Type.String({ maxLength: 200 })),
  tool_calls: Type.Optional(Type.Array(ToolCall, { maxItems: 128 })),
  reasoning: Type.Optional(nullable(Type.String())),
  reasoning_content: Type.Optional(nullable(Type.String())),
  /** A stream has a piece for each token; put together they are at most 100 (`withWholeDetails`). */
  reasoning_details: Type.Optional(
    Type.Array(anyObject(), {
      description: 'At most 100; the pieces of a stream count as the details that they are put together.',
      'x-description-fa': 'حداکثر ۱۰۰ تا؛ تکه‌های جریان به شمار جزئیاتی می‌آیند که با هم می‌سازند.',
    }),
  ),
})
export type ChatMessage = Static<typeof ChatMessage>

const Tool = Type.Object({
  type: Type.Literal('function'),
  function: Type.Object({
    name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String({ maxLength: 16_000 })),
    parameters: anyObject({
      description: 'JSON Schema of the arguments.',
      'x-description-fa': 'JSON Schema آرگومان‌ها.',
    }),
    strict: Type.Optional(nullable(Type.Boolean())),
  }),
})

const ResponseFormat = taggedUnion('type', [
  Type.Object({ type: Type.Literal('text') }),
  Type.Object({ type: Type.Literal('json_object') }),
  Type.Object({
    type: Type.Literal('json_schema'),
    json_schema: Type.Object({
      name: Type.String({ minLength: 1 }),
      description: Type.Optional(Type.String({ maxLength: 16_000 })),
      schema: anyObject(),
      strict: Type.Optional(nullable(Type.Boolean({ default: true }))),
    }),
  }),
])

const outputTokens = Type.Integer({ minimum: 1, maximum: 32_768 })

/** The body of contract section 4, chat completions. Other fields are tolerated and named in `X-Ignored-Fields`. */
export const ChatBody = Type.Object(
  {
    model: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Default: the fast text model.',
        'x-description-fa': 'پیش‌فرض: مدل متنی سریع.',
      }),
    ),
    messages: Type.Array(ChatMessage, { minItems: 1, maxItems: 1000 }),
    tools: Type.Optional(Type.Array(Tool, { maxItems: 128 })),
    tool_choice: Type.Optional(
      Type.Unsafe<'none' | 'auto' | 'required' | { type: 'function'; function: { name: string } }>({
        description: 'none, auto, required, or {type: "function", function: {name}}.',
        'x-description-fa': 'یکی از none، auto، required، یا `{type: "function", function: {name}}`.',
        type: ['string', 'object'],
        if: { type: 'string' },
        // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
        then: { enum: ['none', 'auto', 'required'] },
        else: {
          required: ['type', 'function'],
          properties: {
            type: { const: 'function' },
            function: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
          },
        },
      }),
    ),
    parallel_tool_calls: Type.Optional(Type.Boolean()),
    response_format: Type.Optional(ResponseFormat),
    stream: Type.Optional(nullable(Type.Boolean({ default: false }))),
    stream_options: Type.Optional(nullable(Type.Object({ include_usage: Type.Optional(Type.Boolean()) }))),
    max_tokens: Type.Optional(nullable(outputTokens)),
    max_completion_tokens: Type.Optional(nullable(outputTokens)),
    temperature: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 2 }))),
    top_p: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    top_k: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
    repetition_penalty: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 2 }))),
    seed: Type.Optional(
      nullable(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
    ),
    stop: Type.Optional(
      Type.Unsafe<string | string[] | null>({ type: ['string', 'array', 'null'], items: { type: 'string' } }),
    ),
    frequency_penalty: Type.Optional(nullable(Type.Number({ minimum: -2, maximum: 2 }))),
    presence_penalty: Type.Optional(nullable(Type.Number({ minimum: -2, maximum: 2 }))),
    n: Type.Optional(nullable(Type.Literal(1))),
    reasoning_effort: Type.Optional(nullable(Type.String())),
    reasoning: Type.Optional(
      nullable(
        Type.Object({
          effort: Type.Optional(nullable(Type.String())),
          max_tokens: Type.Optional(nullable(outputTokens)),
          exclude: Type.Optional(Type.Boolean()),
          enabled: Type.Optional(Type.Boolean()),
        }),
      ),
    ),
    include_reasoning: Type.Optional(
      Type.Boolean({
        description:
          'True shows the reasoning of the model in the answer. Default: true beside a `reasoning` object, else false.',
        'x-description-fa':
          'اگر درست باشد، استدلال مدل در پاسخ می‌آید. پیش‌فرض: کنار شیء `reasoning` درست، وگرنه نادرست.',
      }),
    ),
  },
  { examples: [{ messages: [{ role: 'user', content: 'سلام! خودت را معرفی کن.' }] }] },
)
export type ChatBody = Static<typeof ChatBody>

const Usage = Type.Object({
  prompt_tokens: Type.Integer({ minimum: 0 }),
  completion_tokens: Type.Integer({ minimum: 0 }),
  total_tokens: Type.Integer({ minimum: 0 }),
  ...Cost,
})

export const ChatCompletion = Type.Object({
  id: Type.String({ pattern: '^chatcmpl-' }),
  object: Type.Literal('chat.completion'),
  created: Type.Integer({ minimum: 0 }),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({
        role: Type.Literal('assistant'),
        content: nullable(Type.String()),
        refusal: nullable(Type.String()),
        tool_calls: Type.Optional(
          Type.Array(
            Type.Object({
              id: Type.String({ minLength: 1 }),
              type: Type.Literal('function'),
              function: Type.Object({ name: Type.String(), arguments: Type.String() }),
            }),
            { minItems: 1 },
          ),
        ),
      }),
      finish_reason: oneOf('stop', 'length', 'tool_calls', 'content_filter'),
    }),
    { minItems: 1, maxItems: 1 },
  ),
  usage: Usage,
})

nameSchemas({ ChatBody, ChatCompletion, ChatMessage, ChatPart: ChatContentPart, ChatTool: Tool })
