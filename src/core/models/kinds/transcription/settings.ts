/** Transcription models in the configuration file. */
import { type Static, Type } from 'typebox'
import { type ConfigNode, integerIn, mebibyte, readingRules, type Sentence, usd } from '#platform/config'
import { oneOf } from '#platform/schema'
import { commonFields, fallbacks, type NamedEntry, readNamedEntry } from '../named.ts'
import {
  leavesOutSilence,
  type TranscriptionPricing,
  type TranscriptionSettings,
} from './transcription-model.ts'

export interface TranscriptionEntry extends NamedEntry {
  kind: 'transcription'
  transcription: TranscriptionSettings
  pricing: TranscriptionPricing
}

/** USD of a minute or a million tokens. */
const dearest = 1_000_000
const formats = ['wav', 'mp3', 'm4a', 'webm', 'ogg', 'flac', 'aac'] as const

const Settings = Type.Object(
  {
    formats: Type.Array(oneOf(...formats), {
      uniqueItems: true,
      minItems: 1,
      default: ['wav'],
      description: 'Files that the upstream takes as they are; everything else is converted to WAV.',
    }),
    max_seconds: integerIn(10, 14_400, {
      default: 1_200,
      description: 'Of one call; longer recordings are cut at silences.',
    }),
    max_mb: integerIn(1, 2_048, { default: 25, description: 'Of the file of one call.' }),
    timestamps: Type.Unsafe<'none' | 'segment' | 'word'>({
      ...oneOf('none', 'segment', 'word'),
      default: 'none',
      description: 'The most exact times that it says.',
    }),
    diarize: Type.Boolean({ default: false, description: 'It tells speakers apart.' }),
    translate: Type.Boolean({
      default: false,
      description:
        'It writes in English what is said in another language: for `POST /v1/audio/translations`.',
    }),
    stream: Type.Boolean({ default: false, description: 'Text comes while it is made.' }),
    live: Type.Boolean({
      default: false,
      description: 'It hears sound while it is spoken, over a connection that stays open: for calls.',
    }),
    prompt: Type.Boolean({ default: false }),
    keywords: Type.Boolean({ default: false }),
    vad: Type.Optional(
      Type.Boolean({
        description:
          'Sound in which nobody speaks is not sent, and costs nothing. Default: true for models whose name has whisper, and for the sandbox.',
      }),
    ),
    languages: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z]{2,3}$' }), { minItems: 1, uniqueItems: true }),
    ),
  },
  { default: {} },
)

const priceMissing: Sentence = {
  en: 'write at least one of per_minute, input_per_million and output_per_million in USD, 0 for free',
  fa: 'دست‌کم یکی از per_minute، input_per_million و output_per_million را به دلار بنویسید، ۰ یعنی رایگان',
}
const optionalPrice = (description: string) => Type.Optional(usd(dearest, { description }))

const Pricing = Type.Object(
  {
    per_minute: optionalPrice('USD per minute of the recording.'),
    minimum_seconds: integerIn(0, 3_600, {
      default: 0,
      description: 'What every call to the upstream is billed for at least.',
    }),
    input_per_million: optionalPrice('USD per million tokens of sound.'),
    output_per_million: optionalPrice('USD per million tokens of text.'),
  },
  readingRules({
    missing: priceMissing,
    expected: priceMissing,
    check: (prices: Record<string, unknown>, node: ConfigNode) => {
      const { per_minute, input_per_million, output_per_million } = prices
      if ([per_minute, input_per_million, output_per_million].every((one) => one === undefined))
        node.refuseValue(priceMissing)
    },
  }),
)

export const TranscriptionEntrySchema = Type.Object({
  ...commonFields,
  fallbacks,
  transcription: Settings,
  pricing: Pricing,
})

export function readTranscriptionEntry(
  typed: Static<typeof TranscriptionEntrySchema>,
  node: ConfigNode,
): TranscriptionEntry {
  const { transcription, pricing } = typed
  return {
    ...readNamedEntry(typed, node),
    kind: 'transcription',
    transcription: {
      formats: transcription.formats,
      maxSeconds: transcription.max_seconds,
      maxBytes: transcription.max_mb * mebibyte,
      timestamps: transcription.timestamps,
      diarizes: transcription.diarize,
      translates: transcription.translate,
      streams: transcription.stream,
      hearsLive: transcription.live,
      takesPrompt: transcription.prompt,
      takesKeywords: transcription.keywords,
      vad: transcription.vad ?? leavesOutSilence(typed),
      ...(transcription.languages && { languages: transcription.languages }),
    },
    pricing: {
      perMinute: pricing.per_minute ?? 0,
      minimumSeconds: pricing.minimum_seconds,
      inputPerMillion: pricing.input_per_million ?? 0,
      outputPerMillion: pricing.output_per_million ?? 0,
    },
  }
}
