/** Models that one talks with in a call. */
import { Type } from 'typebox'
import { modelKind, withoutTokens } from '../kind.ts'
import { creditsPerUsd, currency, usdEach } from '../pricing.ts'
import { realtimeCost } from './price.ts'
import type { RealtimeModel } from './realtime-model.ts'
import { type RealtimeEntry, RealtimeEntrySchema, readRealtimeEntry } from './settings.ts'

const model = (en: string, fa: string) => Type.String({ description: en, 'x-description-fa': fa })

export const realtime = modelKind({
  kind: 'realtime',
  entry: RealtimeEntrySchema,
  readEntry: readRealtimeEntry,
  // It has no deployments: those of its models are called.
  dialects: [],
  lacking: { en: 'has no calls', fa: 'تماس ندارد' },
  modelOf: (entry: RealtimeEntry, { named }): RealtimeModel => ({
    ...named,
    kind: 'realtime',
    inputModalities: ['text', 'audio'],
    engine: entry.engine,
    // Completed by the catalogue, which knows the other models.
    textModel: entry.textModel ?? '',
    transcriptionModel: entry.transcriptionModel ?? '',
    speechModel: entry.speechModel ?? '',
    pricing: entry.pricing,
  }),
  routes: ['/v1/realtime'],
  pricing: Type.Object({
    currency: currency(),
    per_minute: usdEach({
      en: 'per minute of a call, beside what its models cost',
      fa: 'برای هر دقیقه تماس، جدا از بهای مدل‌هایش',
    }),
    credits_per_usd: creditsPerUsd(),
  }),
  studioSettings: Type.Object({
    engine: model('What answers in a call: `pipeline`.', 'آن‌چه در تماس پاسخ می‌دهد: `pipeline`.'),
    text_model: model('Answers.', 'پاسخ می‌دهد.'),
    transcription_model: model('Writes down what is said.', 'گفته‌ها را می‌نویسد.'),
    speech_model: model('Speaks the answer.', 'پاسخ را می‌گوید.'),
  }),
  card: ({ engine, textModel, transcriptionModel, speechModel, pricing }) => ({
    output_modalities: ['audio', 'text'],
    ...withoutTokens,
    pricing: { per_minute: pricing.perMinute },
    studio_settings: {
      engine,
      text_model: textModel,
      transcription_model: transcriptionModel,
      speech_model: speechModel,
    },
  }),
  figures: ({ engine }) => ({ abilities: [engine] }),
  details: ({ engine, textModel, transcriptionModel, speechModel, pricing }) => ({
    engine,
    text_model: textModel,
    transcription_model: transcriptionModel,
    speech_model: speechModel,
    /** USD. */
    pricing: { per_minute: pricing.perMinute },
  }),
  prices: ({ pricing }) => [pricing.perMinute],
  operation: 'realtime',
  // No upstream is asked for a call: its models are, each as its own kind says.
  ask: undefined,
  mayRepeat: () => false,
  mayReleaseClaim: () => false,
  price: realtimeCost,
  worstCase: realtimeCost,
})
