/** The notices of a call itself: that its credit or its time is nearly used up, and goodbye. */
import type { PaidApp } from '#core/paid'
import type { Language } from '#platform/errors'
import { type LiveCall, planLiveSpeech } from '#voice/live-speech'
import type { CallNotice, CallView } from '../../parts.ts'
import type { EngineWork } from '../engine-work.ts'
import type { PipelineModels } from './models.ts'
import { farewell, noticeSentences, spokenLanguage } from './sentences.ts'

/** The time from an empty balance to the end of the call. */
const leaveMs = 5_000

export interface NoticesOptions {
  app: PaidApp
  call: CallView
  live: Omit<LiveCall, 'signal'>
  models: PipelineModels
  language: Language
  work: EngineWork
  /** Whether an answer is under way, which is heard to its end. */
  isAnswering(): boolean
  /** Whether the caller speaks, or speech is being transcribed. */
  isHearing(): boolean
  /** Resolves when the notice was spoken, or cut. */
  say(script: string, notice: CallNotice): Promise<void>
}

export class Notices {
  readonly #options: NoticesOptions
  readonly #waiting: CallNotice[] = []
  readonly #known = new Set<CallNotice>()
  #leaving: NodeJS.Timeout | undefined

  constructor(options: NoticesOptions) {
    this.#options = options
  }

  /** Whether the balance covers no further turn: the caller is told so, and the call ends. */
  get isLeaving(): boolean {
    return this.#leaving !== undefined
  }

  /** Adds a notice; each is spoken once, when nothing else is heard. */
  add(notice: CallNotice): void {
    if (this.#known.has(notice)) return
    this.#known.add(notice)
    this.#waiting.push(notice)
    this.sayNext()
  }

  /** Speaks the next notice once nobody speaks and no answer is under way. */
  sayNext(): void {
    if (!this.#hasRoom) return
    const notice = this.#waiting.shift()
    if (notice) this.#options.work.run(this.#say(noticeSentences[notice], notice))
  }

  /** Ends the call because the balance is used up, with a farewell as far as that was held. Call it when no answer is under way. */
  sayFarewell(): void {
    const { call, work } = this.#options
    call.emit({ type: 'kherad.ending', reason: 'credits', seconds: leaveMs / 1_000 })
    this.#leaving = setTimeout(() => call.end('credits'), leaveMs)
    work.run(this.#say(farewell, 'credits').then(() => call.end('credits')))
  }

  stop(): void {
    clearTimeout(this.#leaving)
  }

  get #hasRoom(): boolean {
    const { isAnswering, isHearing } = this.#options
    return !isAnswering() && !isHearing() && !this.isLeaving
  }

  /** Speaks a notice, where answers are spoken and it can be paid. Resolves whether or not it was spoken. */
  async #say(sentences: Record<Language, string>, notice: CallNotice): Promise<void> {
    const { app, call, live, models, language, isAnswering, say } = this.#options
    const isLast = this.isLeaving
    if (call.signal.aborted || !call.session.modalities.includes('audio')) return
    const script = sentences[spokenLanguage(call, language)]
    const speaking = { ...live, signal: call.signal, model: models.speech, text: script }
    if (!(await call.money.ensureFree(planLiveSpeech(app, speaking).worst)) || call.signal.aborted) return
    // Another answer has begun meanwhile, and is heard first.
    const isLate = isLast ? isAnswering() : !this.#hasRoom
    if (isLate) return void this.#waiting.unshift(notice)
    await say(script, notice)
  }
}
