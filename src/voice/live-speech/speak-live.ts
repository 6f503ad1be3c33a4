/** Speaks a piece of an answer in a call with one model; it is played while it is made. */
import { failureOf } from '#core/inference'
import { type AudioModel, audioModels, noCost } from '#core/models'
import {
  type FilledPart,
  maxAmount,
  orderCandidates,
  type PaidApp,
  type PaidOrder,
  startPaidOrder,
} from '#core/paid'
import { decodeSound, resample, type Sound, secondsOf } from '#core/sound'
import { type SpeechResult as Reported, UpstreamError } from '#core/spec'
import type { AudioOrder, SoundFormat } from '#core/turn'
import {
  type PlannedOrder,
  planSpeech,
  SoundChannel,
  type SpeechPlan,
  type SpeechUsage,
  speechUsageOf,
} from '#media/speech'
import type { Failure } from '#platform/errors'
import type { LiveCall, LiveStep } from './live-speech.ts'

/** The rate of speech in calls, in Hz; it has one channel. */
export const liveSpeechSampleRate = 24_000

export interface LiveSpeechOptions extends LiveCall {
  model: AudioModel
  /** The text; it is speakable (`isSpeakable`), and fits one order of the model where that is possible. */
  text: string
  /** A voice of the model; absent for its first one. */
  voice?: string | undefined
  /** The speed; left out where the model has no other pace. */
  speed?: number | undefined
}

export interface LiveSpeechResult {
  /** The seconds of the sound that came. */
  seconds: number
  characters: number
  /** The failure where the sound is incomplete. */
  failure: Failure | undefined
}

/** A piece of speech that has not begun. */
export interface LiveSpeechPlan {
  /** The most that it may cost, in micro-credits. */
  readonly worst: bigint
  /**
   * Call once: `onSound` gets sound of 24 kHz, mono, as it comes. When it resolves, the step is settled: by the sound that came, even if nobody
   * listens any more; where none came, as nothing. Throws where the step cannot be paid.
   */
  run(step: LiveStep, onSound: (samples: Float32Array) => void): Promise<LiveSpeechResult>
}

interface PlannedSpeech {
  model: AudioModel
  plan: SpeechPlan
  order: PlannedOrder
}
interface SpeechCandidate extends PlannedSpeech {
  order: AudioOrder
}

/** The plan of a piece. Throws as `planSpeech` does: for a voice that the model does not have, or no text. */
export function planLiveSpeech(app: PaidApp, options: LiveSpeechOptions): LiveSpeechPlan {
  const asked = plannedOf(options.model, options)
  const candidates = orderCandidates<PlannedSpeech>(app, options, asked, (other) => {
    try {
      return other.kind === 'audio' ? plannedOf(other, options) : undefined
    } catch {
      return undefined
    }
  })
  const { defaults } = app.config
  const worst = maxAmount(
    candidates.map(({ model, plan }) => audioModels.worstCase(model, defaults, plan.bound)),
  )
  return {
    worst,
    run: (step, onSound) => new LiveSpeech(app, { options, candidates, worst }).run(step, onSound),
  }
}

/** The encoding that is asked of a model in calls. */
export const liveFormatOf = (model: AudioModel): SoundFormat['encoding'] =>
  plannedOf(model, { text: 'سلام' }).order.format.encoding

function plannedOf(
  model: AudioModel,
  { text, voice, speed = 1 }: Pick<LiveSpeechOptions, 'text' | 'voice' | 'speed'>,
): PlannedSpeech {
  const range = model.audio.speed
  const plan = planSpeech(model, {
    lines: [{ text, ...(voice !== undefined && { voice }) }],
    format: 'pcm',
    ...(range && { speed: Math.min(range.max, Math.max(range.min, speed)) }),
    maxBytes: Number.MAX_SAFE_INTEGER,
    where: (setting) => `audio.output.${setting}`,
  })
  return { model, plan, order: plan.orders[0]! }
}

interface LiveSpeechParts {
  options: LiveSpeechOptions
  candidates: readonly PlannedSpeech[]
  worst: bigint
}

/** Sound is decoded up to the length possible for its text, and this many seconds at least. */
const minDecodeLimitSeconds = 10

class LiveSpeech {
  readonly #app: PaidApp
  readonly #parts: LiveSpeechParts
  readonly #filled: FilledPart<SpeechCandidate, Reported>[] = []
  /** The candidate that speaks; before that, the one tried last. */
  #candidate: PlannedSpeech
  #seconds = 0

  constructor(app: PaidApp, parts: LiveSpeechParts) {
    this.#app = app
    this.#parts = parts
    this.#candidate = parts.candidates[0]!
  }

  async run({ stepId, part }: LiveStep, onSound: (samples: Float32Array) => void): Promise<LiveSpeechResult> {
    const { options, worst } = this.#parts
    const { model, caller, endpoint, trace, signal: gone } = options
    const call = {
      ...{ model, caller, endpoint, gone, trace, part },
      requestId: stepId,
      receivedMs: this.#app.clock.nowMs(),
      isFetchable: false,
    }
    const paid = await startPaidOrder<SpeechCandidate, Reported>(this.#app, call, audioModels, worst)
    const failure = await this.#speak(paid, onSound).then(
      () => undefined,
      (error: unknown) =>
        failureOf(
          paid.fault ??
            (error instanceof UpstreamError ? error : new UpstreamError('malformed', { cause: error })),
        ),
    )
    await this.#settle(paid, failure)
    return { seconds: this.#seconds, characters: this.#use.used.characters, failure }
  }

  async #speak(
    paid: PaidOrder<SpeechCandidate, Reported>,
    onSound: (samples: Float32Array) => void,
  ): Promise<void> {
    const { candidates, options } = this.#parts
    await this.#order(paid, candidates, onSound)
    // The rest of a text longer than one order goes to the model that speaks; another model has another voice.
    const { model, plan } = this.#candidate
    for (const order of plan.orders.slice(1)) {
      if (options.signal.aborted) return
      await this.#order(paid, [{ model, plan, order }], onSound)
    }
  }

  async #order(
    paid: PaidOrder<SpeechCandidate, Reported>,
    planned: readonly PlannedSpeech[],
    onSound: (samples: Float32Array) => void,
  ): Promise<void> {
    const channel = new SoundChannel()
    const orders = planned.map((one) => ({
      ...one,
      order: { ...one.order, sink: this.#sinkOf(one, channel) },
    }))
    const ended = paid
      .fill(orders, (reported) => reported)
      .then((part) => {
        this.#filled.push(part)
        this.#candidate = part.candidate
        channel.end(part.fault)
      })
    try {
      const sound = this.#decoded(channel.read(), await channel.begun)
      for await (const { samples } of resample(sound, liveSpeechSampleRate)) {
        if (this.#parts.options.signal.aborted) break
        onSound(samples)
      }
    } finally {
      channel.drop()
      await ended
    }
  }

  #sinkOf(one: PlannedSpeech, channel: SoundChannel): AudioOrder['sink'] {
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
    { encoding, rate = liveSpeechSampleRate, channels = 1 }: Partial<SoundFormat> = {},
  ): AsyncGenerator<Sound> {
    const pcm = encoding === 'pcm' ? { rate, channels } : undefined
    const maxSeconds = Math.max(minDecodeLimitSeconds, this.#candidate.plan.possibleSeconds)
    for await (const sound of decodeSound(bytes, { maxSeconds, ...(pcm && { pcm }) })) {
      this.#seconds += secondsOf(sound)
      yield sound
    }
  }

  get #use(): SpeechUsage {
    const { model, plan } = this.#candidate
    // The orders that an upstream may bill; the usage of one that was cut off is not reported.
    const parts = this.#filled.filter(({ fault }) => !fault || fault.executed)
    const billed = parts.map(({ candidate }) => candidate.order)
    const usages = parts.map((part) => (part.fault ? undefined : part.done.usage))
    return speechUsageOf({ model, plan, billed, usages, seconds: this.#seconds })
  }

  async #settle(paid: PaidOrder<SpeechCandidate, Reported>, failure: Failure | undefined): Promise<void> {
    const use = this.#use
    const { used } = use
    const tokens = { input: used.inputTokens, output: used.outputTokens }
    const cost = audioModels.cost(this.#candidate.model, this.#app.config.defaults, used)
    // No sound came, and nobody stopped the speech, so it is free.
    const isFree = failure !== undefined && this.#seconds === 0 && !this.#parts.options.signal.aborted
    const charge = isFree ? undefined : await paid.request.charge(cost.microcredits)
    const seconds = Math.ceil(used.seconds)
    await paid.settle({
      statusCode: failure?.status ?? 200,
      failure,
      cost: isFree ? noCost : cost,
      statedMicrocredits: charge?.microcredits,
      withinHold: true,
      tokens: { ...tokens, cachedInput: 0, reasoning: 0 },
      quantities: isFree ? undefined : { characters: used.characters, seconds },
      claims: use.claimsOf(paid.attempts),
      detail: { head: { sound: { seconds: Number(this.#seconds.toFixed(3)), characters: used.characters } } },
      figures: { seconds, characters: used.characters },
      attributes: { 'gen_ai.usage.input_tokens': tokens.input, 'gen_ai.usage.output_tokens': tokens.output },
    })
  }
}
