import { type Static, Type } from 'typebox'
import { Cost } from '#core/calls'
import { nullable, oneOf, patterned, safeInteger } from '#platform/schema'

const optional = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema))

const model = Type.String({
  maxLength: 200,
  description: 'An image model.',
  'x-description-fa': 'یک مدل تصویر.',
})
/** The most bytes of all reference pictures together. */
export const referenceBytes = 100 * 1024 * 1024

/** The most bytes of a prompt in UTF-8, where each character has at most four. */
export const maxPromptBytes = 4 * 32_000
const prompt = Type.String({ minLength: 1, maxLength: 32_000 })
const n = Type.Integer({
  minimum: 1,
  maximum: 10,
  description: 'Pictures; only one where the answer is streamed.',
  'x-description-fa': 'شمار تصویرها؛ در پاسخ جریانی فقط یکی.',
})
const size = Type.String({
  ...patterned('^(auto|[1-9][0-9]{0,4}[x×][1-9][0-9]{0,4})$', {
    en: 'must be auto, or width and height in pixels such as 1024x1024',
    fa: 'باید auto یا پهنا و بلندا به پیکسل باشد، مانند 1024x1024',
  }),
  description: '<width>x<height> in pixels, or auto; the picture comes out exactly so.',
  'x-description-fa': '<پهنا>x<بلندا> به پیکسل، یا auto؛ تصویر دقیقاً همین اندازه می‌شود.',
})
const aspectRatio = Type.String({
  ...patterned('^(auto|[1-9][0-9]{0,4}(\\.[0-9]{1,2})?:[1-9][0-9]{0,4}(\\.[0-9]{1,2})?)$', {
    en: 'must be auto, or two numbers such as 16:9 or 2.35:1',
    fa: 'باید auto یا دو عدد باشد، مانند 16:9 یا 2.35:1',
  }),
  description: 'The shape, such as 16:9, whatever the model draws.',
  'x-description-fa': 'نسبت پهنا به بلندا مانند 16:9، هر چه مدل بکشد.',
})
const quality = Type.Unsafe<'auto' | 'low' | 'medium' | 'high' | 'standard' | 'hd'>({
  ...oneOf('auto', 'low', 'medium', 'high', 'standard', 'hd'),
  description: 'standard is auto and hd is high, as older clients call them.',
  'x-description-fa': 'standard همان auto و hd همان high است، به نام‌های برنامه‌های قدیمی‌تر.',
})
const background = oneOf('auto', 'opaque', 'transparent')
const outputFormat = oneOf('png', 'jpeg', 'webp')
const outputCompression = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: 'Quality of jpeg and webp; less than 100 is not taken with png.',
  'x-description-fa': 'کیفیت jpeg و webp؛ کمتر از ۱۰۰ با png پذیرفته نیست.',
})
const responseFormat = Type.Unsafe<'b64_json' | 'url'>({
  ...oneOf('b64_json', 'url'),
  description: 'url: a signed link to the stored picture, valid for 60 minutes.',
  'x-description-fa': 'url: پیوندی امضاشده به تصویر ذخیره‌شده که ۶۰ دقیقه کار می‌کند.',
})
const stream = Type.Boolean({
  description: 'Answered in events; the last one has the picture.',
  'x-description-fa': 'پاسخ به شکل رویداد؛ آخرینشان تصویر را دارد.',
})
const partialImages = Type.Integer({
  minimum: 0,
  maximum: 3,
  description:
    'With `stream`: unfinished pictures that are sent, at most as many as the model has (`studio_settings.partial_images` of its card); only those that came are charged.',
  'x-description-fa':
    'با `stream`: تصویرهای ناتمامی که فرستاده می‌شوند، حداکثر به شمار مدل (`studio_settings.partial_images` در مشخصاتش)؛ فقط آنچه رسیده حساب می‌شود.',
})

export const seed = Type.Integer({
  minimum: 0,
  maximum: 2 ** 31 - 1,
  description:
    'The same one draws the same picture, where the model has it (`studio_settings.seed` of its card); refused elsewhere.',
  'x-description-fa':
    'همان عدد همان تصویر را می‌کشد، اگر مدل داشته باشد (`studio_settings.seed` در مشخصاتش)؛ وگرنه رد می‌شود.',
})
const passedOn = {
  description: "Passed on where the model's vendor has it, and named in `X-Ignored-Fields` elsewhere.",
  'x-description-fa': 'اگر فروشندهٔ مدل داشته باشد به او می‌رسد، وگرنه نامش در `X-Ignored-Fields` می‌آید.',
}
const style = Type.Unsafe<'vivid' | 'natural'>({ ...oneOf('vivid', 'natural'), ...passedOn })
const moderation = Type.Unsafe<'auto' | 'low'>({ ...oneOf('auto', 'low'), ...passedOn })
const refused = () =>
  Type.Unknown({
    description: 'Refused: no model takes it, and the picture would be another.',
    'x-description-fa': 'رد می‌شود: هیچ مدلی نمی‌پذیردش و تصویر چیز دیگری می‌شد.',
  })
/** Known fields that would change the picture, but that no model here supports. */
const unsupported = {
  complexity: Type.Optional(refused()),
  frame_count: Type.Optional(refused()),
  frame_duration_ms: Type.Optional(refused()),
  svg: Type.Optional(refused()),
}
export const unsupportedFields = Object.keys(unsupported) as (keyof typeof unsupported)[]

/** A mask in JSON, which would be a picture drawn and charged without it. */
export const mask = Type.Unknown({
  description: 'Refused: a mask is a file in the form of `/v1/images/edits`.',
  'x-description-fa': 'رد می‌شود: mask فایلی در فرم `/v1/images/edits` است.',
})

/** The body of a generation as the OpenAI clients send it. Other fields are tolerated and named in `X-Ignored-Fields`. */
export const GenerationBody = Type.Object(
  {
    model,
    prompt,
    n: optional(n),
    size: optional(size),
    aspect_ratio: optional(aspectRatio),
    quality: optional(quality),
    background: optional(background),
    output_format: optional(outputFormat),
    output_compression: optional(outputCompression),
    response_format: optional(responseFormat),
    stream: optional(stream),
    partial_images: optional(partialImages),
    seed: optional(seed),
    style: optional(style),
    moderation: optional(moderation),
    ...unsupported,
    mask: Type.Optional(mask),
  },
  { examples: [{ model: 'sandbox/image', prompt: 'گربه‌ای نارنجی روی بام' }] },
)
export type GenerationBody = Static<typeof GenerationBody>

/** The text fields of the form of an edit, as the OpenAI clients send it. */
export const EditForm = Type.Object({
  model,
  prompt,
  n: Type.Optional(n),
  size: Type.Optional(size),
  aspect_ratio: Type.Optional(aspectRatio),
  quality: Type.Optional(quality),
  background: Type.Optional(background),
  output_format: Type.Optional(outputFormat),
  output_compression: Type.Optional(outputCompression),
  response_format: Type.Optional(responseFormat),
  stream: Type.Optional(stream),
  partial_images: Type.Optional(partialImages),
  seed: Type.Optional(seed),
  style: Type.Optional(style),
  moderation: Type.Optional(moderation),
  ...unsupported,
  input_fidelity: Type.Optional(Type.Unsafe<'low' | 'high'>({ ...oneOf('low', 'high'), ...passedOn })),
})
export type EditForm = Static<typeof EditForm>

const count = () => Type.Integer(safeInteger)

export const Pictures = Type.Object({
  created: count(),
  model: Type.String(),
  data: Type.Array(
    Type.Object({
      b64_json: Type.Optional(Type.String()),
      url: Type.Optional(
        Type.String({
          description: 'With response_format url: valid for 60 minutes, for whoever has it.',
          'x-description-fa': 'با response_format برابر url: تا ۶۰ دقیقه، برای هر که آن را دارد.',
        }),
      ),
      revised_prompt: Type.Optional(
        Type.String({
          description: 'The prompt that the upstream drew by, where it says that it is another.',
          'x-description-fa': 'متنی که بالادست با آن کشید، اگر بگوید که متن دیگری بوده است.',
        }),
      ),
    }),
    { minItems: 1, maxItems: 10 },
  ),
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
