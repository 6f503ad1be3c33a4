/** Audio models in the configuration file. */
import { type Static, Type } from 'typebox'
import { type ConfigNode, integerIn, readingRules, usd } from '#platform/config'
import { oneOf } from '#platform/schema'
import { commonFields, fallbacks, type NamedEntry, readNamedEntry } from '../named.ts'
import type { AudioPricing, AudioSettings, Voice } from './audio-model.ts'

export interface AudioEntry extends NamedEntry {
  kind: 'audio'
  audio: AudioSettings
  pricing: AudioPricing
}

/** The highest price in USD, of a million characters, a minute or a million tokens. */
const dearest = 1_000_000
const encodings = ['mp3', 'wav', 'pcm', 'opus', 'aac', 'flac'] as const

const voicesMissing = {
  missing: {
    en: 'write the voices of the upstream, for example [{ id: alloy }, { id: nova, name: Nova, languages: [fa, en] }]',
    fa: 'صداهای بالادست را بنویسید، برای نمونه [{ id: alloy }, { id: nova, name: Nova, languages: [fa, en] }]',
  },
}

const VoiceEntry = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 80, ...readingRules(voicesMissing) }),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
  gender: Type.Optional(oneOf('female', 'male', 'neutral')),
  languages: Type.Array(Type.String({ pattern: '^[a-z]{2,3}$' }), { uniqueItems: true, default: [] }),
})

const speedExpected = {
  en: '[slowest, fastest], such as [0.25, 4]',
  fa: '[کندترین، تندترین]، مانند [0.25, 4]',
}

const Settings = Type.Object({
  does: Type.Array(oneOf('speech', 'dialogue', 'answer'), {
    uniqueItems: true,
    minItems: 1,
    default: ['speech'],
    description: 'speech of one text, dialogue of several voices, answer to a recording.',
  }),
  voices: Type.Array(VoiceEntry, {
    minItems: 1,
    description: 'The first one speaks where none is named.',
    ...readingRules(voicesMissing),
  }),
  other_voices: Type.Boolean({
    default: false,
    description: 'Voices that are not listed may be named too, such as cloned ones.',
  }),
  formats: Type.Array(oneOf(...encodings), {
    uniqueItems: true,
    minItems: 1,
    default: ['mp3'],
    description: 'What the upstream makes; other formats are made here from pcm, wav or flac.',
  }),
  rate: integerIn(8_000, 96_000, { default: 24_000, description: 'Hertz of its pcm.' }),
  instructions: Type.Boolean({ default: false }),
  verbatim: Type.Boolean({
    default: false,
    description:
      'It reads texts to the letter: instructions and speakers go beside them, not into them (dialect gemini).',
  }),
  speed: Type.Optional(
    Type.Array(Type.Number({ minimum: 0.1, maximum: 10 }), {
      minItems: 2,
      maxItems: 2,
      ...readingRules({
        expected: speedExpected,
        check: ([slowest, fastest]: number[], node: ConfigNode) => {
          if (slowest! > fastest!) node.refuseValue(speedExpected)
        },
      }),
    }),
  ),
  max_characters: integerIn(100, 100_000, {
    default: 4_096,
    description: 'Of one call to the upstream; longer texts are cut at sentences.',
  }),
  max_turns: integerIn(2, 200, { default: 40, description: 'Lines of a dialogue in one call.' }),
  max_voices: integerIn(1, 100, { default: 2, description: 'Different voices of one dialogue.' }),
})

const price = {
  missing: {
    en: 'write at least one of per_million_characters, per_minute, input_per_million and output_per_million in USD, 0 for free',
    fa: 'دست‌کم یکی از per_million_characters، per_minute، input_per_million و output_per_million را به دلار بنویسید، ۰ یعنی رایگان',
  },
}
const optionalPrice = (description: string) => Type.Optional(usd(dearest, { description }))

const Pricing = Type.Object(
  {
    per_million_characters: optionalPrice('USD per million characters of the text.'),
    per_minute: optionalPrice('USD per minute of the sound.'),
    input_per_million: optionalPrice('USD per million tokens of input.'),
    output_per_million: optionalPrice('USD per million tokens of output.'),
  },
  readingRules({
    ...price,
    expected: price.missing,
    check: (prices: Record<string, unknown>, node: ConfigNode) => {
      if (Object.values(prices).every((one) => one === undefined)) node.refuseValue(price.missing)
    },
  }),
)

export const AudioEntrySchema = Type.Object({
  ...commonFields,
  fallbacks,
  audio: Type.Object(
    Settings.properties,
    readingRules({
      missing: {
        en: 'write what the upstream can be asked for, at least { voices: [{ id: alloy }] }',
        fa: 'بنویسید از بالادست چه می‌توان خواست، دست‌کم { voices: [{ id: alloy }] }',
      },
    }),
  ),
  pricing: Pricing,
})

export function readAudioEntry(typed: Static<typeof AudioEntrySchema>, node: ConfigNode): AudioEntry {
  const { audio, pricing } = typed
  const [min, max] = audio.speed ?? []
  return {
    ...readNamedEntry(typed, node),
    kind: 'audio',
    audio: {
      tasks: audio.does,
      voices: audio.voices.map(voiceOf),
      takesOtherVoices: audio.other_voices,
      formats: audio.formats,
      rate: audio.rate,
      takesInstructions: audio.instructions,
      isVerbatim: audio.verbatim,
      ...(min !== undefined && max !== undefined && { speed: { min, max } }),
      maxCharacters: audio.max_characters,
      maxTurns: audio.max_turns,
      maxVoices: audio.max_voices,
    },
    pricing: {
      perMillionCharacters: pricing.per_million_characters ?? 0,
      perMinute: pricing.per_minute ?? 0,
      inputPerMillion: pricing.input_per_million ?? 0,
      outputPerMillion: pricing.output_per_million ?? 0,
    },
  }
}

function voiceOf({ id, name = id, gender, languages }: Static<typeof VoiceEntry>): Voice {
  return { id, name, ...(gender && { gender }), languages }
}
