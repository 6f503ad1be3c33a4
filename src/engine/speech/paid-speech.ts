/** Paid speech: room and worst case are held, each order is sent at most once, and the whole sound is stored and charged, or nothing is. */
import type { App } from '#app'
import { failureOf } from '#engine/inference'
import { type AudioModel, type AudioUsed, audioModels } from '#engine/models'
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
import {
  decodeSound,
  encodeSound,
  joinSpeech,
  mediaTypeOf,
  type Sound,
  SoundError,
  secondsOf,
} from '#engine/sound'
import type { AudioOrder } from '#engine/turn'
import type { Failure } from '#platform/errors'
import { type Spoken as Reported, UpstreamError } from '#providers/spec'
import { SoundChannel } from './channel.ts'
import { charactersOf, planSpeech, reservedBytes, type SpeechPlan } from './plan.ts'
import { Recording, withLength } from './recording.ts'
import type { SpeechSpec } from './speech.ts'

export interface PaidSpeechOptions extends PaidCall {
  model: AudioModel
  spec: SpeechSpec
}

/** The whole sound, which is stored. */
export interface Spoken {
  bytes: Uint8Array
  seconds: number
  /** Id of the stored file. */
  file: string
  tokens: { input: number; output: number }
  /** What it is charged: never more than was held. */
  microcredits: bigint
  /** Of an answer to a recording, where the upstream says it. */
  transcript: string | undefined
}

export interface PaidSpeech {
  /** The model that speaks; it can change until it has spoken. */
  readonly model: AudioModel
  readonly mediaType: string
  /** Hz of the encoded sound, once there is any. */
  readonly rate: number
  /**
   * Call once: makes and stores all of it, also when the caller disconnects meanwhile. Throws a `Failure` when an order was not filled
   * or nothing could be stored. Await the result, then call `finish`.
   */
  spoken(): Promise<Spoken>
  /** The encoded sound as it comes, while `spoken` runs; throws what that throws. Nobody waits for its reader. */
  chunks(): AsyncGenerator<Uint8Array>
  /**
   * Settles: what was stored by what it used, anything else free. Resolves when file and charge are durable. Throws RESULT_NOT_STORED, after it
   * was settled as free.
   */
  finish(end: { statusCode: number; failure?: Failure; reply?: string }): Promise<Finished>
}

/** A model, its plan, and the order that is sent next. */
interface Candidate {
  model: AudioModel
  plan: SpeechPlan
  order: AudioOrder
}

/** Refuses what the model cannot speak (see `planSpeech`), then reserves room and holds the worst case. Throws as `Ledger.hold` does. */
export async function startPaidSpeech(app: App, options: PaidSpeechOptions): Promise<PaidSpeech> {
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
  const worstCase = highest(
    candidates.map((one) => audioModels.worstCase(one.model, defaults, one.plan.bound)),
  )
  const wanted = { creations: 1, bytes: reservedBytes(asked.plan, spec), source: 'audio' }
  const call = { ...options, isFetchable: true, isStored: true }
  const { result, held } = await StoredResult.reserve(app, options, wanted, () =>
    startPaidOrder<Candidate, Reported>(app, call, audioModels, worstCase),
  )
  return new Paid({ app, options, candidates, result, order: held })
}

function candidateOf(model: AudioModel, spec: SpeechSpec): Candidate {
  const plan = planSpeech(model, spec)
  return { model, plan, order: { ...plan.orders[0]!, sink: new SoundChannel() } }
}

interface Parts {
  app: App
  options: PaidSpeechOptions
  candidates: Candidate[]
  result: StoredResult
  order: PaidOrder<Candidate, Reported>
}

/** Different voices are brought to one loudness; that of speech on the radio. */
const dialogueLufs = -18
/** What a file says that is made here of what an upstream spoke; its own, with its own marks, is passed on as it came. */
const madeByModel = 'AI-generated speech.'
/** For raw samples, as OpenAI's clients expect them. */
const pcmRate = 24_000

class Paid implements PaidSpeech {
  readonly #parts: Parts
  readonly #recording: Recording
  /** Of every order that was sent. */
  readonly #filled: FilledPart<Candidate, Reported>[] = []
  readonly #sent: { channel: SoundChannel; ended: Promise<void> }[] = []
  #candidate: Candidate
  /** Of the sound of each order. */
  #seconds = 0
  /** Who made the sound, if not a model. */
  #origin: string | undefined
  /** Of the answer, where it was encoded here. */
  #heardSeconds = 0
  #spoken: Spoken | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#candidate = parts.candidates[0]!
    this.#recording = new Recording(parts.options.spec.maxBytes)
  }

  get model(): AudioModel {
    return this.#candidate.model
  }
  get mediaType(): string {
    return mediaTypeOf(this.#parts.options.spec.format)
  }
  get rate(): number {
    return pcmRate
  }

  async spoken(): Promise<Spoken> {
    const { result, order, options } = this.#parts
    try {
      await this.#make()
      const made = this.#recording.bytes()
      const bytes = options.spec.format === 'wav' ? withLength(made) : made
      await result.stage({ bytes, mediaType: this.mediaType })
      const { microcredits } = this
      const tokens = this.#tokens
      const [file] = result.fileIds as [string]
      this.#spoken = {
        bytes,
        seconds: this.#heardSeconds || this.#seconds,
        file,
        tokens,
        microcredits,
        transcript: this.#transcript,
      }
      this.#recording.end()
      return this.#spoken
    } catch (error) {
      for (const { channel } of this.#sent) channel.drop()
      await Promise.all(this.#sent.map(({ ended }) => ended))
      const failure = failureFrom(error, order.fault)
      this.#recording.end(failure)
      throw failure
    }
  }

  async #make(): Promise<void> {
    const { candidates, options } = this.#parts
    const { isDialogue, orders } = this.#candidate.plan
    if (orders.length > 1) {
      const joined = joinSpeech(this.#pieces(), { rate: pcmRate, ...(isDialogue && { lufs: dialogueLufs }) })
      return this.#encode(joined)
    }
    const { channel, ended } = this.#send(candidates)
    const format = await channel.begun
    if (isWanted(format, options.spec.format)) await this.#passOn(channel, format)
    else await this.#encode(this.#decoded(channel.read(), format))
    await ended
  }

  /** As it comes, since it is what was asked for; it is decoded beside that, as proof that it is whole. */
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

  /** Counts what is answered: with the pauses that joining adds. */
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

  /** The sound of each order, sent when the one before was heard to its end. */
  async *#pieces(): AsyncGenerator<AsyncIterable<Sound>> {
    yield this.#sound(this.#parts.candidates)
    // Every further order goes to the model that spoke first: another has another voice.
    const { model, plan } = this.#candidate
    for (const order of plan.orders.slice(1))
      yield this.#sound([{ model, plan, order: { ...order, sink: new SoundChannel() } }])
  }

  async *#sound(candidates: Candidate[]): AsyncGenerator<Sound> {
    const { channel, ended } = this.#send(candidates)
    yield* this.#decoded(channel.read(), await channel.begun)
    await ended
  }

  /** Sends an order. One channel for all who may answer: whoever does writes it. */
  #send(candidates: Candidate[]): { channel: SoundChannel; ended: Promise<void> } {
    const channel = candidates[0]!.order.sink as SoundChannel
    const asked = candidates.map((one) => ({ ...one, order: { ...one.order, sink: channel } }))
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

  async *#decoded(
    bytes: AsyncIterable<Uint8Array>,
    format: AudioOrder['format'] | undefined,
  ): AsyncGenerator<Sound> {
    const { encoding, rate = pcmRate, channels = 1, origin } = format ?? {}
    this.#origin ??= origin
    const pcm = encoding === 'pcm' ? { rate, channels } : undefined
    for await (const sound of decodeSound(bytes, { ...(pcm && { pcm }) })) {
      this.#seconds += secondsOf(sound)
      yield sound
    }
  }

  /** Of the orders that were filled. */
  get #reports(): Reported[] {
    return this.#filled.flatMap((part) => (part.fault ? [] : part.done))
  }
  get #transcript(): string | undefined {
    const texts = this.#reports.flatMap(({ transcript }) => transcript ?? [])
    return texts.length > 0 ? texts.join(' ') : undefined
  }
  get #claimed(): { input: number; output: number } | undefined {
    const usages = this.#reports.flatMap(({ usage }) => usage ?? [])
    if (!usages.some(({ input, output }) => input !== undefined || output !== undefined)) return undefined
    const sum = (figure: 'input' | 'output') =>
      usages.reduce((total, usage) => total + (usage[figure] ?? 0), 0)
    return { input: sum('input'), output: sum('output') }
  }
  /** As the upstream claims as far as that can be, else by estimate where the price is by tokens. */
  get #tokens(): { input: number; output: number } {
    const { bound } = this.#candidate.plan
    const { input, output } = this.#claimed ?? this.#estimate
    return { input: Math.min(input, bound.inputTokens), output: Math.min(output, bound.outputTokens) }
  }
  get #estimate(): { input: number; output: number } {
    const { pricing } = this.#candidate.model
    if (pricing.inputPerMillion === 0 && pricing.outputPerMillion === 0) return { input: 0, output: 0 }
    const characters = this.#characters
    return { input: Math.ceil(characters / 2), output: Math.ceil(this.#seconds * estimatedTokensPerSecond) }
  }
  /** Of the orders that an upstream may bill. */
  get #characters(): number {
    return this.#filled.reduce(
      (sum, { fault, candidate }) => sum + (fault && !fault.executed ? 0 : charactersOf(candidate.order)),
      0,
    )
  }
  get #used(): AudioUsed {
    const { input, output } = this.#tokens
    const seconds = Math.min(this.#seconds, this.#candidate.plan.bound.seconds)
    return { characters: this.#characters, seconds, inputTokens: input, outputTokens: output }
  }
  get microcredits(): bigint {
    const cost = audioModels.price(this.model, this.#parts.app.config.defaults, this.#used)
    const { held } = this.#parts.order.request
    return cost < held ? cost : held
  }

  finish({ statusCode, failure, reply }: Parameters<PaidSpeech['finish']>[0]): Promise<Finished> {
    const { order, result } = this.#parts
    const tokens = this.#tokens
    const { characters, seconds } = this.#used
    const end = order.endOf({
      statusCode,
      failure,
      ...(reply !== undefined && { reply }),
      microcredits: this.microcredits,
      withinHold: true,
      tokens: { ...tokens, cachedInput: 0, reasoning: 0 },
      quantities: totalQuantities(this.#spoken ? [{ characters, seconds: Math.ceil(seconds) }] : []),
      claims: claimsOf(order.attempts, this.#claimed, tokens),
      detail: { head: this.#detail() },
      figures: { seconds: Math.ceil(seconds) },
      attributes: { 'gen_ai.usage.input_tokens': tokens.input, 'gen_ai.usage.output_tokens': tokens.output },
    })
    return result.settle(order.request, end, this.microcredits)
  }

  #detail(): Record<string, unknown> {
    const { spec } = this.#parts.options
    const { plan } = this.#candidate
    return {
      sound: {
        format: spec.format,
        lines: spec.lines.length,
        orders: plan.orders.length,
        filled: this.#reports.length,
        characters: this.#characters,
        seconds: Number(this.#seconds.toFixed(3)),
      },
      usage_source: this.#claimed ? 'upstream' : 'estimated',
    }
  }
}

/** Whether bytes of an upstream are the wanted file already; the length in the head of a WAV is ours to write. */
const isWanted = (format: AudioOrder['format'] | undefined, wanted: SpeechSpec['format']): boolean =>
  format?.encoding === wanted &&
  wanted !== 'wav' &&
  (wanted !== 'pcm' || ((format.rate ?? pcmRate) === pcmRate && (format.channels ?? 1) === 1))

/** Where a model is paid by tokens and its upstream counts none: what most vendors count for a second. */
const estimatedTokensPerSecond = 25

/** Sound that cannot be read is an upstream's fault, and it has worked for it. */
function failureFrom(error: unknown, fault: UpstreamError | undefined): unknown {
  if (fault) return failureOf(fault)
  if (error instanceof UpstreamError) return failureOf(error)
  if (error instanceof SoundError)
    return failureOf(new UpstreamError('malformed', { detail: `sound that is ${error.fault}`, cause: error }))
  return error
}
