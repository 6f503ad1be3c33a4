import { type Static, Type } from 'typebox'
import { Cost, Provider } from '#core/calls'
import {
  closed,
  nullable,
  oneOf,
  patterned,
  safeInteger,
  storableText,
  taggedUnion,
  uuid,
} from '#platform/schema'

const optional = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema))

/** The most characters of a data URL, and the most pictures of one order, as in Studio. */
const maxReferenceCharacters = 12_000_000
const maxReferences = 8
const maxFrames = 2

const Picture = {
  type: Type.Literal('image_url'),
  image_url: Type.Object({
    url: Type.String({
      maxLength: maxReferenceCharacters,
      description: 'A png, jpeg or webp as data:<type>;base64,<data>.',
      'x-description-fa': 'یک png، jpeg یا webp به شکل data:<نوع>;base64,<داده>.',
    }),
  }),
}

const refused = () =>
  Type.Unknown({
    description: 'Refused: no model takes it, and the video would be another.',
    'x-description-fa': 'رد می‌شود: هیچ مدلی نمی‌پذیردش و ویدیو چیز دیگری می‌شد.',
  })
/** Known fields that would change the video, but that no model here supports. */
const unsupported = {
  previous_job_id: Type.Optional(refused()),
  upscale_factor: Type.Optional(refused()),
  creativity: Type.Optional(refused()),
}
export const unsupportedFields = Object.keys(unsupported) as (keyof typeof unsupported)[]

/** The body as OpenRouter's clients send it. Other fields are tolerated and named in `X-Ignored-Fields`. */
export const VideoOrderBody = Type.Object(
  {
    model: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'A video model; left out: `defaults.video_model` of the configuration.',
        'x-description-fa': 'یک مدل ویدیو؛ اگر نیاید `defaults.video_model` پیکربندی.',
      }),
    ),
    prompt: storableText(1, 8_000),
    duration: optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        description: 'Seconds; what goes with what says GET /v1/videos/models.',
        'x-description-fa': 'ثانیه؛ GET /v1/videos/models می‌گوید چه با چه می‌آید.',
      }),
    ),
    seconds: optional(
      Type.String({
        ...patterned('^([1-9]|[12][0-9]|30)$', {
          en: 'must be a whole number from 1 to 30, in quotes',
          fa: 'باید عددی صحیح از ۱ تا ۳۰ درون گیومه باشد',
        }),
        description: '`duration` as the clients of OpenAI send it.',
        'x-description-fa': '`duration` به شکلی که کتابخانه‌های OpenAI می‌فرستند.',
      }),
    ),
    resolution: optional(oneOf('480p', '720p', '1080p')),
    aspect_ratio: optional(
      Type.String({
        maxLength: 24,
        ...patterned('^[1-9][0-9]*:[1-9][0-9]*$', {
          en: 'must be two whole numbers such as 16:9',
          fa: 'باید دو عدد صحیح باشد، مانند 16:9',
        }),
      }),
    ),
    size: optional(
      Type.String({
        ...patterned('^[1-9][0-9]{0,4}[x×][1-9][0-9]{0,4}$', {
          en: 'must be width and height in pixels such as 1280x720',
          fa: 'باید پهنا و بلندا به پیکسل باشد، مانند 1280x720',
        }),
        description: 'In place of `resolution` and `aspect_ratio`.',
        'x-description-fa': 'به جای `resolution` و `aspect_ratio`.',
      }),
    ),
    generate_audio: optional(Type.Boolean()),
    frame_images: optional(
      Type.Array(Type.Object({ ...Picture, frame_type: oneOf('first_frame', 'last_frame') }), {
        maxItems: maxFrames,
        description: 'The first frame, and the last. With them `input_references` have no effect.',
        'x-description-fa': 'نخستین و آخرین قاب. با آن‌ها `input_references` اثری ندارد.',
      }),
    ),
    input_references: optional(
      Type.Array(taggedUnion('type', [Type.Object(Picture)]), {
        maxItems: maxReferences,
        description: 'Pictures that say what things look like.',
        'x-description-fa': 'تصویرهایی که می‌گویند چیزها چه شکلی‌اند.',
      }),
    ),
    seed: optional(
      Type.Integer({
        minimum: 0,
        maximum: 2 ** 31 - 1,
        description: 'For models that take it (`seed` of GET /v1/videos/models); refused elsewhere.',
        'x-description-fa': 'برای مدل‌هایی که می‌پذیرند (`seed` در GET /v1/videos/models)؛ وگرنه رد می‌شود.',
      }),
    ),
    callback_url: optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          'Where `video.completed` or `video.failed` is sent, signed as webhooks are: https, on the public internet.',
        'x-description-fa':
          'جایی که `video.completed` یا `video.failed` با امضای وب‌هوک‌ها فرستاده می‌شود: https و در اینترنت عمومی.',
      }),
    ),
    provider: optional(Provider),
    ...unsupported,
  },
  {
    examples: [
      { model: 'sandbox/video', prompt: 'موج‌های آرام دریا در سپیده‌دم', duration: 4, resolution: '480p' },
    ],
  },
)
export type VideoOrderBody = Static<typeof VideoOrderBody>

export const VideoJob = Type.Object({
  id: uuid(),
  generation_id: Type.String({
    description: 'Its receipt: GET /v1/requests/{id}.',
    'x-description-fa': 'رسید آن: GET /v1/requests/{id}.',
  }),
  polling_url: Type.String(),
  object: Type.Literal('video'),
  status: Type.Unsafe<'pending' | 'in_progress' | 'completed' | 'failed' | 'expired'>({
    ...oneOf('pending', 'in_progress', 'completed', 'failed', 'expired'),
    description: '`expired`: it was made, and is no longer kept.',
    'x-description-fa': '`expired`: ساخته شد و دیگر نگه داشته نمی‌شود.',
  }),
  model: Type.String(),
  created_at: Type.Integer(safeInteger),
  completed_at: Type.Optional(Type.Integer(safeInteger)),
  expires_at: Type.Optional(Type.Integer(safeInteger)),
  progress: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Per cent; absent where the upstream does not say it.',
      'x-description-fa': 'درصد؛ اگر بالادست نگوید نمی‌آید.',
    }),
  ),
  queue_position: Type.Optional(Type.Integer(safeInteger)),
  seconds: Type.String(),
  size: Type.String({
    description: 'Of the video; until it is made, of what was ordered.',
    'x-description-fa': 'اندازهٔ ویدیو؛ تا ساخته نشده، اندازهٔ سفارش.',
  }),
  resolution: oneOf('480p', '720p', '1080p'),
  aspect_ratio: Type.String(),
  generate_audio: Type.Boolean(),
  request_id: Type.String(),
  unsigned_urls: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Links that need no key, valid for 60 minutes; each answer has new ones.',
      'x-description-fa': 'پیوندهایی که کلید نمی‌خواهند و ۶۰ دقیقه کار می‌کنند؛ هر پاسخ پیوند تازه دارد.',
    }),
  ),
  file_id: Type.Optional(Type.String()),
  usage: Type.Optional(
    Type.Object({
      cost: Type.Number({
        minimum: 0,
        description: 'The charge in USD at the worth of a credit, with at most six decimals.',
        'x-description-fa': 'هزینه به دلار با ارزش هر اعتبار، حداکثر با شش رقم اعشار.',
      }),
      is_byok: Type.Literal(false),
      ...Cost,
    }),
  ),
  error: Type.Optional(Type.String()),
  error_code: Type.Optional(Type.String()),
  callback_secret: Type.Optional(
    Type.String({
      description: 'Signs what is sent to `callback_url`; shown only in the answer to the order.',
      'x-description-fa': 'امضاکنندهٔ آنچه به `callback_url` فرستاده می‌شود؛ فقط در پاسخ سفارش می‌آید.',
    }),
  ),
})
export type VideoJob = Static<typeof VideoJob>

export const VideoParams = Type.Object({ id: Type.String() })

export const ContentQuery = Type.Object(
  {
    index: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 0,
        description: 'Only 0: an order makes one video.',
        'x-description-fa': 'فقط ۰: هر سفارش یک ویدیو می‌سازد.',
      }),
    ),
    variant: Type.Optional(
      Type.Unsafe<'video'>({
        ...oneOf('video'),
        description: 'Only video, as without it: there are no thumbnails.',
        'x-description-fa': 'فقط video، مانند نبودش: تصویر بندانگشتی نیست.',
      }),
    ),
  },
  closed,
)

const listed = <T extends Parameters<typeof nullable>[0]>(item: T) => Type.Array(item)

export const VideoModelCard = Type.Object({
  id: Type.String(),
  canonical_slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  created: Type.Integer(safeInteger),
  supported_resolutions: listed(oneOf('480p', '720p', '1080p')),
  supported_aspect_ratios: listed(Type.String()),
  supported_sizes: listed(Type.String()),
  supported_durations: listed(Type.Integer(safeInteger)),
  supported_frame_images: listed(oneOf('first_frame', 'last_frame')),
  generate_audio: Type.Boolean(),
  seed: Type.Boolean(),
  pricing_skus: Type.Record(Type.String(), Type.String(), {
    description: 'What calls pay in USD, markup included, as OpenRouter names it.',
    'x-description-fa': 'بهای درخواست‌ها به دلار با احتساب سود، با نام‌گذاری OpenRouter.',
  }),
  allowed_passthrough_parameters: Type.Array(Type.String()),
  creativity: Type.Null(),
  upscale_factor: Type.Null(),
})
export type VideoModelCard = Static<typeof VideoModelCard>

export const VideoModelCards = Type.Object({ data: Type.Array(VideoModelCard) })
