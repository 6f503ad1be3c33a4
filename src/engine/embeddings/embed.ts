/** Texts turned into vectors: held at the worst case, asked at most once, settled at what was used. */
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
  /** At least one and at most `model.maxBatch`, each as `truncateForModel` made it. */
  texts: readonly string[]
  /** Of each vector, where the caller wishes others than the model's. */
  dimensions?: number | undefined
  /** The finished JSON of an answer, kept with the settlement for replay; nothing of one that is too large. */
  replyOf?: ((vectors: Vectors) => string | undefined) | undefined
}

/** What came, and what it is charged. */
export interface Vectors {
  vectors: Float32Array[]
  tokens: number
  microcredits: bigint
}

export type EmbedOutcome =
  | Vectors
  /** `didNothing`: no upstream can have worked, so that it may be asked again. */
  | { failure: Failure; didNothing: boolean }

/** The beginning of a text that the model surely takes: two bytes a token, as the hold counts them, and room for the marks around it. */
export function truncateForModel({ maxInputTokens }: EmbeddingModel, text: string): string {
  const most = 2 * (maxInputTokens - 4)
  const bytes = Buffer.from(text.toWellFormed())
  // What was cut within a character ends in the sign that stands for none.
  return bytes.length <= most
    ? bytes.toString()
    : bytes.toString('utf8', 0, most).replace(/(?<!\ufffd)\ufffd+$/, '')
}

interface Candidate {
  model: EmbeddingModel
  order: EmbeddingOrder
}

/**
 * Throws MODEL_NOT_ALLOWED, and as `Ledger.hold` does; what an upstream does is answered. In the background the receipt keeps the
 * vectors (`vectorsIn`) until they are taken.
 */
export async function embed(app: App, ask: EmbedOptions): Promise<EmbedOutcome> {
  const { model, texts, caller } = ask
  if (caller.models && !caller.models.has(model.id)) fail('MODEL_NOT_ALLOWED', { model: model.id })
  const { encoding } = model
  const dimensions = ask.dimensions ?? model.dimensions
  const order = { texts, encoding, ...(dimensions !== undefined && { dimensions }) }
  // Vectors of two models do not compare: there are no fallbacks.
  const paid = await startPaidOrder(app, { ...ask, isFetchable: false }, vectors(app), [{ model, order }])
  const came = await paid.filled((embedded) => embedded)
  return settle(app, ask, paid, came)
}

const vectors = (app: App): PaidOrderKind<Candidate, Embedded> => ({
  operation: 'embeddings',
  fill: ({ orders }, call) => embeddingModels.ask(orders.embedding!, call),
  worstCase: ({ model, order }) => embeddingModels.worstCase(model, app.config.defaults, order.texts),
  // Nobody bills for vectors that he refuses to give; where nobody waits, that is not relied on.
  mayRepeat: (failure, isBackground) => !failure.executed || (!isBackground && wasRefused(failure)),
  didNothing: (failure, isBackground) => !failure.executed || (!isBackground && wasRefused(failure)),
})

/** An error status brings no vectors and no bill. A broken line or silence proves nothing. */
const wasRefused = ({ status }: UpstreamError): boolean => (status ?? 0) >= 400

async function settle(
  app: App,
  { model, texts, background, ...ask }: EmbedOptions,
  paid: PaidOrder<Candidate, Embedded>,
  embedded: Embedded | undefined,
): Promise<EmbedOutcome> {
  const { request, attempts, fault } = paid
  const guessed = estimatedEmbeddingTokens(texts)
  const claimed = embedded?.usage
  const counted = claimed ? Math.min(claimed.input, possibleEmbeddingTokens(texts)) : guessed
  // Who leaves while it is worked on pays what the upstream will ask for it; nobody else pays for what did not come.
  const tokens = embedded ? counted : paid.wasAbandoned ? guessed : 0
  const failure = fault && failureOf(fault)
  const cost = embeddingModels.price(model, app.config.defaults, tokens)
  const came = embedded && {
    vectors: embedded.vectors,
    tokens,
    microcredits: cost < request.held ? cost : request.held,
  }
  const reply = came && (background ? replyOf(came.vectors) : ask.replyOf?.(came))
  const didNothing = paid.hadNoEffect
  const usageSource = claimed ? 'upstream' : tokens > 0 ? 'estimated' : 'none'
  await paid.settle({
    microcredits: cost,
    // Its bound is that of the texts: a count beyond it is not the caller's debt.
    withinHold: true,
    statusCode: failure?.status ?? 200,
    failure,
    tokens: { input: tokens, cachedInput: 0, output: 0, reasoning: 0 },
    claims: claimsOf(attempts, claimed, { input: counted }),
    outcome: failure ? (request.wasLeft(fault) ? 'client_left' : 'failed') : 'completed',
    detail: { head: { texts: texts.length, usage_source: usageSource, attempts } },
    ...(reply !== undefined && { reply }),
    urgent: true,
    figures: { texts: texts.length },
    attributes: { 'gen_ai.usage.input_tokens': tokens },
  })
  return came ?? { failure: failure!, didNothing }
}
