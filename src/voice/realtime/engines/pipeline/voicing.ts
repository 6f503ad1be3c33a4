/** Speaks an answer piece by piece while it is written: pieces are ordered before they are due, and played in their order. */

import type { AudioModel } from '#core/models'
import type { PaidApp } from '#core/paid'
import { isSpeakable } from '#core/sound'
import { asFailure, Failure } from '#platform/errors'
import { type LiveCall, planLiveSpeech } from '#voice/live-speech'
import type { CallView } from '../../parts.ts'
import { spokenForm } from './clauses.ts'
import { withinStep } from './within-step.ts'

export interface AnswerSpeechOptions {
  app: PaidApp
  call: Pick<CallView, 'money' | 'speaker'>
  live: LiveCall
  model: AudioModel
  voice: string | undefined
  speed: number
  itemId: string
  /** Called at the first sound of the answer. */
  onSound: () => void
}

/** The most orders whose sound is not complete yet. */
const maxOrders = 2

/** A piece that is played once those before it are complete. */
interface SpeechPiece {
  /** The words of the piece, until its first sound is played with them. */
  words: string | undefined
  waiting: Float32Array[]
  isComplete: boolean
}

export class AnswerSpeech {
  readonly #options: AnswerSpeechOptions
  readonly #texts: string[] = []
  readonly #orders = new Set<Promise<void>>()
  readonly #pieces: SpeechPiece[] = []
  #working: Promise<void> | undefined
  #failure: Failure | undefined
  #hasSound = false

  constructor(options: AnswerSpeechOptions) {
    this.#options = options
  }

  /** The failure where a part was not spoken. */
  get failure(): Failure | undefined {
    return this.#failure
  }

  /** Whether a part of the answer has no sound yet. */
  get isBusy(): boolean {
    return this.#working !== undefined || this.#orders.size > 0
  }

  say(text: string): void {
    const words = spokenForm(text)
    if (!isSpeakable(words) || this.#isOver) return
    this.#texts.push(words)
    this.#working ??= this.#work()
  }

  /** Resolves when the whole answer was heard, or cut. Never rejects. */
  async whenHeard(): Promise<void> {
    while (this.#working || this.#orders.size > 0) await Promise.all([this.#working, ...this.#orders])
    await this.#options.call.speaker.finish(this.#options.itemId)
  }

  get #isOver(): boolean {
    return this.#failure !== undefined || this.#options.live.signal.aborted
  }

  async #work(): Promise<void> {
    for (let text = this.#texts.shift(); text !== undefined && !this.#isOver; text = this.#texts.shift()) {
      while (this.#orders.size >= maxOrders) await Promise.race(this.#orders)
      await this.#options.call.speaker.waitForRoom()
      if (this.#isOver) break
      const order: Promise<void> = this.#order(text).finally(() => this.#orders.delete(order))
      this.#orders.add(order)
    }
    this.#working = undefined
  }

  async #order(words: string): Promise<void> {
    const { app, call, live, model, voice, speed } = this.#options
    const piece: SpeechPiece = { words, waiting: [], isComplete: false }
    this.#pieces.push(piece)
    try {
      const speaking = planLiveSpeech(app, { ...live, model, text: words, voice, speed })
      const step = { kind: 'speech', model: model.id, worst: speaking.worst } as const
      const spoken = await withinStep(call.money, step, async (open) => {
        const result = await speaking.run(open, (samples) => this.#hear(piece, samples))
        const quantities = { characters: result.characters, seconds: Math.ceil(result.seconds) }
        return { result, line: { quantities } }
      })
      if (spoken.failure && !live.signal.aborted) this.#failure ??= spoken.failure
    } catch (error) {
      if (!(error instanceof Failure)) app.log.error({ err: error }, 'a piece of an answer was not spoken')
      this.#failure ??= asFailure(error)
    }
    piece.isComplete = true
    this.#play()
  }

  #hear(piece: SpeechPiece, samples: Float32Array): void {
    piece.waiting.push(samples)
    this.#play()
  }

  #play(): void {
    for (let next = this.#pieces[0]; next; next = this.#pieces[0]) {
      for (const samples of next.waiting.splice(0)) this.#sound(next, samples)
      if (!next.isComplete) return
      this.#pieces.shift()
    }
  }

  #sound(piece: SpeechPiece, samples: Float32Array): void {
    const { call, itemId, live, onSound } = this.#options
    if (live.signal.aborted || samples.length === 0) return
    if (!this.#hasSound) onSound()
    this.#hasSound = true
    call.speaker.say(itemId, samples, piece.words)
    piece.words = undefined
  }
}
