/** The engine `pipeline`: what is said is written down, a text model answers it, and its answer is spoken. */
import type { App } from '#app'
import type { HeardLive, LiveCall } from '#engine/live-speech'
import type { PipelineModel } from '#engine/models'
import { type Failure, fail, type Language } from '#platform/errors'
import { newId } from '../../events/server-events.ts'
import type {
  CallEngine,
  CallView,
  ConversationItem,
  EngineEvent,
  ResponseOptions,
  TurnDetection,
} from '../../parts.ts'
import { type Turn, type TurnListener, TurnTaking } from '../../turns/turn-taking.ts'
import { Hearing } from '../hearing/hearing.ts'
import { Answer, type CancelReason, errorOf } from './answer.ts'
import { modelsOfPipeline, type PipelineModels } from './models.ts'
import './phrases.ts'
import type { PipelineSettings } from './settings.ts'
import { worstOfTurn } from './worst.ts'

export interface PipelineOptions {
  /** Who pays, and on which receipts. */
  live: Omit<LiveCall, 'signal'>
  model: PipelineModel
  settings: PipelineSettings
  /** Of errors within events. */
  language: Language
}

/** Failures of upstreams, one after the other, that end a call. */
const mostFailures = 3

const frameMs = 20

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
  /** What is under way; each of them never rejects. */
  readonly #work = new Set<Promise<void>>()

  constructor(app: App, call: CallView, options: PipelineOptions) {
    this.#app = app
    this.#call = call
    this.#options = options
    this.#models = modelsOfPipeline(app, options.model)
    const named = call.session.transcription.model && app.models.find(call.session.transcription.model)
    const model = named && named.kind === 'transcription' ? named : this.#models.transcription
    this.#hearing = new Hearing({ app, call, live: options.live, model })
  }

  async start(): Promise<void> {
    this.#turns = await TurnTaking.open(this.#detection, this)
  }

  frame(samples: Float32Array): void {
    if (this.#call.signal.aborted || !this.#turns) return
    this.#heardMs += frameMs
    this.#hearing.frame(samples)
    this.#turns.write(samples)
  }

  changed(): void {
    this.#turns?.update(this.#detection)
    if (!this.#detection) this.#hearing.clear()
  }

  event(event: EngineEvent): void {
    switch (event.type) {
      case 'input_audio_buffer.commit':
        if (!this.#turns?.commit()) fail('NO_SOUND_TO_COMMIT', {})
        return
      case 'input_audio_buffer.clear':
        this.#turns?.clear()
        this.#hearing.clear()
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
    this.#emit('input_audio_buffer.speech_started', { audio_start_ms: startMs, item_id: this.#item })
    this.#reserve(number)
    this.#hearing.started({ number, startMs })
  }

  paused(pause: Parameters<TurnListener['paused']>[0]): void {
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
    this.#run(this.#hear(turn, item, answered))
    this.#hearing.ended(turn)
  }

  withdrawn(turn: number): void {
    this.#hearing.withdrawn(turn)
    const answered = this.#answered
    if (answered?.turn !== turn) return
    answered.isWithdrawn = true
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
    if (this.#answer) {
      this.#next = asked
      return
    }
    const { live, settings, language } = this.#options
    const answer = new Answer({
      ...{ app: this.#app, call: this.#call, models: this.#models },
      ...{ live, settings, language, asked },
      onSpeaking: (isSpeaking) => this.#turns?.assistantSpeaks(isSpeaking),
      onSaid: (text) => this.#turns?.assistantSaid(text),
      onItem: (id) => answered?.items.push(id),
    })
    this.#answer = answer
    this.#run(answer.run().then(() => this.#ended(answer)))
  }

  #ended(answer: Answer): void {
    if (answer.failure) this.#failed(answer.failure)
    else if (!answer.isCancelled) this.#failures = 0
    if (this.#answer === answer) this.#goOn()
  }

  #goOn(): void {
    this.#answer = undefined
    const next = this.#next
    this.#next = undefined
    if (next && !this.#call.signal.aborted) this.#respond(next)
    else if (!this.#canPay) this.#call.end('credits')
  }

  /** The answer is cut; what comes next need not wait until its upstreams are closed. */
  #silence(reason: CancelReason): void {
    this.#answer?.cancel(reason)
    this.#answer = undefined
    this.#next = undefined
  }

  #failed(failure: Failure): void {
    this.#failures += 1
    if (failure.status === 402) this.#call.end('credits')
    else if (this.#failures >= mostFailures) this.#call.end('failed')
  }

  /** While somebody speaks, so that nobody waits for it at the end of the turn. */
  #reserve(turn: number): void {
    if (this.#reservedTurn === turn) return
    this.#reservedTurn = turn
    const worst = worstOfTurn(this.#app, this.#options.live.caller, this.#models, this.#call.session)
    this.#run(
      this.#call.money.reserve(worst).then((isReserved) => {
        this.#canPay = isReserved
        // An answer that is under way is paid: it is heard to its end.
        if (!isReserved && !this.#answer) this.#call.end('credits')
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
