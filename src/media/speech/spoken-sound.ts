/** The sound of a speech: its orders are sent one after the other, and what comes is decoded, joined and encoded in the requested format. */
import type { AudioModel } from '#core/models'
import type { FilledPart, PaidOrder } from '#core/paid'
import { decodeSound, encodeSound, joinSpeech, type Sound, secondsOf } from '#core/sound'
import type { SpeechResult } from '#core/spec'
import type { AudioOrder, SoundSink } from '#core/turn'
import { SoundChannel } from './channel.ts'
import type { PlannedOrder, SpeechPlan } from './plan.ts'
import { Recording } from './recording.ts'
import type { SpeechSpec } from './speech.ts'

/** A model, its plan, and the order of that plan which is sent next. */
export interface PlannedSpeech {
  model: AudioModel
  plan: SpeechPlan
  order: PlannedOrder
}
export interface SpeechCandidate extends PlannedSpeech {
  order: AudioOrder
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
export const pcmRate = 24_000
/** The most bytes kept of one request: three times what the longest text makes in the largest format. */
const maxKeptBytes = 128 * 1024 * 1024
/** Bytes of silence may claim hours, so sound is bounded in seconds: at least this many are decoded of one order, however short its text. */
const leastMaxSeconds = 3_600

export interface SpokenSoundOptions {
  candidates: readonly PlannedSpeech[]
  order: PaidOrder<SpeechCandidate, SpeechResult>
  format: SpeechSpec['format']
}

export class SpokenSound {
  readonly #options: SpokenSoundOptions
  readonly #recording = new Recording(maxKeptBytes)
  /** The result of every order that was sent. */
  readonly #filled: FilledPart<SpeechCandidate, SpeechResult>[] = []
  readonly #sent: SentOrder[] = []
  #candidate: PlannedSpeech
  #seconds = 0
  /** The maker of the sound, if it is not a model. */
  #origin: string | undefined
  /** The seconds of the answer, where it was encoded here. */
  #heardSeconds = 0

  constructor(options: SpokenSoundOptions) {
    this.#options = options
    this.#candidate = options.candidates[0]!
  }

  /** The candidate that answers; before that, the one tried last. */
  get candidate(): PlannedSpeech {
    return this.#candidate
  }
  /** The result of every order that has ended. */
  get filled(): readonly FilledPart<SpeechCandidate, SpeechResult>[] {
    return this.#filled
  }
  /** The seconds of sound of all orders. */
  get seconds(): number {
    return this.#seconds
  }
  /** The seconds of the answer. */
  get answerSeconds(): number {
    return this.#heardSeconds || this.#seconds
  }

  /** Call once: makes the whole sound. Throws when an order was not filled, or its sound cannot be read. Call `end` afterwards. */
  async make(): Promise<void> {
    const { candidates, format: wanted } = this.#options
    const first = this.#send(candidates)
    const { channel, ended } = first
    const format = await channel.begun
    // Only now is it known which model answers, and into how many orders its own bounds cut the text.
    const { isDialogue, orders } = this.#candidate.plan
    if (orders.length > 1) {
      const level = isDialogue && { lufs: dialogueLufs }
      return this.#encode(joinSpeech(this.#pieces(first), { rate: pcmRate, ...level }))
    }
    if (isRequestedFormat(format, wanted)) await this.#passOn(channel, format)
    else await this.#encode(this.#decoded(channel.read(), format))
    await ended
  }

  /** The encoded sound so far. */
  bytes(): Buffer {
    return this.#recording.bytes()
  }

  /** The encoded sound as it comes; throws the error of `end`. */
  chunks(): AsyncGenerator<Uint8Array> {
    return this.#recording.chunks()
  }

  /** Ends `chunks`; `failure` is the reason for which sound is missing. */
  end(failure?: unknown): void {
    this.#recording.end(failure)
  }

  /** Refuses the rest of all sound, and waits for the end of every order that was sent. */
  async abandon(): Promise<void> {
    for (const { channel } of this.#sent) channel.drop()
    await Promise.all(this.#sent.map(({ ended }) => ended))
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
    const { format } = this.#options
    const rate = format === 'pcm' || format === 'wav' ? pcmRate : undefined
    const heard = this.#heard(sound)
    const note = () => this.#origin ?? madeByModel
    for await (const chunk of encodeSound(heard, { format, rate, note })) this.#recording.add(chunk)
  }

  /** The sound of each order, which is sent when the order before it was heard to its end. */
  async *#pieces(first: SentOrder): AsyncGenerator<AsyncIterable<Sound>> {
    yield this.#soundOf(first)
    // Every further order goes to the model that spoke first: another model has another voice.
    const { model, plan } = this.#candidate
    for (const order of plan.orders.slice(1)) yield this.#soundOf(this.#send([{ model, plan, order }]))
  }

  async *#soundOf({ channel, ended }: SentOrder): AsyncGenerator<Sound> {
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
    const ended = this.#options.order
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
}

/** Whether bytes of an upstream are the wanted file already. A WAV never is, since the length in its head is written here. */
const isRequestedFormat = (format: AudioOrder['format'] | undefined, wanted: SpeechSpec['format']): boolean =>
  format?.encoding === wanted &&
  wanted !== 'wav' &&
  (wanted !== 'pcm' || ((format.rate ?? pcmRate) === pcmRate && (format.channels ?? 1) === 1))
