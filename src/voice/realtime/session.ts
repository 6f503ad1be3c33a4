/** The session of one call, between a client on any transport and the engine that answers. */
import type { Clock } from '#platform/clock'
import { Failure, fail, type Language } from '#platform/errors'
import { exactCredits } from '#platform/ledger'
import type { Log } from '#platform/log'
import { CallConversation, itemObject } from './conversation.ts'
import { type ClientEvent, readClientEvent } from './events/client-events.ts'
import { refuse } from './events/fields.ts'
import { errorEvent, newId, sessionObject } from './events/server-events.ts'
import { type CallSettings, type UpdateRules, updateSession } from './events/session-update.ts'
import type {
  CallEngine,
  CallMoney,
  CallView,
  Conversation,
  EndReason,
  RealtimeEvent,
  Speaker,
  Transport,
  TransportListener,
} from './parts.ts'
import { noticeMark, reasons } from './phrases.ts'
import { PlayedSound } from './played-sound.ts'

/** After this many events of unknown types the call ends: its client speaks another protocol. */
export const maxUnknownEvents = 100
/** The most events that wait while the engine starts. */
export const maxEarlyEvents = 100
/** How long before the end of its time a call is warned. */
export const expiryWarningMs = 15_000
const tickMs = 1_000

export interface SessionOptions {
  callId: string
  settings: CallSettings
  /** The fields of the request's session that have no effect here. */
  ignored: readonly string[]
  transcriptionModel: UpdateRules['transcriptionModel']
  hasHosted?: UpdateRules['hasHosted']
  language: Language
  clock: Clock
  log: Log
  /** How long the call goes on while neither side speaks. */
  idleMs: number
  /** The end of the call in Unix milliseconds. */
  expiresAtMs: number
  transport: Transport
  money: CallMoney
  /** Keeps the call's words; absent where they are not kept. */
  words?: SessionWords | undefined
  openSound(play: Transport['play']): Disposable & { speaker: Speaker }
  openEngine(call: CallView): CallEngine
  /** Settles the call after its engine has stopped. Does not throw. */
  settle(reason: EndReason, turns: number): Promise<void>
}

/** Receives the events that the client is sent, and those after the end that it is not sent any more. */
export interface SessionWords {
  event(event: RealtimeEvent, conversation: Conversation): void
  /** Call when an item counts as never spoken. */
  removed(itemId: string): void
}

type State = 'starting' | 'active' | 'ended'

/**
 * The state of a call: starting, active, ended. It answers the events about the session and the conversation; the engine answers the rest. The first
 * call of `end` gives the reason; then the engine stops, and the cost of the call is settled, once.
 */
export class CallSession implements TransportListener, CallView {
  readonly callId: string
  readonly conversation: Conversation
  readonly money: CallMoney
  readonly speaker: Speaker
  readonly #options: SessionOptions
  readonly #sessionId = newId('sess')
  readonly #gone = new AbortController()
  readonly #engine: CallEngine
  readonly #sound: Disposable
  readonly #played = new PlayedSound()
  readonly #ended = Promise.withResolvers<void>()
  #state: State = 'starting'
  #settings: CallSettings
  #early: RealtimeEvent[] = []
  #unknownEvents = 0
  #turns = 0
  #isSpeaking = false
  #lastSoundMs: number
  #isWarned = false
  #toldSpent = 0n
  #timer: NodeJS.Timeout | undefined

  constructor(options: SessionOptions) {
    this.#options = options
    this.#settings = options.settings
    this.callId = options.callId
    this.money = options.money
    this.conversation = new CallConversation(
      (event) => this.emit(event),
      (id) => options.words?.removed(id),
    )
    const sound = options.openSound((frame, itemId) => this.#play(frame, itemId))
    this.#sound = sound
    this.speaker = sound.speaker
    this.#lastSoundMs = options.clock.nowMs()
    this.#engine = options.openEngine(this)
  }

  get session(): CallSettings {
    return this.#settings
  }

  get signal(): AbortSignal {
    return this.#gone.signal
  }

  /** The number of answers that were begun; in a transcription session, of turns that were transcribed. */
  get turns(): number {
    return this.#turns
  }

  /** Resolves when the call has ended and is settled. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Starts the engine. Resolves when it listens, or the call has ended before. */
  async start(): Promise<void> {
    const { transport, ignored } = this.#options
    transport.setSoundFormats?.(this.#settings)
    this.#sendSession('session.created', ignored)
    this.#timer = setInterval(() => this.#tick(), tickMs)
    try {
      await this.#engine.start()
    } catch (error) {
      this.#refuse(error)
      this.end(error instanceof Failure && error.status === 402 ? 'credits' : 'failed')
    }
    if (this.#isOver()) return
    this.#state = 'active'
    const early = this.#early
    this.#early = []
    for (const event of early) this.event(event)
  }

  frame(samples: Float32Array): void {
    if (this.#state === 'active') this.#engine.frame(samples)
  }

  event(event: RealtimeEvent): void {
    if (this.#isOver()) return
    if (this.#state === 'starting') {
      if (this.#early.length < maxEarlyEvents) this.#early.push(event)
      else this.end('failed')
      return
    }
    const eventId = typeof event.event_id === 'string' ? event.event_id.slice(0, maxEventIdLength) : undefined
    try {
      this.#answer(readClientEvent(event, () => newId('item'), this.#options.hasHosted))
    } catch (error) {
      this.#refuse(error, eventId)
    }
  }

  /** Call when the transport could not parse a message. */
  unreadable(): void {
    this.#refuse(new Failure('INVALID_REQUEST', { why: reasons.notJson }, {}))
  }

  /** Call when the balance covers no more of the call than is held. */
  warn(): void {
    this.#sendCredits({ warning: true })
    this.#engine.notify?.('credits')
  }

  /** Tells the client that the call will end for this reason, after this many seconds. */
  announceEnd(reason: EndReason, seconds: number): void {
    this.emit({ type: 'kherad.ending', reason, seconds })
  }

  gone(): void {
    this.end('disconnected')
  }

  emit(event: RealtimeEvent): void {
    this.#options.words?.event(event, this.conversation)
    if (this.#isOver()) return
    this.#watch(event)
    this.#options.transport.send({ ...event, event_id: newId('event') })
  }

  end(reason: EndReason): void {
    if (this.#isOver()) return
    this.announceEnd(reason, 0)
    this.#state = 'ended'
    clearInterval(this.#timer)
    this.#gone.abort()
    this.#options.transport.end(reason)
    void this.#close(reason)
  }

  async #close(reason: EndReason): Promise<void> {
    try {
      await this.#engine.stop()
    } catch (error) {
      this.#options.log.error({ err: error, call_id: this.callId }, 'the engine of a call did not stop')
    }
    this.#sound[Symbol.dispose]()
    await this.#options.settle(reason, this.#turns)
    this.#ended.resolve()
  }

  #isOver(): boolean {
    return this.#state === 'ended'
  }

  #answer(event: ClientEvent): void {
    switch (event.type) {
      case 'session.update':
        this.#update(event.session)
        break
      case 'input_audio_buffer.append':
        this.#append(event.audio)
        break
      case 'conversation.item.create':
        this.#create(event)
        break
      case 'conversation.item.retrieve':
        this.emit({ type: 'conversation.item.retrieved', item: itemObject(this.#item(event.itemId)) })
        break
      case 'conversation.item.delete':
        this.conversation.remove(this.#item(event.itemId).id)
        this.#engine.changed()
        break
      case 'conversation.item.truncate':
        this.#truncate(event)
        break
      default:
        this.#noteActivity()
        this.#engine.event(event)
    }
  }

  #update(update: unknown): void {
    const { transport, transcriptionModel, hasHosted } = this.#options
    const isVoiceFixed = this.#played.hasPlayed
    const rules = { transcriptionModel, hasHosted, isVoiceFixed }
    const { settings, ignored } = updateSession(this.#settings, update, rules)
    this.#settings = settings
    transport.setSoundFormats?.(settings)
    this.#sendSession('session.updated', ignored)
    this.#engine.changed()
  }

  #append(audio: string): void {
    const { transport } = this.#options
    if (transport.append) transport.append(audio)
    else refuse('type', reasons.noAppend)
  }

  #create({ item, previousId }: Extract<ClientEvent, { type: 'conversation.item.create' }>): void {
    if (this.conversation.get(item.id)) refuse('item.id', reasons.usedId)
    if (previousId !== undefined && previousId !== 'root' && !this.conversation.get(previousId))
      fail('ITEM_NOT_FOUND', { item: previousId }, { param: 'previous_item_id' })
    this.#noteActivity()
    this.conversation.add(item, previousId)
    this.conversation.done(item.id)
    this.#engine.changed()
  }

  #item(id: string) {
    return this.conversation.get(id) ?? fail('ITEM_NOT_FOUND', { item: id }, { param: 'item_id' })
  }

  /** Truncates an item after the client has stopped its loudspeaker: sound that it did not play was not heard, and is not played on. */
  #truncate({
    itemId,
    contentIndex,
    audioEndMs,
  }: Extract<ClientEvent, { type: 'conversation.item.truncate' }>): void {
    const part = this.#item(itemId).content[contentIndex]
    if (part?.type !== 'output_audio') refuse('item_id', reasons.notSpoken)
    if (this.speaker.isPlaying && this.#played.current === itemId)
      this.#engine.event({ type: 'output_audio_buffer.clear' })
    const { endMs, share } = this.#played.truncate(itemId, audioEndMs)
    if (part.transcript !== null) part.transcript = wordsWithin(part.transcript, share)
    this.emit({
      type: 'conversation.item.truncated',
      item_id: itemId,
      content_index: contentIndex,
      audio_end_ms: endMs,
    })
    this.#engine.changed()
  }

  #refuse(error: unknown, eventId?: string): void {
    if (!(error instanceof Failure))
      this.#options.log.error({ err: error, call_id: this.callId }, 'an event of a call broke')
    this.emit(errorEvent(error, this.#options.language, eventId))
    if (error instanceof Failure && error.code === 'UNKNOWN_EVENT') this.#unknownEvents++
    if (this.#unknownEvents >= maxUnknownEvents) this.end('failed')
  }

  #sendSession(type: string, ignored: readonly string[]): void {
    const { expiresAtMs } = this.#options
    const session = sessionObject({
      sessionId: this.#sessionId,
      callId: this.callId,
      settings: this.#settings,
      expiresAtMs,
      ignored,
    })
    this.emit({ type, session })
  }

  #play(frame: Float32Array, itemId: string | undefined): void {
    if (this.#isOver()) return
    if (itemId !== undefined) {
      this.#played.add(itemId, frame.length)
      this.#noteActivity()
    }
    this.#options.transport.play(frame, itemId)
  }

  /** Reads the engine's events about speech and answers: an idle call is one without either. */
  #watch({ type, response }: RealtimeEvent): void {
    if (type === this.#turnEvent && !isNotice(response)) this.#turns++
    if (type === 'input_audio_buffer.speech_started') this.#isSpeaking = true
    else if (type === 'input_audio_buffer.speech_stopped') this.#isSpeaking = false
    else if (!type.startsWith('response.')) return
    this.#noteActivity()
  }

  /** The event that occurs once for each turn. */
  get #turnEvent(): string {
    return this.#settings.type === 'transcription' ? 'input_audio_buffer.committed' : 'response.created'
  }

  #noteActivity(): void {
    this.#lastSoundMs = this.#options.clock.nowMs()
  }

  #sendCredits(more: { warning?: true }): void {
    const { held, spent } = this.money
    this.#toldSpent = spent
    this.emit({ type: 'kherad.credits', held: exactCredits(held), spent: exactCredits(spent), ...more })
  }

  #tick(): void {
    const { clock, expiresAtMs, idleMs } = this.#options
    const nowMs = clock.nowMs()
    if (this.money.spent !== this.#toldSpent) this.#sendCredits({})
    if (this.#isSpeaking) this.#lastSoundMs = nowMs
    if (nowMs >= expiresAtMs) this.end('expired')
    else if (nowMs - this.#lastSoundMs >= idleMs) this.end('idle')
    else if (!this.#isWarned && nowMs >= expiresAtMs - expiryWarningMs) {
      this.#isWarned = true
      this.announceEnd('expired', Math.ceil((expiresAtMs - nowMs) / 1000))
      this.#engine.notify?.('expired')
    }
  }
}

const maxEventIdLength = 512

/** Whether the call itself speaks, which is no answer. */
const isNotice = (response: unknown): boolean =>
  (response as { metadata?: object | null } | undefined)?.metadata?.[noticeMark as keyof object] !== undefined

/** The words of the first share (0 to 1) of a text. */
function wordsWithin(text: string, share: number): string {
  if (share >= 1) return text
  const cut = text.slice(0, Math.floor(text.length * share))
  return /\s/.test(text[cut.length] ?? '') ? cut : cut.slice(0, Math.max(0, cut.search(/\s\S*$/)))
}
