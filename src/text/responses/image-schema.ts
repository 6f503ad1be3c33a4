import { type Static, Type } from 'typebox'
import { anyObject, nameSchemas, nullable, oneOf, patterned } from '#platform/schema'
import { input } from './item-schema.ts'

const optional = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema))

export const ImageTool = Type.Object({
  type: Type.Literal('image_generation'),
  model: optional(
    Type.String({
      maxLength: 200,
      description: 'The model of the request, or nothing.',
      'x-description-fa': 'همان مدل درخواست، یا هیچ.',
    }),
  ),
  quality: optional(oneOf('auto', 'low', 'medium', 'high')),
  output_format: optional(oneOf('png', 'jpeg', 'webp')),
  background: optional(oneOf('auto', 'opaque', 'transparent')),
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
  aspect_ratio: optional(
    Type.String({
      maxLength: 24,
      ...patterned('^(auto|[1-9][0-9]{0,4}:[1-9][0-9]{0,4})$', {
        en: 'must be auto, or two whole numbers such as 16:9',
        fa: 'باید auto یا دو عدد صحیح باشد، مانند 16:9',
      }),
      description: '<width>:<height>, or auto.',
      'x-description-fa': '<پهنا>:<بلندا>، یا auto.',
    }),
  ),
  fit: optional(
    Type.Unsafe<'pad' | 'crop'>({
      ...oneOf('pad', 'crop'),
      description: 'How a size or ratio that the model does not draw is reached; pad, unless you say crop.',
      'x-description-fa': 'راه رسیدن به اندازه یا نسبتی که مدل نمی‌کشد؛ pad مگر آنکه crop بخواهید.',
    }),
  ),
  action: optional(
    Type.Unsafe<'auto' | 'generate' | 'edit'>({
      ...oneOf('auto', 'generate', 'edit'),
      description: 'generate draws anew and looks at no picture of the input; auto edits where there is one.',
      'x-description-fa':
        'generate از نو می‌کشد و به تصویرهای ورودی نگاه نمی‌کند؛ auto اگر تصویری باشد ویرایش می‌کند.',
    }),
  ),
  partial_images: optional(Type.Integer({ minimum: 0, maximum: 0 })),
})
export type ImageTool = Static<typeof ImageTool>

/** The image form of contract section 4, for an image model. Other fields are tolerated and named in `X-Ignored-Fields`. */
export const ImageBody = Type.Object(
  {
    model: Type.String({
      maxLength: 200,
      description: 'An image model. Needs the scope studio:write.',
      'x-description-fa': 'یک مدل تصویر. دسترسی studio:write می‌خواهد.',
    }),
    input: input({
      description: 'What to draw: text, and pictures as data URLs to edit or to draw by.',
      'x-description-fa': 'چه کشیده شود: متن، و تصویرها به شکل نشانی داده برای ویرایش یا الگو.',
    }),
    instructions: optional(Type.String({ maxLength: 8_000 })),
    tools: optional(Type.Array(ImageTool, { maxItems: 1 })),
    tool_choice: optional(
      Type.Unsafe<'auto' | 'required' | { type: 'image_generation' }>({
        type: ['string', 'object'],
        if: { type: 'string' },
        // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
        then: { enum: ['auto', 'required'] },
        else: { required: ['type'], properties: { type: { const: 'image_generation' } } },
      }),
    ),
    stream: optional(Type.Boolean({ default: false })),
    store: optional(Type.Literal(false)),
    metadata: optional(anyObject()),
    prompt_cache_key: optional(Type.String()),
    safety_identifier: optional(Type.String()),
    user: optional(Type.String()),
  },
  { examples: [{ model: 'sandbox/image', input: 'گربه‌ای نارنجی روی بام' }] },
)
export type ImageBody = Static<typeof ImageBody>

nameSchemas({ ImageResponsesBody: ImageBody, ImageTool })
