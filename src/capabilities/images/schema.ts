import { type Static, Type } from 'typebox'
import { Cost } from '#capabilities/calls'
import { nullable, oneOf, patterned, safeInteger } from '#platform/schema'

const optional = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema))

/** As the OpenAI clients send it. Other fields are tolerated and named in `X-Ignored-Fields`. */
export const GenerationBody = Type.Object(
  {
    model: Type.String({
      maxLength: 200,
      description: 'An image model.',
      'x-description-fa': 'یک مدل تصویر.',
    }),
    prompt: Type.String({ minLength: 1, maxLength: 32_000 }),
    n: optional(
      Type.Integer({
        minimum: 1,
        maximum: 10,
        description: 'Pictures; a model may draw fewer at once (`studio_settings.max_count` of its card).',
        'x-description-fa': 'شمار تصویرها؛ شاید مدل یک‌جا کمتر بکشد (`studio_settings.max_count` در مشخصاتش).',
      }),
    ),
    size: optional(
      Type.String({
        ...patterned('^(auto|[1-9][0-9]{0,4}[x×][1-9][0-9]{0,4})$', {
          en: 'must be auto, or width and height in pixels such as 1024x1024',
          fa: 'باید auto یا پهنا و بلندا به پیکسل باشد، مانند 1024x1024',
        }),
        description: '<width>x<height> in pixels, or auto; the picture comes out exactly so.',
        'x-description-fa': '<پهنا>x<بلندا> به پیکسل، یا auto؛ تصویر دقیقاً همین اندازه می‌شود.',
      }),
    ),
    quality: optional(
      Type.Unsafe<'auto' | 'low' | 'medium' | 'high' | 'standard' | 'hd'>({
        ...oneOf('auto', 'low', 'medium', 'high', 'standard', 'hd'),
        description: 'standard is auto and hd is high, as older clients call them.',
        'x-description-fa': 'standard همان auto و hd همان high است، به نام‌های برنامه‌های قدیمی‌تر.',
      }),
    ),
    background: optional(oneOf('auto', 'opaque', 'transparent')),
    output_format: optional(oneOf('png', 'jpeg', 'webp')),
    response_format: optional(
      Type.Unsafe<'b64_json' | 'url'>({
        ...oneOf('b64_json', 'url'),
        description: 'b64_json; url is refused, since pictures are not kept at an address.',
        'x-description-fa': 'همان b64_json؛ url پذیرفته نیست، چون تصویرها در نشانی‌ای نگه داشته نمی‌شوند.',
      }),
    ),
    stream: optional(Type.Boolean()),
    partial_images: optional(Type.Integer({ minimum: 0 })),
  },
  { examples: [{ model: 'sandbox/image', prompt: 'گربه‌ای نارنجی روی بام' }] },
)
export type GenerationBody = Static<typeof GenerationBody>

const count = () => Type.Integer(safeInteger)

export const GeneratedImages = Type.Object({
  created: count(),
  model: Type.String(),
  data: Type.Array(Type.Object({ b64_json: Type.String() })),
  background: Type.String(),
  output_format: oneOf('png', 'jpeg', 'webp'),
  quality: Type.String(),
  size: Type.String(),
  usage: Type.Object({
    input_tokens: count(),
    input_tokens_details: Type.Object({ text_tokens: count(), image_tokens: count() }),
    output_tokens: count(),
    total_tokens: count(),
    ...Cost,
  }),
})
