/** Models that speak: a text, a dialogue, or an answer to a recording. */
import { Type } from 'typebox'
import type { AudioCall, AudioProvider } from '#core/spec'
import { safeInteger } from '#platform/schema'
import { sumOfLines } from '../cost.ts'
import { missingDialectOf } from '../dialects.ts'
import { modelKind, withoutTokens } from '../kind.ts'
import { creditsPerUsd, currency, usdEach, usdPerMillion } from '../pricing.ts'
import { type AudioModel, type AudioPricing, canSpeak } from './audio-model.ts'
import { type AudioBound, audioLines } from './price.ts'
import { type AudioEntry, AudioEntrySchema, readAudioEntry } from './settings.ts'
import { audioDialects, unableWires } from './wires.ts'

declare module '../kind.ts' {
  interface OrderProviders {
    audio: AudioProvider
  }
}

const Pricing = Type.Object({
  currency: currency(),
  per_million_characters: usdEach({
    en: 'per million characters of the text',
    fa: 'برای هر میلیون کاراکتر متن',
  }),
  per_minute: usdEach({ en: 'per minute of the sound', fa: 'برای هر دقیقه صدا' }),
  input_per_million: usdPerMillion(),
  output_per_million: usdPerMillion(),
  credits_per_usd: creditsPerUsd(),
})

const StudioSettings = Type.Object({
  does: Type.Array(Type.String(), {
    description:
      '`answer`: it hears the recordings that it answers. For every other model `audioInput` is written down, answered by a text model and spoken.',
    'x-description-fa':
      '`answer`: ضبطی را که پاسخ می‌دهد خودش می‌شنود. برای هر مدل دیگر `audioInput` نوشته می‌شود، مدلی متنی پاسخ می‌دهد و پاسخ خوانده می‌شود.',
  }),
  voices: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      gender: Type.Optional(Type.String()),
      languages: Type.Array(Type.String()),
    }),
    {
      description: 'The first one speaks where none is named.',
      'x-description-fa': 'اگر نامی نیاید، نخستین صدا می‌خواند.',
    },
  ),
  other_voices: Type.Boolean({
    description: 'Voices that are not listed may be named too.',
    'x-description-fa': 'صداهایی که در فهرست نیستند نیز پذیرفته می‌شوند.',
  }),
  formats: Type.Array(Type.String(), {
    description: 'Of `/v1/studio/audio`, whatever the upstream makes.',
    'x-description-fa': 'برای `/v1/studio/audio`، هر چه بالادست بسازد.',
  }),
  speech_formats: Type.Array(Type.String(), {
    description: 'Of `/v1/audio/speech`.',
    'x-description-fa': 'برای `/v1/audio/speech`.',
  }),
  instructions: Type.Boolean(),
  speed: Type.Union([Type.Null(), Type.Array(Type.Number())], {
    description: 'Slowest and fastest; null: 1 only.',
    'x-description-fa': 'کندترین و تندترین؛ null یعنی فقط ۱.',
  }),
  max_characters: Type.Integer({
    ...safeInteger,
    description: 'Of one call to the upstream; longer texts are cut at sentences and joined.',
    'x-description-fa': 'در هر فراخوان بالادست؛ متن بلندتر سر جمله‌ها بریده و به هم پیوسته می‌شود.',
  }),
  max_turns: Type.Integer(safeInteger),
  voices_per_dialogue: Type.Integer(safeInteger),
})

const pricesOf = (pricing: AudioPricing) => ({
  per_million_characters: pricing.perMillionCharacters,
  per_minute: pricing.perMinute,
  input_per_million: pricing.inputPerMillion,
  output_per_million: pricing.outputPerMillion,
})

/** Formats that callers may request whatever the upstream makes, because sound is converted here. */
const studioFormats = ['mp3', 'wav', 'pcm']
const speechFormats = [...studioFormats, 'opus', 'aac', 'flac']

export const audio = modelKind({
  kind: 'audio',
  entry: AudioEntrySchema,
  readEntry: readAudioEntry,
  dialects: audioDialects,
  missingDialect: missingDialectOf(audioDialects, { en: 'makes no sound', fa: 'گویش صدا ندارد' }),
  unsupported: (entry: AudioEntry, dialects) => unableWires(entry, dialects),
  modelOf: (entry: AudioEntry, { named }): AudioModel => ({
    ...named,
    kind: 'audio',
    inputModalities: entry.audio.tasks.includes('answer') ? ['text', 'audio'] : ['text'],
    audio: entry.audio,
    pricing: entry.pricing,
  }),
  pricing: Pricing,
  studioSettings: StudioSettings,
  card: ({ audio: settings, pricing }) => ({
    output_modalities: ['audio'],
    ...withoutTokens,
    pricing: pricesOf(pricing),
    studio_settings: {
      does: settings.tasks,
      voices: settings.voices,
      other_voices: settings.takesOtherVoices,
      formats: studioFormats,
      speech_formats: speechFormats,
      instructions: settings.takesInstructions,
      speed: settings.speed ? [settings.speed.min, settings.speed.max] : null,
      max_characters: settings.maxCharacters,
      max_turns: settings.maxTurns,
      voices_per_dialogue: settings.maxVoices,
    },
  }),
  figures: ({ audio: settings }) => ({ abilities: settings.tasks }),
  details: ({ audio: settings, pricing }) => ({
    does: settings.tasks,
    voices: settings.voices.map(({ id }) => id),
    /** Prices in USD. */
    pricing: pricesOf(pricing),
  }),
  prices: ({ pricing }) => Object.values(pricing),
  operation: 'generate_content',
  attributes: { 'gen_ai.output.type': 'speech' },
  callProvider: (provider: AudioProvider, call: AudioCall) => provider.speak(call),
  mayRepeat: ({ executed }) => !executed,
  // A broken connection or a 500 does not prove that nothing was executed.
  mayReleaseClaim: ({ executed, status }) =>
    !executed || (status !== undefined && status >= 400 && status < 500),
  lines: audioLines,
  worstCase: (model, conversion, bound: AudioBound) => sumOfLines(audioLines(model, conversion, bound)),
  defaultModel: {
    setting: 'speech_model',
    expected: { en: 'the id of an audio model that speaks', fa: 'شناسه‌ی یک مدل صدا که حرف می‌زند' },
    isFirst: true,
    answersCalls: false,
    mayBe: canSpeak,
  },
  presets: { en: 'the id of a model of the kind audio', fa: 'شناسه‌ی یک مدل صدا' },
})
