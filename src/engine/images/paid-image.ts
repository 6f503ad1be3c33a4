/** Paid pictures: the price is held, they are drawn at most once, and what was delivered is settled. */
import type { App } from '#app'
import { failureOf } from '#engine/inference'
import { type ImageModel, imageModels } from '#engine/models'
import {
  claimsOf,
  type Finished,
  orderCandidates,
  type PaidCall,
  type PaidOrder,
  startPaidOrder,
  totalQuantities,
} from '#engine/paid'
import type { ImageOrder } from '#engine/turn'
import type { Failure } from '#platform/errors'
import type { Drawn } from '#providers/spec'
import { finishPicture } from './finish.ts'
import type { ImageSpec, Picture } from './images.ts'
import { type ImagePlan, planFor } from './plan.ts'

export interface PaidImageOptions extends PaidCall {
  model: ImageModel
  spec: ImageSpec
  /** The answer is streamed in events, so it cannot be fetched later. */
  stream: boolean
}

export interface PaidPictures {
  pictures: Picture[]
  /** Tokens, where the upstream counts any; the price is by the picture. */
  tokens: { input: number; output: number }
  /** What they are charged: never more than was held. */
  microcredits: bigint
}

export interface PaidImage {
  /** The model that draws; it can change until it has drawn. */
  readonly model: ImageModel
  /** How that model is asked. */
  readonly plan: ImagePlan
  /**
   * Call once. Throws a `Failure` when no upstream drew. When the caller disconnects the call continues or is cancelled according to the
   * provider's `on_disconnect`. Await the result, then call `finish`.
   */
  pictures(): Promise<PaidPictures>
  /**
   * Settles: the delivered pictures at the price of the model that drew them, an order that its caller left at its whole price once
   * it was out, anything else free. `reply` is the finished JSON for replay. Resolves when it is durable; it never rejects.
   */
  finish(end: { statusCode: number; failure?: Failure; reply?: string }): Promise<Finished>
}

/** Of a whole order: vendors count thousands for a picture. */
const maxTokens = 10_000_000

/** A model, how it is asked, and what is done with what it draws. */
interface Candidate {
  model: ImageModel
  order: ImageOrder
  plan: ImagePlan
}

/** Refuses what the model cannot draw (see `planFor`), then holds the price. Throws as `Ledger.hold` does. */
export async function startPaidImage(app: App, options: PaidImageOptions): Promise<PaidImage> {
  const { model, spec, claim, stream } = options
  const asked = candidateOf(model, spec)
  const candidates = orderCandidates(app, options, asked, (other) => {
    try {
      return other.kind === 'image' ? candidateOf(other, spec) : undefined
    } catch {
      return undefined
    }
  })
  const call = { ...options, isFetchable: claim !== undefined && !stream }
  return new Paid(app, options, await startPaidOrder(app, call, imageModels, candidates))
}

function candidateOf(model: ImageModel, spec: ImageSpec): Candidate {
  const plan = planFor(model, spec)
  return { model, order: plan.order, plan }
}

class Paid implements PaidImage {
  readonly #app: App
  readonly #options: PaidImageOptions
  readonly #order: PaidOrder<Candidate, Drawn>
  #usage: Drawn['usage']
  #delivered = 0

  constructor(app: App, options: PaidImageOptions, order: PaidOrder<Candidate, Drawn>) {
    this.#app = app
    this.#options = options
    this.#order = order
  }

  get model(): ImageModel {
    return this.#order.candidate.model
  }
  get plan(): ImagePlan {
    return this.#order.candidate.plan
  }
  /** For people and reports; the price is by the picture. */
  get #tokens(): { input: number; output: number } {
    const { input, output } = this.#usage ?? { input: 0, output: 0 }
    return { input: Math.min(input, maxTokens), output: Math.min(output, maxTokens) }
  }
  /** A picture cannot be delivered in part: a caller who disconnects while it is drawn pays for it, since the upstream bills it. */
  get #charge(): bigint {
    const { order } = this.plan
    const count = this.#delivered > 0 ? this.#delivered : this.#order.wasAbandoned ? order.count : 0
    return count > 0 ? imageModels.price(this.model, this.#app.config.defaults, { ...order, count }) : 0n
  }

  async pictures(): Promise<PaidPictures> {
    const finished = await this.#order.filled(async ({ images, usage }) => {
      this.#usage = usage
      // Some upstreams draw more than they were asked for.
      const wanted = images.slice(0, this.plan.order.count)
      return Promise.all(wanted.map((bytes) => finishPicture(bytes, this.plan)))
    })
    if (!finished) throw failureOf(this.#order.fault!)
    this.#delivered = finished.length
    return { pictures: finished, tokens: this.#tokens, microcredits: this.#charge }
  }

  finish({ statusCode, failure, reply }: Parameters<PaidImage['finish']>[0]): Promise<Finished> {
    const tokens = this.#tokens
    return this.#order.settle({
      statusCode,
      failure,
      ...(reply !== undefined && { reply }),
      microcredits: this.#charge,
      tokens: { ...tokens, cachedInput: 0, reasoning: 0 },
      quantities: totalQuantities([{ pictures: this.#delivered }]),
      claims: claimsOf(this.#order.attempts, this.#usage, tokens),
      detail: { head: this.#detail() },
      figures: { pictures: this.#delivered },
      attributes: { 'gen_ai.usage.input_tokens': tokens.input, 'gen_ai.usage.output_tokens': tokens.output },
    })
  }

  #detail(): Record<string, unknown> {
    const { order, action, format, frame, fit } = this.plan
    return {
      stream: this.#options.stream,
      pictures: {
        asked: order.count,
        delivered: this.#delivered,
        action,
        references: order.references.length,
        quality: order.quality ?? null,
        size: `${order.size.width}x${order.size.height}`,
        frame: frame ? `${frame.width}x${frame.height}` : null,
        fit: frame ? fit : 'native',
        format,
      },
      usage_source: this.#usage ? 'upstream' : 'none',
      tokens: this.#usage ? this.#tokens : null,
    }
  }
}
