/**
 * What pictures cost. With a price for each, worst case and charge are the same sum, but for unfinished pictures that did not come. With prices by
 * tokens, the hold covers the expected tokens with a margin, and the upstream's count is charged within the hold.
 */
import type { ImageOrder } from '#core/turn'
import { type CostLine, pricedLines, sumOfLines } from '../cost.ts'
import { microcreditsOf, type PriceConversion } from '../microcredits.ts'
import {
  type ExpectedImageTokens,
  expectedOutput,
  type ImageModel,
  type ImageTokenPricing,
  imagePrice,
  type PicturePricing,
} from './image-model.ts'

export interface ImageTokens {
  /** The tokens of the prompt and of the pictures that are given to edit. */
  input: number
  /** The part of `input` that is pictures; absent where the upstream counts them together. */
  mediaInput?: number
  output: number
}

/** Tokens as an upstream claims them: a figure that it does not report is absent. */
export type ClaimedImageTokens = Partial<ImageTokens>

/** An order, or its outcome: `count` and `partials` are the pictures that are paid for. */
export interface ImageUsage extends ImageOrder {
  /** The upstream's tokens, as far as they are believed; absent where it counted none. */
  tokens?: ImageTokens | undefined
  /** Pictures that `tokens` were used for; absent: `count`. */
  ordered?: number
}

type CompleteImageTokens = Required<ImageTokens>

/** What pictures cost. */
export const imageLines = (
  { pricing }: ImageModel,
  conversion: PriceConversion,
  used: ImageUsage,
): CostLine[] =>
  pricing.unit === 'image'
    ? pictureLines(pricing, conversion, used)
    : tokenLines(pricing, conversion, paidTokens(pricing, used))

/** The tokens that are paid for; undefined where pictures have a price each. */
export const paidImageTokens = (
  { pricing }: ImageModel,
  used: ImageUsage,
): CompleteImageTokens | undefined => (pricing.unit === 'image' ? undefined : paidTokens(pricing, used))

function paidTokens(pricing: ImageTokenPricing, used: ImageUsage): CompleteImageTokens {
  const { tokens, count, ordered = count } = used
  if (!tokens) return expectedTokens(pricing, used)
  // A caller who gets fewer pictures than were ordered pays their share of the output.
  return { ...splitInput(pricing, used, tokens), output: Math.ceil((tokens.output * count) / ordered) }
}

/** The most that an order can cost in micro-credits, which is held. */
export const imageWorstCase = (
  { pricing }: ImageModel,
  conversion: PriceConversion,
  order: ImageOrder,
): bigint =>
  sumOfLines(
    pricing.unit === 'image'
      ? pictureLines(pricing, conversion, order)
      : tokenLines(pricing, conversion, heldTokens(pricing, order)),
  )

/** Each price is rounded up to a whole micro-credit. */
const pictureLines = (pricing: PicturePricing, conversion: PriceConversion, order: ImageOrder): CostLine[] =>
  pricedLines([
    {
      unit: 'pictures',
      quantity: order.count,
      price: microcreditsOf(imagePrice(pricing, order), conversion),
    },
    {
      unit: 'references',
      quantity: order.references.length,
      price: microcreditsOf(pricing.perReference, conversion),
    },
    {
      unit: 'partials',
      quantity: order.partials ?? 0,
      price: microcreditsOf(pricing.perPartial, conversion),
    },
  ])

const tokenLines = (
  pricing: ImageTokenPricing,
  conversion: PriceConversion,
  { input, mediaInput, output }: CompleteImageTokens,
): CostLine[] =>
  pricedLines([
    {
      unit: 'input_tokens',
      quantity: input - mediaInput,
      price: microcreditsOf(pricing.inputPerMillion, conversion),
    },
    {
      unit: 'media_input_tokens',
      quantity: mediaInput,
      price: microcreditsOf(pricing.mediaInputPerMillion, conversion),
    },
    { unit: 'output_tokens', quantity: output, price: microcreditsOf(pricing.outputPerMillion, conversion) },
  ])

/** Tokens around the prompt, for models that put instructions of their own before it. */
const tokensAround = 64

/** The expected tokens of an order: four bytes of the prompt a token, and what the entry says of pictures. */
function expectedTokens({ expected }: ImageTokenPricing, order: ImageOrder): CompleteImageTokens {
  const mediaInput = expectedMediaTokens(expected, order)
  return {
    input: Math.ceil(Buffer.byteLength(order.prompt) / 4) + mediaInput,
    mediaInput,
    output: order.count * expectedOutput(expected, order) + (order.partials ?? 0) * expected.perPartial,
  }
}

/**
 * The most tokens that a picture given along has more where it is to be kept faithfully: 6,240 of one that is no square (developers.openai.com, guide
 * to images and vision).
 */
const faithfulTokens = 6_240

/** The expected tokens of what is given along: of each picture, and of a mask, which is one more. */
function expectedMediaTokens(
  { perReference }: ExpectedImageTokens,
  { references, mask, options }: ImageOrder,
): number {
  const faithful = options?.input_fidelity === 'high' ? faithfulTokens : 0
  return references.length * (perReference + faithful) + (mask ? perReference : 0)
}

/** The tokens that are held: two bytes of the prompt a token (decisions §6), once for each picture, since some wires order pictures one by one. */
function heldTokens(pricing: ImageTokenPricing, order: ImageOrder): CompleteImageTokens {
  const { margin } = pricing.expected
  const { output } = expectedTokens(pricing, order)
  const widened = (tokens: number) => Math.ceil(tokens * margin)
  const text = Math.ceil(Buffer.byteLength(order.prompt) / 2) + tokensAround
  const media = widened(expectedMediaTokens(pricing.expected, order) * order.count)
  return { input: widened(text * order.count) + media, mediaInput: media, output: widened(output) }
}

/** The most tokens in reports where pictures have a price each; vendors count thousands for a picture. */
const maxReported = 10_000_000

/**
 * An upstream's claim for an order, each figure within what was held for it. Nothing that was read or drawn has zero tokens: a figure that is zero or
 * absent is replaced by the expected one.
 */
export function plausibleImageTokens(
  { pricing }: ImageModel,
  order: ImageOrder,
  claimed: ClaimedImageTokens,
): ImageTokens {
  const { input: read = 0, output: drawn = 0 } = claimed
  if (pricing.unit === 'image')
    return { input: Math.min(read, maxReported), output: Math.min(drawn, maxReported) }
  const expected = expectedTokens(pricing, order)
  const maxTokens = heldTokens(pricing, order)
  const output = drawn > 0 ? Math.min(drawn, maxTokens.output) : expected.output
  if (read === 0) return { input: expected.input, mediaInput: expected.mediaInput, output }
  const { input, mediaInput } = splitInput(pricing, order, { ...claimed, input: read, output })
  const media = Math.min(mediaInput, maxTokens.mediaInput)
  const text = Math.min(input - mediaInput, maxTokens.input - maxTokens.mediaInput)
  return { input: text + media, ...(claimed.mediaInput !== undefined && { mediaInput: media }), output }
}

/**
 * Splits the input between prompt and pictures. Where an upstream counts them together, or counts none for pictures, the tokens that the prompt
 * cannot have are those of pictures.
 */
function splitInput(pricing: ImageTokenPricing, order: ImageOrder, tokens: ImageTokens): CompleteImageTokens {
  const { input, output } = tokens
  const { input: held, mediaInput: heldMedia } = heldTokens(pricing, order)
  const guess = order.references.length > 0 ? Math.max(0, input - (held - heldMedia)) : 0
  return { input, mediaInput: Math.min(tokens.mediaInput || guess, input), output }
}
