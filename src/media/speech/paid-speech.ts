/** Paid speech: room and worst case are held, each order is sent at most once, and the whole sound is stored and charged, or nothing is charged. */
import { failureOf } from '#core/inference'
import { type AudioModel, audioModels, type Cost } from '#core/models'
import {
  maxAmount,
  orderCandidates,
  type PaidApp,
  type PaidCall,
  type PaidOrder,
  type PaidRequestResult,
  type StatedCost,
  StoredResult,
  startPaidOrder,
  totalQuantities,
} from '#core/paid'
import { formatMediaType, SoundError } from '#core/sound'
import { type SpeechResult as Reported, UpstreamError } from '#core/spec'
import { Failure } from '#platform/errors'
import { type PlannedOrder, planSpeech, reservedBytes } from './plan.ts'
import { withWavLength } from './recording.ts'
import type { SpeechSpec } from './speech.ts'
import { type PlannedSpeech, pcmRate, type SpeechCandidate, SpokenSound } from './spoken-sound.ts'
import { type SpeechUsage, speechUsageOf } from './used.ts'

export interface PaidSpeechOptions extends PaidCall {
  model: AudioModel
  spec: SpeechSpec
  /** The room, where it is reserved already (`reserveForSpeech`). */
  room?: StoredResult
}

/** The whole sound, which is stored. */
export interface StoredSpeech {
  bytes: Uint8Array
  seconds: number
  /** The id of the stored file. */
  file: string
  tokens: { input: number; output: number }
  /** The charge: the cost, up to the hold and the free balance beside it. */
  microcredits: bigint
  /** The transcript of an answer to a recording, where the upstream gives it. */
  transcript: string | undefined
}

export interface PaidSpeech {
  /** The model that speaks; another one can take its place until it has spoken. */
  readonly model: AudioModel
  /** The media type; that of raw samples has their rate and channels. */
  readonly mediaType: string
  /**
   * Call once: makes and stores the whole sound, also when the caller disconnects meanwhile. Throws a `Failure` when an order was not filled or
   * nothing could be stored. Await the result, then call `finish`.
   */
  spoken(): Promise<StoredSpeech>
  /** The encoded sound as it comes, while `spoken` runs; throws what `spoken` throws. A slow reader holds nothing up. */
  chunks(): AsyncGenerator<Uint8Array>
  /**
   * Settles: stored sound is charged by its usage, also where the answer had no room for it (SOUND_KEPT_AS_FILE); anything else is free. Resolves
   * when file and charge are durable. Throws RESULT_NOT_STORED, after it was settled as free.
   */
  finish(end: { statusCode: number; failure?: Failure; reply?: string }): Promise<PaidRequestResult>
}

/** Refuses what the model cannot speak (see `planSpeech`), then reserves room and holds the worst case. Throws as `Ledger.hold` does. */
export async function startPaidSpeech(app: PaidApp, options: PaidSpeechOptions): Promise<PaidSpeech> {
  const { candidates, worstCase, wanted } = prepareSpeech(app, options)
  const call = { ...options, isFetchable: true, isStored: true }
  const hold = () => startPaidOrder<SpeechCandidate, Reported>(app, call, audioModels, worstCase)
  const { result, held } = options.room
    ? { result: options.room, held: await hold() }
    : await StoredResult.reserve(app, options, wanted, hold)
  return new PaidSpeechOrder({ app, options, candidates, result, order: held })
}

/**
 * For speech that follows other calls of its request: reserves room for the speech and takes one hold for all calls. `hold` receives the most that
 * the speech may cost. Throws as `startPaidSpeech` does.
 */
export async function reserveForSpeech<Held>(
  app: PaidApp,
  options: PaidSpeechOptions,
  hold: (worstCase: bigint) => Promise<Held>,
): Promise<{ result: StoredResult; held: Held }> {
  const { worstCase, wanted } = prepareSpeech(app, options)
  return StoredResult.reserve(app, options, wanted, () => hold(worstCase))
}

function prepareSpeech(app: Pick<PaidApp, 'config' | 'models'>, options: PaidSpeechOptions) {
  const { model, spec } = options
  const asked = candidateOf(model, spec)
  const candidates = orderCandidates(app, options, asked, (other) => {
    try {
      return other.kind === 'audio' ? candidateOf(other, spec) : undefined
    } catch {
      return undefined
    }
  })
  const { defaults } = app.config
  const worstCase = maxAmount(
    candidates.map((one) => audioModels.worstCase(one.model, defaults, one.plan.bound)),
  )
  const bytes = Math.max(...candidates.map(({ plan }) => reservedBytes(plan, spec)))
  return { candidates, worstCase, wanted: { creations: 1, bytes, source: 'audio' } }
}

function candidateOf(model: AudioModel, spec: SpeechSpec): PlannedSpeech {
  const plan = planSpeech(model, spec)
  return { model, plan, order: plan.orders[0]! }
}

interface PaidSpeechParts {
  app: Pick<PaidApp, 'config' | 'log'>
  options: PaidSpeechOptions
  candidates: PlannedSpeech[]
  result: StoredResult
  order: PaidOrder<SpeechCandidate, Reported>
}

class PaidSpeechOrder implements PaidSpeech {
  readonly #parts: PaidSpeechParts
  readonly #sound: SpokenSound
  #spoken: StoredSpeech | undefined
  /** The cost that is charged, and the charge that is stated where it is less, once they are known. */
  #bill: StatedCost | undefined

  constructor(parts: PaidSpeechParts) {
    this.#parts = parts
    const { candidates, order, options } = parts
    this.#sound = new SpokenSound({ candidates, order, format: options.spec.format })
  }

  get model(): AudioModel {
    return this.#sound.candidate.model
  }
  get mediaType(): string {
    const { format } = this.#parts.options.spec
    const type = formatMediaType(format)
    // Samples without a header name their rate and channels nowhere else.
    return format === 'pcm' ? `${type}; rate=${pcmRate}; channels=1` : type
  }

  async spoken(): Promise<StoredSpeech> {
    const { result, order, options } = this.#parts
    try {
      await this.#sound.make()
      const made = this.#sound.bytes()
      const bytes = options.spec.format === 'wav' ? withWavLength(made) : made
      await result.stage({ bytes, mediaType: this.mediaType })
      const microcredits = await this.#charge()
      // Making the sound smaller takes a while; if the hold is not renewed, it still lives as long as its call.
      if (bytes.length > options.spec.maxBytes) await order.request.renew().catch(() => undefined)
      const { inputTokens: input, outputTokens: output } = this.#use.used
      const [file] = result.fileIds as [string]
      this.#spoken = {
        bytes,
        seconds: this.#sound.answerSeconds,
        file,
        tokens: { input, output },
        microcredits,
        transcript: this.#transcript,
      }
      this.#sound.end()
      return this.#spoken
    } catch (error) {
      await this.#sound.abandon()
      if (isTooLong(error)) this.#alarmTooLong()
      const failure = failureFrom(error, order.fault)
      this.#sound.end(failure)
      throw failure
    }
  }

  chunks(): AsyncGenerator<Uint8Array> {
    return this.#sound.chunks()
  }

  /** Charges the cost of the sound, as far as its length is believed and as far as there is credit. */
  async #charge(): Promise<bigint> {
    const cost = this.#cost
    const { microcredits, isSure } = await this.#parts.order.request.charge(cost.microcredits)
    this.#bill = { cost, statedMicrocredits: isSure ? undefined : microcredits }
    return microcredits
  }

  #alarmTooLong(): void {
    const { app, options } = this.#parts
    app.log.error(
      { receipt: options.requestId, model: this.model.id, seconds: Math.round(this.#sound.seconds) },
      'an upstream answered with more sound than is kept of one request',
    )
  }

  /** The reports of the orders that were filled. */
  get #reports(): Reported[] {
    return this.#sound.filled.flatMap((part) => (part.fault ? [] : part.done))
  }
  get #transcript(): string | undefined {
    const texts = this.#reports.flatMap(({ transcript }) => transcript ?? [])
    return texts.length > 0 ? texts.join(' ') : undefined
  }
  /** The orders that an upstream may bill. */
  get #billed(): PlannedOrder[] {
    return this.#sound.filled.flatMap(({ fault, candidate }) =>
      fault && !fault.executed ? [] : candidate.order,
    )
  }
  get #use(): SpeechUsage {
    const { model, plan } = this.#sound.candidate
    const usages = this.#reports.map(({ usage }) => usage)
    return speechUsageOf({ model, plan, billed: this.#billed, usages, seconds: this.#sound.seconds })
  }
  get #cost(): Cost {
    return audioModels.cost(this.model, this.#parts.app.config.defaults, this.#use.used)
  }

  finish({ statusCode, failure, reply }: Parameters<PaidSpeech['finish']>[0]): Promise<PaidRequestResult> {
    const { order, result } = this.#parts
    const use = this.#use
    const { characters, seconds, inputTokens: input, outputTokens: output } = use.used
    const bill: StatedCost = this.#bill ?? { cost: this.#cost }
    const isKept = this.#spoken !== undefined && failure?.code === 'SOUND_KEPT_AS_FILE'
    const end = order.endOf({
      statusCode,
      failure: isKept ? undefined : failure,
      ...(reply !== undefined && { reply }),
      ...bill,
      withinHold: true,
      tokens: { input, output, cachedInput: 0, reasoning: 0 },
      quantities: totalQuantities(this.#spoken ? [{ characters, seconds: Math.ceil(seconds) }] : []),
      claims: use.claimsOf(order.attempts),
      detail: { head: this.#detail(use) },
      figures: { seconds: Math.ceil(seconds) },
      attributes: { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output },
    })
    return result.settle(order.request, end, bill.statedMicrocredits ?? bill.cost.microcredits)
  }

  #detail({ used, isCounted }: SpeechUsage): Record<string, unknown> {
    const { spec } = this.#parts.options
    const { plan } = this.#sound.candidate
    return {
      sound: {
        format: spec.format,
        lines: spec.lines.length,
        orders: plan.orders.length,
        filled: this.#reports.length,
        characters: used.characters,
        seconds: Number(this.#sound.seconds.toFixed(3)),
      },
      usage_source: isCounted ? 'upstream' : 'estimated',
    }
  }
}

const isTooLong = (error: unknown): boolean => error instanceof SoundError && error.fault === 'too_long'

/**
 * The failure to answer with. Sound that cannot be read is an upstream's fault, and the upstream has worked for it; sound that is too long to be kept
 * is not its fault.
 */
function failureFrom(error: unknown, fault: UpstreamError | undefined): unknown {
  if (isTooLong(error)) return new Failure('RESULT_NOT_STORED', {}, { executed: true, cause: error })
  if (fault) return failureOf(fault)
  if (error instanceof UpstreamError) return failureOf(error)
  if (error instanceof SoundError)
    return failureOf(new UpstreamError('malformed', { detail: `sound that is ${error.fault}`, cause: error }))
  return error
}
