/** The engine `pipeline`: speech is transcribed, a text model answers it, and its answer is spoken. */
import type { CallAgent } from '#core/call-agent'
import type { TurnApp } from '#core/inference'
import type { PipelineModel } from '#core/models'
import { type Failure, fail, type Language } from '#platform/errors'
import type { LiveCall } from '#voice/live-speech'
import type {
  CallEngine,
  CallNotice,
  CallView,
  ConversationItem,
  EngineEvent,
  ResponseOptions,
  TurnDetection,
} from '../../parts.ts'
import { noticeMark } from '../../phrases.ts'
import type { CallerTurn, TurnListener } from '../../turns/turn-listener.ts'
import { TurnTaking } from '../../turns/turn-taking.ts'
import { EngineWork } from '../engine-work.ts'
import { CallerTranscriber } from '../hearing/hearing.ts'
import type { CancelReason } from '../spoken-answer.ts'
import { UserTurns } from '../user-turns.ts'
import { PipelineAnswer } from './answer.ts'
import { Knowledge } from './knowledge.ts'
import { modelsOfPipeline, type PipelineModels } from './models.ts'
import { Notices } from './notices.ts'
import './phrases.ts'
import type { PipelineSettings } from './settings.ts'
import { worstCaseOfPipelineTurn } from './worst.ts'

export interface PipelineOptions {
  /** The payer, and the endpoint that the receipts name. */
  live: Omit<LiveCall, 'signal'>
  model: PipelineModel
  /** Undefined where the model answers without an agent. */
  agent?: CallAgent | undefined
  settings: PipelineSettings
  /** The language of errors in events. */
  language: Language
}

/** The consecutive failures of upstreams that end a call. */
const maxFailures = 3

const frameMs = 20

/** A turn whose answer may be withdrawn. */
interface AnsweredTurn {
  turn: number
  startMs: number
  items: string[]
  isWithdrawn: boolean
}

export class Pipeline implements CallEngine, TurnListener {
  readonly #app: TurnApp
  readonly #call: CallView
  readonly #options: PipelineOptions
  readonly #models: PipelineModels
  readonly #users: UserTurns
  readonly #transcriber: CallerTranscriber
  readonly #knowledge: Knowledge | undefined
  #turns: TurnTaking | undefined
  #answered: AnsweredTurn | undefined
  #answer: PipelineAnswer | undefined
  #next: ResponseOptions | undefined
  /** The turn for which the money of its answer is reserved, or being reserved. */
  #reservedTurn = 0
  #failures = 0
  /** The time since the call began to receive sound. */
  #heardMs = 0
  #canPay = true
  /** Whether the caller speaks, or speech is being transcribed. */
  #isHearing = false
  readonly #notices: Notices
  readonly #work: EngineWork

  constructor(app: TurnApp, call: CallView, options: PipelineOptions) {
    this.#app = app
    this.#call = call
    this.#options = options
    this.#models = modelsOfPipeline(app, options.model)
    const named = call.session.transcription.model && app.models.find(call.session.transcription.model)
    const model = named && named.kind === 'transcription' ? named : this.#models.transcription
    const { live, agent, language } = options
    this.#users = new UserTurns(call)
    this.#work = new EngineWork(app, call)
    this.#transcriber = new CallerTranscriber({ app, call, live, model })
    this.#knowledge = agent?.recall && new Knowledge({ app, call, live, recall: agent.recall })
    this.#notices = new Notices({
      ...{ app, call, live, models: this.#models, language, work: this.#work },
      isAnswering: () => this.#answer !== undefined,
      isHearing: () => this.#isHearing,
      say: (script, notice) => this.#begin({ metadata: { [noticeMark]: notice } }, { script }),
    })
  }

  async start(): Promise<void> {
    this.#turns = await TurnTaking.open(this.#detection, this)
  }

  frame(samples: Float32Array): void {
    if (this.#call.signal.aborted || !this.#turns || this.#notices.isLeaving) return
    this.#heardMs += frameMs
    this.#transcriber.frame(samples)
    this.#turns.write(samples)
  }

  changed(): void {
    this.#turns?.update(this.#detection)
    if (!this.#detection) this.#transcriber.clear()
  }

  notify(notice: CallNotice): void {
    this.#notices.add(notice)
  }

  event(event: EngineEvent): void {
    switch (event.type) {
      case 'input_audio_buffer.commit':
        if (!this.#turns?.commit()) fail('NO_SOUND_TO_COMMIT', {})
        return
      case 'input_audio_buffer.clear':
        this.#turns?.clear()
        this.#transcriber.clear()
        this.#isHearing = false
        this.#emit('input_audio_buffer.cleared', {})
        return
      case 'output_audio_buffer.clear':
        this.#answer?.cancel('client_cancelled')
        return
      case 'response.cancel':
        this.#cancel(event.responseId)
        return
      case 'response.create':
        this.#create(event.response)
    }
  }

  async stop(): Promise<void> {
    this.#next = undefined
    this.#notices.stop()
    this.#answer?.cancel('client_cancelled')
    await this.#work.whenDone()
    await this.#transcriber.stop()
    this.#turns?.[Symbol.dispose]()
    this.#turns = undefined
  }

  #cancel(responseId: string | undefined): void {
    const answer = this.#answer
    if (!answer || (responseId !== undefined && responseId !== answer.id)) fail('NO_ACTIVE_RESPONSE', {})
    else answer.cancel('client_cancelled')
  }

  #create(responseOptions: ResponseOptions): void {
    const answer = this.#answer
    // A request, such as one after a tool's output, may wait for an answer that is only being spoken to its end.
    if (answer && (!answer.isWritten || this.#next)) fail('RESPONSE_ACTIVE', { response: answer.id })
    this.#respond(responseOptions)
  }

  get #detection(): TurnDetection | null {
    const { turnDetection } = this.#call.session
    if (turnDetection?.type !== 'semantic_vad' || this.#options.settings.endOfTurn === 'words')
      return turnDetection
    return { ...turnDetection, type: 'server_vad' }
  }

  // Speech of the caller

  started({ number, startMs }: { number: number; startMs: number }): void {
    if (this.#answer && this.#call.session.turnDetection?.interruptResponse) this.#cutAnswer('turn_detected')
    this.#isHearing = true
    this.#users.began(startMs)
    this.#reserve(number)
    this.#transcriber.started({ number, startMs })
  }

  paused(pause: Parameters<TurnListener['paused']>[0]): void {
    if (this.#notices.isLeaving) return
    this.#reserve(pause.turn)
    if (!this.#canPay) return
    this.#transcriber.begin(pause, ({ text, failure }) => {
      if (!failure) this.#turns?.addTranscript(pause.turn, text, pause.untilMs)
    })
  }

  resumed(pause: number): void {
    this.#transcriber.discard(pause)
  }

  ended(turn: CallerTurn): void {
    if (this.#notices.isLeaving) return
    const item = this.#users.ended(turn)
    const { number, startMs } = turn
    const answered: AnsweredTurn = { turn: number, startMs, items: [item.id], isWithdrawn: false }
    this.#answered = answered
    this.#work.run(this.#hear(turn, item, answered).then(() => this.#heard(answered)))
    this.#transcriber.ended(turn)
  }

  withdrawn(turn: number): void {
    this.#transcriber.withdrawn(turn)
    const answered = this.#answered
    if (answered?.turn !== turn) return
    answered.isWithdrawn = true
    this.#isHearing = true
    this.#cutAnswer('turn_detected')
    for (const id of answered.items) this.#call.conversation.remove(id)
    this.#users.continueTurn(answered.startMs)
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
    const idleMs = this.#call.session.turnDetection?.idleMs ?? 0
    this.#emit('input_audio_buffer.timeout_triggered', {
      audio_start_ms: this.#heardMs - idleMs,
      audio_end_ms: this.#heardMs,
      item_id: this.#users.itemId,
    })
    this.#respond({})
  }

  async #hear(turn: CallerTurn, item: ConversationItem, answered: AnsweredTurn): Promise<void> {
    const known =
      turn.transcript === undefined ? undefined : { text: turn.transcript, seconds: 0, failure: undefined }
    const heard = known ?? (await this.#transcriber.wholeTranscript(turn))
    if (answered.isWithdrawn || this.#call.signal.aborted) return
    if (heard.failure) {
      this.#users.transcriptionFailed(item, heard.failure, this.#options.language)
      return this.#failed(heard.failure)
    }
    this.#users.transcribed(item, heard.text, turn.samples.length)
    const answers = this.#call.session.turnDetection?.createResponse ?? false
    // Noise has no words, and the caller expects no answer to it.
    if (answers && heard.text.trim() !== '') this.#respond({}, answered)
  }

  /** Call when a turn is transcribed: the caller has finished, unless the turn was withdrawn. */
  #heard({ isWithdrawn }: AnsweredTurn): void {
    if (isWithdrawn) return
    this.#isHearing = false
    this.#notices.sayNext()
  }

  // Answers

  /** Answers a turn: now, or after the answer that is under way. */
  #respond(responseOptions: ResponseOptions, answered?: AnsweredTurn): void {
    if (this.#notices.isLeaving) return
    if (this.#answer) {
      this.#next = responseOptions
      return
    }
    this.#begin(responseOptions, { answered })
  }

  #begin(
    responseOptions: ResponseOptions,
    { answered, script }: { answered?: AnsweredTurn | undefined; script?: string },
  ): Promise<void> {
    const { live, settings, language, agent } = this.#options
    const answer = new PipelineAnswer({
      ...{ app: this.#app, call: this.#call, models: this.#models },
      ...{ live, settings, language, responseOptions, script, agent, knowledge: this.#knowledge },
      onSpeaking: (isSpeaking) => this.#turns?.setAssistantSpeaking(isSpeaking),
      onSaid: (text) => this.#turns?.setAssistantSentence(text),
      onItem: (id) => answered?.items.push(id),
    })
    this.#answer = answer
    const over = answer.run().then(() => this.#ended(answer))
    this.#work.run(over)
    return over
  }

  #ended(answer: PipelineAnswer): void {
    // A notice of the call itself may fail: the call goes on as well without it.
    if (!answer.isScripted) this.#count(answer)
    if (this.#answer === answer) this.#goOn()
  }

  #count(answer: PipelineAnswer): void {
    if (answer.failure) this.#failed(answer.failure)
    else if (!answer.isCancelled) this.#failures = 0
  }

  #goOn(): void {
    this.#answer = undefined
    const next = this.#next
    this.#next = undefined
    if (next && !this.#call.signal.aborted) this.#respond(next)
    else if (!this.#canPay) this.#leave()
    else this.#notices.sayNext()
  }

  /** Cuts the answer; the next one does not wait until its upstreams are closed. */
  #cutAnswer(reason: CancelReason): void {
    this.#answer?.cancel(reason)
    this.#answer = undefined
    this.#next = undefined
  }

  #failed(failure: Failure): void {
    this.#failures += 1
    if (failure.status === 402) this.#leave()
    else if (this.#failures >= maxFailures) this.#call.end('failed')
  }

  /** Ends the call since the balance covers nothing further. An answer that is under way is paid, and heard to its end. */
  #leave(): void {
    this.#canPay = false
    if (!this.#answer && !this.#notices.isLeaving && !this.#call.signal.aborted) this.#notices.sayFarewell()
  }

  /** Reserves the money of the turn while the caller speaks, so that its end does not wait for that. */
  #reserve(turn: number): void {
    if (this.#reservedTurn === turn) return
    this.#reservedTurn = turn
    const worst = worstCaseOfPipelineTurn(this.#app, this.#options.live.caller, {
      models: this.#models,
      agent: this.#options.agent,
      settings: this.#call.session,
    })
    this.#work.run(
      this.#call.money.reserve(worst).then((isReserved) => {
        this.#canPay = isReserved
        if (!isReserved) this.#leave()
      }),
    )
  }

  #emit(type: string, fields: Record<string, unknown>): void {
    this.#call.emit({ type, ...fields })
  }
}
