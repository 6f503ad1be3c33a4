import { type Static, type TSchema, Type } from 'typebox'
import { Cost, Provider } from '#core/calls'
import { recordingTypeField } from '#core/media'
import { nullable, oneOf, patterned, safeInteger, uuid } from '#platform/schema'
import { languagePattern } from './language.ts'

const optional = <T extends Parameters<typeof nullable>[0]>(schema: T) => Type.Optional(nullable(schema))

/** Base64 characters of a recording in JSON (contract section 4). */
const audioBase64 = { minLength: 16, maxLength: 18_666_668 }

export const responseFormats = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'] as const
export type ResponseFormat = (typeof responseFormats)[number]
const translationFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const

/** The most characters of a prompt, each of at most four bytes of UTF-8. */
const maxPromptCharacters = 4_000

const model = Type.String({
  maxLength: 200,
  description: 'A transcription model; left out: `defaults.transcription_model`.',
  'x-description-fa': 'یک مدل رونویسی؛ اگر نیاید `defaults.transcription_model`.',
})
const language = Type.String({
  maxLength: 35,
  ...patterned(languagePattern, {
    en: 'must be the code of a language, such as fa or fa-IR',
    fa: 'باید کد یک زبان باشد، مانند fa یا fa-IR',
  }),
  description:
    'The language that is spoken, in ISO 639 or BCP 47; left out, empty or auto: the model hears it.',
  'x-description-fa':
    'زبانی که گفته می‌شود، به ISO 639 یا BCP 47؛ اگر نیاید، خالی یا auto باشد، مدل خودش می‌شنود.',
})
const prompt = Type.String({
  maxLength: maxPromptCharacters,
  description: 'What was said before, or how names are spelled.',
  'x-description-fa': 'آنچه پیش‌تر گفته شده، یا املای نام‌ها.',
})
const temperature = Type.Number({ minimum: 0, maximum: 1 })
const responseFormat = (more: { en: string; fa: string }) =>
  Type.Unsafe<ResponseFormat>({
    ...oneOf(...responseFormats),
    description: `srt and vtt need a model that says times (\`studio_settings.timestamps\` of its card), diarized_json one that tells speakers apart. ${more.en}`,
    'x-description-fa': `srt و vtt مدلی می‌خواهند که زمان‌ها را بگوید (\`studio_settings.timestamps\` در مشخصاتش)، و diarized_json مدلی که گوینده‌ها را جدا کند. ${more.fa}`,
  })
const granularity = Type.Unsafe<'word' | 'segment'>(oneOf('word', 'segment'))
const granularities = Type.Array(granularity, {
  maxItems: 2,
  description: 'With verbose_json: word adds the times of words, where the model says them.',
  'x-description-fa': 'همراه verbose_json: با word زمان واژه‌ها هم می‌آید، اگر مدل بگوید.',
})
const keywords = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  maxItems: 100,
  description: 'Words that are likely to be said, such as names.',
  'x-description-fa': 'واژه‌هایی که شاید گفته شوند، مانند نام‌ها.',
})
const languages = Type.Array(language, {
  maxItems: 10,
  description: 'Languages that may be spoken: one alone is `language`, several have no effect.',
  'x-description-fa': 'زبان‌هایی که شاید گفته شوند: یکی به‌تنهایی همان `language` است، چند تا اثری ندارند.',
})
const stream = Type.Boolean({
  description: 'Answered in events; only with json, verbose_json and diarized_json.',
  'x-description-fa': 'پاسخ به شکل رویداد؛ فقط با json و verbose_json و diarized_json.',
})
const diarize = Type.Boolean({
  description: 'Speakers are told apart, in every format that can say them; implied by diarized_json.',
  'x-description-fa':
    'گوینده‌ها از هم جدا می‌شوند، در هر قالبی که بتواند بگوید؛ diarized_json همین را می‌رساند.',
})
const speakers = Type.Integer({
  minimum: 1,
  maximum: 32,
  description: 'How many speakers there are, if you know it; with `diarize`.',
  'x-description-fa': 'شمار گوینده‌ها، اگر می‌دانید؛ همراه `diarize`.',
})
const normalize = (standard: boolean) =>
  Type.Boolean({
    default: standard,
    description: `Persian text has Persian letters and digits in place of Arabic ones (ي ك ٤); half-spaces stay. Left out: ${standard}.`,
    'x-description-fa': `متن فارسی به جای حروف و رقم‌های عربی (ي ك ٤) فارسی می‌شود؛ نیم‌فاصله‌ها می‌مانند. اگر نیاید: ${standard}.`,
  })
const fileId = Type.String({
  ...uuid(),
  description: 'A stored recording of the project in place of its bytes: see POST /v1/files.',
  'x-description-fa': 'یک ضبط ذخیره‌شدهٔ پروژه به جای بایت‌هایش: POST /v1/files را ببینید.',
})
const include = Type.Array(Type.String({ maxLength: 40 }), {
  maxItems: 10,
  description: 'Has no effect: no upstream here says probabilities of tokens.',
  'x-description-fa': 'اثری ندارد: اینجا هیچ بالادستی احتمال توکن‌ها را نمی‌گوید.',
})
const speakerNames = Type.Array(Type.String({ maxLength: 100 }), {
  maxItems: 4,
  description: 'Has no effect: speakers are called A, B, C …',
  'x-description-fa': 'اثری ندارد: گوینده‌ها A و B و C … نام دارند.',
})

/** The fields that JSON may set to null, and that a form repeats for each member of a list. */
const shared = {
  model,
  language,
  languages,
  prompt,
  keywords,
  temperature,
  timestamp_granularities: granularities,
  stream,
  diarize,
  speakers,
  include,
  known_speaker_names: speakerNames,
} as const

type Optional<T extends Record<string, TSchema>> = { [Name in keyof T]: ReturnType<typeof optional<T[Name]>> }
const optionals = <T extends Record<string, TSchema>>(schemas: T): Optional<T> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, optional(schema)])) as Optional<T>

type Plain<T extends Record<string, TSchema>> = { [Name in keyof T]: Type.TOptional<T[Name]> }
const plain = <T extends Record<string, TSchema>>(schemas: T): Plain<T> =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as Plain<T>

const tinyWav = 'UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQgAAAAAAAAAAAAAAA=='

/**
 * The body in JSON: the contract's, that of OpenRouter's clients (`input_audio`), or one for a stored recording (`file_id`); exactly one of the
 * three.
 */
export const TranscriptionBody = Type.Object(
  {
    audioBase64: Type.Optional(
      Type.String({
        ...audioBase64,
        description: 'The recording in Base64.',
        'x-description-fa': 'ضبط به شکل Base64.',
      }),
    ),
    mediaType: Type.Optional(
      recordingTypeField({
        description:
          'With `audioBase64`, with parameters or without; may be left out or empty. Its bytes alone decide which of them it is.',
        'x-description-fa':
          'همراه `audioBase64`، با پارامتر یا بی آن؛ می‌تواند نیاید یا خالی باشد. اینکه کدام است را تنها بایت‌ها می‌گویند.',
      }),
    ),
    input_audio: Type.Optional(
      Type.Object(
        {
          data: Type.String(audioBase64),
          format: Type.String({
            minLength: 1,
            maxLength: 100,
            description: 'wav, mp3, m4a …; its bytes decide.',
            'x-description-fa': 'wav یا mp3 یا m4a …؛ بایت‌ها تعیین می‌کنند.',
          }),
        },
        {
          description: 'The recording in the shape of OpenRouter.',
          'x-description-fa': 'ضبط با قالب OpenRouter.',
        },
      ),
    ),
    file_id: optional(fileId),
    ...optionals(shared),
    response_format: optional(
      responseFormat({
        en: 'Left out: text with segments; with `input_audio` json.',
        fa: 'اگر نیاید متن با بخش‌ها؛ همراه `input_audio` همان json.',
      }),
    ),
    normalize: optional(normalize(true)),
    chunking_strategy: optional(
      Type.Union([Type.String({ maxLength: 1_000 }), Type.Object({})], {
        description: 'auto; long recordings are cut at silences here whatever it says.',
        'x-description-fa': 'همان auto؛ ضبط‌های بلند در هر حال اینجا در سکوت‌ها بریده می‌شوند.',
      }),
    ),
    provider: optional(Provider),
  },
  {
    examples: [
      { audioBase64: tinyWav, mediaType: 'audio/wav', language: 'fa' },
      { input_audio: { data: tinyWav, format: 'wav' }, language: 'fa' },
    ],
  },
)
export type TranscriptionBody = Static<typeof TranscriptionBody>

/** The text fields of the form that the OpenAI clients send; the recording is its `file`. */
export const TranscriptionForm = Type.Object({
  file_id: Type.Optional(fileId),
  ...plain(shared),
  response_format: Type.Optional(responseFormat({ en: 'Left out: json.', fa: 'اگر نیاید json.' })),
  normalize: Type.Optional(normalize(false)),
  chunking_strategy: Type.Optional(Type.String({ maxLength: 1_000 })),
})
export type TranscriptionForm = Static<typeof TranscriptionForm>

/** The text fields of the form of a translation, as the OpenAI clients send it; the recording is its `file`. */
export const TranslationForm = Type.Object({
  file_id: Type.Optional(fileId),
  model: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'A transcription model that translates (`studio_settings.translate` of its card); left out: the default one if it does, else the first that does.',
      'x-description-fa':
        'یک مدل رونویسی که ترجمه می‌کند (`studio_settings.translate` در مشخصاتش)؛ اگر نیاید پیش‌فرض، اگر ترجمه کند، وگرنه نخستین مدلی که می‌کند.',
    }),
  ),
  prompt: Type.Optional(prompt),
  response_format: Type.Optional(
    Type.Unsafe<(typeof translationFormats)[number]>({
      ...oneOf(...translationFormats),
      description: 'Left out: json. srt and vtt need a model that says times.',
      'x-description-fa': 'اگر نیاید json. ‏srt و vtt مدلی می‌خواهند که زمان‌ها را بگوید.',
    }),
  ),
  temperature: Type.Optional(temperature),
})
export type TranslationForm = Static<typeof TranslationForm>

const seconds = () => Type.Number({ minimum: 0 })

const Usage = Type.Object({
  type: Type.Optional(oneOf('duration', 'tokens')),
  seconds: Type.Optional(
    Type.Number({
      minimum: 0,
      description: 'Of the recording, rounded up.',
      'x-description-fa': 'ثانیه‌های ضبط، روبه‌بالا گردشده.',
    }),
  ),
  input_tokens: Type.Optional(Type.Integer(safeInteger)),
  output_tokens: Type.Optional(Type.Integer(safeInteger)),
  total_tokens: Type.Optional(Type.Integer(safeInteger)),
  cost: Type.Optional(
    Type.Number({
      minimum: 0,
      description: 'With `input_audio`: the charge in USD at the worth of a credit.',
      'x-description-fa': 'همراه `input_audio`: هزینه به دلار، با ارزش اعتبار.',
    }),
  ),
  ...Cost,
})

/** A segment of verbose_json, with all members that strict clients parse; a figure that the upstream does not give is 0, and tokens are empty. */
const Segment = Type.Object({
  id: Type.Union([Type.Integer(safeInteger), Type.String()]),
  seek: Type.Optional(Type.Integer(safeInteger)),
  start: seconds(),
  end: seconds(),
  text: Type.String(),
  tokens: Type.Optional(Type.Array(Type.Integer())),
  temperature: Type.Optional(Type.Number()),
  avg_logprob: Type.Optional(Type.Number()),
  compression_ratio: Type.Optional(Type.Number()),
  no_speech_prob: Type.Optional(Type.Number()),
  speaker: Type.Optional(Type.Union([Type.String(), Type.Integer(safeInteger)])),
  type: Type.Optional(oneOf('transcript.text.segment')),
})

const Word = Type.Object({
  word: Type.String(),
  start: seconds(),
  end: seconds(),
  speaker: Type.Optional(Type.Union([Type.String(), Type.Integer(safeInteger)])),
})

/** The answers of all formats in JSON: json has `text` and `usage` only; without response_format there are `model` and `request_id` too. */
export const TranscriptReply = Type.Object({
  text: Type.String(),
  task: Type.Optional(oneOf('transcribe', 'translate')),
  language: Type.Optional(
    nullable(
      Type.String({
        description: 'ISO 639-1; its English name in verbose_json of a form. Null where nobody says it.',
        'x-description-fa': 'ISO 639-1؛ در verbose_json فرم نام انگلیسی‌اش. اگر کسی نگوید null.',
      }),
    ),
  ),
  duration: Type.Optional(seconds()),
  segments: Type.Optional(Type.Array(Segment)),
  words: Type.Optional(Type.Array(Word)),
  usage: Usage,
  model: Type.Optional(Type.String()),
  request_id: Type.Optional(uuid()),
})
