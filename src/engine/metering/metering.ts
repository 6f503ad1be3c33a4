/** Usage → credits, and the worst case that a hold must cover. All money in micro-credits; integers only. */

import type { Pricing } from '#engine/models'
import type { Content, Turn, Usage } from '#engine/turn'
import type { Seen } from './believe.ts'

export { believed, type Disbelief, type Seen } from './believe.ts'
export {
  embeddingCost,
  estimatedEmbeddingTokens,
  mostEmbeddingTokens,
  possibleEmbeddingTokens,
} from './embedding-cost.ts'
export { imageCost } from './image-cost.ts'

/** Prices per token in millionths of a micro-credit, so that the cheapest token is still an integer. */
export interface Rates {
  input: bigint
  cachedInput: bigint
  cacheWrite: bigint
  /** Kept for an hour. */
  cacheWriteHour: bigint
  mediaInput: bigint
  output: bigint
  /** Per search that the upstream runs itself, in the same millionths. */
  webSearch: bigint
}

const scale = 1_000_000n

/** `credits = USD × credits_per_usd × markup` (decisions §6). One USD per million tokens is `creditsPerUsd × markup` micro-credits a token. */
export function ratesOf(pricing: Pricing, terms: Terms): Rates {
  const known = rates.get(pricing)
  if (known?.terms === terms) return known.rates
  const made = makeRates(pricing, terms)
  rates.set(pricing, { terms, rates: made })
  return made
}

interface Terms {
  creditsPerUsd: number
  markup: number
}

/** A catalogue's prices never change while a process lives, and every call asks for them. */
const rates = new WeakMap<Pricing, { terms: Terms; rates: Rates }>()

function makeRates(pricing: Pricing, terms: Terms): Rates {
  const rate = (usdPerMillion: number): bigint =>
    BigInt(Math.ceil(round(usdPerMillion * terms.creditsPerUsd * terms.markup * Number(scale))))
  return {
    input: rate(pricing.inputPerMillion),
    cachedInput: rate(pricing.cachedInputPerMillion),
    cacheWrite: rate(pricing.cacheWritePerMillion),
    cacheWriteHour: rate(pricing.cacheWriteHourPerMillion ?? hourPrice(pricing)),
    mediaInput: rate(pricing.mediaInputPerMillion),
    output: rate(pricing.outputPerMillion),
    webSearch: rate((pricing.webSearchPerUse ?? 0) * 1_000_000),
  }
}

const hourPrice = ({ inputPerMillion, cacheWritePerMillion }: Pricing): number =>
  cacheWritePerMillion > inputPerMillion ? 1.6 * cacheWritePerMillion : cacheWritePerMillion

/** Field by field the highest, for a hold that any of several models may use up. */
export const dearest = (all: readonly Rates[]): Rates => (all.length === 1 ? all[0]! : fieldByField(all))

const fieldByField = (all: readonly Rates[]): Rates => ({
  input: most(...all.map((rates) => rates.input)),
  cachedInput: most(...all.map((rates) => rates.cachedInput)),
  cacheWrite: most(...all.map((rates) => rates.cacheWrite)),
  cacheWriteHour: most(...all.map((rates) => rates.cacheWriteHour)),
  mediaInput: most(...all.map((rates) => rates.mediaInput)),
  output: most(...all.map((rates) => rates.output)),
  webSearch: most(...all.map((rates) => rates.webSearch)),
})

/** Takes the noise of binary fractions away before rounding up: 0.1 × 3 must not cost more than 0.3. */
const round = (value: number): number => Number(value.toPrecision(12))

const up = (scaled: bigint): bigint => (scaled + scale - 1n) / scale

/** What this usage costs, rounded up to a whole micro-credit once. */
export function costOf(rates: Rates, usage: Usage): bigint {
  const hour = usage.cacheWriteHourInput ?? 0
  const plain = usage.input - usage.cachedInput - usage.cacheWriteInput - usage.mediaInput
  return up(
    count(plain) * rates.input +
      count(usage.cachedInput) * rates.cachedInput +
      count(usage.cacheWriteInput - hour) * rates.cacheWrite +
      count(hour) * rates.cacheWriteHour +
      count(usage.mediaInput) * rates.mediaInput +
      count(usage.output) * rates.output +
      count(usage.webSearches ?? 0) * rates.webSearch,
  )
}

/** An upstream's figure as a token count: never negative, never a fraction, never more than a counter can hold. */
const count = (tokens: number): bigint =>
  tokens > 0 && tokens <= Number.MAX_SAFE_INTEGER ? BigInt(Math.ceil(tokens)) : 0n

export interface InputBound {
  /** Tokens that the text can be at most: its UTF-8 bytes ÷ 2 (decisions §6). */
  text: number
  /** Tokens of images, priced as input. */
  image: number
  /** Tokens of audio and video. */
  media: number
}

// Upper bounds across vendors' published formulas: high-detail tiles, audio and video rates.
const tokensPerImage = 4_000
const tokensPerAudioSecond = 50
const tokensPerVideoSecond = 300
/** Text and image of a page together (Anthropic: 1,500 to 3,000 of text, beside its picture). */
const tokensPerPage = 4_600
/** Of a PDF that nobody has counted. */
const usualPages = 100

/** Pages of one PDF that a model with this window takes: vendors allow 100, and 600 where the window is larger than 200,000 tokens. */
export const mostPages = (contextLength: number): number => (contextLength > 200_000 ? 600 : 100)

/** What a PDF that nobody here has counted comes to at most: no more pages are read of it than fill the window. */
export const uncountedPages = (contextLength: number): number =>
  Math.min(mostPages(contextLength), Math.ceil(contextLength / tokensPerPage))

/** What the input can be at most without a tokenizer. */
export function inputBound(turn: Turn): InputBound {
  const bound = { text: Math.ceil(inputBytes(turn) / 2), image: 0, media: 0 }
  for (const message of turn.messages) {
    for (const part of message.content) addMedia(bound, part)
  }
  return bound
}

/** Tokens of what one search at an upstream finds, at most. */
export const searchTokens = 16_000

/**
 * Bytes that tools which run at an upstream make its model read at most: after each use, all of the prompt and all that was found
 * until then. `finds` are the tokens that each use may find.
 */
export function foundBound(turn: Turn, finds: readonly number[]): number {
  const { text, image, media } = inputBound(turn)
  const found = finds
    .toSorted((a, b) => b - a)
    .reduce((sum, tokens, use) => sum + tokens * (finds.length - use), 0)
  // A hold counts two bytes as a token.
  return 2 * (found + finds.length * (text + image + media))
}

function addMedia(bound: InputBound, part: Content): void {
  if (part.type === 'image') bound.image += tokensPerImage
  if (part.type === 'audio')
    bound.media += Math.ceil((part.media.durationSeconds ?? 0) * tokensPerAudioSecond)
  if (part.type === 'video')
    bound.media += Math.ceil((part.media.durationSeconds ?? 0) * tokensPerVideoSecond)
  if (part.type === 'document') {
    if ('parts' in part) for (const inner of part.parts) addMedia(bound, inner)
    else bound.image += (part.media.pages ?? usualPages) * tokensPerPage
  }
}

/** Bytes of everything the model reads as text, with room for the chat template around each message. */
export function inputBytes(turn: Turn): number {
  let bytes = 64 + (turn.unreadBytes ?? 0)
  for (const message of turn.messages) {
    bytes += 32 + size(message.name) + size(message.refusal) + size(message.toolCallId)
    for (const part of message.content) bytes += textBytes(part)
    for (const call of message.toolCalls ?? [])
      bytes += 32 + size(call.id) + size(call.name) + size(call.arguments)
  }
  if (turn.tools.length > 0) bytes += Buffer.byteLength(JSON.stringify(turn.tools))
  if (turn.output.type === 'json_schema') bytes += Buffer.byteLength(JSON.stringify(turn.output.schema))
  return bytes
}

function textBytes(part: Content): number {
  switch (part.type) {
    case 'text':
      return Buffer.byteLength(part.text)
    case 'reasoning':
      return size(part.text) + size(part.opaque?.signature) + size(part.opaque?.data)
    case 'document': {
      const around = 32 + size(part.title) + size(part.context)
      return 'parts' in part ? part.parts.reduce((sum, inner) => sum + textBytes(inner), around) : around
    }
    default:
      return 0
  }
}

const size = (text: string | undefined): number => (text === undefined ? 0 : Buffer.byteLength(text))

const most = (...rates: bigint[]): bigint => rates.reduce((a, b) => (a > b ? a : b))

export function inputWorstCase(rates: Rates, bound: InputBound): bigint {
  const text = most(rates.input, rates.cachedInput, rates.cacheWrite, rates.cacheWriteHour)
  return up(BigInt(bound.text + bound.image) * text + BigInt(bound.media) * most(text, rates.mediaInput))
}

/** Of all searches that the upstream may run itself. */
export const searchesWorstCase = (rates: Rates, { upstreamSearches = 0 }: Turn): bigint =>
  up(BigInt(upstreamSearches) * rates.webSearch)

export const outputWorstCase = (rates: Rates, tokens: number): bigint => up(BigInt(tokens) * rates.output)

/** How many output tokens these micro-credits pay. */
export const outputTokensFor = (rates: Rates, microcredits: bigint): number =>
  rates.output === 0n ? Number.MAX_SAFE_INTEGER : Number((microcredits * scale) / rates.output)

/**
 * What was used, for upstreams that do not say, or were cut before they could. Not a bound but a fair guess, marked as
 * such on the receipt: four bytes a token for text (it holds for English and for Persian), and one token a delta where deltas are that small.
 */
export function estimateUsage(turn: Turn, seen: Pick<Seen, 'deltas' | 'bytes' | 'reasoningBytes'>): Usage {
  const bound = inputBound(turn)
  const media = Math.ceil(bound.media / 2)
  const bytesPerDelta = seen.deltas > 0 ? seen.bytes / seen.deltas : 0
  const output = bytesPerDelta <= 8 ? seen.deltas : Math.ceil(seen.bytes / 4)
  return {
    input: Math.ceil(inputBytes(turn) / 4) + Math.ceil(bound.image / 4) + media,
    cachedInput: 0,
    cacheWriteInput: 0,
    mediaInput: media,
    output,
    reasoning: Math.min(output, Math.ceil(seen.reasoningBytes / 4)),
  }
}
