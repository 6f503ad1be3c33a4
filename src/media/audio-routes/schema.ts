import { type Static, Type } from 'typebox'
import { Provider } from '#core/calls'
import { nullable, oneOf } from '#platform/schema'

const optional = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema))

/** The body of a request for speech as the OpenAI clients send it. Other fields are tolerated and named in `X-Ignored-Fields`. */
export const SpeechBody = Type.Object(
  {
    model: Type.String({
      maxLength: 200,
      description: 'An audio model.',
      'x-description-fa': 'یک مدل صدا.',
    }),
    input: Type.String({ minLength: 1, maxLength: 12_000 }),
    voice: optional(
      Type.Union(
        [
          Type.String({ minLength: 1, maxLength: 80 }),
          Type.Object({ id: Type.String({ minLength: 1, maxLength: 80 }) }),
        ],
        {
          description: "A voice of the model, by id or name; the model's first where it is left out.",
          'x-description-fa': 'یکی از صداهای مدل، با شناسه یا نام؛ اگر نیاید، نخستین صدای مدل.',
        },
      ),
    ),
    instructions: optional(Type.String({ maxLength: 2_000 })),
    response_format: optional(
      Type.Unsafe<'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm'>({
        ...oneOf('mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'),
        default: 'mp3',
        description: 'pcm: 24 kHz, one channel, signed 16-bit little-endian, without a header.',
        'x-description-fa': 'pcm: ‏۲۴ کیلوهرتز، یک کانال، ۱۶ بیتی علامت‌دار little-endian، بدون هدر.',
      }),
    ),
    speed: optional(
      Type.Number({
        minimum: 0.25,
        maximum: 4,
        default: 1,
        description: 'Where the model has it (`studio_settings.speed` of its card).',
        'x-description-fa': 'اگر مدل داشته باشد (`studio_settings.speed` در مشخصاتش).',
      }),
    ),
    input_references: optional(
      Type.Array(Type.Unknown(), {
        maxItems: 0,
        description: 'A voice to imitate: no model takes one.',
        'x-description-fa': 'صدایی برای تقلید: هیچ مدلی نمی‌پذیرد.',
      }),
    ),
    provider: optional(Provider),
    stream_format: optional(
      Type.Unsafe<'audio' | 'sse'>({
        ...oneOf('audio', 'sse'),
        description: 'audio; sse is refused.',
        'x-description-fa': 'همان audio؛ sse پذیرفته نیست.',
      }),
    ),
  },
  {
    examples: [{ model: 'sandbox/speech', input: 'توانا بود هر که دانا بود.', voice: 'sandbox-mina' }],
  },
)
export type SpeechBody = Static<typeof SpeechBody>
