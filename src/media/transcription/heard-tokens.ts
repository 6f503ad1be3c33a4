/** Tokens that are paid for a piece of sound that was written down. */
import type { TranscriptionModel } from '#core/models'
import { maxTokensOf, type TranscriptionPlan } from './plan.ts'

export interface HeardTokens {
  input: number
  output: number
}

export interface HeardPiece {
  seconds: number
  /** Of its text, in UTF-16 units. */
  letters: number
}

/** Where a model is paid by tokens and its upstream counts none: what most vendors count for a second. */
const estimatedTokensPerSecond = 25

/**
 * As the upstream claims as far as that can be. A figure that it does not claim is estimated where the price is by tokens, and so is a zero: sound
 * that was heard and text that was written have tokens.
 */
export function heardTokens(
  { pricing }: TranscriptionModel,
  plan: TranscriptionPlan,
  { seconds, letters }: HeardPiece,
  claimed: { [Figure in keyof HeardTokens]?: number | undefined } = {},
): HeardTokens {
  const most = maxTokensOf(plan, seconds)
  const isByTokens = pricing.inputPerMillion > 0 || pricing.outputPerMillion > 0
  const estimate = isByTokens
    ? { input: Math.ceil(seconds * estimatedTokensPerSecond), output: Math.ceil(letters / 2) }
    : { input: 0, output: 0 }
  return {
    input: Math.min(claimed.input || estimate.input, most.input),
    output: Math.min(claimed.output || estimate.output, most.output),
  }
}
