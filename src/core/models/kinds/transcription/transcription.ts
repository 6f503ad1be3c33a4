/** Models that write recordings down. */
import { Type } from 'typebox'
import type { TranscriptionCall, TranscriptionProvider } from '#core/spec'
import { safeInteger } from '#platform/schema'
import { sumOfLines } from '../cost.ts'
import { missingDialectOf } from '../dialects.ts'
import { modelKind, withoutTokens } from '../kind.ts'
import { creditsPerUsd, currency, usdEach, usdPerMillion } from '../pricing.ts'
import { type TranscriptionUsage, transcriptionLines } from './price.ts'
import { readTranscriptionEntry, type TranscriptionEntry, TranscriptionEntrySchema } from './settings.ts'
import type { TranscriptionModel, TranscriptionPricing } from './transcription-model.ts'
import { transcriptionDialects, unableTranscription } from './wires.ts'

declare module '../kind.ts' {
  interface OrderProviders {
    transcription: TranscriptionProvider
  }
}

const Pricing = Type.Object({
  currency: currency(),
  per_minute: usdEach({ en: 'per minute of the recording', fa: 'برای هر دقیقه ضبط' }),
  minimum_seconds: Type.Integer({
    ...safeInteger,
    description: 'What every call to the upstream is billed for at least.',
    'x-description-fa': 'کم‌ترین زمانی که برای هر فراخوان بالادست حساب می‌شود.',
  }),
  input_per_million: usdPerMillion(),
  output_per_million: usdPerMillion(),
  credits_per_usd: creditsPerUsd(),
})

const StudioSettings = Type.Object({
  timestamps: Type.String({
    description: 'The most exact times that it says: `none`, `segment` or `word`.',
    'x-description-fa': 'دقیق‌ترین زمان‌هایی که می‌گوید: `none` یا `segment` یا `word`.',
  }),
  diarize: Type.Boolean({
    description: 'It tells speakers apart.',
    'x-description-fa': 'گوینده‌ها را از هم جدا می‌کند.',
  }),
  translate: Type.Boolean({
    description: 'It writes in English what is said in another language: `/v1/audio/translations`.',
    'x-description-fa': 'آنچه را به زبان دیگری گفته شود به انگلیسی می‌نویسد: `/v1/audio/translations`.',
  }),
  stream: Type.Boolean(),
  prompt: Type.Boolean(),
  keywords: Type.Boolean(),
  vad: Type.Boolean({
    description: 'Sound in which nobody speaks is not sent: its text is empty, and it costs nothing.',
    'x-description-fa': 'صدایی که در آن کسی حرف نمی‌زند فرستاده نمی‌شود: متنش خالی است و هزینه‌ای ندارد.',
  }),
  languages: Type.Union([Type.Null(), Type.Array(Type.String())], {
    description: 'ISO 639-1; null: whatever is said.',
    'x-description-fa': 'ISO 639-1؛ null یعنی هر زبانی.',
  }),
})

const pricesOf = (pricing: TranscriptionPricing) => ({
  per_minute: pricing.perMinute,
  minimum_seconds: pricing.minimumSeconds,
  input_per_million: pricing.inputPerMillion,
  output_per_million: pricing.outputPerMillion,
})

export const transcription = modelKind({
  kind: 'transcription',
  entry: TranscriptionEntrySchema,
  readEntry: readTranscriptionEntry,
  dialects: transcriptionDialects,
  missingDialect: missingDialectOf(transcriptionDialects, {
    en: 'writes no recordings down',
    fa: 'گویش رونویسی ندارد',
  }),
  unsupported: (entry: TranscriptionEntry, dialects) => unableTranscription(entry, dialects),
  modelOf: (entry: TranscriptionEntry, { named }): TranscriptionModel => ({
    ...named,
    kind: 'transcription',
    inputModalities: ['audio'],
    transcription: entry.transcription,
    pricing: entry.pricing,
  }),
  pricing: Pricing,
  studioSettings: StudioSettings,
  card: ({ transcription: settings, pricing }) => ({
    output_modalities: ['text'],
    ...withoutTokens,
    pricing: pricesOf(pricing),
    studio_settings: {
      timestamps: settings.timestamps,
      diarize: settings.diarizes,
      translate: settings.translates,
      stream: settings.streams,
      prompt: settings.takesPrompt,
      keywords: settings.takesKeywords,
      vad: settings.vad,
      languages: settings.languages ?? null,
    },
  }),
  figures: ({ transcription: settings }) => ({
    abilities: [settings.timestamps, ...(settings.diarizes ? ['diarize'] : [])].filter(
      (one) => one !== 'none',
    ),
  }),
  details: ({ transcription: settings, pricing }) => ({
    timestamps: settings.timestamps,
    diarize: settings.diarizes,
    /** Prices in USD. */
    pricing: pricesOf(pricing),
  }),
  prices: ({ pricing: { perMinute, inputPerMillion, outputPerMillion } }) => [
    perMinute,
    inputPerMillion,
    outputPerMillion,
  ],
  operation: 'generate_content',
  attributes: { 'gen_ai.output.type': 'text' },
  callProvider: (provider: TranscriptionProvider, call: TranscriptionCall) => provider.transcribe(call),
  mayRepeat: ({ executed }) => !executed,
  // A broken connection or a 500 does not prove that nothing was executed.
  mayReleaseClaim: ({ executed, status }) =>
    !executed || (status !== undefined && status >= 400 && status < 500),
  lines: transcriptionLines,
  worstCase: (model, conversion, most: TranscriptionUsage) =>
    sumOfLines(transcriptionLines(model, conversion, most)),
  defaultModel: {
    setting: 'transcription_model',
    expected: { en: 'the id of a transcription model', fa: 'شناسه‌ی یک مدل رونویسی' },
    isFirst: true,
    answersCalls: true,
  },
})
