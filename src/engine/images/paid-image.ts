/** Pictures that are paid exactly: held at their price, drawn at most once, settled by what came of it. */
import type { App } from '#app'
import { failureOf } from '#engine/inference'
import { imageCost } from '#engine/metering'
import type { ImageModel } from '#engine/models'
import {
  alarmClaims,
  type Claim,
  claimOf,
  clientLeft,
  countSettled,
  type Finished,
  holdFor,
  type PaidCall,
  requireMayPay,
} from '#engine/paid'
import type { ImageRun } from '#engine/routing'
import type { Failure } from '#platform/errors'
import type { Hold } from '#platform/ledger'
import { type Drawn, UpstreamError } from '#providers/spec'
import { finishPicture } from './finish.ts'
import { ImageWatch } from './image-watch.ts'
import type { ImageWish, Picture } from './images.ts'
import { type ImagePlan, planFor } from './plan.ts'

export interface PaidImageAsk extends PaidCall {
  model: ImageModel
  wish: ImageWish
  /** The answer is told in events, so that nobody can fetch it later. */
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
   * Once. Throws a `Failure` when nobody drew. When the caller goes away the call goes on or ends by the provider's
   * `on_disconnect`; whoever asked must wait for the end and then call `finish`.
   */
  pictures(): Promise<PaidPictures>
  /**
   * Settles: the pictures that came at the price of the model that drew them, an order that its caller left at its whole price once
   * it was out, anything else free. `reply` is the finished JSON for replay. Resolves when it is durable; it never rejects.
   */
  finish(end: { statusCode: number; failure?: Failure; reply?: string }): Promise<Finished>
}

/** Of a whole order: vendors count thousands for a picture. */
const mostTokens = 10_000_000

interface Order {
  model: ImageModel
  plan: ImagePlan
}

/** Refuses what the model cannot draw (see `planFor`), then holds the price. Throws as `Ledger.hold` does. */
export async function startPaidImage(app: App, ask: PaidImageAsk): Promise<PaidImage> {
  const orders = ordersOf(app, ask)
  const watch = new ImageWatch(app, ask)
  const hold = await watch.hold(() => holdFor(app, ask, mostOf(app, orders)))
  const traceparent = watch.asks()
  const run = app.inference.startImages({
    orders: orders.map(({ model, plan }) => ({ model, order: plan.order })),
    receivedMs: ask.receivedMs,
    requestId: ask.requestId,
    traceparent,
    mayAsk: (id) => requireMayPay(app, ask.caller, id),
  })
  return new Paid({ app, ask, orders, hold, run, watch })
}

/** The asked model, and those of its fallbacks that the caller may use and that can draw what is wished. */
function ordersOf(app: App, { model, wish, caller }: PaidImageAsk): Order[] {
  const fallbacks = model.fallbacks.flatMap((id) => {
    const fallback = app.models.find(id)
    if (fallback?.kind !== 'image' || (caller.models && !caller.models.has(id))) return []
    const plan = planOf(fallback, wish)
    return plan ? [{ model: fallback, plan }] : []
  })
  return [{ model, plan: planFor(model, wish) }, ...fallbacks]
}

function planOf(model: ImageModel, wish: ImageWish): ImagePlan | undefined {
  try {
    return planFor(model, wish)
  } catch {
    return undefined
  }
}

function priceOf(app: App, { model, plan: { order } }: Order, count = order.count): bigint {
  const { references, quality, size } = order
  return imageCost(model.pricing, app.config.defaults, {
    count,
    references: references.length,
    quality,
    size,
  })
}

/** What the dearest of them may cost. */
const mostOf = (app: App, orders: readonly Order[]): bigint =>
  orders.map((order) => priceOf(app, order)).reduce((most, price) => (price > most ? price : most))

interface Parts {
  app: App
  ask: PaidImageAsk
  orders: readonly Order[]
  hold: Hold
  run: ImageRun
  watch: ImageWatch
}

class Paid implements PaidImage {
  readonly #parts: Parts
  #drawn: Drawn | undefined
  #delivered = 0
  #fault: UpstreamError | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get model(): ImageModel {
    return this.#parts.run.model
  }
  get plan(): ImagePlan {
    return this.#order.plan
  }
  get #order(): Order {
    return this.#parts.orders.find(({ model }) => model === this.model)!
  }
  /** For people and reports; the price is by the picture. */
  get #tokens(): { input: number; output: number } {
    const { input, output } = this.#drawn?.usage ?? { input: 0, output: 0 }
    return { input: Math.min(input, mostTokens), output: Math.min(output, mostTokens) }
  }
  get #claims(): Claim[] {
    const claimed = this.#drawn?.usage
    const believed = this.#tokens
    const isBelieved = !claimed || (claimed.input === believed.input && claimed.output === believed.output)
    return isBelieved ? [] : claimOf(this.#parts.run.attempts, { claimed, believed })
  }
  /** A whole answer that its caller can still fetch with the idempotency key is finished for them. */
  get #isFetchable(): boolean {
    return this.#parts.ask.claim !== undefined && !this.#parts.ask.stream
  }

  async pictures(): Promise<PaidPictures> {
    const { ask, run } = this.#parts
    const leave = (): void => {
      if (!this.#isFetchable) run.leave()
    }
    if (ask.gone.aborted) leave()
    ask.gone.addEventListener('abort', leave, { once: true })
    try {
      this.#drawn = await run.filled()
      // Some upstreams draw more than they were asked for.
      const images = this.#drawn.images.slice(0, this.plan.order.count)
      const pictures = await Promise.all(images.map((bytes) => finishPicture(bytes, this.plan)))
      this.#delivered = pictures.length
      return { pictures, tokens: this.#tokens, microcredits: this.#charge }
    } catch (error) {
      this.#fault = error instanceof UpstreamError ? error : new UpstreamError('malformed', { cause: error })
      throw failureOf(this.#fault)
    } finally {
      ask.gone.removeEventListener('abort', leave)
    }
  }

  async finish(end: { statusCode: number; failure?: Failure; reply?: string }): Promise<Finished> {
    const { app, ask, hold, run, watch } = this.#parts
    const microcredits = this.#charge
    const failed = end.failure !== undefined || this.#fault !== undefined
    const isKept = ask.claim !== undefined || ask.background === true
    const settlement = {
      microcredits,
      state: failed ? ('failed' as const) : ('completed' as const),
      statusCode: this.#wasLeft ? clientLeft : end.statusCode,
      model: this.model.id,
      tokens: { ...this.#tokens, cachedInput: 0, reasoning: 0 },
      detail: this.#detail(end.failure),
      reply: isKept ? end.reply : undefined,
      freeClaim: microcredits === 0n && !this.#drawn && run.failures.every(didNothing),
      urgent: isKept,
    }
    const told = {
      model: this.model,
      attempts: run.attempts,
      tokens: this.#tokens,
      pictures: this.#delivered,
      trouble: this.#fault?.fault ?? end.failure?.code,
    }
    const settled = await watch.settle(told, () => hold.settle(settlement))
    countSettled(app, settled)
    alarmClaims(app, ask.requestId, run.attempts, this.#claims)
    return { ...settled, keepsClaim: ask.claim !== undefined && !settlement.freeClaim }
  }

  /** A picture cannot be had in part: who leaves while it is drawn pays for it, as its upstream is paid. */
  get #charge(): bigint {
    if (this.#delivered > 0) return priceOf(this.#parts.app, this.#order, this.#delivered)
    return this.#wasLeft && this.#fault?.executed ? priceOf(this.#parts.app, this.#order) : 0n
  }

  get #wasLeft(): boolean {
    return this.#fault?.fault === 'aborted' && this.#parts.ask.gone.aborted
  }

  /** What the receipt tells beside the money; never the prompt or a picture. */
  #detail(failure: Failure | undefined): Record<string, unknown> {
    const { app, ask, run } = this.#parts
    const { order, action, format, frame, fit } = this.plan
    return {
      outcome: this.#outcome(failure),
      stream: ask.stream,
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
      usage_source: this.#drawn?.usage ? 'upstream' : 'none',
      tokens: this.#drawn?.usage ? this.#tokens : null,
      ...(this.#claims.length > 0 && { claims: this.#claims }),
      attempts: run.attempts,
      total_ms: app.clock.nowMs() - ask.receivedMs,
      ...(failure && { error_code: failure.code }),
    }
  }

  #outcome(failure: Failure | undefined): string {
    const failed = failure !== undefined || this.#fault !== undefined
    if (this.#parts.ask.gone.aborted && (failed || !this.#isFetchable)) return 'client_left'
    return failed ? 'failed' : 'completed'
  }
}

/** True when the upstream certainly drew nothing, so that the idempotency key is free again. A broken line or a 500 proves nothing. */
const didNothing = ({ executed, status }: UpstreamError): boolean =>
  !executed || (status !== undefined && status >= 400 && status < 500)
