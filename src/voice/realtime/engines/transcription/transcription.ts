/** The engine `transcription`, for captions: speech is transcribed, and nothing is answered. */
import type { TranscriptionModel } from '#core/models'
import type { PaidApp } from '#core/paid'
import { type Failure, fail, type Language } from '#platform/errors'
import { type LiveCall, worstCaseOfUtterance } from '#voice/live-speech'
import { refuse } from '../../events/fields.ts'
import type { CallEngine, CallView, ConversationItem, EngineEvent, TurnDetection } from '../../parts.ts'
import type { CallerTurn, Pause, TurnListener } from '../../turns/turn-listener.ts'
import { TurnTaking } from '../../turns/turn-taking.ts'
import { EngineWork } from '../engine-work.ts'
import { CallerTranscriber } from '../hearing/hearing.ts'
import { maxEarlySeconds } from '../pipeline/early.ts'
import '../pipeline/phrases.ts'
import { UserTurns } from '../user-turns.ts'
import { reasons } from './phrases.ts'
import { StableWords } from './stable-words.ts'

export interface TranscriptionOptions {
  /** The payer, and the endpoint that the receipts name. */
  live: Omit<LiveCall, 'signal'>
  /** The model where the session names none. */
  model: TranscriptionModel
  /** The language of errors in events. */
  language: Language
}

/** The consecutive failures that end a session. */
const maxFailures = 3
const maxTurnSeconds = 60
/** A turn is transcribed at most twice, while it is spoken and from its recording; where its words decide when it is over, early as well. */
const transcriptionsPerTurn = 2 + maxEarlySeconds / maxTurnSeconds

/** The most that one turn may cost, in micro-credits. */
export const worstCaseOfCaptionTurn = (
  app: Pick<PaidApp, 'config' | 'models'>,
  { caller, model }: { caller: LiveCall['caller']; model: TranscriptionModel },
): bigint => worstCaseOfUtterance(app, { caller, model }, maxTurnSeconds) * BigInt(transcriptionsPerTurn)

export class Transcription implements CallEngine, TurnListener {
  readonly #app: PaidApp
  readonly #call: CallView
  readonly #options: TranscriptionOptions
  readonly #transcriber: CallerTranscriber
  readonly #users: UserTurns
  readonly #work: EngineWork
  #turns: TurnTaking | undefined
  /** The words that were sent to the client for turns that are not complete yet. */
  readonly #words = new Map<number, { item: string; words: StableWords }>()
  #failures = 0
  #canPay = true

  constructor(app: PaidApp, call: CallView, options: TranscriptionOptions) {
    this.#app = app
    this.#call = call
    this.#options = options
    this.#users = new UserTurns(call)
    this.#work = new EngineWork(app, call)
    const model = (): TranscriptionModel => this.#model
    this.#transcriber = new CallerTranscriber({
      ...{ app, call, live: options.live },
      // The model of the session when a turn begins.
      get model() {
        return model()
      },
      partial: (turn, text) => this.#partial(turn, text),
    })
  }

  async start(): Promise<void> {
    this.#turns = await TurnTaking.open(this.#detection, this)
  }

  frame(samples: Float32Array): void {
    if (this.#call.signal.aborted || !this.#turns) return
    this.#transcriber.frame(samples)
    this.#turns.write(samples)
  }

  changed(): void {
    const detection = this.#detection
    this.#turns?.update(detection)
    if (!detection) this.#clear()
  }

  event(event: EngineEvent): void {
    switch (event.type) {
      case 'input_audio_buffer.commit':
        if (!this.#turns?.commit()) fail('NO_SOUND_TO_COMMIT', {})
        return
      case 'input_audio_buffer.clear':
        this.#turns?.clear()
        this.#clear()
        this.#emit('input_audio_buffer.cleared', {})
        return
      default:
        refuse('type', reasons.noAnswers)
    }
  }

  async stop(): Promise<void> {
    await this.#work.whenDone()
    await this.#transcriber.stop()
    this.#turns?.[Symbol.dispose]()
    this.#turns = undefined
  }

  /** The detection of turns without answers, so that none is withdrawn or interrupted. */
  get #detection(): TurnDetection | null {
    const { turnDetection } = this.#call.session
    return turnDetection && { ...turnDetection, createResponse: false, interruptResponse: false }
  }

  #clear(): void {
    this.#transcriber.clear()
    this.#words.clear()
  }

  get #model(): TranscriptionModel {
    const { model } = this.#call.session.transcription
    const named = model === undefined ? undefined : this.#app.models.find(model)
    return named?.kind === 'transcription' ? named : this.#options.model
  }

  started({ number, startMs }: { number: number; startMs: number }): void {
    this.#users.began(startMs)
    this.#words.set(number, { item: this.#users.itemId, words: new StableWords() })
    this.#reserve()
    this.#transcriber.started({ number, startMs })
  }

  paused(pause: Pause): void {
    // Where silence alone ends a turn, transcribing its beginning early would be paid for nothing.
    const { isLive } = this.#transcriber
    const isEarly = this.#call.session.turnDetection?.type === 'semantic_vad' || isLive
    if (!isEarly || !this.#canPay) return
    this.#transcriber.begin(pause, ({ text, failure }) => {
      if (failure) return
      const told = this.#words.get(pause.turn)
      // Words from a recording may change once the caller goes on, so only live words are sent.
      if (told && isLive) this.#delta(told.item, told.words.whole(text))
      this.#turns?.addTranscript(pause.turn, text, pause.untilMs)
    })
  }

  resumed(pause: number): void {
    this.#transcriber.discard(pause)
  }

  ended(turn: CallerTurn): void {
    const item = this.#users.ended(turn)
    this.#work.run(this.#hear(turn, item))
    this.#transcriber.ended(turn)
  }

  /** The methods below concern only turns that are answered. */
  withdrawn(): void {}
  duck(): void {}
  unduck(): void {}
  interrupted(): void {}
  idle(): void {}

  async #hear(turn: CallerTurn, item: ConversationItem): Promise<void> {
    const { transcript: known } = turn
    const heard =
      known === undefined
        ? await this.#transcriber.wholeTranscript(turn)
        : { text: known, failure: undefined }
    const told = this.#words.get(turn.number)?.words ?? new StableWords()
    this.#words.delete(turn.number)
    if (this.#call.signal.aborted) return
    if (heard.failure) this.#unheard(item, heard.failure)
    else this.#transcribed(item, heard.text, { turn, told })
  }

  #transcribed(
    item: ConversationItem,
    text: string,
    { turn, told }: { turn: CallerTurn; told: StableWords },
  ): void {
    this.#failures = 0
    this.#delta(item.id, told.whole(text))
    this.#users.transcribed(item, text, turn.samples.length)
    if (!this.#canPay) this.#call.end('credits')
  }

  #unheard(item: ConversationItem, failure: Failure): void {
    this.#users.transcriptionFailed(item, failure, this.#options.language)
    this.#failures += 1
    if (failure.status === 402) this.#call.end('credits')
    else if (this.#failures >= maxFailures) this.#call.end('failed')
  }

  #partial(turn: number, text: string): void {
    const told = this.#words.get(turn)
    if (told) this.#delta(told.item, told.words.partial(text))
  }

  #delta(itemId: string, delta: string): void {
    if (delta !== '')
      this.#emit('conversation.item.input_audio_transcription.delta', {
        item_id: itemId,
        content_index: 0,
        delta,
      })
  }

  /** Reserves the money of a turn while the caller speaks, so that its end does not wait for that. */
  #reserve(): void {
    const worst = worstCaseOfCaptionTurn(this.#app, { caller: this.#options.live.caller, model: this.#model })
    this.#work.run(
      this.#call.money.reserve(worst).then((isReserved) => {
        this.#canPay = isReserved
        // Earlier speech is paid, and is transcribed to its end.
        if (!isReserved && this.#work.size <= 1) this.#call.end('credits')
      }),
    )
  }

  #emit(type: string, fields: Record<string, unknown>): void {
    this.#call.emit({ type, ...fields })
  }
}
