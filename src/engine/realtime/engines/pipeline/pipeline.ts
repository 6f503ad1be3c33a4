/** The engine `pipeline`: what is said is written down, a text model answers it, and its answer is spoken. */
import type { App } from '#app'
import { type HeardLive, type LiveCall, planSpeaking } from '#engine/live-speech'
import type { PipelineModel } from '#engine/models'
import { type Failure, fail, type Language } from '#platform/errors'
import { newId } from '../../events/server-events.ts'
import type {
  CallEngine,
  CallNotice,
  CallView,
  ConversationItem,
  EngineEvent,
  ResponseOptions,
  TurnDetection,
} from '../../parts.ts'
import { type Turn, type TurnListener, TurnTaking } from '../../turns/turn-taking.ts'
import { Hearing } from '../hearing/hearing.ts'
import type { CallAgent } from './agent.ts'
import { Answer, type CancelReason, errorOf } from './answer.ts'
import { Knowledge } from './knowledge.ts'
import { modelsOfPipeline, type PipelineModels } from './models.ts'
import './phrases.ts'
import { noticeMark } from '../../phrases.ts'
import { farewell, noticeSentences, spokenLanguage } from './sentences.ts'
import type { PipelineSettings } from './settings.ts'
import { worstOfTurn } from './worst.ts'

export interface PipelineOptions {
  /** Who pays, and on which receipts. */
  live: Omit<LiveCall, 'signal'>
  model: PipelineModel
  /** Undefined where the model answers by itself. */
  agent?: CallAgent | undefined
  settings: PipelineSettings
  /** Of errors within events. */
  language: Language
}

/** Failures of upstreams, one after the other, that end a call. */
const mostFailures = 3

const frameMs = 20
/** From an empty balance to the end of the call. */
const leaveMs = 5_000

/** A turn whose answer may be withdrawn. */
interface Answered {
  turn: number
  startMs: number
  items: string[]
  isWithdrawn: boolean
}

export class Pipeline implements CallEngine, TurnListener {
  readonly #app: App
  readonly #call: CallView
  readonly #options: PipelineOptions
  readonly #models: PipelineModels
  readonly #hearing: Hearing
  readonly #knowledge: Knowledge | undefined
  #turns: TurnTaking | undefined
  /** Item of the turn that is spoken. */
  #item = newId('item')
  #answered: Answered | undefined
  #answer: Answer | undefined
  #next: ResponseOptions | undefined
  /** The turn for which the money of its answer is reserved, or being reserved. */
  #reservedTurn = 0
  #failures = 0
  /** Since the call began to be heard. */
  #heardMs = 0
  #canPay = true
  /** Somebody speaks, or what was said is being written down. */
  #isHearing = false
  /** To be said when there is room. */
  readonly #notices: CallNotice[] = []
  readonly #notified = new Set<CallNotice>()
  /** The balance bears no further turn: the caller is told so, and the call ends. */
  #isLeaving = false
  #leaving: NodeJS.Timeout | undefined
  /** What is under way; each of them never rejects. */
  readonly #work = new Set<Promise<void>>()

  constructor(app: App, call: CallView, options: PipelineOptions) {
    this.#app = app
    this.#call = call
    this.#options = options
    this.#models = modelsOfPipeline(app, options.model)
    const named = call.session.transcription.model && app.models.find(call.session.transcription.model)
    const model = named && named.kind === 'transcription' ? named : this.#models.transcription
    const { live, agent } = options
    this.#hearing = new Hearing({ app, call, live, model })
    this.#knowledge = agent?.recall && new Knowledge({ app, call, live, recall: agent.recall })
  }

  async start(): Promise<void> {
    this.#turns = await TurnTaking.open(this.#detection, this)
  }

  frame(samples: Float32Array): void {
    if (this.#call.signal.aborted || !this.#turns || this.#isLeaving) return
    this.#heardMs += frameMs
    this.#hearing.frame(samples)
    this.#turns.write(samples)
  }

  changed(): void {
    this.#turns?.update(this.#detection)
    if (!this.#detection) this.#hearing.clear()
  }

  notify(notice: CallNotice): void {
    if (this.#notified.has(notice)) return
    this.#notified.add(notice)
    this.#notices.push(notice)
    this.#sayNotices()
  }

  event(event: EngineEvent): void {
    switch (event.type) {
      case 'input_audio_buffer.commit':
        if (!this.#turns?.commit()) fail('NO_SOUND_TO_COMMIT', {})
        return
      case 'input_audio_buffer.clear':
        this.#turns?.clear()
        this.#hearing.clear()
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
    clearTimeout(this.#leaving)
    this.#answer?.cancel('client_cancelled')
    while (this.#work.size > 0) await Promise.all(this.#work)
    await this.#hearing.stop()
    this.#turns?.[Symbol.dispose]()
    this.#turns = undefined
  }

  #cancel(responseId: string | undefined): void {
    const answer = this.#answer
    if (!answer || (responseId !== undefined && responseId !== answer.id)) fail('NO_ACTIVE_RESPONSE', {})
    else answer.cancel('client_cancelled')
  }

  #create(asked: ResponseOptions): void {
    const answer = this.#answer
    // What is only spoken to its end lets the next one wait, such as a tool's output.
    if (answer && (!answer.isWritten || this.#next)) fail('RESPONSE_ACTIVE', { response: answer.id })
    this.#respond(asked)
  }

  get #detection(): TurnDetection | null {
    const { turnDetection } = this.#call.session
    if (turnDetection?.type !== 'semantic_vad' || this.#options.settings.endOfTurn === 'words')
      return turnDetection
    return { ...turnDetection, type: 'server_vad' }
  }

  // What is heard

  started({ number, startMs }: { number: number; startMs: number }): void {
    if (this.#answer && this.#call.session.turnDetection?.interruptResponse) this.#silence('turn_detected')
    this.#item = newId('item')
    this.#isHearing = true
    this.#emit('input_audio_buffer.speech_started', { audio_start_ms: startMs, item_id: this.#item })
    this.#reserve(number)
    this.#hearing.started({ number, startMs })
  }

  paused(pause: Parameters<TurnListener['paused']>[0]): void {
    if (this.#isLeaving) return
    this.#reserve(pause.turn)
    if (!this.#canPay) return
    this.#hearing.begin(pause, ({ text, failure }) => {
      if (!failure) this.#turns?.words(pause.turn, text, pause.untilMs)
    })
  }

  resumed(pause: number): void {
    this.#hearing.discard(pause)
  }

  ended(turn: Turn): void {
    if (this.#isLeaving) return
    const itemId = this.#item
    this.#item = newId('item')
    const { turnDetection } = this.#call.session
    if (turnDetection)
      this.#emit('input_audio_buffer.speech_stopped', { audio_end_ms: turn.endMs, item_id: itemId })
    this.#emit('input_audio_buffer.committed', {
      previous_item_id: this.#call.conversation.items.at(-1)?.id ?? null,
      item_id: itemId,
    })
    const item: ConversationItem = {
      id: itemId,
      type: 'message',
      status: 'completed',
      role: 'user',
      content: [{ type: 'input_audio', transcript: null }],
    }
    this.#call.conversation.add(item)
    this.#call.conversation.done(itemId)
    const { number, startMs } = turn
    const answered: Answered = { turn: number, startMs, items: [itemId], isWithdrawn: false }
    this.#answered = answered
    this.#run(this.#hear(turn, item, answered).then(() => this.#heard(answered)))
    this.#hearing.ended(turn)
  }

  withdrawn(turn: number): void {
    this.#hearing.withdrawn(turn)
    const answered = this.#answered
    if (answered?.turn !== turn) return
    answered.isWithdrawn = true
    this.#isHearing = true
    this.#silence('turn_detected')
    for (const id of answered.items) this.#call.conversation.remove(id)
    this.#emit('input_audio_buffer.speech_started', {
      audio_start_ms: answered.startMs,
      item_id: this.#item,
    })
  }

  duck(): void {
    this.#call.speaker.duck()
  }

  unduck(): void {
    this.#call.speaker.unduck()
  }

  interrupted(): void {
    this.#silence('turn_detected')
  }

  idle(): void {
    const idleMs = this.#call.session.turnDetection?.idleMs ?? 0
    this.#emit('input_audio_buffer.timeout_triggered', {
      audio_start_ms: this.#heardMs - idleMs,
      audio_end_ms: this.#heardMs,
      item_id: this.#item,
    })
    this.#respond({})
  }

  async #hear(turn: Turn, item: ConversationItem, answered: Answered): Promise<void> {
    const known = turn.words === undefined ? undefined : { text: turn.words, seconds: 0, failure: undefined }
    const heard = known ?? (await this.#hearing.whole(turn))
    if (answered.isWithdrawn || this.#call.signal.aborted) return
    if (heard.failure) return this.#unheard(item, heard.failure)
    this.#transcribed(item, heard, turn)
    const answers = this.#call.session.turnDetection?.createResponse ?? false
    // Noise has no words, and nobody waits for an answer to it.
    if (answers && heard.text.trim() !== '') this.#respond({}, answered)
  }

  /** Nobody speaks any more, unless that was not the end of it. */
  #heard({ isWithdrawn }: Answered): void {
    if (isWithdrawn) return
    this.#isHearing = false
    this.#sayNotices()
  }

  #transcribed(item: ConversationItem, { text }: HeardLive, { samples }: Turn): void {
    item.content = [{ type: 'input_audio', transcript: text }]
    this.#emit('conversation.item.input_audio_transcription.completed', {
      item_id: item.id,
      content_index: 0,
      transcript: text,
      usage: { type: 'duration', seconds: Math.ceil(samples.length / 16_000) },
    })
  }

  #unheard(item: ConversationItem, failure: Failure): void {
    this.#emit('conversation.item.input_audio_transcription.failed', {
      item_id: item.id,
      content_index: 0,
      error: errorOf(failure, this.#options.language),
    })
    this.#failed(failure)
  }

  // What is answered

  /** Its answer is the next one: after the one that is under way, if there is one. */
  #respond(asked: ResponseOptions, answered?: Answered): void {
    if (this.#isLeaving) return
    if (this.#answer) {
      this.#next = asked
      return
    }
    this.#begin(asked, { answered })
  }

  #begin(
    asked: ResponseOptions,
    { answered, script }: { answered?: Answered | undefined; script?: string },
  ): Promise<void> {
    const { live, settings, language, agent } = this.#options
    const answer = new Answer({
      ...{ app: this.#app, call: this.#call, models: this.#models },
      ...{ live, settings, language, asked, script, agent, knowledge: this.#knowledge },
      onSpeaking: (isSpeaking) => this.#turns?.assistantSpeaks(isSpeaking),
      onSaid: (text) => this.#turns?.assistantSaid(text),
      onItem: (id) => answered?.items.push(id),
    })
    this.#answer = answer
    const over = answer.run().then(() => this.#ended(answer))
    this.#run(over)
    return over
  }

  #ended(answer: Answer): void {
    // What the call says by itself may fail: it goes on as well without.
    if (!answer.isScripted) this.#count(answer)
    if (this.#answer === answer) this.#goOn()
  }

  #count(answer: Answer): void {
    if (answer.failure) this.#failed(answer.failure)
    else if (!answer.isCancelled) this.#failures = 0
  }

  #goOn(): void {
    this.#answer = undefined
    const next = this.#next
    this.#next = undefined
    if (next && !this.#call.signal.aborted) this.#respond(next)
    else if (!this.#canPay) this.#leave()
    else this.#sayNotices()
  }

  /** The answer is cut; what comes next need not wait until its upstreams are closed. */
  #silence(reason: CancelReason): void {
    this.#answer?.cancel(reason)
    this.#answer = undefined
    this.#next = undefined
  }

  #failed(failure: Failure): void {
    this.#failures += 1
    if (failure.status === 402) this.#leave()
    else if (this.#failures >= mostFailures) this.#call.end('failed')
  }

  // What the call says by itself

  /** Once nobody speaks and nothing is answered. */
  #sayNotices(): void {
    if (this.#answer || this.#isHearing || this.#isLeaving) return
    const notice = this.#notices.shift()
    if (notice) this.#run(this.#say(noticeSentences[notice], notice))
  }

  /** Where sound is answered, and it can be paid. Resolves when it was said, or not. */
  async #say(sentences: Record<Language, string>, notice: CallNotice, isLast = false): Promise<void> {
    const call = this.#call
    if (call.signal.aborted || !call.session.modalities.includes('audio')) return
    const script = sentences[spokenLanguage(call, this.#options.language)]
    const speaking = { ...this.#options.live, signal: call.signal, model: this.#models.speech, text: script }
    if (!(await call.money.spare(planSpeaking(this.#app, speaking).worst)) || call.signal.aborted) return
    // Somebody was faster: what they get is heard first.
    const isLate = this.#answer || (!isLast && (this.#isHearing || this.#isLeaving))
    if (isLate) return void this.#notices.unshift(notice)
    await this.#begin({ metadata: { [noticeMark]: notice } }, { script })
  }

  /** The balance bears nothing further: the caller is told so, as far as that was held, and the call ends. */
  #leave(): void {
    const call = this.#call
    if (this.#isLeaving || call.signal.aborted) return
    this.#canPay = false
    // An answer that is under way is paid, and heard to its end.
    if (this.#answer) return
    this.#isLeaving = true
    this.#emit('kherad.ending', { reason: 'credits', seconds: leaveMs / 1_000 })
    this.#leaving = setTimeout(() => call.end('credits'), leaveMs)
    this.#run(this.#say(farewell, 'credits', true).then(() => call.end('credits')))
  }

  /** While somebody speaks, so that nobody waits for it at the end of the turn. */
  #reserve(turn: number): void {
    if (this.#reservedTurn === turn) return
    this.#reservedTurn = turn
    const worst = worstOfTurn(this.#app, this.#options.live.caller, {
      models: this.#models,
      agent: this.#options.agent,
      settings: this.#call.session,
    })
    this.#run(
      this.#call.money.reserve(worst).then((isReserved) => {
        this.#canPay = isReserved
        if (!isReserved) this.#leave()
      }),
    )
  }

  #run(work: Promise<void>): void {
    const entry: Promise<void> = work
      .catch((error: unknown) => {
        this.#app.log.error({ err: error, call_id: this.#call.callId }, 'a call could not go on')
        this.#call.end('failed')
      })
      .finally(() => this.#work.delete(entry))
    this.#work.add(entry)
  }

  #emit(type: string, fields: Record<string, unknown>): void {
    this.#call.emit({ type, ...fields })
  }
}
