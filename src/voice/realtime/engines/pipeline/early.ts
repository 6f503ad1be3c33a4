/** Transcriptions that begin while the caller may still be speaking: their words decide whether the turn is over, and are its transcript if it is. */
import type { TranscriptionModel } from '#core/models'
import type { PaidApp } from '#core/paid'
import { asFailure, Failure } from '#platform/errors'
import { type LiveCall, planUtterance, type UtteranceTranscript } from '#voice/live-speech'
import type { CallView } from '../../parts.ts'
import { withinStep } from './within-step.ts'

export interface TranscriberParts {
  app: PaidApp
  call: Pick<CallView, 'money' | 'session' | 'signal'>
  live: Omit<LiveCall, 'signal'>
  model: TranscriptionModel
}

/**
 * The most early transcriptions of one turn: each costs, and noise makes many pauses. With fewer of them, a sure end of a turn waits three times as
 * long (docs/decisions/voice/end-of-turn.md).
 */
const maxOfTurn = 8
/** The most seconds of all early transcriptions of a turn; `worst.ts` counts on it. */
export const maxEarlySeconds = 120
const sampleRate = 16_000
/** The shortest sound that is sent: a shorter one has no word, and vendors refuse it. */
const minSamples = 1_600

interface EarlyTranscript {
  stop: AbortController
  isVoid: boolean
  heard: Promise<UtteranceTranscript>
}

export class EarlyTranscripts {
  readonly #parts: TranscriberParts
  readonly #pauses = new Map<number, EarlyTranscript>()
  /** All running transcriptions, including those that were given up, until their steps are done. */
  readonly #running = new Set<Promise<UtteranceTranscript>>()
  #turn = 0
  #begun = 0
  #samples = 0

  constructor(parts: TranscriberParts) {
    this.#parts = parts
  }

  /** @param known receives the words up to the pause, or the failure to transcribe them */
  begin(
    pause: { number: number; turn: number; samples: Float32Array },
    known: (heard: UtteranceTranscript) => void,
  ): void {
    if (pause.turn !== this.#turn) {
      this.#turn = pause.turn
      this.#begun = 0
      this.#samples = 0
      this.#pauses.clear()
    }
    const samples = this.#samples + pause.samples.length
    if (this.#begun >= maxOfTurn || samples > maxEarlySeconds * sampleRate) return
    if (pause.samples.length < minSamples) return
    this.#begun += 1
    this.#samples = samples
    const stop = new AbortController()
    const early: EarlyTranscript = {
      stop,
      isVoid: false,
      heard: this.#hear(pause.samples, () => early.isVoid, stop.signal),
    }
    this.#pauses.set(pause.number, early)
    this.#running.add(early.heard)
    void early.heard.then(() => this.#running.delete(early.heard))
    void early.heard.then((heard) => {
      if (!early.isVoid) known(heard)
    })
  }

  /** Discards the transcription of a pause after which speech went on: it is paid, but useless. */
  discard(pause: number): void {
    const early = this.#pauses.get(pause)
    if (!early) return
    early.isVoid = true
    early.stop.abort()
    this.#pauses.delete(pause)
  }

  /** Call at the end of the call. Resolves when the steps of all transcriptions are done. */
  async stop(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** The whole transcript of a turn: the early one where it covers the turn, else that of one more call. Never rejects. */
  async wholeTranscript({
    pause,
    samples,
  }: {
    pause?: number
    samples: Float32Array
  }): Promise<UtteranceTranscript> {
    const early = pause === undefined ? undefined : this.#pauses.get(pause)
    // The answer may be withdrawn, and the turn may then go on.
    this.#begun = 0
    const heard = await early?.heard
    if (heard && !heard.failure) return heard
    if (samples.length < minSamples) return { text: '', seconds: 0, failure: undefined }
    return this.#hear(samples, () => false, new AbortController().signal)
  }

  async #hear(
    samples: Float32Array,
    isVoid: () => boolean,
    stopped: AbortSignal,
  ): Promise<UtteranceTranscript> {
    const { app, call, live, model } = this.#parts
    const { language, prompt } = call.session.transcription
    const signal = AbortSignal.any([stopped, call.signal])
    try {
      const hearing = planUtterance(app, { ...live, signal, model, samples, language, prompt })
      const step = { kind: 'transcription', model: model.id, worst: hearing.worst } as const
      return await withinStep(call.money, step, async (open) => {
        const result = await hearing.run(open)
        return { result, line: { quantities: { seconds: Math.ceil(result.seconds) } }, discarded: isVoid() }
      })
    } catch (error) {
      if (!(error instanceof Failure)) app.log.error({ err: error }, 'speech was not written down')
      return { text: '', seconds: 0, failure: asFailure(error) }
    }
  }
}
