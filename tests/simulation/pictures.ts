/**
 * Orders of pictures in a simulated world: the real order, hold, room, file rows and settlement (`#core/paid`). Only what an upstream draws
 * is taken as it is, in place of `#media/images`, whose codecs work outside of virtual time.
 */
import type { App } from '#app'
import { answerStored, type StoredCall } from '#core/calls'
import { failureOf } from '#core/inference'
import { type Cost, type ImageModel, imageModels } from '#core/models'
import {
  type FilledPart,
  type PaidCall,
  type PaidOrder,
  StoredResult,
  startPaidOrder,
  totalQuantities,
} from '#core/paid'
import type { ImageResult } from '#core/spec'
import type { ImageOrder } from '#core/turn'
import type { Failure } from '#platform/errors'
import { JsonText, type RequestContext } from '#platform/http'

interface Candidate {
  model: ImageModel
  order: ImageOrder
}

const size = { width: 64, height: 64 }
const order: ImageOrder = { prompt: 'سیب', references: [], count: 1, size }
const reservedBytes = 1_000

export const pictureModelOf = ({ models }: Pick<App, 'models'>): ImageModel => {
  const model = models.find('test/painter')
  if (model?.kind !== 'image') throw new Error('no painter in this world')
  return model
}

/** In micro-credits. */
export const pictureCost = (app: Pick<App, 'models' | 'config'>, count: number): bigint =>
  costOfPictures(app, count).microcredits

const costOfPictures = (app: Pick<App, 'models' | 'config'>, count: number): Cost =>
  imageModels.cost(pictureModelOf(app), app.config.defaults, { ...order, count })

export interface PicturesBody {
  model: string
  prompt: string
  n: number
  /** One after the other, and one file of all of them or none, as the lines of a dialogue are spoken. */
  inSequence: boolean
}

/** Answers as the routes of Studio do; the body names the files. */
export async function drawPictures(
  context: RequestContext<App>,
  call: PaidCall,
  { n: count, inSequence }: PicturesBody,
): Promise<string> {
  const { app } = context
  const model = pictureModelOf(app)
  const wanted = { creations: inSequence ? 1 : count, bytes: count * reservedBytes, source: 'image' }
  const { result, held } = await StoredResult.reserve(app, call, wanted, () =>
    startPaidOrder<Candidate, ImageResult>(
      app,
      { ...call, model, isFetchable: true, isStored: true },
      imageModels,
      pictureCost(app, count),
    ),
  )
  const pictures = new Pictures(app, held, result, { model, order })
  const answer = await answerStored(context, pictures, async () => {
    await (inSequence ? pictures.drawInSequence(count) : pictures.draw(count))
    return { body: { files: result.fileIds }, files: result.fileIds }
  })
  if (!(answer instanceof JsonText)) throw new Error('an answer that is no JSON')
  return answer.text
}

class Pictures implements StoredCall {
  readonly #app: App
  readonly #order: PaidOrder<Candidate, ImageResult>
  readonly #result: StoredResult
  readonly #candidate: Candidate
  #parts: FilledPart<Candidate, Uint8Array[]>[] = []
  /** Pictures in the stored files. */
  #stored = 0

  constructor(app: App, held: PaidOrder<Candidate, ImageResult>, result: StoredResult, candidate: Candidate) {
    this.#app = app
    this.#order = held
    this.#result = result
    this.#candidate = candidate
  }

  async draw(count: number): Promise<void> {
    this.#parts = await Promise.all(Array.from({ length: count }, () => this.#fill()))
    const drawn = this.#parts.flatMap((part) => (part.fault ? [] : part.done))
    if (drawn.length === 0) throw failureOf(this.#order.fault!)
    const stored = await this.#result.stageEach(drawn.map((bytes) => ({ bytes, mediaType: 'image/png' })))
    this.#stored = stored.length
  }

  async drawInSequence(count: number): Promise<void> {
    const drawn: Uint8Array[] = []
    while (drawn.length < count) {
      const part = await this.#fill()
      this.#parts.push(part)
      if (part.fault) throw failureOf(part.fault)
      drawn.push(...part.done)
    }
    await this.#result.stage({ bytes: Buffer.concat(drawn), mediaType: 'image/png' })
    this.#stored = drawn.length
  }

  #fill(): Promise<FilledPart<Candidate, Uint8Array[]>> {
    return this.#order.fill([this.#candidate], ({ images }) => images)
  }

  finish({ statusCode, failure, reply }: { statusCode: number; failure?: Failure; reply?: string }) {
    const stored = this.#stored
    const billed = this.#parts.filter(({ fault }) => !fault || fault.executed).length
    const end = this.#order.endOf({
      statusCode,
      failure,
      ...(reply !== undefined && { reply }),
      cost: costOfPictures(this.#app, stored),
      tokens: { input: 0, output: 0, cachedInput: 0, reasoning: 0 },
      quantities: totalQuantities([{ pictures: stored }]),
      claims: [],
      detail: { head: {} },
      figures: {},
      attributes: {},
    })
    return this.#result.settle(this.#order.request, end, pictureCost(this.#app, billed))
  }
}
