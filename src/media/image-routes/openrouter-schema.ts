import { type Static, Type } from 'typebox'
import { Cost, Provider } from '#core/calls'
import { nullable, oneOf, patterned, safeInteger } from '#platform/schema'
import { GenerationBody, mask, seed } from './schema.ts'

const optional = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema))

/** The most characters of a data URL, and the most pictures of one order, as in Studio. */
export const maxReferenceCharacters = 12_000_000
const maxReferences = 8

const { model, prompt, n, aspect_ratio, quality, background, output_compression, stream, partial_images } =
  GenerationBody.properties

/** The body as OpenRouter's clients send it. Other fields are tolerated and named in `X-Ignored-Fields`. */
export const OrderBody = Type.Object(
  {
    model,
    prompt,
    n,
    size: optional(
      Type.String({
        ...patterned('^(auto|512|[124]K|[1-9][0-9]{0,4}[x×][1-9][0-9]{0,4})$', {
          en: 'must be auto, 512, 1K, 2K, 4K, or width and height in pixels such as 1024x1024',
          fa: 'باید auto، 512، 1K، 2K، 4K یا پهنا و بلندا به پیکسل باشد، مانند 1024x1024',
        }),
        description: '<width>x<height> in pixels, or a `resolution`.',
        'x-description-fa': '<پهنا>x<بلندا> به پیکسل، یا یک `resolution`.',
      }),
    ),
    resolution: optional(
      Type.Unsafe<'512' | '1K' | '2K' | '4K'>({
        ...oneOf('512', '1K', '2K', '4K'),
        description:
          'How large, in the shape of `aspect_ratio`: 4K has at most 8.3 megapixels. Not with `size`.',
        'x-description-fa': 'بزرگی، با نسبت `aspect_ratio`: ‏4K حداکثر ۸٫۳ مگاپیکسل دارد. بی `size`.',
      }),
    ),
    aspect_ratio,
    quality,
    background,
    output_format: optional(
      Type.Unsafe<'png' | 'jpeg' | 'webp' | 'svg'>({
        ...oneOf('png', 'jpeg', 'webp', 'svg'),
        description: 'Left out: png, or svg from a model that draws vectors, which alone takes svg.',
        'x-description-fa': 'اگر نیاید png، یا svg از مدلی که برداری می‌کشد؛ svg را فقط همان می‌پذیرد.',
      }),
    ),
    output_compression,
    input_references: optional(
      Type.Array(
        Type.Object({
          type: Type.Literal('image_url'),
          image_url: Type.Object({
            url: Type.String({
              maxLength: maxReferenceCharacters,
              description: 'A png, jpeg or webp as data:<type>;base64,<data>.',
              'x-description-fa': 'یک png، jpeg یا webp به شکل data:<نوع>;base64,<داده>.',
            }),
          }),
        }),
        { maxItems: maxReferences },
      ),
    ),
    mask: Type.Optional(mask),
    stream,
    partial_images,
    seed: optional(seed),
    provider: optional(Provider),
  },
  { examples: [{ model: 'sandbox/image', prompt: 'گربه‌ای نارنجی روی بام', aspect_ratio: '3:2' }] },
)
export type OrderBody = Static<typeof OrderBody>

const count = () => Type.Integer(safeInteger)

export const OrderedPictures = Type.Object({
  created: count(),
  model: Type.String(),
  data: Type.Array(
    Type.Object({
      b64_json: Type.String(),
      media_type: oneOf('image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'),
    }),
    { minItems: 1, maxItems: 10 },
  ),
  usage: Type.Object({
    prompt_tokens: count(),
    completion_tokens: count(),
    total_tokens: count(),
    cost: Type.Number({
      minimum: 0,
      description: 'The charge in USD at the worth of a credit, with at most six decimals.',
      'x-description-fa': 'هزینه به دلار با ارزش هر اعتبار، حداکثر با شش رقم اعشار.',
    }),
    ...Cost,
  }),
})
