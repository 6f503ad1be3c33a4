/** Paid pictures: room and price are held, each picture is ordered at most once, and what was stored is charged. */
import type { App } from '#app'
import { failureOf } from '#engine/inference'
import { type ImageModel, imageModels } from '#engine/models'
import {
  claimsOf,
  type FilledPart,
  type Finished,
  highest,
  orderCandidates,
  type PaidCall,
  type PaidOrder,
  StoredResult,
  startPaidOrder,
  totalQuantities,
} from '#engine/paid'
import type { ImageOrder } from '#engine/turn'
import type { Failure } from '#platform/errors'
import type { Drawn } from '#providers/spec'
import { finishPicture } from './finish.ts'
import type { Drawings } from './finish-svg.ts'
import type { ImageSpec, Picture } from './images.ts'
import { type ImagePlan, planFor } from './plan.ts'

export interface PaidImageOptions extends PaidCall {
  model: ImageModel
  spec: ImageSpec
  /** The answer is streamed in events, so that a repeat cannot be answered from what is stored. */
  stream: boolean
  /** Days for which the pictures are kept; absent: as key, project and configuration say; 0: for a repeat only. */
  keepDays?: number
}

export interface PaidPictures {
  /** At least one, and fewer than were asked for where an order failed. */
  pictures: Picture[]
  /** Ids of the stored files, one for each picture. */
  files: string[]
  /** Tokens, where the upstream counts any; the price is by the picture. */
  tokens: { input: number; output: number }
  /** What they are charged: never more than was held. */
  microcredits: bigint
}

/** Sees unfinished pictures, the first with index 0, in the size and format of the finished one. */
export type ShowPartial = (picture: Picture, index: number) => void

export interface PaidImage {
  /** The model that draws; it can change until it has drawn. */
  readonly model: ImageModel
  /** How that model is asked. */
  readonly plan: ImagePlan
  /**
   * Call once. The pictures are drawn and stored, also when the caller disconnects meanwhile; unfinished ones are given to `show` before.
   * Throws a `Failure` when no upstream drew, or nothing could be stored. Await the result, then call `finish`.
   */
  pictures(show?: ShowPartial): Promise<PaidPictures>
  /**
   * Settles: the stored pictures at the price of the model that drew them; anything else is free, whoever left. `reply` is the finished JSON
   * for replay. Resolves when files and charge are durable. Throws RESULT_NOT_STORED, after it was settled as free.
   */
  finish(end: { statusCode: number; failure?: Failure; reply?: string }): Promise<Finished>
}

/** Of a whole order: vendors count thousands for a picture. */
const maxTokens = 10_000_000
/** Of one picture. A raster of its pixels is seldom larger than its bytes would be without any compression. */
const maxBytes = 24 * 1024 * 1024
const bytesPerPixel = 4

/** A model, how it is asked, and what is done with what it draws. */
interface Candidate {
  model: ImageModel
  order: ImageOrder
  plan: ImagePlan
}

/** Refuses what the model cannot draw (see `planFor`), then reserves room and holds the price. Throws as `Ledger.hold` does. */
export async function startPaidImage(app: App, options: PaidImageOptions): Promise<PaidImage> {
  const { model, spec, keepDays } = options
  const asked = candidateOf(model, spec)
  const candidates = orderCandidates(app, options, asked, (other) => {
    try {
      return other.kind === 'image' ? candidateOf(other, spec) : undefined
    } catch {
      return undefined
    }
  })
  const { defaults } = app.config
  const counts = countsOf(spec.count, candidates)
  const worstCase = highest(
    candidates.map(({ model: one, order }) =>
      counts.reduce((sum, count) => sum + imageModels.worstCase(one, defaults, { ...order, count }), 0n),
    ),
  )
  const call = { ...options, isFetchable: true, isStored: true }
  const wanted = {
    creations: spec.count,
    bytes: spec.count * Math.max(...candidates.map(({ plan }) => bytesOf(plan))),
    source: 'image',
    ...(keepDays !== undefined && { keepDays }),
  }
  const { result, held } = await StoredResult.reserve(app, options, wanted, () =>
    startPaidOrder<Candidate, Drawn>(app, call, imageModels, worstCase),
  )
  return new Paid({ app, options, candidates, counts, result, order: held })
}

function candidateOf(model: ImageModel, spec: ImageSpec): Candidate {
  const plan = planFor(model, spec)
  return { model, order: plan.order, plan }
}

const bytesOf = ({ order, frame = order.size }: ImagePlan): number =>
  Math.min(maxBytes, frame.width * frame.height * bytesPerPixel)

interface Parts {
  app: App
  options: PaidImageOptions
  candidates: Candidate[]
  /** Pictures of each order. */
  counts: number[]
  result: StoredResult
  order: PaidOrder<Candidate, Drawn>
}

/** Pictures of one order. */
interface Group {
  pictures: Picture[]
  usage: Drawn['usage']
}

class Paid implements PaidImage {
  readonly #parts: Parts
  #groups: FilledPart<Candidate, Group>[] = []
  #delivered = 0
  /** Unfinished pictures. */
  #shown = 0
  #showing = Promise.resolve()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get model(): ImageModel {
    return this.#candidate.model
  }
  get plan(): ImagePlan {
    return this.#candidate.plan
  }
  /** Of the first order that was filled, else of the last one that failed. */
  get #candidate(): Candidate {
    const { candidates } = this.#parts
    return (this.#groups.find(({ fault }) => !fault) ?? this.#groups.at(-1))?.candidate ?? candidates[0]!
  }
  get #usage(): Drawn['usage'] {
    const counted = this.#groups.flatMap((group) => (group.fault ? [] : (group.done.usage ?? [])))
    if (counted.length === 0) return undefined
    const sum = (figure: 'input' | 'output') => counted.reduce((total, usage) => total + usage[figure], 0)
    return { input: sum('input'), output: sum('output') }
  }
  /** For people and reports; the price is by the picture. */
  get #tokens(): { input: number; output: number } {
    const { input, output } = this.#usage ?? { input: 0, output: 0 }
    return { input: Math.min(input, maxTokens), output: Math.min(output, maxTokens) }
  }
  get #charge(): bigint {
    return this.#sum((group) => (group.fault ? 0 : group.done.pictures.length))
  }
  /** What upstreams may bill for orders of which nothing came. */
  get #lost(): bigint {
    return this.#sum(({ fault, candidate }) => (fault?.executed ? candidate.order.count : 0))
  }

  #sum(countOf: (group: FilledPart<Candidate, Group>) => number): bigint {
    const { defaults } = this.#parts.app.config
    return this.#groups.reduce((total, group) => {
      const { model, order } = group.candidate
      const count = countOf(group)
      return count > 0
        ? total + imageModels.price(model, defaults, { ...order, count, partials: this.#shown })
        : total
    }, 0n)
  }

  async pictures(show?: ShowPartial): Promise<PaidPictures> {
    const { order, result, counts } = this.#parts
    this.#groups = await Promise.all(counts.map((count, index) => this.#draw(count, index, show)))
    await this.#showing
    const pictures = this.#groups.flatMap((group) => (group.fault ? [] : group.done.pictures))
    if (pictures.length === 0) throw failureOf(order.fault!)
    for (const picture of pictures) await result.stage(picture)
    this.#delivered = pictures.length
    return { pictures, files: result.fileIds, tokens: this.#tokens, microcredits: this.#charge }
  }

  #draw(count: number, index: number, show?: ShowPartial): Promise<FilledPart<Candidate, Group>> {
    const { counts, options } = this.#parts
    const seed = seedAfter(options.spec.seed, index * counts[0]!)
    const candidates = this.#parts.candidates.map((one) => {
      const onPartial = (bytes: Uint8Array) => this.#partial(bytes, one, show)
      return { ...one, order: { ...one.order, ...seed, count, onPartial } }
    })
    return this.#parts.order.fill(candidates, async ({ images, revisedPrompts, usage }, { plan }) => {
      // Some upstreams draw more than they were asked for.
      const wanted = images.slice(0, count)
      const pictures = wanted.map(async (bytes) => {
        const revisedPrompt = revisedPrompts?.get(bytes)
        const picture = await finishPicture(bytes, plan, this.#drawings)
        return { ...picture, ...(revisedPrompt !== undefined && { revisedPrompt }) }
      })
      return { pictures: await Promise.all(pictures), usage }
    })
  }

  /** One after the other, and never more than were asked for; one that is no picture is passed over. */
  #partial(bytes: Uint8Array, { plan, order }: Candidate, show: ShowPartial | undefined): void {
    this.#showing = this.#showing.then(async () => {
      if (!show || this.#shown >= (order.partials ?? 0)) return
      const picture = await finishPicture(bytes, plan, this.#drawings).catch(() => undefined)
      if (!picture) return
      show(picture, this.#shown)
      this.#shown += 1
    })
  }

  /** An order is read to its end whoever left, and so is what it gave. */
  get #drawings(): Drawings {
    const { app, options } = this.#parts
    const requester = { accountId: options.caller.accountId, signal: new AbortController().signal }
    return { svgs: app.svgs, requester }
  }

  finish({ statusCode, failure, reply }: Parameters<PaidImage['finish']>[0]): Promise<Finished> {
    const { order, result } = this.#parts
    const tokens = this.#tokens
    const end = order.endOf({
      statusCode,
      failure,
      ...(reply !== undefined && { reply }),
      microcredits: this.#charge,
      tokens: { ...tokens, cachedInput: 0, reasoning: 0 },
      quantities: totalQuantities([{ pictures: this.#delivered }]),
      claims: claimsOf(order.attempts, this.#usage, tokens),
      detail: { head: this.#detail() },
      figures: { pictures: this.#delivered },
      attributes: { 'gen_ai.usage.input_tokens': tokens.input, 'gen_ai.usage.output_tokens': tokens.output },
    })
    return result.settle(order.request, end, this.#charge + this.#lost)
  }

  #detail(): Record<string, unknown> {
    const { action, format, frame, fit } = this.plan
    const { order } = this.#candidate
    const { spec, stream } = this.#parts.options
    return {
      stream,
      pictures: {
        asked: spec.count,
        delivered: this.#delivered,
        action,
        references: order.references.length,
        quality: order.quality ?? null,
        size: `${order.size.width}x${order.size.height}`,
        frame: frame ? `${frame.width}x${frame.height}` : null,
        fit: frame ? fit : 'native',
        format,
        ...(this.#shown > 0 && { partials: this.#shown }),
      },
      usage_source: this.#usage ? 'upstream' : 'none',
      tokens: this.#usage ? this.#tokens : null,
    }
  }
}

/** As vendors bound seeds: positive integers of 32 bits with a sign. */
const seeds = 2 ** 31

/** Of an order that so many pictures go before: by the seed of the first one its pictures would be the same. */
const seedAfter = (seed: number | undefined, pictures: number): { seed?: number } =>
  seed === undefined ? {} : { seed: (seed + pictures) % seeds }

/** How many pictures each order is asked for: as few orders as the models allow. */
function countsOf(count: number, candidates: readonly Candidate[]): number[] {
  const most = Math.min(...candidates.map(({ model }) => model.image.maxCount))
  const orders = Math.ceil(count / most)
  return Array.from({ length: orders }, (_, index) => Math.min(most, count - index * most))
}
