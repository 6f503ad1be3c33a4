/** The engine `relay`: a model of an upstream hears and speaks by itself. */
import { failureOf } from '#core/inference'
import { alarmClaims, type PaidApp } from '#core/paid'
import { type RealtimeSetup, UpstreamError } from '#core/spec'
import type { Failure, Language } from '#platform/errors'
import { refuse } from '../../events/fields.ts'
import type { CallEngine, CallView, EngineEvent, ResponseOptions } from '../../parts.ts'
import type { CallerTurn, Pause, TurnListener } from '../../turns/turn-listener.ts'
import { TurnTaking } from '../../turns/turn-taking.ts'
import { within } from '../../within.ts'
import { EngineWork } from '../engine-work.ts'
import type { CancelReason } from '../spoken-answer.ts'
import { UserTurns } from '../user-turns.ts'
import { RelayAnswer } from './answer.ts'
import type { RelayedModel } from './of-model.ts'
import { reasons } from './phrases.ts'
import { type LinkListener, type RelayUpstream, SessionLink } from './session-link.ts'
import { hasOwnOptions, setupOf } from './setup.ts'
import { UserSpeech } from './user-speech.ts'
import { maxTokenCounts, worstOf, worstOfTurn } from './worst.ts'

export interface RelayOptions {
  upstreams: readonly RelayUpstream[]
  model: RelayedModel
  language: Language
}

/** The consecutive failures that end a call. */
const maxFailures = 2
/** Speech this long during an answer interrupts it; shorter speech is «بله», or a cough. */
const interruptMs = 500
/** How long to wait for the cost of a response that the end of the call cuts. */
const finalCostWaitMs = 3_000
/** Stands for unknown words. */
const someWords = 'someone speaks'

/**
 * This server decides when a turn is over and when the model answers, so that each response is held before it is requested. Interruptions are judged
 * by the length of the speech, since words come only after the turn.
 */
export class Relay implements CallEngine, TurnListener {
  readonly #app: Pick<PaidApp, 'log' | 'metrics'>
  readonly #call: CallView
  readonly #options: RelayOptions
  readonly #link: SessionLink
  readonly #speech: UserSpeech
  #turns: TurnTaking | undefined
  #answer: RelayAnswer | undefined
  /** The answer that the upstream is making. */
  #answerOfLink: RelayAnswer | undefined
  /** Resolves when the step of the last response is done: until then the upstream takes no other one. */
  #settled: Promise<void> = Promise.resolve()
  #responseOptions: ResponseOptions = {}
  #next: ResponseOptions | undefined
  /** The time at which the present turn began, since the call began to receive sound. */
  #startMs = 0
  #failures = 0
  #canPay = true
  #isLeaving = false
  #isSpeaking = false
  /** Aborts the session at the upstream, which outlives the call until it has reported its cost. */
  readonly #gone = new AbortController()
  readonly #users: UserTurns
  readonly #work: EngineWork

  constructor(app: Pick<PaidApp, 'log' | 'metrics'>, call: CallView, options: RelayOptions) {
    this.#app = app
    this.#call = call
    this.#options = options
    this.#users = new UserTurns(call)
    this.#work = new EngineWork(app, call)
    const { upstreams } = options
    const { conversation } = call
    const { signal } = this.#gone
    const setup = () => this.#setup()
    this.#link = new SessionLink({ upstreams, signal, conversation, setup }, this.#listener())
    this.#speech = new UserSpeech({
      ...{ call, link: this.#link, model: options.model },
      onFailed: (failure) => this.#failed(failure),
    })
  }

  async start(): Promise<void> {
    this.#turns = await TurnTaking.open(this.#call.session.turnDetection, this)
    await this.#link.open().catch((error: unknown) => {
      throw error instanceof UpstreamError ? failureOf(error) : error
    })
    this.#speech.begin()
    this.#link.syncItems()
    this.#speech.openIfManual()
  }

  frame(samples: Float32Array): void {
    if (this.#call.signal.aborted) return
    this.#speech.write(samples)
    this.#turns?.write(samples)
  }

  changed(): void {
    const { turnDetection } = this.#call.session
    this.#turns?.update(turnDetection)
    this.#speech.openIfManual()
    this.#link.update()
    this.#link.syncItems()
  }

  event(event: EngineEvent): void {
    switch (event.type) {
      case 'input_audio_buffer.commit':
        if (!this.#turns?.commit()) refuse('type', reasons.noSound)
        return
      case 'input_audio_buffer.clear':
        this.#turns?.clear()
        this.#speech.close()
        this.#link.discard()
        this.#emit('input_audio_buffer.cleared', {})
        return
      case 'output_audio_buffer.clear':
        this.#answer?.cancel('client_cancelled')
        return
      case 'response.cancel':
        if (!this.#answer || (event.responseId ?? this.#answer.id) !== this.#answer.id)
          refuse('response_id', reasons.notActive)
        this.#answer?.cancel('client_cancelled')
        return
      case 'response.create':
        this.#create(event.response)
    }
  }

  async stop(): Promise<void> {
    this.#next = undefined
    this.#answer?.cancel('client_cancelled')
    await within(finalCostWaitMs, this.#settled)
    await this.#link.close()
    this.#gone.abort()
    this.#answerOfLink?.broke(new UpstreamError('aborted'))
    await this.#work.whenDone()
    this.#turns?.[Symbol.dispose]()
    this.#turns = undefined
  }

  // Speech of the user

  started({ startMs }: { number: number; startMs: number }): void {
    if (this.#answer && this.#call.session.turnDetection?.interruptResponse) this.#cutAnswer('turn_detected')
    this.#startMs = startMs
    this.#users.began(startMs)
    this.#speech.open(startMs)
    this.#reserve()
  }

  paused(pause: Pause): void {
    // Only speech during an answer is judged before it is a turn.
    if (!this.#isSpeaking) return
    const { turnDetection } = this.#call.session
    const spokenMs = pause.untilMs - pause.startMs - (turnDetection?.prefixMs ?? 0)
    const words = spokenMs >= interruptMs ? someWords : ''
    queueMicrotask(() => this.#turns?.addTranscript(pause.turn, words, pause.untilMs))
  }

  resumed(): void {}

  ended(turn: CallerTurn): void {
    const { turnDetection } = this.#call.session
    this.#speech.close()
    const { id } = this.#users.ended(turn)
    this.#work.run(this.#speech.commit(id, turn))
    if (turnDetection?.createResponse) this.#respond({})
  }

  /** Call when the user goes on: the upstream keeps its item of the turn, and the rest becomes another item after it. */
  withdrawn(): void {
    this.#cutAnswer('turn_detected')
    this.#users.continueTurn(this.#startMs)
    this.#speech.open()
  }

  duck(): void {
    this.#call.speaker.duck()
  }

  unduck(): void {
    this.#call.speaker.unduck()
  }

  interrupted(): void {
    this.#cutAnswer('turn_detected')
  }

  idle(): void {
    this.#emit('input_audio_buffer.timeout_triggered', { item_id: this.#users.itemId })
    this.#respond({})
  }

  /** Reserves the money of the turn while the user speaks, so that its end does not wait for that. */
  #reserve(): void {
    this.#work.run(
      this.#call.money.reserve(worstOfTurn(this.#options.model, this.#call.session)).then((isReserved) => {
        this.#canPay = isReserved
        // An answer that is under way is paid, so it is heard to its end.
        if (!isReserved && !this.#answer) this.#call.end('credits')
      }),
    )
  }

  // Answers

  #create(responseOptions: ResponseOptions): void {
    if (responseOptions.conversation === 'none' || responseOptions.input) refuse('response', reasons.outside)
    // A request, such as one after a tool's output, may wait for an answer that is only being spoken to its end.
    if (this.#answer && (!this.#answer.isGenerated || this.#next)) refuse('type', reasons.active)
    this.#respond(responseOptions)
  }

  #respond(responseOptions: ResponseOptions): void {
    if (this.#answer) {
      this.#next = responseOptions
      return
    }
    const { model, language } = this.#options
    const answer = new RelayAnswer({
      ...{ call: this.#call, link: this.#link, model, language, responseOptions },
      worst: worstOf(model, this.#call.session, responseOptions),
      most: maxTokenCounts(model, this.#call.session, responseOptions),
      onDisbelieved: (claim) =>
        alarmClaims(this.#app, this.#call.callId, [], [{ deployment: this.#link.deployment, ...claim }]),
      onSpeaking: (isSpeaking) => {
        this.#isSpeaking = isSpeaking
        this.#turns?.setAssistantSpeaking(isSpeaking)
      },
      onSaid: (text) => this.#turns?.setAssistantSentence(text),
    })
    this.#answer = answer
    this.#work.run(this.#answerWith(answer, responseOptions))
  }

  async #answerWith(answer: RelayAnswer, responseOptions: ResponseOptions): Promise<void> {
    const before = this.#settled
    const settling = answer.run(async () => {
      await before
      await this.#speech.committed.catch(() => undefined)
      this.#setResponseOptions(responseOptions)
      if (this.#isLeaving) await this.#reopen()
      await this.#link.ready().catch(() => undefined)
      this.#answerOfLink = answer
    })
    this.#settled = settling
      .catch(() => undefined)
      .then(() => {
        if (this.#answerOfLink === answer) this.#answerOfLink = undefined
      })
    await settling
    await this.#settled
    if (this.#isLeaving) await this.#reopen()
    await answer.whenHeard()
    if (answer.failure) this.#failed(answer.failure)
    else if (answer.isFinished) this.#failures = 0
    if (this.#answer === answer) this.#goOn()
  }

  /** Sets the options of one response that differ from the session. */
  #setResponseOptions(responseOptions: ResponseOptions): void {
    const hadOwn = hasOwnOptions(this.#responseOptions)
    this.#responseOptions = responseOptions
    if (hadOwn || hasOwnOptions(responseOptions)) this.#link.update()
  }

  #goOn(): void {
    this.#answer = undefined
    const next = this.#next
    this.#next = undefined
    if (next && !this.#call.signal.aborted) this.#respond(next)
    else if (!this.#canPay) this.#call.end('credits')
  }

  #cutAnswer(reason: CancelReason): void {
    this.#answer?.cancel(reason)
    this.#answer = undefined
    this.#next = undefined
  }

  #failed(failure: Failure): void {
    this.#failures += 1
    if (failure.status === 402) this.#call.end('credits')
    else if (this.#failures >= maxFailures) this.#call.end('failed')
  }

  // The session at the upstream

  #setup(): RealtimeSetup {
    return setupOf(this.#options.model, this.#call.session, this.#responseOptions)
  }

  #listener(): LinkListener {
    return {
      userTranscript: (transcript) => this.#heard(transcript),
      began: (upstreamItemId) => this.#answerOfLink?.began(upstreamItemId),
      sound: (upstreamItemId, pcm) => this.#answerOfLink?.sound(upstreamItemId, pcm),
      words: (upstreamItemId, delta, spoken) => this.#answerOfLink?.words(upstreamItemId, delta, spoken),
      functionCall: (call) => this.#answerOfLink?.functionCall(call),
      finished: (end) => this.#answerOfLink?.finished(end),
      leaving: () => {
        this.#isLeaving = true
        if (!this.#answerOfLink) this.#work.run(this.#reopen())
      },
      failed: (error) => this.#broke(error),
    }
  }

  /**
   * Handles a broken session. The response under way is lost, and never requested again, since it may have been made. The next turn has another
   * session.
   */
  #broke(error: UpstreamError): void {
    const answer = this.#answerOfLink
    if (answer) answer.broke(error)
    else this.#failed(failureOf(error))
    if (!this.#call.signal.aborted && this.#failures < maxFailures) this.#work.run(this.#reopen())
  }

  async #reopen(): Promise<void> {
    this.#isLeaving = false
    this.#speech.sessionLost()
    try {
      await this.#link.open()
      // The settings may have changed meanwhile.
      this.#link.update()
      this.#link.syncItems()
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      if (!this.#call.signal.aborted) this.#call.end('failed')
    }
  }

  #heard({ itemId, text, isFinal }: { itemId: string; text: string; isFinal: boolean }): void {
    const item = this.#call.conversation.get(itemId)
    if (!isFinal || !item) return
    this.#users.transcribed(item, text)
  }

  #emit(type: string, fields: Record<string, unknown>): void {
    this.#call.emit({ type, ...fields })
  }
}
