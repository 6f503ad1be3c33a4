/**
 * What an upstream says about usage is a claim (docs/decisions/0040-claims.md). What cannot be is brought down to what can; what can be
 * is believed, since hidden reasoning has no bytes and a vendor's own search reads the prompt anew.
 */

import type { Model } from '#engine/models'
import type { Turn, Usage } from '#engine/turn'
import { inputBound } from './metering.ts'

/** What was seen of an answer. */
export interface ObservedOutput {
  deltas: number
  bytes: number
  reasoningBytes: number
  calls: number
}

export interface Evidence {
  /** As the upstream was asked. */
  turn: Turn
  model: Pick<Model, 'contextLength' | 'features'>
  seen: ObservedOutput
}

/** A claim and what was believed of it. */
export interface UsageCorrection {
  claimed: Usage
  believed: Usage
}

/** The usage as it is charged: the claim itself where it can be. */
export function plausibleUsage(claim: Usage, evidence: Evidence): Usage {
  const { turn } = evidence
  const input = maxInput(claim.input, evidence)
  const output = Math.min(claim.output, maxOutput(evidence))
  const cachedInput = Math.min(claim.cachedInput, input)
  const cacheWriteInput = Math.min(claim.cacheWriteInput, input - cachedInput)
  const media = hasMedia(turn) ? input - cachedInput - cacheWriteInput : 0
  const { cacheWriteHourInput: hour, webSearches: searches } = claim
  const usage: Usage = {
    input,
    cachedInput,
    cacheWriteInput,
    ...(hour !== undefined && { cacheWriteHourInput: Math.min(hour, cacheWriteInput) }),
    mediaInput: Math.min(claim.mediaInput, media),
    output,
    reasoning: Math.min(claim.reasoning, output),
    ...(searches !== undefined && { webSearches: Math.min(searches, turn.upstreamSearches ?? 0) }),
  }
  return isSame(claim, usage) ? claim : usage
}

/** No model reads more than its window at a time; what the prompt itself comes to is possible too, where the entry's window is too small. */
function maxInput(claimed: number, { turn, model }: Evidence): number {
  const readings = 1 + (turn.upstreamRounds ?? 0) + (turn.compacts ? 1 : 0)
  if (claimed <= readings * model.contextLength) return claimed
  const { text, image, media } = inputBound(turn)
  return Math.min(claimed, readings * Math.max(model.contextLength, text + image + media))
}

/** An answer and each call are framed by tokens that nobody sees, and what a vendor trims from the ends is written too. */
const hiddenTokens = 512

/** The limit that was sent; and where nothing can be written in secret, what the bytes can amount to: half a byte a token at least. */
function maxOutput({ turn, model, seen }: Evidence): number {
  const limit = turn.maxOutputTokens * (turn.compacts ? 2 : 1)
  const isSecret = model.features.includes('reasoning') || (turn.upstreamRounds ?? 0) > 0 || turn.compacts
  return isSecret ? limit : Math.min(limit, 2 * seen.bytes + hiddenTokens * (1 + seen.calls))
}

const hasMedia = ({ messages }: Turn): boolean =>
  messages.some(({ content }) => content.some(({ type }) => type === 'audio' || type === 'video'))

const isSame = (one: Usage, other: Usage): boolean =>
  one.input === other.input &&
  one.output === other.output &&
  one.cachedInput === other.cachedInput &&
  one.cacheWriteInput === other.cacheWriteInput &&
  one.cacheWriteHourInput === other.cacheWriteHourInput &&
  one.mediaInput === other.mediaInput &&
  one.reasoning === other.reasoning &&
  one.webSearches === other.webSearches
