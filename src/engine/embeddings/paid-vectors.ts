/** Paid vectors: the worst case is held, the upstream is called at most once, and the usage is settled. */
import type { App } from '#app'
import { failureOf } from '#engine/inference'
import {
  type EmbeddingModel,
  embeddingModels,
  estimatedEmbeddingTokens,
  possibleEmbeddingTokens,
} from '#engine/models'
import { claimsOf, type Finished, type PaidCall, type PaidOrder, startPaidOrder } from '#engine/paid'
import { type Failure, fail } from '#platform/errors'
import type { Embedded, EmbeddingOrder } from '#providers/spec'

export interface PaidVectorsOptions extends PaidCall {
  model: EmbeddingModel
  /** At least one and at most `model.maxBatch`, each made by `truncateForModel`. */
  texts: readonly string[]
  /** Default: the model's own dimensions. */
  dimensions?: number | undefined
}

/** The vectors and their charge. */
export interface Vectors {
  vectors: Float32Array[]
  tokens: number
  microcredits: bigint
}

export interface PaidVectors {
  /** No upstream can have executed anything, so the call may be repeated. */
  readonly hadNoEffect: boolean
  /** Call once. Throws a `Failure` when no upstream answered. Await the result, then call `finish`. */
  vectors(): Promise<Vectors>
  /**
   * Settles: the tokens of the texts, by estimate for a caller who left while they were worked on, anything else free. `reply` is kept
   * with the settlement. Resolves when it is durable; it never rejects.
   */
  finish(end: { statusCode: number; failure?: Failure; reply?: string; urgent?: boolean }): Promise<Finished>
}

interface Candidate {
  model: EmbeddingModel
  order: EmbeddingOrder
}

/** Throws MODEL_NOT_ALLOWED, and as `Ledger.hold` does. */
export async function startPaidVectors(app: App, options: PaidVectorsOptions): Promise<PaidVectors> {
  const { model, texts, caller } = options
  if (caller.models && !caller.models.has(model.id)) fail('MODEL_NOT_ALLOWED', { model: model.id })
  const { encoding } = model
  const dimensions = options.dimensions ?? model.dimensions
  const order = { texts, encoding, ...(dimensions !== undefined && { dimensions }) }
  // Vectors of two models do not compare: there are no fallbacks.
  const candidates: Candidate[] = [{ model, order }]
  const call = { ...options, isFetchable: false }
  const worstCase = embeddingModels.worstCase(model, app.config.defaults, order)
  const paid = await startPaidOrder<Candidate, Embedded>(app, call, embeddingModels, worstCase)
  return new Paid(app, options, candidates, paid)
}

class Paid implements PaidVectors {
  readonly #app: App
  readonly #options: PaidVectorsOptions
  readonly #candidates: Candidate[]
  readonly #order: PaidOrder<Candidate, Embedded>
  #embedded: Embedded | undefined

  constructor(
    app: App,
    options: PaidVectorsOptions,
    candidates: Candidate[],
    order: PaidOrder<Candidate, Embedded>,
  ) {
    this.#app = app
    this.#candidates = candidates
    this.#options = options
    this.#order = order
  }

  get hadNoEffect(): boolean {
    return this.#order.hadNoEffect
  }
  /** Of the texts, as the upstream claims as far as that can be, else by estimate. */
  get #counted(): number {
    const { texts } = this.#options
    const claimed = this.#embedded?.usage
    return claimed ? Math.min(claimed.input, possibleEmbeddingTokens(texts)) : estimatedEmbeddingTokens(texts)
  }
  /** A caller who disconnected during execution pays the estimate; otherwise nothing is charged without a result. */
  get #tokens(): number {
    return this.#embedded || this.#order.wasAbandoned ? this.#counted : 0
  }
  get #cost(): bigint {
    return embeddingModels.price(this.#options.model, this.#app.config.defaults, this.#tokens)
  }

  async vectors(): Promise<Vectors> {
    const part = await this.#order.fill(this.#candidates, (embedded) => embedded)
    if (part.fault) throw failureOf(part.fault)
    this.#embedded = part.done
    const { held } = this.#order.request
    const cost = this.#cost
    return {
      vectors: part.done.vectors,
      tokens: this.#tokens,
      microcredits: cost < held ? cost : held,
    }
  }

  finish({ statusCode, failure, reply, urgent }: Parameters<PaidVectors['finish']>[0]): Promise<Finished> {
    const { request, attempts, fault } = this.#order
    const tokens = this.#tokens
    const claimed = this.#embedded?.usage
    const texts = this.#options.texts.length
    const usageSource = claimed ? 'upstream' : tokens > 0 ? 'estimated' : 'none'
    return this.#order.settle({
      microcredits: this.#cost,
      // The hold covers the maximum for these texts: a higher count is not charged to the caller.
      withinHold: true,
      statusCode,
      failure,
      tokens: { input: tokens, cachedInput: 0, output: 0, reasoning: 0 },
      claims: claimsOf(attempts, claimed, { input: this.#counted }),
      outcome: failure ? (request.isClientDisconnect(fault) ? 'client_left' : 'failed') : 'completed',
      detail: { head: { texts, usage_source: usageSource, attempts } },
      ...(reply !== undefined && { reply }),
      ...(urgent !== undefined && { urgent }),
      figures: { texts },
      attributes: { 'gen_ai.usage.input_tokens': tokens },
    })
  }
}
