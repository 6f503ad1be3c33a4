/** Models that one talks with in a call. */
import { Type } from 'typebox'
import { sumOfLines } from '../cost.ts'
import { modelKind, withoutTokens } from '../kind.ts'
import { creditsPerUsd, currency, usdEach, usdPerMillion } from '../pricing.ts'
import { completePipeline, realtimeModelOf } from './pipeline.ts'
import { realtimeLines } from './price.ts'
import type { RealtimeModel } from './realtime-model.ts'
import { type RealtimeEntry, RealtimeEntrySchema, readRealtimeEntry } from './settings.ts'

const text = (en: string, fa: string) => Type.String({ description: en, 'x-description-fa': fa })
const pipelineText = (en: string, fa: string) => Type.Optional(text(en, fa))
const relayPrice = () => Type.Optional(usdPerMillion())

/** The prices in USD, as cards and `details` show them. */
function pricesOf(model: RealtimeModel) {
  if (model.engine === 'pipeline') return { per_minute: model.pricing.perMinute }
  const { perMinute, transcriptionPerMinute, perMillion } = model.pricing
  return {
    per_minute: perMinute,
    text_input_per_million: perMillion.textInput,
    audio_input_per_million: perMillion.audioInput,
    image_input_per_million: perMillion.imageInput,
    cached_text_input_per_million: perMillion.cachedTextInput,
    cached_audio_input_per_million: perMillion.cachedAudioInput,
    text_output_per_million: perMillion.textOutput,
    audio_output_per_million: perMillion.audioOutput,
    transcription_per_minute: transcriptionPerMinute,
  }
}

const unablePassthrough = {
  en: 'which has no calls over WebRTC of its own, as engine: passthrough needs: name a provider of the dialect realtime, or write engine: relay',
  fa: 'که خودش تماس WebRTC نمی‌گیرد و engine: passthrough آن را لازم دارد: ارائه‌دهنده‌ای با گویش realtime نام ببرید یا engine: relay بنویسید',
}

const partsOf = (model: RealtimeModel) =>
  model.engine === 'pipeline'
    ? {
        engine: model.engine,
        text_model: model.textModel,
        transcription_model: model.transcriptionModel,
        speech_model: model.speechModel,
      }
    : { engine: model.engine, voices: model.relay.voices }

export const realtime = modelKind({
  kind: 'realtime',
  entry: RealtimeEntrySchema,
  readEntry: readRealtimeEntry,
  // The dialects of relays; a pipeline has no deployments, but calls those of its models.
  dialects: ['realtime', 'gemini'],
  missingDialect: {
    en: 'has no models that hear and speak by themselves: add the dialect realtime or gemini to it',
    fa: 'مدلی که خودش بشنود و حرف بزند ندارد: گویش realtime یا gemini را به آن بیفزایید',
  },
  // Gemini's wire has no calls over WebRTC.
  unsupported: (entry: RealtimeEntry, dialects) =>
    entry.engine === 'passthrough' && !dialects.includes('realtime') ? unablePassthrough : undefined,
  modelOf: (entry: RealtimeEntry, { named }): RealtimeModel => {
    const common = { ...named, kind: 'realtime', inputModalities: ['text', 'audio'] } as const
    const inputModalities = [...common.inputModalities]
    if (entry.engine !== 'pipeline') {
      const { engine, relay, pricing } = entry
      return { ...common, inputModalities, engine, relay, pricing }
    }
    return {
      ...common,
      inputModalities,
      engine: entry.engine,
      // `complete`, which knows the other models, fills these in.
      textModel: entry.textModel ?? '',
      transcriptionModel: entry.transcriptionModel ?? '',
      speechModel: entry.speechModel ?? '',
      pricing: entry.pricing,
    }
  },
  pricing: Type.Object({
    currency: currency(),
    per_minute: usdEach({
      en: 'per minute of a call, beside what its models cost',
      fa: 'برای هر دقیقه تماس، جدا از بهای مدل‌هایش',
    }),
    text_input_per_million: relayPrice(),
    audio_input_per_million: relayPrice(),
    image_input_per_million: relayPrice(),
    cached_text_input_per_million: relayPrice(),
    cached_audio_input_per_million: relayPrice(),
    text_output_per_million: relayPrice(),
    audio_output_per_million: relayPrice(),
    transcription_per_minute: Type.Optional(
      usdEach({
        en: 'per minute of speech that is written down',
        fa: 'برای هر دقیقه گفتاری که نوشته می‌شود',
      }),
    ),
    credits_per_usd: creditsPerUsd(),
  }),
  studioSettings: Type.Object({
    engine: text(
      'What answers in a call: `pipeline`, models of this server together; `relay`, a model that hears and speaks by itself; `passthrough`, the same, and over WebRTC the caller talks with its vendor directly.',
      'آن‌چه در تماس پاسخ می‌دهد: `pipeline`، مدل‌های این سرور با هم؛ `relay`، مدلی که خودش می‌شنود و حرف می‌زند؛ `passthrough`، همان، و در WebRTC تماس‌گیرنده بی‌واسطه با فروشندهٔ مدل حرف می‌زند.',
    ),
    text_model: pipelineText('Of a pipeline: answers.', 'در pipeline: پاسخ می‌دهد.'),
    transcription_model: pipelineText(
      'Of a pipeline: writes down what is said.',
      'در pipeline: گفته‌ها را می‌نویسد.',
    ),
    speech_model: pipelineText('Of a pipeline: speaks the answer.', 'در pipeline: پاسخ را می‌گوید.'),
    voices: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Of a relay; the first one speaks where none is named.',
        'x-description-fa': 'در relay؛ اگر نامی نیاید، نخستین صدا حرف می‌زند.',
      }),
    ),
  }),
  card: (model) => ({
    output_modalities: ['audio', 'text'],
    ...withoutTokens,
    pricing: pricesOf(model),
    studio_settings: partsOf(model),
  }),
  figures: ({ engine }) => ({ abilities: [engine] }),
  details: (model) => ({
    ...partsOf(model),
    /** Prices in USD. */
    pricing: pricesOf(model),
  }),
  prices: (model) => Object.values(pricesOf(model)),
  operation: 'realtime',
  // A call is no order of an upstream: the models of a pipeline are called as their own kinds say, and a relay holds each response by itself.
  callProvider: undefined,
  mayRepeat: () => false,
  mayReleaseClaim: () => false,
  lines: realtimeLines,
  worstCase: (model, conversion, most: { seconds: number }) =>
    sumOfLines(realtimeLines(model, conversion, most)),
  complete: completePipeline,
  defaultModel: {
    setting: 'realtime_model',
    expected: { en: 'the id of a realtime or text model', fa: 'شناسه‌ی یک مدل realtime یا متنی' },
    isFirst: false,
    answersCalls: true,
    madeOf: realtimeModelOf,
  },
})
