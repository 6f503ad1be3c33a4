/** Paid embeddings: the worst case is held, the upstream is called at most once, and the usage is settled. */
import type { App } from '#app'
import { failureOf } from '#engine/inference'
import {
  type EmbeddingModel,
  embeddingModels,
  estimatedEmbeddingTokens,
  possibleEmbeddingTokens,
} from '#engine/models'
import { claimsOf, type PaidCall, type PaidOrder, type PaidOrderKind, startPaidOrder } from '#engine/paid'
import { type Failure, fail } from '#platform/errors'
import type { Embedded, EmbeddingOrder, UpstreamError } from '#providers/spec'
import { replyOf } from './pack.ts'

export interface EmbedOptions extends PaidCall {
  model: EmbeddingModel
  /** At least one and at most `model.maxBatch`, each made by `truncateForModel`. */
  texts: readonly string[]
  /** Default: the model's own dimensions. */
  dimensions?: number | undefined
  /** The finished JSON of an answer, kept with the settlement for replay; nothing of one that is too large. */
  replyOf?: ((vectors: Vectors) => string | undefined) | undefined
}

/** The vectors and their charge. */
export interface Vectors {
  vectors: Float32Array[]
  tokens: number
  microcredits: bigint
}

export type EmbedOutcome =
  | Vectors
  /** `didNothing`: no upstream can have executed anything, so the call may be repeated. */
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

interface Candidate {
  model: EmbeddingModel
  order: EmbeddingOrder
}

/**
 * Throws MODEL_NOT_ALLOWED, and as `Ledger.hold` does; upstream failures are returned. For background work the receipt stores the
 * vectors (`vectorsIn`) until they are fetched.
 */
export async function embed(app: App, options: EmbedOptions): Promise<EmbedOutcome> {
  const { model, texts, caller } = options
  if (caller.models && !caller.models.has(model.id)) fail('MODEL_NOT_ALLOWED', { model: model.id })
  const { encoding } = model
  const dimensions = options.dimensions ?? model.dimensions
  const order = { texts, encoding, ...(dimensions !== undefined && { dimensions }) }
  // Vectors of two models do not compare: there are no fallbacks.
  const paid = await startPaidOrder(app, { ...options, isFetchable: false }, vectors(app), [{ model, order }])
  const result = await paid.filled((embedded) => embedded)
  return settle(app, options, paid, result)
}

const vectors = (app: App): PaidOrderKind<Candidate, Embedded> => ({
  operation: 'embeddings',
  fill: ({ orders }, call) => embeddingModels.ask(orders.embedding!, call),
  worstCase: ({ model, order }) => embeddingModels.worstCase(model, app.config.defaults, order.texts),
  mayRepeat: wasFree,
  hadNoEffect: wasFree,
})

/**
 * An error status brings no vectors and no bill, but background work does not rely on that. A broken line or silence proves nothing: the
 * call may have been executed.
 */
function wasFree({ executed, status }: UpstreamError, isBackground: boolean): boolean {
  return !executed || (!isBackground && (status ?? 0) >= 400)
}

async function settle(
  app: App,
  { model, texts, background, ...options }: EmbedOptions,
  paid: PaidOrder<Candidate, Embedded>,
  embedded: Embedded | undefined,
): Promise<EmbedOutcome> {
  const { request, attempts, fault } = paid
  const guessed = estimatedEmbeddingTokens(texts)
  const claimed = embedded?.usage
  const counted = claimed ? Math.min(claimed.input, possibleEmbeddingTokens(texts)) : guessed
  // A caller who disconnected during execution pays the estimate; otherwise nothing is charged without a result.
  const tokens = embedded ? counted : paid.wasAbandoned ? guessed : 0
  const failure = fault && failureOf(fault)
  const cost = embeddingModels.price(model, app.config.defaults, tokens)
  const result = embedded && {
    vectors: embedded.vectors,
    tokens,
    microcredits: cost < request.held ? cost : request.held,
  }
  const reply = result && (background ? replyOf(result.vectors) : options.replyOf?.(result))
  const hadNoEffect = paid.hadNoEffect
  const usageSource = claimed ? 'upstream' : tokens > 0 ? 'estimated' : 'none'
  await paid.settle({
    microcredits: cost,
    // The hold covers the maximum for these texts: a higher count is not charged to the caller.
    withinHold: true,
    statusCode: failure?.status ?? 200,
    failure,
    tokens: { input: tokens, cachedInput: 0, output: 0, reasoning: 0 },
    claims: claimsOf(attempts, claimed, { input: counted }),
    outcome: failure ? (request.isClientDisconnect(fault) ? 'client_left' : 'failed') : 'completed',
    detail: { head: { texts: texts.length, usage_source: usageSource, attempts } },
    ...(reply !== undefined && { reply }),
    urgent: true,
    figures: { texts: texts.length },
    attributes: { 'gen_ai.usage.input_tokens': tokens },
  })
  return result ?? { failure: failure!, hadNoEffect }
}
