/** Paid pictures: room and price are held, each picture is ordered at most once, and the stored pictures are charged. */
import { failureOf } from '#core/inference'
import { withoutMetadata } from '#core/media'
import { type ImageModel, type ImageTokens, imageModels } from '#core/models'
import {
  claimsOfFigures,
  maxAmount,
  orderCandidates,
  type PaidCall,
  type PaidOrder,
  type PaidRequestResult,
  StoredResult,
  startPaidOrder,
  totalQuantities,
} from '#core/paid'
import type { ImageResult } from '#core/spec'
import { type Failure, fail } from '#platform/errors'
import type { ImagesApp } from './app.ts'
import { finishPicture } from './finish.ts'
import type { SvgContext } from './finish-svg.ts'
import type { ImageSpec, Picture } from './images.ts'
import { reasons } from './phrases.ts'
import { type ImageCandidate, type ImagePlan, planFor } from './plan.ts'
import {
  believedTokens,
  billedOf,
  chargedTokens,
  chargeOf,
  claimedTokens,
  type DrawnOrder,
  type DrawnOrders,
  usedTokens,
} from './used.ts'

export interface PaidImageOptions extends PaidCall {
  model: ImageModel
  spec: ImageSpec
  /** The answer is streamed in events, so that a repeat cannot be answered from the stored answer. */
  stream: boolean
  /** The days for which the pictures are kept. Absent: the setting of the key, project or configuration; 0: for a repeat only. */
  keepDays?: number
}

export interface PaidPictures {
  /** At least one, and fewer than requested where an order failed, or one of its pictures was broken or could not be stored. */
  pictures: Picture[]
  /** Ids of the stored files, one for each picture. */
  files: string[]
  /** The tokens that the upstream counts, or those expected where the price is by tokens. */
  tokens: ImageTokens
  /** The charge for the pictures. */
  microcredits: bigint
}

/** Receives unfinished pictures, the first with index 0, in the size and format of the finished one. */
export type ShowPartial = (picture: Picture, index: number) => void

export interface PaidImage {
  /** The model that draws; another one can take its place until the pictures are drawn. */
  readonly model: ImageModel
  /** The plan by which that model is requested. */
  readonly plan: ImagePlan
  /**
   * Call once. The pictures are drawn and stored, also when the caller disconnects meanwhile; unfinished ones are given to `show` before.
   * Throws a `Failure` when no upstream drew, or nothing could be stored. Await the result, then call `finish`.
   */
  pictures(show?: ShowPartial): Promise<PaidPictures>
  /**
   * Settles: the stored pictures are charged at the price of the model that drew them, even if the caller has left; anything else is free. `reply` is
   * the finished JSON for replay. Resolves when files and charge are durable. Throws RESULT_NOT_STORED, after it was settled as free.
   */
  finish(end: { statusCode: number; failure?: Failure; reply?: string }): Promise<PaidRequestResult>
}

/** The most bytes of one picture. A raster of its pixels is seldom larger than its bytes would be without any compression. */
const maxBytes = 24 * 1024 * 1024
const bytesPerPixel = 4

/**
 * Refuses what the model cannot draw (see `planFor`), removes camera metadata from the references, then reserves room and holds the price. Throws as
 * `Ledger.hold` does.
 */
export async function startPaidImage(app: ImagesApp, options: PaidImageOptions): Promise<PaidImage> {
  const { model, spec, keepDays } = options
  const asked = candidateOf(model, spec)
  const candidates = orderCandidates(app, options, asked, (other) => {
    try {
      return other.kind === 'image' ? candidateOf(other, spec) : undefined
    } catch {
      return undefined
    }
  })
  await removeCameraMetadata(spec)
  const { defaults } = app.config
  const counts = countsOf(app, spec.count, candidates)
  const worstCase = maxAmount(
    candidates.map(({ model: one, order }) =>
      counts.reduce((sum, count) => sum + imageModels.worstCase(one, defaults, { ...order, count }), 0n),
    ),
  )
  const call = { ...options, isFetchable: true, isStored: true }
  const reservation = {
    creations: spec.count,
    bytes: spec.count * Math.max(...candidates.map(({ plan }) => bytesOf(plan))),
    source: 'image',
    ...(keepDays !== undefined && { keepDays }),
  }
  const { result, held } = await StoredResult.reserve(app, options, reservation, () =>
    startPaidOrder<ImageCandidate, ImageResult>(app, call, imageModels, worstCase),
  )
  return new PaidImageOrder({ app, options, candidates, counts, result, order: held })
}

/**
 * Removes place, time and device from the references. They may be large, so they are rewritten one after the other, each in place of its old bytes.
 */
async function removeCameraMetadata({ references, mask, where }: ImageSpec): Promise<void> {
  for (const picture of mask ? [...references, mask] : references) {
    if (!picture.data) continue
    const param = picture.param ?? where('references')
    picture.data =
      (await withoutMetadata(picture.data)) ??
      fail('INVALID_REQUEST', { why: reasons.tooManyPieces }, { param })
  }
}

function candidateOf(model: ImageModel, spec: ImageSpec): ImageCandidate {
  const plan = planFor(model, spec)
  return { model, order: plan.order, plan }
}

const bytesOf = ({ order, frame = order.size }: ImagePlan): number =>
  Math.min(maxBytes, frame.width * frame.height * bytesPerPixel)

interface PaidImageParts {
  app: Pick<ImagesApp, 'config' | 'svgs'>
  options: PaidImageOptions
  candidates: ImageCandidate[]
  /** The number of pictures of each order. */
  counts: number[]
  result: StoredResult
  order: PaidOrder<ImageCandidate, ImageResult>
}

class PaidImageOrder implements PaidImage {
  readonly #parts: PaidImageParts
  #groups: DrawnOrder[] = []
  #stored: readonly Picture[] = []
  /** The number of unfinished pictures that were shown. */
  #shown = 0
  #showing = Promise.resolve()

  constructor(parts: PaidImageParts) {
    this.#parts = parts
  }

  get model(): ImageModel {
    return this.#candidate.model
  }
  get plan(): ImagePlan {
    return this.#candidate.plan
  }
  /** The candidate of the first order that was filled, else of the last one that failed. */
  get #candidate(): ImageCandidate {
    const { candidates } = this.#parts
    return (this.#groups.find(({ fault }) => !fault) ?? this.#groups.at(-1))?.candidate ?? candidates[0]!
  }
  get #drawn(): DrawnOrders {
    const { defaults } = this.#parts.app.config
    return { groups: this.#groups, stored: this.#stored, partials: this.#shown, defaults }
  }

  async pictures(show?: ShowPartial): Promise<PaidPictures> {
    const { order, result, counts } = this.#parts
    this.#groups = await Promise.all(counts.map((count, index) => this.#draw(count, index, show)))
    await this.#showing
    const drawn = this.#groups.flatMap((group) => (group.fault ? [] : group.done.pictures))
    if (drawn.length === 0) throw failureOf(order.fault!)
    const pictures = await result.stageEach(drawn)
    this.#stored = pictures
    const cost = chargeOf(this.#drawn).microcredits
    const { held } = order.request
    const microcredits = cost < held ? cost : held
    return { pictures, files: result.fileIds, tokens: usedTokens(this.#drawn), microcredits }
  }

  #draw(count: number, index: number, show?: ShowPartial): Promise<DrawnOrder> {
    const { counts, options } = this.#parts
    const seed = seedAfter(options.spec.seed, index * counts[0]!)
    const candidates = this.#parts.candidates.map((one) => {
      const onPartial = (bytes: Uint8Array) => this.#partial(bytes, one, show)
      return { ...one, order: { ...one.order, ...seed, count, onPartial } }
    })
    return this.#parts.order.fill(candidates, async ({ images, revisedPrompts, usage }, { plan }) => {
      // Some upstreams draw more than they were asked for.
      const wanted = images.slice(0, count)
      return { pictures: await this.#finished(wanted, plan, revisedPrompts), usage }
    })
  }

  /** The images that could be finished. Where there is none, throws the error of the first. */
  async #finished(
    images: readonly Uint8Array[],
    plan: ImagePlan,
    revisedPrompts: ImageResult['revisedPrompts'],
  ): Promise<Picture[]> {
    const outcomes = await Promise.allSettled(
      images.map(async (bytes): Promise<Picture> => {
        const revisedPrompt = revisedPrompts?.get(bytes)
        const picture = await finishPicture(bytes, plan, this.#drawings)
        return { ...picture, ...(revisedPrompt !== undefined && { revisedPrompt }) }
      }),
    )
    const pictures = outcomes.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const failed = outcomes.find((one) => one.status === 'rejected')
    if (failed && pictures.length === 0) throw failed.reason
    return pictures
  }

  /** Shows unfinished pictures one after the other, and never more than were requested; one that is no picture is skipped. */
  #partial(bytes: Uint8Array, { plan, order }: ImageCandidate, show: ShowPartial | undefined): void {
    this.#showing = this.#showing.then(async () => {
      if (!show || this.#shown >= (order.partials ?? 0)) return
      const picture = await finishPicture(bytes, plan, this.#drawings).catch(() => undefined)
      if (!picture) return
      show(picture, this.#shown)
      this.#shown += 1
    })
  }

  /** An order is read to its end even if the caller has left, and so its drawings are finished without the caller's signal. */
  get #drawings(): SvgContext {
    const { app, options } = this.#parts
    const requester = { accountId: options.caller.accountId, signal: new AbortController().signal }
    return { svgs: app.svgs, requester }
  }

  finish({ statusCode, failure, reply }: Parameters<PaidImage['finish']>[0]): Promise<PaidRequestResult> {
    const { order, result } = this.#parts
    const drawn = this.#drawn
    const tokens = usedTokens(drawn)
    const { input, output } = tokens
    const end = order.endOf({
      statusCode,
      failure,
      ...(reply !== undefined && { reply }),
      cost: chargeOf(drawn),
      withinHold: true,
      tokens: { input, output, cachedInput: 0, reasoning: 0 },
      quantities: totalQuantities([{ pictures: this.#stored.length }, ...chargedTokens(drawn)]),
      claims: claimsOfFigures(order.attempts, claimedTokens(drawn), believedTokens(drawn) ?? tokens),
      detail: { head: this.#detail() },
      figures: { pictures: this.#stored.length },
      attributes: { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output },
    })
    return result.settle(order.request, end, billedOf(drawn))
  }

  #detail(): Record<string, unknown> {
    const { action, format, frame, fit } = this.plan
    const { order } = this.#candidate
    const { spec, stream } = this.#parts.options
    const missing = spec.count - this.#stored.length
    return {
      stream,
      ...(this.#stored.length > 0 && missing > 0 && { missing }),
      pictures: {
        asked: spec.count,
        delivered: this.#stored.length,
        action,
        references: order.references.length,
        ...(order.mask && { mask: true }),
        quality: order.quality ?? null,
        size: `${order.size.width}x${order.size.height}`,
        frame: frame ? `${frame.width}x${frame.height}` : null,
        fit: frame ? fit : 'native',
        format,
        ...(this.#shown > 0 && { partials: this.#shown }),
      },
      ...this.#source(),
    }
  }

  #source(): Record<string, unknown> {
    const { input, mediaInput, output } = usedTokens(this.#drawn)
    const isClaimed = claimedTokens(this.#drawn) !== undefined
    const isEstimate = !isClaimed && input + output > 0
    if (!isClaimed && !isEstimate) return { usage_source: 'none', tokens: null }
    const tokens = { input, ...(mediaInput !== undefined && { media_input: mediaInput }), output }
    return { usage_source: isEstimate ? 'estimated' : 'upstream', tokens }
  }
}

/** The number of possible seeds. Vendors allow positive signed integers of 32 bits. */
const seeds = 2 ** 31

/** The seed of an order that this many pictures precede: with the seed of the first order it would draw the same pictures. */
const seedAfter = (seed: number | undefined, pictures: number): { seed?: number } =>
  seed === undefined ? {} : { seed: (seed + pictures) % seeds }

/** How many pictures each order requests: as few orders as the models and the wires of their providers allow. */
function countsOf(
  { inference }: Pick<ImagesApp, 'inference'>,
  count: number,
  candidates: readonly ImageCandidate[],
): number[] {
  const maxPerOrder = Math.min(...candidates.map(({ model }) => inference.maxPictures(model)))
  const orders = Math.ceil(count / maxPerOrder)
  return Array.from({ length: orders }, (_, index) => Math.min(maxPerOrder, count - index * maxPerOrder))
}
