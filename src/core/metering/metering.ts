/**
 * The most tokens that a turn may use, and an estimate of those that it used where the upstream does not report them. What they cost is known by the
 * kind of the model.
 */

import type { InputBound } from '#core/models'
import type { MessageContent, Turn, Usage } from '#core/turn'
import type { ObservedOutput } from './plausible-usage.ts'

export { type ObservedOutput, plausibleUsage, type UsageCorrection } from './plausible-usage.ts'
export { type PossibleInput, possibleInput } from './possible-input.ts'

// Upper bounds across vendors' published formulas: high-detail tiles, audio and video rates.
const tokensPerImage = 4_000
const tokensPerAudioSecond = 50
const tokensPerVideoSecond = 300
/** The text and image of a page together (Anthropic: 1,500 to 3,000 tokens of text, beside the picture). */
const tokensPerPage = 4_600
/** The assumed pages of a PDF that nobody has counted. */
export const assumedPages = 100

/** The most pages of one PDF that a model with this window takes: vendors allow 100, and 600 where the window is larger than 200,000 tokens. */
export const maxPages = (contextLength: number): number => (contextLength > 200_000 ? 600 : 100)

/** The most pages of a PDF that nobody here has counted: no more of its pages are read than fill the window. */
export const maxUncountedPages = (contextLength: number): number =>
  Math.min(maxPages(contextLength), Math.ceil(contextLength / tokensPerPage))

/** The most tokens that the input can have, without a tokenizer. */
export function inputBound(turn: Turn): InputBound {
  const bound = { text: Math.ceil(inputBytes(turn) / 2), image: 0, media: 0 }
  for (const message of turn.messages) {
    for (const part of message.content) addMedia(bound, part)
  }
  return bound
}

/** The most tokens that one search at an upstream finds. */
export const searchTokens = 16_000

/**
 * The most bytes that an upstream's tools make its model read: after each use, all of the prompt and all that was found until then. `finds` are the
 * tokens that each use may find.
 */
export function maxToolReadBytes(turn: Turn, finds: readonly number[]): number {
  const { text, image, media } = inputBound(turn)
  const found = finds
    .toSorted((a, b) => b - a)
    .reduce((sum, tokens, use) => sum + tokens * (finds.length - use), 0)
  // A hold counts two bytes as a token.
  return 2 * (found + finds.length * (text + image + media))
}

function addMedia(bound: InputBound, part: MessageContent): void {
  if (part.type === 'image') bound.image += tokensPerImage
  if (part.type === 'audio')
    bound.media += Math.ceil((part.media.durationSeconds ?? 0) * tokensPerAudioSecond)
  if (part.type === 'video')
    bound.media += Math.ceil((part.media.durationSeconds ?? 0) * tokensPerVideoSecond)
  if (part.type === 'document') {
    if ('parts' in part) for (const inner of part.parts) addMedia(bound, inner)
    else bound.image += (part.media.pages ?? assumedPages) * tokensPerPage
  }
}

/** Bytes of everything the model reads as text, with room for the chat template around each message. */
export function inputBytes(turn: Turn): number {
  let bytes = 64 + (turn.passthroughBytes ?? 0)
  for (const message of turn.messages) {
    bytes += 32 + size(message.name) + size(message.refusal) + size(message.toolCallId)
    for (const part of message.content) bytes += textBytes(part)
    for (const call of message.toolCalls ?? [])
      bytes += 32 + size(call.id) + size(call.name) + size(call.arguments)
  }
  if (turn.tools.length > 0) bytes += jsonBytes(turn.tools)
  if (turn.output.type === 'json_schema') bytes += jsonBytes(turn.output.schema)
  return bytes
}

const jsonSizes = new WeakMap<object, number>()

/** The bytes of tools or a schema as JSON: a turn, which never changes them, is measured several times, and they may have megabytes. */
function jsonBytes(value: object): number {
  const bytes = jsonSizes.get(value) ?? Buffer.byteLength(JSON.stringify(value))
  jsonSizes.set(value, bytes)
  return bytes
}

function textBytes(part: MessageContent): number {
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

/**
 * Estimates the usage where an upstream does not report it, or was cut off before it could. The estimate is not a bound but a fair guess, and the
 * receipt marks it as one: four bytes a token for text (which holds for English and for Persian), and one token a delta where deltas are that small.
 */
export function estimateUsage(
  turn: Turn,
  seen: Pick<ObservedOutput, 'deltas' | 'bytes' | 'reasoningBytes'>,
): Usage {
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
