/** Paid vectors: the worst case is held, and each order is sent at most once. Either the answered texts are charged, or nothing is. */
import { failureOf } from '#core/inference'
import { type Cost, type EmbeddingModel, embeddingModels, noCost } from '#core/models'
import {
  claimsOfFigures,
  type FilledPart,
  type PaidApp,
  type PaidCall,
  type PaidOrder,
  type PaidOrderEnd,
  type PaidRequestResult,
  startPaidOrder,
} from '#core/paid'
import { type EmbeddingOrder, type EmbeddingResult, UpstreamError } from '#core/spec'
import { type Failure, fail } from '#platform/errors'
import { cutIntoOrders, orderConcurrency, type TextsOfOrder } from './cut.ts'

export interface PaidVectorsOptions extends PaidCall {
  model: EmbeddingModel
  /** At least one text; the texts are cut into orders that the model takes. */
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
  /** True if no upstream can have executed anything, so that the call may be repeated. */
  readonly hadNoEffect: boolean
  /**
   * Returns all vectors, or rejects with a `Failure` if one order was not filled. Call it once. Orders that were sent are read to their end, also
   * when the caller disconnects meanwhile; the others are then sent only if the answer can be fetched with the idempotency key. Await the result,
   * then call `finish`.
   */
  vectors(): Promise<Vectors>
  /**
   * Settles the tokens of the texts. Nothing is charged without a result, or if the caller has left and cannot fetch it later either (`reply` is kept
   * with the settlement): what upstreams may bill is the platform's loss. Resolves when the settlement is durable; never rejects.
   */
  finish(end: {
    statusCode: number
    failure?: Failure
    reply?: string
    urgent?: boolean
  }): Promise<PaidRequestResult>
}

interface EmbeddingCandidate {
  model: EmbeddingModel
  order: EmbeddingOrder
  tokens: Omit<TextsOfOrder, 'texts'>
}

/** Holds the worst case. Throws MODEL_NOT_ALLOWED, and as `Ledger.hold` does. */
export async function startPaidVectors(app: PaidApp, options: PaidVectorsOptions): Promise<PaidVectors> {
  const { model, texts, caller, claim } = options
  if (caller.models && !caller.models.has(model.id)) fail('MODEL_NOT_ALLOWED', { model: model.id })
  const { encoding } = model
  const dimensions = options.dimensions ?? model.dimensions
  const form = { encoding, ...(dimensions !== undefined && { dimensions }) }
  // Vectors of two models cannot be compared, so there are no fallbacks.
  const candidates = (await cutIntoOrders(model, texts)).map(({ texts: part, ...tokens }) => ({
    ...{ model, tokens },
    order: { texts: part, ...form },
  }))
  const isFetchable = claim !== undefined
  const rounds = 1 + Math.ceil((candidates.length - 1) / orderConcurrency(model))
  const call = { ...options, isFetchable, isStored: true, rounds }
  // The same tokens as in the model kind's worst case of all texts.
  const maxTokens = sum(candidates, ({ tokens }) => tokens.most)
  const worstCase = embeddingModels.price(model, app.config.defaults, maxTokens)
  const order = await startPaidOrder<EmbeddingCandidate, EmbeddingResult>(
    app,
    call,
    embeddingModels,
    worstCase,
  )
  return new PaidVectorsCall({ app, options, candidates, order })
}

interface PaidVectorsContext {
  app: Pick<PaidApp, 'config'>
  options: PaidVectorsOptions
  /** One candidate for each order. */
  candidates: EmbeddingCandidate[]
  order: PaidOrder<EmbeddingCandidate, EmbeddingResult>
}

/** For a request in many orders, the receipt lists the last attempts, which include the one that failed. */
const maxToldAttempts = 50

class PaidVectorsCall implements PaidVectors {
  readonly #parts: PaidVectorsContext
  /** The outcome of every order that was sent, at the index of the order. */
  readonly #filled: (FilledPart<EmbeddingCandidate, EmbeddingResult> | undefined)[] = []

  constructor(parts: PaidVectorsContext) {
    this.#parts = parts
  }

  get hadNoEffect(): boolean {
    return this.#parts.order.hadNoEffect
  }
  get #answers(): { tokens: EmbeddingCandidate['tokens']; embedded: EmbeddingResult }[] {
    return this.#filled.flatMap((part) =>
      part && !part.fault ? [{ tokens: part.candidate.tokens, embedded: part.done }] : [],
    )
  }
  /** The tokens of the answered texts: the upstream's claim, up to what is possible, or else the estimate. */
  get #counted(): number {
    return sum(this.#answers, ({ tokens, embedded: { usage } }) =>
      // No text has zero tokens.
      usage && usage.input > 0 ? Math.min(usage.input, tokens.possible) : tokens.estimated,
    )
  }
  /** The tokens that the upstreams claim; undefined without answers, or if one answer does not say. */
  get #claimed(): { input: number } | undefined {
    const answers = this.#answers
    if (answers.length === 0 || answers.some(({ embedded }) => !embedded.usage)) return undefined
    return { input: sum(answers, ({ embedded }) => embedded.usage!.input) }
  }
  /** The estimated tokens of orders without an answer that an upstream may bill. */
  get #unanswered(): number {
    const isBackground = this.#parts.options.background === true
    return sum(this.#filled, (part) =>
      part?.fault && !embeddingModels.mayReleaseClaim(part.fault, isBackground)
        ? part.candidate.tokens.estimated
        : 0,
    )
  }
  #cost(tokens: number): Cost {
    const { app, options } = this.#parts
    return embeddingModels.cost(options.model, app.config.defaults, tokens)
  }

  async vectors(): Promise<Vectors> {
    const { candidates, order, options } = this.#parts
    // The first order is sent alone, so that a request that is refused is refused only once; the orders after it are read to their end.
    await this.#fill(0)
    let next = 1
    const sendRest = async (): Promise<void> => {
      while (next < candidates.length) await this.#fill(next++)
    }
    await Promise.all(Array.from({ length: orderConcurrency(options.model) }, sendRest))
    if (order.fault) throw failureOf(order.fault)
    const vectors = this.#answers.flatMap(({ embedded }) => embedded.vectors)
    if (vectors.length < options.texts.length) throw failureOf(callerLeft())
    const { length } = vectors[0]!
    if (vectors.some((vector) => vector.length !== length))
      throw failureOf(new UpstreamError('malformed', { detail: 'vectors of several dimensions' }))
    const cost = this.#cost(this.#counted).microcredits
    const { held } = order.request
    return { vectors, tokens: this.#counted, microcredits: cost < held ? cost : held }
  }

  /** Sends an order, unless another one failed or nobody is left who could receive the answer. */
  async #fill(index: number): Promise<void> {
    const { candidates, order, options } = this.#parts
    const isInVain = index > 0 && options.gone.aborted && !options.claim
    if (order.fault || isInVain) return
    this.#filled[index] = await order.fill([candidates[index]!], (embedded) => embedded)
  }

  finish(end: Parameters<PaidVectors['finish']>[0]): Promise<PaidRequestResult> {
    const { order, options } = this.#parts
    const { failure, reply } = end
    const isKept = reply !== undefined && (options.claim !== undefined || options.background === true)
    const isDelivered = !failure && (!options.gone.aborted || isKept)
    const whole = order.endOf({ ...this.#endOf(isDelivered), ...end, failure })
    const fault = whole.fault ?? (!isDelivered && options.gone.aborted ? callerLeft() : undefined)
    return order.request.settle({ ...whole, fault })
  }

  #endOf(isDelivered: boolean): Omit<PaidOrderEnd, 'statusCode' | 'failure'> {
    const { order, options, candidates } = this.#parts
    const { attempts } = order
    const counted = this.#counted
    const claimed = this.#claimed
    const tokens = isDelivered ? counted : 0
    const texts = options.texts.length
    const cost = this.#cost(isDelivered ? counted : counted + this.#unanswered)
    const usageSource = tokens === 0 && !claimed ? 'none' : claimed ? 'upstream' : 'estimated'
    return {
      ...(isDelivered ? { cost } : { cost: noCost, lostMicrocredits: cost.microcredits }),
      // The hold covers the maximum for these texts: a higher count is not charged to the caller.
      withinHold: true,
      tokens: { input: tokens, cachedInput: 0, output: 0, reasoning: 0 },
      claims: claimsOfFigures(attempts, claimed, { input: counted }),
      outcome: isDelivered ? 'completed' : options.gone.aborted ? 'client_left' : 'failed',
      detail: {
        head: { texts, orders: candidates.length, usage_source: usageSource },
        attempts: attempts.slice(-maxToldAttempts),
      },
      figures: { texts },
      attributes: { 'gen_ai.usage.input_tokens': tokens },
    }
  }
}

const callerLeft = (): UpstreamError => new UpstreamError('aborted', { executed: true })

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0)
