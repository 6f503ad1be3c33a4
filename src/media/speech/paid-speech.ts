/** Paid speech: room and worst case are held, each order is sent at most once, and the whole sound is stored and charged, or nothing is charged. */
import type { App } from '#app'
import { failureOf } from '#core/inference'
import { type AudioModel, audioModels } from '#core/models'
import {
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
import {
  decodeSound,
  encodeSound,
  joinSpeech,
  mediaTypeOf,
  type Sound,
  SoundError,
  secondsOf,
} from '#core/sound'
import { type SpeechResult as Reported, UpstreamError } from '#core/spec'
import type { AudioOrder, SoundSink } from '#core/turn'
import { Failure } from '#platform/errors'
import { SoundChannel } from './channel.ts'
import { type PlannedOrder, planSpeech, reservedBytes, type SpeechPlan } from './plan.ts'
import { Recording, withWavLength } from './recording.ts'
import type { SpeechSpec } from './speech.ts'
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

/** A model, its plan, and the order of that plan which is sent next. */
interface PlannedSpeech {
  model: AudioModel
  plan: SpeechPlan
  order: PlannedOrder
}
interface SpeechCandidate extends PlannedSpeech {
  order: AudioOrder
}

/** Refuses what the model cannot speak (see `planSpeech`), then reserves room and holds the worst case. Throws as `Ledger.hold` does. */
export async function startPaidSpeech(app: App, options: PaidSpeechOptions): Promise<PaidSpeech> {
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
  app: App,
  options: PaidSpeechOptions,
  hold: (worstCase: bigint) => Promise<Held>,
): Promise<{ result: StoredResult; held: Held }> {
  const { worstCase, wanted } = prepareSpeech(app, options)
  return StoredResult.reserve(app, options, wanted, () => hold(worstCase))
}

function prepareSpeech(app: App, options: PaidSpeechOptions) {
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
  app: App
  options: PaidSpeechOptions
  candidates: PlannedSpeech[]
  result: StoredResult
  order: PaidOrder<SpeechCandidate, Reported>
}

/** An order that was sent: the channel of its sound, and the promise that resolves at its end. */
interface SentOrder {
  channel: SoundChannel
  ended: Promise<void>
}

/** The loudness to which the different voices of a dialogue are brought; that of speech on the radio. */
const dialogueLufs = -18
/** The note in a file that is made here of an upstream's speech; an upstream's own file is passed on as it came, with its own marks. */
const madeByModel = 'AI-generated speech.'
/** The rate of raw samples, of one channel, as OpenAI's clients expect them. */
const pcmRate = 24_000

class PaidSpeechOrder implements PaidSpeech {
  readonly #parts: PaidSpeechParts
  readonly #recording: Recording
  /** The result of every order that was sent. */
  readonly #filled: FilledPart<SpeechCandidate, Reported>[] = []
  readonly #sent: SentOrder[] = []
  /** The candidate that answers; before that, the one tried last. */
  #candidate: PlannedSpeech
  /** The seconds of sound of all orders. */
  #seconds = 0
  /** The maker of the sound, if it is not a model. */
  #origin: string | undefined
  /** The seconds of the answer, where it was encoded here. */
  #heardSeconds = 0
  #spoken: StoredSpeech | undefined
  /** The amount to settle, once it is known. */
  #bill: bigint | undefined

  constructor(parts: PaidSpeechParts) {
    this.#parts = parts
    this.#candidate = parts.candidates[0]!
    this.#recording = new Recording(maxKeptBytes)
  }

  get model(): AudioModel {
    return this.#candidate.model
  }
  get mediaType(): string {
    const { format } = this.#parts.options.spec
    const type = mediaTypeOf(format)
    // Samples without a header name their rate and channels nowhere else.
    return format === 'pcm' ? `${type}; rate=${pcmRate}; channels=1` : type
  }

  async spoken(): Promise<StoredSpeech> {
    const { result, order, options } = this.#parts
    try {
      await this.#make()
      const made = this.#recording.bytes()
      const bytes = options.spec.format === 'wav' ? withWavLength(made) : made
      await result.stage({ bytes, mediaType: this.mediaType })
      const microcredits = await this.#charge()
      // Making the sound smaller takes a while; if the hold is not renewed, it still lives as long as its call.
      if (bytes.length > options.spec.maxBytes) await order.request.renew().catch(() => undefined)
      const { inputTokens: input, outputTokens: output } = this.#use.used
      const [file] = result.fileIds as [string]
      this.#spoken = {
        bytes,
        seconds: this.#heardSeconds || this.#seconds,
        file,
        tokens: { input, output },
        microcredits,
        transcript: this.#transcript,
      }
      this.#recording.end()
      return this.#spoken
    } catch (error) {
      for (const { channel } of this.#sent) channel.drop()
      await Promise.all(this.#sent.map(({ ended }) => ended))
      if (isTooLong(error)) this.#alarmTooLong()
      const failure = failureFrom(error, order.fault)
      this.#recording.end(failure)
      throw failure
    }
  }

  /** Charges the cost of the sound, as far as its length is believed and as far as there is credit. */
  async #charge(): Promise<bigint> {
    const cost = this.#cost
    const { microcredits, isSure } = await this.#parts.order.request.charge(cost)
    this.#bill = isSure ? cost : microcredits
    return microcredits
  }

  #alarmTooLong(): void {
    const { app, options } = this.#parts
    app.log.error(
      { receipt: options.requestId, model: this.model.id, seconds: Math.round(this.#seconds) },
      'an upstream answered with more sound than is kept of one request',
    )
  }

  async #make(): Promise<void> {
    const { candidates, options } = this.#parts
    const first = this.#send(candidates)
    const { channel, ended } = first
    const format = await channel.begun
    // Only now is it known which model answers, and into how many orders its own bounds cut the text.
    const { isDialogue, orders } = this.#candidate.plan
    if (orders.length > 1) {
      const level = isDialogue && { lufs: dialogueLufs }
      return this.#encode(joinSpeech(this.#pieces(first), { rate: pcmRate, ...level }))
    }
    if (isRequestedFormat(format, options.spec.format)) await this.#passOn(channel, format)
    else await this.#encode(this.#decoded(channel.read(), format))
    await ended
  }

  /** Passes the sound on as it comes, since it is in the requested format; it is decoded meanwhile, as proof that it is whole. */
  async #passOn(channel: SoundChannel, format: AudioOrder['format'] | undefined): Promise<void> {
    const recording = this.#recording
    const passed = (async function* () {
      for await (const chunk of channel.read()) {
        recording.add(chunk)
        yield chunk
      }
    })()
    for await (const _sound of this.#decoded(passed, format));
  }

  /** Counts the seconds of the answer, with the pauses that joining adds. */
  async *#heard(sound: AsyncIterable<Sound>): AsyncGenerator<Sound> {
    for await (const piece of sound) {
      this.#heardSeconds += secondsOf(piece)
      yield piece
    }
  }

  async #encode(sound: AsyncIterable<Sound>): Promise<void> {
    const { format } = this.#parts.options.spec
    const rate = format === 'pcm' || format === 'wav' ? pcmRate : undefined
    const heard = this.#heard(sound)
    const note = () => this.#origin ?? madeByModel
    for await (const chunk of encodeSound(heard, { format, rate, note })) this.#recording.add(chunk)
  }

  chunks(): AsyncGenerator<Uint8Array> {
    return this.#recording.chunks()
  }

  /** The sound of each order, which is sent when the order before it was heard to its end. */
  async *#pieces(first: SentOrder): AsyncGenerator<AsyncIterable<Sound>> {
    yield this.#sound(first)
    // Every further order goes to the model that spoke first: another model has another voice.
    const { model, plan } = this.#candidate
    for (const order of plan.orders.slice(1)) yield this.#sound(this.#send([{ model, plan, order }]))
  }

  async *#sound({ channel, ended }: SentOrder): AsyncGenerator<Sound> {
    yield* this.#decoded(channel.read(), await channel.begun)
    await ended
  }

  /** Sends an order. All models that may answer share one channel, and the one that answers writes to it. */
  #send(planned: readonly PlannedSpeech[]): SentOrder {
    const channel = new SoundChannel()
    const asked = planned.map((one) => ({
      ...one,
      order: { ...one.order, sink: this.#sinkOf(one, channel) },
    }))
    const ended = this.#parts.order
      .fill(asked, (reported) => reported)
      .then((part) => {
        this.#filled.push(part)
        this.#candidate = part.candidate
        channel.end(part.fault)
      })
    const sent = { channel, ended }
    this.#sent.push(sent)
    return sent
  }

  #sinkOf(one: PlannedSpeech, channel: SoundChannel): SoundSink {
    return {
      begin: (format) => {
        this.#candidate = one
        channel.begin(format)
      },
      write: (bytes) => channel.write(bytes),
    }
  }

  async *#decoded(
    bytes: AsyncIterable<Uint8Array>,
    format: AudioOrder['format'] | undefined,
  ): AsyncGenerator<Sound> {
    const { encoding, rate = pcmRate, channels = 1, origin } = format ?? {}
    this.#origin ??= origin
    const pcm = encoding === 'pcm' ? { rate, channels } : undefined
    const maxSeconds = Math.max(leastMaxSeconds, this.#candidate.plan.possibleSeconds)
    for await (const sound of decodeSound(bytes, { maxSeconds, ...(pcm && { pcm }) })) {
      this.#seconds += secondsOf(sound)
      yield sound
    }
  }

  /** The reports of the orders that were filled. */
  get #reports(): Reported[] {
    return this.#filled.flatMap((part) => (part.fault ? [] : part.done))
  }
  get #transcript(): string | undefined {
    const texts = this.#reports.flatMap(({ transcript }) => transcript ?? [])
    return texts.length > 0 ? texts.join(' ') : undefined
  }
  /** The orders that an upstream may bill. */
  get #billed(): PlannedOrder[] {
    return this.#filled.flatMap(({ fault, candidate }) => (fault && !fault.executed ? [] : candidate.order))
  }
  get #use(): SpeechUsage {
    const { model, plan } = this.#candidate
    const usages = this.#reports.map(({ usage }) => usage)
    return speechUsageOf({ model, plan, billed: this.#billed, usages, seconds: this.#seconds })
  }
  get #cost(): bigint {
    return audioModels.price(this.model, this.#parts.app.config.defaults, this.#use.used)
  }

  finish({ statusCode, failure, reply }: Parameters<PaidSpeech['finish']>[0]): Promise<PaidRequestResult> {
    const { order, result } = this.#parts
    const use = this.#use
    const { characters, seconds, inputTokens: input, outputTokens: output } = use.used
    const microcredits = this.#bill ?? this.#cost
    const isKept = this.#spoken !== undefined && failure?.code === 'SOUND_KEPT_AS_FILE'
    const end = order.endOf({
      statusCode,
      failure: isKept ? undefined : failure,
      ...(reply !== undefined && { reply }),
      microcredits,
      withinHold: true,
      tokens: { input, output, cachedInput: 0, reasoning: 0 },
      quantities: totalQuantities(this.#spoken ? [{ characters, seconds: Math.ceil(seconds) }] : []),
      claims: use.claimsOf(order.attempts),
      detail: { head: this.#detail(use) },
      figures: { seconds: Math.ceil(seconds) },
      attributes: { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output },
    })
    return result.settle(order.request, end, microcredits)
  }

  #detail({ used, isCounted }: SpeechUsage): Record<string, unknown> {
    const { spec } = this.#parts.options
    const { plan } = this.#candidate
    return {
      sound: {
        format: spec.format,
        lines: spec.lines.length,
        orders: plan.orders.length,
        filled: this.#reports.length,
        characters: used.characters,
        seconds: Number(this.#seconds.toFixed(3)),
      },
      usage_source: isCounted ? 'upstream' : 'estimated',
    }
  }
}

/** Whether bytes of an upstream are the wanted file already. A WAV never is, since the length in its head is written here. */
const isRequestedFormat = (format: AudioOrder['format'] | undefined, wanted: SpeechSpec['format']): boolean =>
  format?.encoding === wanted &&
  wanted !== 'wav' &&
  (wanted !== 'pcm' || ((format.rate ?? pcmRate) === pcmRate && (format.channels ?? 1) === 1))

/** The most bytes kept of one request: three times what the longest text makes in the largest format. */
const maxKeptBytes = 128 * 1024 * 1024
/** Bytes of silence may claim hours, so sound is bounded in seconds: at least this many are decoded of one order, however short its text. */
const leastMaxSeconds = 3_600

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
