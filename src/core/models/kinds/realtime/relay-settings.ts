/** Entries of models that hear and speak by themselves: what their upstream can be asked for, and what it costs. */
import { type Static, Type } from 'typebox'
import {
  type ConfigNode,
  integerIn,
  readingRules,
  refusals,
  refuseConfig,
  type Sentence,
  usd,
} from '#platform/config'
import type { RelayPrices, RelaySettings } from './realtime-model.ts'

/** The highest price in USD, of a minute or a million tokens. */
const dearest = 1_000_000
const optionalPrice = (description: string) => Type.Optional(usd(dearest, { description }))

const voiceExpected = {
  en: 'a name of 1 to 80 characters, as the upstream has it',
  fa: 'نامی با ۱ تا ۸۰ کاراکتر، همان‌گونه که بالادست دارد',
}

export const RelaySchema = Type.Object(
  {
    voices: Type.Array(
      Type.String({ minLength: 1, maxLength: 80, ...readingRules({ expected: voiceExpected }) }),
      {
        uniqueItems: true,
        default: [],
        description: 'Of the upstream; the first one speaks where a client names none of them.',
      },
    ),
    transcription_model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "The upstream's own name of the model that writes down what is said to it.",
        ...readingRules({
          expected: { en: "the upstream's own name of a model", fa: 'نام یک مدل نزد بالادست' },
        }),
      }),
    ),
    max_input_tokens: integerIn(500, 1_000_000, {
      default: 8_000,
      description:
        'Of the conversation in one response; older turns are left out. Held before each response.',
    }),
    max_output_tokens: integerIn(16, 4_096, {
      default: 1_200,
      description: 'Of one response; 1,200 are about a minute of speech. Held before each response.',
    }),
  },
  { default: {} },
)

export const RealtimePricingSchema = Type.Object(
  {
    per_minute: optionalPrice('USD per minute of a call, beside what its models cost.'),
    text_input_per_million: optionalPrice(
      'engine: relay or passthrough. USD per million tokens of text that go in.',
    ),
    audio_input_per_million: optionalPrice(
      'engine: relay or passthrough. USD per million tokens of sound that go in.',
    ),
    image_input_per_million: optionalPrice('engine: relay or passthrough. Absent: as text.'),
    cached_text_input_per_million: optionalPrice(
      'engine: relay or passthrough. Absent: as text that is not cached.',
    ),
    cached_audio_input_per_million: optionalPrice(
      'engine: relay or passthrough. Absent: as sound that is not cached.',
    ),
    text_output_per_million: optionalPrice(
      'engine: relay or passthrough. USD per million tokens of text that come out.',
    ),
    audio_output_per_million: optionalPrice(
      'engine: relay or passthrough. USD per million tokens of sound that come out.',
    ),
    transcription_per_minute: optionalPrice(
      'engine: relay or passthrough. USD per minute of speech that the upstream writes down by transcription_model.',
    ),
  },
  { default: {} },
)

type RealtimePricingInput = Static<typeof RealtimePricingSchema>
type PriceName = keyof RealtimePricingInput

/** The token prices that are required together: without one of them, holds would be too small. */
const tokenPrices = [
  'text_input_per_million',
  'audio_input_per_million',
  'text_output_per_million',
  'audio_output_per_million',
] as const satisfies readonly PriceName[]

const priceMissing: Sentence = {
  en: `write per_minute, or all of ${tokenPrices.join(', ')}, in USD, 0 for free`,
  fa: `per_minute یا همه‌ی ${tokenPrices.join('، ')} را به دلار بنویسید، ۰ یعنی رایگان`,
}
const transcriptionMissing: Sentence = {
  en: 'write what a minute of speech costs that realtime.transcription_model writes down, 0 for free',
  fa: 'بنویسید نوشتن هر دقیقه گفتار با realtime.transcription_model چند دلار است، ۰ یعنی رایگان',
}
const onlyRelay: Sentence = {
  en: 'per_minute alone, for each model of a pipeline has its own price, or engine: relay',
  fa: 'فقط per_minute، چون هر مدل pipeline بهای خودش را دارد، یا engine: relay',
}

export function readRelay({
  voices,
  transcription_model,
  max_input_tokens,
  max_output_tokens,
}: Static<typeof RelaySchema>): RelaySettings {
  return {
    voices,
    ...(transcription_model !== undefined && { transcriptionModel: transcription_model }),
    maxInputTokens: max_input_tokens,
    maxOutputTokens: max_output_tokens,
  }
}

/** Refuses an entry without a price: a price that was forgotten must not make a model free. */
export function readRelayPrices(
  prices: RealtimePricingInput,
  node: ConfigNode,
  hasTranscription: boolean,
): RelayPrices {
  const missing = (name: PriceName | undefined, fix: Sentence): never =>
    refuseConfig(
      refusals.missing(node.sourcePosition(name === undefined ? 'pricing' : `pricing.${name}`), fix),
    )
  const written = Object.keys(prices) as PriceName[]
  const isByTokens = written.some((name) => name.endsWith('_per_million'))
  if (!isByTokens && prices.per_minute === undefined) missing(undefined, priceMissing)
  const absent = isByTokens ? tokenPrices.find((name) => prices[name] === undefined) : undefined
  if (absent) missing(absent, priceMissing)
  if (hasTranscription && prices.transcription_per_minute === undefined)
    missing('transcription_per_minute', transcriptionMissing)
  const { text_input_per_million: textInput = 0, audio_input_per_million: audioInput = 0 } = prices
  return {
    perMinute: prices.per_minute ?? 0,
    transcriptionPerMinute: prices.transcription_per_minute ?? 0,
    perMillion: {
      textInput,
      audioInput,
      imageInput: prices.image_input_per_million ?? textInput,
      cachedTextInput: prices.cached_text_input_per_million ?? textInput,
      cachedAudioInput: prices.cached_audio_input_per_million ?? audioInput,
      textOutput: prices.text_output_per_million ?? 0,
      audioOutput: prices.audio_output_per_million ?? 0,
    },
  }
}

/** Reads the price of a pipeline: it has one for time only, beside those of its models. */
export function readPipelinePrice(prices: RealtimePricingInput, node: ConfigNode): { perMinute: number } {
  const other = Object.keys(prices).find((name) => name !== 'per_minute')
  if (other !== undefined) node.find('pricing', other)?.refuseValue(onlyRelay)
  return { perMinute: prices.per_minute ?? 0 }
}
