import { type Static, Type } from 'typebox'
import { closed, oneOf, safeInteger } from '#platform/schema'

export const Preset = Type.Unsafe<'fast' | 'balanced' | 'quality'>({
  ...oneOf('fast', 'balanced', 'quality'),
  default: 'balanced',
  description: 'Which model answers where none is named (`defaults.studio` of the configuration).',
  'x-description-fa': 'کدام مدل پاسخ دهد وقتی مدلی نام برده نشده است (`defaults.studio` پیکربندی).',
})

/** Contract section 2, "Studio execution record". */
export const Execution = Type.Object({
  requestId: Type.String({
    maxLength: 200,
    description: 'Its receipt: GET /v1/requests/{id}.',
    'x-description-fa': 'رسید آن: GET /v1/requests/{id}.',
  }),
  model: Type.String({
    maxLength: 200,
    description: 'The model that answered.',
    'x-description-fa': 'مدلی که پاسخ داد.',
  }),
  inputTokens: Type.Integer(safeInteger),
  outputTokens: Type.Integer(safeInteger),
  totalTokens: Type.Integer(safeInteger),
  costUsd: Type.Number({
    minimum: 0,
    maximum: 10_000,
    description: 'The charge in USD at the worth of a credit, with at most six decimals.',
    'x-description-fa': 'هزینه به دلار با ارزش هر اعتبار، حداکثر با شش رقم اعشار.',
  }),
})
export type Execution = Static<typeof Execution>

export const Research = Type.Object(
  {
    searched: Type.Literal(true),
    sources: Type.Array(
      Type.Object({
        url: Type.String({ maxLength: 2_048 }),
        title: Type.String({ minLength: 1, maxLength: 300 }),
      }),
      { maxItems: 8 },
    ),
  },
  {
    description: 'Pages that the answer rests on, where the model searched; absent otherwise.',
    'x-description-fa': 'صفحه‌هایی که پاسخ بر آن‌ها استوار است، اگر مدل جستجو کرده باشد؛ وگرنه نمی‌آید.',
  },
)
export type Research = Static<typeof Research>

/** Characters of an answer (contract section 4). */
export const maxTextLength = 64_000

export const TextBody = Type.Object(
  {
    prompt: Type.String({ minLength: 1, maxLength: 12_000 }),
    preset: Type.Optional(Preset),
    model: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'A text model; it takes precedence over `preset`.',
        'x-description-fa': 'یک مدل متنی؛ بر `preset` مقدم است.',
      }),
    ),
    reasoningEffort: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'One of `reasoning.supported_efforts` of the model.',
        'x-description-fa': 'یکی از `reasoning.supported_efforts` مدل.',
      }),
    ),
    maxOutputTokens: Type.Optional(Type.Integer({ minimum: 128, maximum: 8_192, default: 2_048 })),
  },
  { ...closed, examples: [{ prompt: 'یک پاراگراف دربارهٔ خرد در شاهنامه بنویس', preset: 'fast' }] },
)
export type TextBody = Static<typeof TextBody>

export const WrittenText = Type.Object({
  text: Type.String({ minLength: 1, maxLength: maxTextLength }),
  execution: Execution,
  research: Type.Optional(Research),
})
