import { type Static, Type } from 'typebox'
import { recordingTypeField } from '#core/media'
import { closed, oneOf, patterned, safeInteger } from '#platform/schema'

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

/** The most characters of an answer (contract section 4). */
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

/** The most characters of a data URL, and the most pictures of one order (contract section 4). */
export const maxReferenceCharacters = 12_000_000
const maxReferences = 8

export const Reference = Type.Object(
  {
    dataUrl: Type.String({
      maxLength: maxReferenceCharacters,
      description: 'A png, jpeg or webp as data:<type>;base64,<data>.',
      'x-description-fa': 'یک png، jpeg یا webp به شکل data:<نوع>;base64,<داده>.',
    }),
  },
  closed,
)

const tinyPng =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8BQDwAEgAF/pooBPQAAAABJRU5ErkJggg=='

export const ImageBody = Type.Object(
  {
    prompt: Type.String({ minLength: 3, maxLength: 8_000 }),
    preset: Type.Optional(Preset),
    model: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'An image model; it takes precedence over `preset`.',
        'x-description-fa': 'یک مدل تصویر؛ بر `preset` مقدم است.',
      }),
    ),
    aspectRatio: Type.Optional(
      Type.String({
        maxLength: 24,
        ...patterned('^(auto|[1-9][0-9]*:[1-9][0-9]*)$', {
          en: 'must be auto, or two whole numbers such as 16:9',
          fa: 'باید auto یا دو عدد صحیح باشد، مانند 16:9',
        }),
        description: 'auto follows the prompt or the first reference; left out: 1:1.',
        'x-description-fa': 'auto از متن یا نخستین تصویر مرجع پیروی می‌کند؛ اگر نیاید 1:1.',
      }),
    ),
    size: Type.Optional(
      Type.String({
        ...patterned('^(auto|[1-9][0-9]{0,4}[x×][1-9][0-9]{0,4})$', {
          en: 'must be auto, or width and height in pixels such as 1024x1024',
          fa: 'باید auto یا پهنا و بلندا به پیکسل باشد، مانند 1024x1024',
        }),
        description:
          '<width>x<height> in pixels: the picture comes out exactly so, padded or cropped, never distorted.',
        'x-description-fa':
          '<پهنا>x<بلندا> به پیکسل: تصویر دقیقاً همین اندازه می‌شود، با حاشیه یا برش و بی‌کشیدگی.',
      }),
    ),
    fit: Type.Optional(
      Type.Unsafe<'pad' | 'crop'>({
        ...oneOf('pad', 'crop'),
        default: 'pad',
        description: 'How a size or ratio is reached that the model does not draw.',
        'x-description-fa': 'راه رسیدن به اندازه یا نسبتی که مدل نمی‌کشد.',
      }),
    ),
    quality: Type.Optional(
      Type.Unsafe<'low' | 'medium' | 'high'>({ ...oneOf('low', 'medium', 'high'), default: 'medium' }),
    ),
    outputFormat: Type.Optional(
      Type.Unsafe<'png' | 'jpeg' | 'webp'>({
        ...oneOf('png', 'jpeg', 'webp'),
        description: 'Left out: png, or svg from a model that draws vectors.',
        'x-description-fa': 'اگر نیاید png، یا svg از مدلی که برداری می‌کشد.',
      }),
    ),
    transparent: Type.Optional(Type.Boolean({ default: false })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 4, default: 1 })),
    reference: Type.Optional(Reference),
    references: Type.Optional(Type.Array(Reference, { minItems: 1, maxItems: maxReferences })),
  },
  {
    ...closed,
    examples: [
      { prompt: 'خوش‌نویسی «توانا بود هر که دانا بود» روی کاغذ کهنه', preset: 'fast' },
      { prompt: 'پس‌زمینه را آبی کن', reference: { dataUrl: tinyPng }, size: '800x600', fit: 'crop' },
    ],
  },
)
export type ImageBody = Static<typeof ImageBody>

const pixels = () => Type.Integer(safeInteger)

/** Contract section 2, "Studio image output item". */
const Output = Type.Object({
  data: Type.String({
    minLength: 16,
    maxLength: 24_000_000,
    description: 'Base64.',
    'x-description-fa': 'Base64.',
  }),
  mediaType: oneOf('image/png', 'image/jpeg', 'image/webp', 'image/svg+xml'),
  width: pixels(),
  height: pixels(),
  sizing: Type.Object({
    source: Type.Unsafe<'settings' | 'prompt' | 'reference' | 'default'>({
      ...oneOf('settings', 'prompt', 'reference', 'default'),
      description: 'What decided the size.',
      'x-description-fa': 'آنچه اندازه را تعیین کرد.',
    }),
    fit: oneOf('native', 'pad', 'crop'),
    sourceWidth: pixels(),
    sourceHeight: pixels(),
  }),
})

export const DrawnImages = Type.Object({
  outputs: Type.Array(Output, { minItems: 1, maxItems: 4 }),
  execution: Execution,
  research: Type.Optional(Research),
})

const voice = Type.String({
  minLength: 1,
  maxLength: 80,
  description:
    'A voice of the model (`studio_settings.voices` of its card), by id or name; left out: its first one.',
  'x-description-fa':
    'یکی از صداهای مدل (`studio_settings.voices` در مشخصاتش) با شناسه یا نام؛ اگر نیاید نخستین صدا.',
})

/** The most Base64 characters of a recording (contract section 4). */
export const maxAudioCharacters = 18_666_668

export const AudioBody = Type.Object(
  {
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 12_000,
        description: 'What is spoken; with `audioInput` what to do with the recording.',
        'x-description-fa': 'آنچه خوانده می‌شود؛ با `audioInput`، آنچه باید با ضبط کرد.',
      }),
    ),
    preset: Type.Optional(Preset),
    model: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'An audio model; it takes precedence over `preset`.',
        'x-description-fa': 'یک مدل صدا؛ بر `preset` مقدم است.',
      }),
    ),
    voice: Type.Optional(voice),
    format: Type.Optional(
      Type.Unsafe<'mp3' | 'wav' | 'pcm'>({
        ...oneOf('mp3', 'wav', 'pcm'),
        default: 'mp3',
        description: 'pcm: signed 16-bit little-endian samples at `output.rate`, without a header.',
        'x-description-fa': 'pcm: نمونه‌های ۱۶ بیتی علامت‌دار little-endian با نرخ `output.rate` و بدون هدر.',
      }),
    ),
    speed: Type.Optional(
      Type.Number({
        minimum: 1,
        maximum: 1,
        default: 1,
        description: 'Only 1; say the pace in `instructions` where the model takes them.',
        'x-description-fa': 'فقط ۱؛ سرعت را در `instructions` بگویید اگر مدل می‌پذیرد.',
      }),
    ),
    instructions: Type.Optional(Type.String({ maxLength: 2_000 })),
    turns: Type.Optional(
      Type.Array(
        Type.Object(
          {
            text: Type.String({ minLength: 1, maxLength: 12_000 }),
            voice,
            instructions: Type.Optional(Type.String({ maxLength: 1_000 })),
          },
          closed,
        ),
        {
          minItems: 2,
          maxItems: 40,
          description: 'A dialogue, in place of `text`.',
          'x-description-fa': 'گفت‌وگو، به جای `text`.',
        },
      ),
    ),
    audioInput: Type.Optional(
      Type.Object(
        {
          audioBase64: Type.String({ minLength: 16, maxLength: maxAudioCharacters }),
          mediaType: recordingTypeField(),
        },
        {
          ...closed,
          description:
            'A recording that is answered aloud; by a model that does not `answer` it is written down, answered by the default text model and spoken. Its bytes alone say what it is: WAV, MP3, FLAC, Ogg (Opus, Vorbis or FLAC), or the first audio track of a WebM, Matroska, MP4 or QuickTime (Opus, Vorbis, FLAC, MP3 or PCM); AAC, also as ADTS, ALAC, AIFF, CAF, WMA and AMR where the operator has ffmpeg.',
          'x-description-fa':
            'ضبطی که با صدا پاسخ داده می‌شود؛ اگر مدل `answer` نداشته باشد نوشته می‌شود، مدل متنی پیش‌فرض پاسخ می‌دهد و پاسخ خوانده می‌شود. تنها بایت‌هایش می‌گویند چیست: WAV، MP3، FLAC، Ogg (Opus یا Vorbis یا FLAC) یا نخستین مسیر صدای یک WebM، Matroska، MP4 یا QuickTime (Opus، Vorbis، FLAC، MP3 یا PCM)؛ AAC، ADTS هم، و ALAC، AIFF، CAF، WMA و AMR جایی که بهره‌بردار ffmpeg دارد.',
        },
      ),
    ),
  },
  {
    ...closed,
    examples: [
      { text: 'توانا بود هر که دانا بود.', preset: 'fast' },
      {
        turns: [
          { text: 'سلام! امروز چه خواندی؟', voice: 'sandbox-mina' },
          { text: 'داستان رستم و سهراب را.', voice: 'sandbox-kian' },
        ],
        format: 'wav',
      },
    ],
  },
)
export type AudioBody = Static<typeof AudioBody>

export const SpokenAudio = Type.Object({
  output: Type.Object({
    data: Type.String({
      minLength: 16,
      maxLength: 40_000_000,
      description: 'Base64.',
      'x-description-fa': 'Base64.',
    }),
    mediaType: oneOf('audio/mpeg', 'audio/wav', 'audio/pcm'),
    rate: Type.Integer({
      ...safeInteger,
      description: 'Samples a second.',
      'x-description-fa': 'نمونه در ثانیه.',
    }),
    channels: Type.Integer(safeInteger),
    seconds: Type.Number({ minimum: 0 }),
  }),
  execution: Execution,
  research: Type.Optional(Research),
})
