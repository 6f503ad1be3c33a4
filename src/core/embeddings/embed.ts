/** Vectors for the platform's own work, paid and settled before they are returned. */
import type { EmbeddingModel } from '#core/models'
import type { PaidApp } from '#core/paid'
import { asFailure, type Failure } from '#platform/errors'
import { vectorsJson } from './pack.ts'
import { type PaidVectorsOptions, startPaidVectors, type Vectors } from './paid-vectors.ts'

export type EmbedOutcome =
  | Vectors
  /** `hadNoEffect`: no upstream can have executed anything, so the call may be repeated. */
  | { failure: Failure; hadNoEffect: boolean }

/** Truncates a text to what the model certainly accepts: two bytes per token, as in the hold, less four tokens for special tokens. */
export function truncateForModel({ maxInputTokens }: EmbeddingModel, text: string): string {
  const maxBytes = 2 * (maxInputTokens - 4)
  const bytes = Buffer.from(text.toWellFormed())
  // A cut within a character leaves a replacement character at the end.
  return bytes.length <= maxBytes
    ? bytes.toString()
    : bytes.toString('utf8', 0, maxBytes).replace(/(?<!\ufffd)\ufffd+$/, '')
}

/**
 * Returns the vectors of the texts; upstream failures are returned too. Throws MODEL_NOT_ALLOWED, and whatever `Ledger.hold` throws. For background
 * work the receipt stores the vectors (`parseVectors`) until they are fetched.
 */
export async function embed(app: PaidApp, options: Omit<PaidVectorsOptions, 'claim'>): Promise<EmbedOutcome> {
  const paid = await startPaidVectors(app, options)
  let result: Vectors
  try {
    result = await paid.vectors()
  } catch (error) {
    const failure = asFailure(error)
    await paid.finish({ statusCode: failure.status, failure, urgent: true })
    return { failure, hadNoEffect: paid.hadNoEffect }
  }
  const reply = options.background ? { reply: vectorsJson(result.vectors) } : {}
  await paid.finish({ statusCode: 200, ...reply, urgent: true })
  return result
}
