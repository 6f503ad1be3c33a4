/**
 * The usage reported by an upstream is a claim (docs/decisions/core/usage.md). Impossible figures are reduced to the possible maximum; possible ones
 * are accepted, since hidden reasoning has no visible bytes and a vendor's own search reads the prompt again. A count of zero for what was read or
 * written is impossible too: then the estimate is charged.
 */

import type { Model } from '#core/models'
import type { Turn, Usage } from '#core/turn'
import { estimateUsage, inputBound } from './metering.ts'
import { type PossibleInput, possibleInput } from './possible-input.ts'

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
  const { input: read, output: written } = withoutZeros(claim, evidence)
  const possible = possibleInput(turn)
  const input = maxInput(read, possible, evidence)
  const output = Math.min(written, maxOutput(evidence))
  const cachedInput = Math.min(claim.cachedInput, input)
  const cacheWriteInput = Math.min(claim.cacheWriteInput, input - cachedInput)
  const media = Math.min(maxMedia(turn, possible), input - cachedInput - cacheWriteInput)
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

/** Replaces impossible zeros by the estimate: no prompt has zero tokens, and no answer of which something was seen. */
function withoutZeros({ input, output }: Usage, { turn, seen }: Evidence): Pick<Usage, 'input' | 'output'> {
  if (input > 0 && (output > 0 || seen.deltas === 0)) return { input, output }
  const estimate = estimateUsage(turn, seen)
  return { input: input > 0 ? input : estimate.input, output: output > 0 ? output : estimate.output }
}

/** A prompt has at most a token for each byte of its text, and what its media can be; where the request does not bound it, the window does. */
function maxInput(claimed: number, possible: PossibleInput | undefined, evidence: Evidence): number {
  const { total = claimed } = possible ?? {}
  return maxRead(Math.min(claimed, total), evidence)
}

/** A model reads at most its context window at a time, or the prompt itself if the configured window is too small. */
function maxRead(claimed: number, { turn, model }: Evidence): number {
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

/** The most input tokens of audio and video. Where media came by address, or are read in several rounds, all of the input may be media. */
function maxMedia(turn: Turn, possible: PossibleInput | undefined): number {
  const isMedia = ({ type }: Turn['messages'][number]['content'][number]): boolean =>
    type === 'audio' || type === 'video'
  if (!turn.messages.some(({ content }) => content.some(isMedia))) return 0
  return possible?.media ?? Number.POSITIVE_INFINITY
}

const isSame = (one: Usage, other: Usage): boolean =>
  one.input === other.input &&
  one.output === other.output &&
  one.cachedInput === other.cachedInput &&
  one.cacheWriteInput === other.cacheWriteInput &&
  one.cacheWriteHourInput === other.cacheWriteHourInput &&
  one.mediaInput === other.mediaInput &&
  one.reasoning === other.reasoning &&
  one.webSearches === other.webSearches
