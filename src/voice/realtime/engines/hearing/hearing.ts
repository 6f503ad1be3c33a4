/**
 * Transcribes the caller: while speech comes, where a provider of the model transcribes live, else from recordings up to each pause. A connection
 * that breaks costs nothing, and recordings take its place: no word is lost.
 */

import { UpstreamError } from '#core/spec'
import { Failure } from '#platform/errors'
import { canTranscribeLive, planStream, type UtteranceTranscript } from '#voice/live-speech'
import type { CallerTurn, Pause } from '../../turns/turn-listener.ts'
import { EarlyTranscripts, type TranscriberParts } from '../pipeline/early.ts'
import { UserSound } from '../relay/user-sound.ts'
import { LiveTurn } from './live-turn.ts'

export interface CallerTranscriberOptions extends TranscriberParts {
  /** Receives all text understood of a turn so far, where it is transcribed live. */
  partial?: (turn: number, text: string) => void
}

const rate = 16_000
/** How long the connection of an ended turn stays open: a caller who goes on within this time continues the same turn. */
const lingerFrames = 50
/** After this many consecutive broken connections only recordings are used. */
const maxBroken = 2

export class CallerTranscriber {
  readonly #options: CallerTranscriberOptions
  readonly #early: EarlyTranscripts
  readonly #sound: UserSound
  #live: LiveTurn | undefined
  /** The frames for which the connection of an ended turn still stays open. */
  #lingering = 0
  #broken = 0
  readonly #open = new Set<Promise<void>>()

  constructor(options: CallerTranscriberOptions) {
    this.#options = options
    this.#early = new EarlyTranscripts(options)
    this.#sound = new UserSound(rate, (pcm) => this.#live?.write(pcm))
  }

  /** Whether turns are transcribed while they are spoken. */
  get isLive(): boolean {
    return this.#broken < maxBroken && canTranscribeLive(this.#options.app, this.#options.model)
  }

  /** Takes 20 ms of sound, before turn-taking gets it. */
  frame(samples: Float32Array): void {
    this.#sound.write(samples)
    if (this.#lingering > 0 && --this.#lingering === 0) this.#leave()
  }

  started({ number, startMs }: { number: number; startMs: number }): void {
    this.#leave()
    if (!this.isLive) return
    const { app, call, model, partial } = this.#options
    const { language, prompt } = call.session.transcription
    const live = new LiveTurn({
      ...{ turn: number, call, model: model.id },
      plan: planStream(app, { model, language, prompt }),
      partial: (text) => partial?.(number, text),
      broke: (error) => this.#broke(error),
    })
    this.#live = live
    this.#sound.open(startMs)
  }

  /** @param known receives the words up to the pause, or the failure to transcribe them */
  begin(pause: Pause, known: (heard: UtteranceTranscript) => void): void {
    const live = this.#liveOf(pause.turn)
    if (!live) {
      this.#early.begin(pause, known)
      return
    }
    live.pause(pause.number).then(
      (text) => {
        this.#broken = 0
        known({ text, seconds: 0, failure: undefined })
      },
      () => {
        const isSpoken = this.#live === live && this.#lingering === 0
        if (isSpoken && !this.#options.call.signal.aborted) this.#early.begin(pause, known)
      },
    )
  }

  discard(pause: number): void {
    this.#live?.resume()
    this.#early.discard(pause)
  }

  /** Ends a turn. Its words can be requested until its connection is closed. */
  ended({ number }: CallerTurn): void {
    if (!this.#liveOf(number)) return
    this.#sound.pause()
    this.#lingering = lingerFrames
  }

  /** The whole transcript of a turn. Never rejects. */
  async wholeTranscript(turn: CallerTurn): Promise<UtteranceTranscript> {
    const words = await this.#liveOf(turn.number)
      ?.wholeTranscript(turn.pause)
      .catch(() => undefined)
    if (words === undefined) return this.#early.wholeTranscript(turn)
    this.#broken = 0
    return { text: words, seconds: 0, failure: undefined }
  }

  /** The turn goes on, and includes the speech since its end. */
  withdrawn(turn: number): void {
    this.#lingering = 0
    const live = this.#liveOf(turn)
    live?.resume()
    if (live) this.#sound.open()
    else this.#leave()
  }

  /** Drops the speech so far, which belongs to no turn. */
  clear(): void {
    this.#leave()
  }

  /** Ends the work at the end of the call. Resolves when each of its steps is done. */
  async stop(): Promise<void> {
    this.#leave()
    await Promise.all([...this.#open, this.#early.stop()])
  }

  #liveOf(turn: number): LiveTurn | undefined {
    return this.#live?.turn === turn && !this.#live.isBroken ? this.#live : undefined
  }

  #leave(): void {
    const live = this.#live
    this.#live = undefined
    this.#lingering = 0
    this.#sound.pause()
    if (!live) return
    const closing: Promise<void> = live.close().finally(() => this.#open.delete(closing))
    this.#open.add(closing)
  }

  #broke(error: unknown): void {
    this.#broken += 1
    const { log } = this.#options.app
    if (!(error instanceof UpstreamError) && !(error instanceof Failure))
      log.error({ err: error }, 'live transcription broke')
  }
}
