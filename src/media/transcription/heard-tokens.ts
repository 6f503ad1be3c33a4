/** The tokens that are paid for one transcribed piece of sound. */
import type { TranscriptionModel } from '#core/models'
import { maxTokensOf, type TranscriptionPlan } from './plan.ts'

export interface TranscriptionTokens {
  input: number
  output: number
}

export interface TranscribedPiece {
  seconds: number
  /** The length of the piece's text, in UTF-16 units. */
  letters: number
}

/** The tokens estimated for a second where a model is paid by tokens and its upstream counts none: most vendors count as many. */
const estimatedTokensPerSecond = 25

/**
 * The tokens that the upstream claims, as far as they are possible. A figure that is not claimed is estimated where the price is by tokens, and so is
 * a zero: a transcribed sound and a written text always have tokens.
 */
export function paidTokensOf(
  { pricing }: TranscriptionModel,
  plan: TranscriptionPlan,
  { seconds, letters }: TranscribedPiece,
  claimed: { [Figure in keyof TranscriptionTokens]?: number | undefined } = {},
): TranscriptionTokens {
  const maxTokens = maxTokensOf(plan, seconds)
  const isByTokens = pricing.inputPerMillion > 0 || pricing.outputPerMillion > 0
  const estimate = isByTokens
    ? { input: Math.ceil(seconds * estimatedTokensPerSecond), output: Math.ceil(letters / 2) }
    : { input: 0, output: 0 }
  return {
    input: Math.min(claimed.input || estimate.input, maxTokens.input),
    output: Math.min(claimed.output || estimate.output, maxTokens.output),
  }
}
