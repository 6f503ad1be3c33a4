/** Paid pictures: room and price are held, each picture is ordered at most once, and the stored pictures are charged. */
import type { App } from '#app'
import { failureOf } from '#core/inference'
import { withoutMetadata } from '#core/media'
import {
  type ClaimedImageTokens,
  type ImageModel,
  type ImageTokens,
  imageModels,
  paidImageTokens,
  plausibleImageTokens,
} from '#core/models'
import {
  claimsOfFigures,
  type FilledPart,
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
import type { ImageOrder } from '#core/turn'
import { type Failure, fail } from '#platform/errors'
import { finishPicture } from './finish.ts'
import type { SvgContext } from './finish-svg.ts'
import type { ImageSpec, Picture } from './images.ts'
import { reasons } from './phrases.ts'
import { type ImagePlan, planFor } from './plan.ts'

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

/** A model, its order, and the plan by which its pictures are finished. */
interface ImageCandidate {
  model: ImageModel
  order: ImageOrder
  plan: ImagePlan
}

/**
 * Refuses what the model cannot draw (see `planFor`), removes camera metadata from the references, then reserves room and holds the price. Throws as
 * `Ledger.hold` does.
 */
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
async function removeCameraMetadata({ references, where }: ImageSpec): Promise<void> {
  for (const picture of references) {
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
  app: App
  options: PaidImageOptions
  candidates: ImageCandidate[]
  /** The number of pictures of each order. */
  counts: number[]
  result: StoredResult
  order: PaidOrder<ImageCandidate, ImageResult>
}

/** The pictures of one order that are whole. */
interface DrawnPictures {
  pictures: Picture[]
  usage: ImageResult['usage']
}

class PaidImageOrder implements PaidImage {
  readonly #parts: PaidImageParts
  #groups: FilledPart<ImageCandidate, DrawnPictures>[] = []
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
  /** The tokens that the upstreams claim. */
  get #usage(): ClaimedImageTokens | undefined {
    const counted = this.#groups.flatMap((group) => (group.fault ? [] : (group.done.usage ?? [])))
    return counted.length > 0 ? counted.reduce(sumTokens) : undefined
  }
  get #believed(): ImageTokens | undefined {
    const counted = this.#groups.flatMap((group) => (group.fault ? [] : (this.#believedOf(group) ?? [])))
    return counted.length > 0 ? counted.reduce(sumTokens) : undefined
  }
  /** The claimed tokens as far as they are believed, or an estimate where the price is by tokens and none were counted. */
  get #tokens(): ImageTokens {
    const all = this.#groups.flatMap((group) => (group.fault ? [] : (this.#tokensOf(group) ?? [])))
    return all.length > 0 ? all.reduce(sumTokens) : { input: 0, output: 0 }
  }
  /** The price of the stored pictures. */
  get #charge(): bigint {
    return this.#sum((group) => this.#storedOf(group))
  }
  /** What upstreams may bill: every picture of every order that may have been executed, whatever its outcome. */
  get #billed(): bigint {
    return this.#sum(({ fault, candidate }) => (fault && !fault.executed ? 0 : candidate.order.count))
  }

  #sum(countOf: (group: FilledPart<ImageCandidate, DrawnPictures>) => number): bigint {
    const { defaults } = this.#parts.app.config
    return this.#groups.reduce((total, group) => {
      const count = countOf(group)
      return count > 0
        ? total + imageModels.price(group.candidate.model, defaults, this.#usedBy(group, count))
        : total
    }, 0n)
  }

  #storedOf(group: FilledPart<ImageCandidate, DrawnPictures>): number {
    return group.fault ? 0 : group.done.pictures.filter((one) => this.#stored.includes(one)).length
  }

  #usedBy(
    group: FilledPart<ImageCandidate, DrawnPictures>,
    count: number,
  ): Parameters<typeof imageModels.price>[2] {
    const { order } = group.candidate
    return {
      ...{ ...order, count, partials: this.#shown, ordered: order.count },
      tokens: group.fault ? undefined : this.#believedOf(group),
    }
  }

  /** The tokens that the upstream claims for an order, as far as they are possible. */
  #believedOf({ candidate: { model, order }, done: { usage } }: FilledOrder): ImageTokens | undefined {
    return usage && plausibleImageTokens(model, { ...order, partials: this.#shown }, usage)
  }

  #tokensOf(group: FilledOrder): ImageTokens | undefined {
    const { model, order } = group.candidate
    return this.#believedOf(group) ?? paidImageTokens(model, { ...order, count: group.done.pictures.length })
  }

  /** The tokens of the charged pictures, where the price is by tokens. */
  get #paidTokens(): Record<string, number>[] {
    return this.#groups.flatMap((group) => {
      const count = this.#storedOf(group)
      if (count === 0) return []
      const paid = paidImageTokens(group.candidate.model, this.#usedBy(group, count))
      if (!paid) return []
      const { input, mediaInput, output } = paid
      return {
        text_input_tokens: input - mediaInput,
        image_input_tokens: mediaInput,
        image_output_tokens: output,
      }
    })
  }

  async pictures(show?: ShowPartial): Promise<PaidPictures> {
    const { order, result, counts } = this.#parts
    this.#groups = await Promise.all(counts.map((count, index) => this.#draw(count, index, show)))
    await this.#showing
    const drawn = this.#groups.flatMap((group) => (group.fault ? [] : group.done.pictures))
    if (drawn.length === 0) throw failureOf(order.fault!)
    const pictures = await result.stageEach(drawn)
    this.#stored = pictures
    const cost = this.#charge
    const { held } = order.request
    const microcredits = cost < held ? cost : held
    return { pictures, files: result.fileIds, tokens: this.#tokens, microcredits }
  }

  #draw(
    count: number,
    index: number,
    show?: ShowPartial,
  ): Promise<FilledPart<ImageCandidate, DrawnPictures>> {
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
    const tokens = this.#tokens
    const { input, output } = tokens
    const end = order.endOf({
      statusCode,
      failure,
      ...(reply !== undefined && { reply }),
      microcredits: this.#charge,
      withinHold: true,
      tokens: { input, output, cachedInput: 0, reasoning: 0 },
      quantities: totalQuantities([{ pictures: this.#stored.length }, ...this.#paidTokens]),
      claims: claimsOfFigures(order.attempts, this.#usage, this.#believed ?? tokens),
      detail: { head: this.#detail() },
      figures: { pictures: this.#stored.length },
      attributes: { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output },
    })
    return result.settle(order.request, end, this.#billed)
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
    const { input, mediaInput, output } = this.#tokens
    const isEstimate = !this.#usage && input + output > 0
    if (!this.#usage && !isEstimate) return { usage_source: 'none', tokens: null }
    const tokens = { input, ...(mediaInput !== undefined && { media_input: mediaInput }), output }
    return { usage_source: isEstimate ? 'estimated' : 'upstream', tokens }
  }
}

type FilledOrder = Extract<FilledPart<ImageCandidate, DrawnPictures>, { done: DrawnPictures }>

const figures = ['input', 'mediaInput', 'output'] as const

/** The sum over several orders; a figure that one of them lacks is absent from the sum. */
const sumTokens = <Tokens extends ClaimedImageTokens>(a: Tokens, b: Tokens): Tokens =>
  Object.fromEntries(
    figures.flatMap((figure) => {
      const [one, other] = [a[figure], b[figure]]
      return one === undefined || other === undefined ? [] : [[figure, one + other]]
    }),
  ) as Tokens

/** The number of possible seeds. Vendors allow positive signed integers of 32 bits. */
const seeds = 2 ** 31

/** The seed of an order that this many pictures precede: with the seed of the first order it would draw the same pictures. */
const seedAfter = (seed: number | undefined, pictures: number): { seed?: number } =>
  seed === undefined ? {} : { seed: (seed + pictures) % seeds }

/** How many pictures each order requests: as few orders as the models and the wires of their providers allow. */
function countsOf({ inference }: App, count: number, candidates: readonly ImageCandidate[]): number[] {
  const maxPerOrder = Math.min(...candidates.map(({ model }) => inference.maxPictures(model)))
  const orders = Math.ceil(count / maxPerOrder)
  return Array.from({ length: orders }, (_, index) => Math.min(maxPerOrder, count - index * maxPerOrder))
}
