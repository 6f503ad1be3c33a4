/**
 * The usage reported by an upstream is a claim (docs/decisions/0040-claims.md). Impossible figures are reduced to the possible maximum;
 * possible ones are accepted, since hidden reasoning has no visible bytes and a vendor's own search reads the prompt again.
 */

import type { Model } from '#engine/models'
import type { Turn, Usage } from '#engine/turn'
import { inputBound } from './metering.ts'

/** Counts of the output received. */
export interface ObservedOutput {
  deltas: number
  bytes: number
  reasoningBytes: number
  calls: number
}

export interface Evidence {
  /** The turn as sent upstream. */
  turn: Turn
  model: Pick<Model, 'contextLength' | 'features'>
  seen: ObservedOutput
}

/** A usage claim and the usage accepted instead. */
export interface UsageCorrection {
  claimed: Usage
  believed: Usage
}

/** The usage to charge: the claim itself (same object) if it is possible. */
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

/** A model reads at most its context window at a time, or the prompt itself if the configured window is too small. */
function maxInput(claimed: number, { turn, model }: Evidence): number {
  const readings = 1 + (turn.upstreamRounds ?? 0) + (turn.compacts ? 1 : 0)
  if (claimed <= readings * model.contextLength) return claimed
  const { text, image, media } = inputBound(turn)
  return Math.min(claimed, readings * Math.max(model.contextLength, text + image + media))
}

/** Allowance for framing tokens of the answer and of each call, and for text that a vendor trims. */
const hiddenTokens = 512

/** The output limit that was sent; without hidden output also bounded by the bytes received, at two tokens per byte. */
function maxOutput({ turn, model, seen }: Evidence): number {
  const limit = turn.maxOutputTokens * (turn.compacts ? 2 : 1)
  const mayHideOutput =
    model.features.includes('reasoning') || (turn.upstreamRounds ?? 0) > 0 || turn.compacts
  return mayHideOutput ? limit : Math.min(limit, 2 * seen.bytes + hiddenTokens * (1 + seen.calls))
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
