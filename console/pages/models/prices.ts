/**
 * What a model costs, in whole micro-credits: from the prices in USD on its card, by the arithmetic of the server, on the digits of the figures and not
 * on binary fractions.
 */
import type { Reply } from '../../api/client.ts'

export type Model = Reply<'GET /v1/models'>['data'][number]

/** What of a model its prices follow from. */
export type PricedModel = Pick<Model, 'kind' | 'pricing' | 'media_input' | 'input_modalities'>

export type PriceName =
  | 'input'
  | 'output'
  | 'cachedInput'
  | 'cacheWrite'
  | 'mediaInput'
  | 'imageInput'
  | 'imageOutput'
  | 'textInput'
  | 'audioInput'
  | 'cachedTextInput'
  | 'cachedAudioInput'
  | 'textOutput'
  | 'audioOutput'
  | 'characters'
  | 'sound'
  | 'recording'
  | 'call'
  | 'transcript'
  | 'picture'
  | 'reference'
  | 'partial'
  | 'video'

export type PriceUnit = 'tokens' | 'characters' | 'minute' | 'second' | 'each'

/** What of an order has this price; all of it where a member is absent. */
export interface PriceCondition {
  quality?: string
  size?: string
  resolution?: string
  audio?: boolean
}

export interface Price {
  name: PriceName
  /** `tokens` and `characters`: a million of them. */
  unit: PriceUnit
  microcredits: bigint
  condition?: PriceCondition
  /** True of a picture that is paid by its tokens: so much is expected. */
  isEstimate?: boolean
}

interface PriceRow extends PriceCondition {
  per_image?: number
  per_second?: number
  per_video?: number
}

/** The members of the prices of all kinds. */
interface AnyPricing {
  credits_per_usd: number
  input_per_million?: number
  output_per_million?: number
  cached_input_per_million?: number
  cache_write_per_million?: number
  media_input_per_million?: number
  per_million_characters?: number
  per_minute?: number
  text_input_per_million?: number
  audio_input_per_million?: number
  image_input_per_million?: number
  cached_text_input_per_million?: number
  cached_audio_input_per_million?: number
  text_output_per_million?: number
  audio_output_per_million?: number
  transcription_per_minute?: number
  per_image?: number
  per_reference?: number
  per_partial?: number
  rows?: readonly PriceRow[]
  output_tokens?: readonly (PriceCondition & { tokens: number })[]
}

/** A number as JSON wrote it: its digits, and how many of them stand behind the point. */
function decimalOf(value: number): { digits: bigint; decimals: number } {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), decimals: fraction.length - Number(exponent) }
}

/** The server takes the noise of binary fractions away by so many digits before it rounds up. */
const significantDigits = 12

/** A price in USD as whole micro-credits, rounded up as the server does. */
export function microcreditsOf(usd: number, creditsPerUsd: number): bigint {
  const [price, rate] = [decimalOf(usd), decimalOf(creditsPerUsd)]
  let digits = price.digits * rate.digits
  let decimals = price.decimals + rate.decimals - 6
  const noise = String(digits).length - significantDigits
  if (noise > 0) {
    const unit = 10n ** BigInt(noise)
    digits = (digits + unit / 2n) / unit
    decimals -= noise
  }
  if (decimals <= 0) return digits * 10n ** BigInt(-decimals)
  return dividedUp(digits, 10n ** BigInt(decimals))
}

const dividedUp = (amount: bigint, by: bigint): bigint => (amount + by - 1n) / by

/** The cost of a part of a million, rounded up. */
export const partOfMillion = (microcredits: bigint, count: number): bigint =>
  dividedUp(microcredits * BigInt(count), 1_000_000n)

type Row = [name: PriceName, unit: PriceUnit, usd: number | undefined]

/** What the tokens of input and output are, by the kind of the model. */
function tokenNames({ kind, input_modalities: reads }: PricedModel): [input: PriceName, output: PriceName] {
  if (kind === 'image') return ['textInput', 'imageOutput']
  if (kind === 'audio') return [reads.includes('audio') ? 'input' : 'textInput', 'audioOutput']
  if (kind === 'transcription') return ['audioInput', 'textOutput']
  return ['input', 'output']
}

/** The rows of prices by name; the order is that of the page. */
const rowsOf = (
  kind: string,
  pricing: AnyPricing,
  [input, output]: readonly [PriceName, PriceName],
  mediaInput: number | undefined,
): Row[] => [
  [input, 'tokens', pricing.input_per_million],
  [output, 'tokens', pricing.output_per_million],
  ['cachedInput', 'tokens', pricing.cached_input_per_million],
  ['cacheWrite', 'tokens', pricing.cache_write_per_million],
  ['mediaInput', 'tokens', mediaInput],
  ['imageInput', 'tokens', pricing.media_input_per_million ?? pricing.image_input_per_million],
  ['textInput', 'tokens', pricing.text_input_per_million],
  ['audioInput', 'tokens', pricing.audio_input_per_million],
  ['cachedTextInput', 'tokens', pricing.cached_text_input_per_million],
  ['cachedAudioInput', 'tokens', pricing.cached_audio_input_per_million],
  ['textOutput', 'tokens', pricing.text_output_per_million],
  ['audioOutput', 'tokens', pricing.audio_output_per_million],
  ['characters', 'characters', pricing.per_million_characters],
  [minuteOf(kind), 'minute', pricing.per_minute],
  ['transcript', 'minute', pricing.transcription_per_minute],
]

const minuteOf = (kind: string): PriceName =>
  kind === 'transcription' ? 'recording' : kind === 'realtime' ? 'call' : 'sound'

/** All prices of a model. Of kinds that may be paid in several ways, those that are zero are left out; none at all means that it is free. */
export function pricesOf(model: PricedModel): Price[] {
  const { kind, pricing, media_input: media } = model
  const all: AnyPricing = pricing
  const credits = (usd: number): bigint => microcreditsOf(usd, all.credits_per_usd)
  const named = rowsOf(kind, all, tokenNames(model), media?.input_per_million).flatMap(([name, unit, usd]) =>
    usd === undefined ? [] : [{ name, unit, microcredits: credits(usd) }],
  )
  const prices: Price[] = [...picturesOf(all, credits), ...videosOf(all, credits), ...named]
  const isFree = prices.every(({ microcredits }) => microcredits === 0n)
  if (isFree) return []
  return kind === 'text' ? prices : prices.filter(({ microcredits }) => microcredits > 0n)
}

function picturesOf(pricing: AnyPricing, credits: (usd: number) => bigint): Price[] {
  const {
    rows = [],
    per_image: perImage,
    output_tokens: tokens = [],
    output_per_million: output = 0,
  } = pricing
  const by = rows.flatMap(({ per_image: usd, ...condition }) =>
    usd === undefined ? [] : [pictureOf(condition, credits(usd))],
  )
  const usual = perImage === undefined ? [] : [pictureOf({}, credits(perImage))]
  const expected = tokens.map(({ tokens: count, ...condition }) => ({
    ...pictureOf(condition, partOfMillion(credits(output), count)),
    isEstimate: true,
  }))
  const others = (['reference', 'partial'] as const).flatMap((name) => {
    const usd = pricing[`per_${name}`]
    return usd === undefined ? [] : [{ name, unit: 'each' as const, microcredits: credits(usd) }]
  })
  return [...by, ...usual, ...expected, ...others]
}

const pictureOf = (condition: PriceCondition, microcredits: bigint): Price => ({
  name: 'picture',
  unit: 'each',
  microcredits,
  ...(Object.keys(condition).length > 0 && { condition }),
})

const videosOf = ({ rows = [] }: AnyPricing, credits: (usd: number) => bigint): Price[] =>
  rows.flatMap(({ per_second: second, per_video: video, per_image: _image, ...condition }) => [
    ...(second === undefined
      ? []
      : [{ name: 'video' as const, unit: 'second' as const, microcredits: credits(second), condition }]),
    ...(video === undefined
      ? []
      : [{ name: 'video' as const, unit: 'each' as const, microcredits: credits(video), condition }]),
  ])

/**
 * The tokens and characters of 1,000 words. Where nobody reports usage the platform takes four bytes of UTF-8 for a token; a word of the guides has, with
 * the space behind it, 9.5 bytes in Persian and 5.3 in English (prices.test.ts counts them).
 */
export const inThousandWords = {
  fa: { tokens: 2_400, characters: 5_200 },
  en: { tokens: 1_300, characters: 5_300 },
} as const

/** What 1,000 words cost by this price; undefined where it is not one of text. */
export function ofThousandWords(
  { name, unit, microcredits }: Price,
  language: keyof typeof inThousandWords,
): bigint | undefined {
  if (unit !== 'tokens' && unit !== 'characters') return undefined
  if (!wordPrices.has(name)) return undefined
  return partOfMillion(microcredits, inThousandWords[language][unit])
}

const wordPrices = new Set<PriceName>([
  'input',
  'output',
  'cachedInput',
  'cacheWrite',
  'textInput',
  'textOutput',
  'characters',
])

export interface PriceRange {
  name: PriceName
  unit: PriceUnit
  from: bigint
  to: bigint
  isEstimate: boolean
}

/** The prices of a model that say the most about it, each from its least to its greatest. */
export function mainPricesOf(model: PricedModel): PriceRange[] {
  const prices = pricesOf(model)
  const main = prices.filter(({ name }) => mainNames[model.kind]?.includes(name))
  const groups = Map.groupBy(main.length > 0 ? main : prices, ({ name, unit }) => `${name} ${unit}`)
  return [...groups.values()].map((group) => {
    const amounts = group.map(({ microcredits }) => microcredits).toSorted((a, b) => (a < b ? -1 : 1))
    const { name, unit, isEstimate = false } = group[0]!
    return { name, unit, from: amounts[0]!, to: amounts.at(-1)!, isEstimate }
  })
}

const mainNames: Readonly<Record<string, readonly PriceName[]>> = {
  text: ['input', 'output'],
  embedding: ['input'],
  image: ['picture'],
  audio: ['characters', 'sound', 'textInput', 'input', 'audioOutput'],
  video: ['video'],
  transcription: ['recording', 'audioInput', 'textOutput'],
  realtime: ['call', 'audioInput', 'audioOutput'],
}
