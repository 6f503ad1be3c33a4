import {
  type RealtimeCall,
  type RealtimeEnd,
  type RealtimeInput,
  type RealtimeLink,
  type RealtimeSetup,
  type RealtimeSink,
  UpstreamError,
} from '#core/spec'
import {
  base64Of,
  faultOfError,
  isRecord,
  LiveAnswer,
  type UpstreamClient,
  type UpstreamEvent,
  type UpstreamSocket,
} from '#providers/kit'
import { endIn, idIn, textIn } from './events.ts'
import { itemCreate, sessionUpdate } from './session.ts'

/** The prefix of our ids of `response.create`, by which an error is matched to it. */
const responseIdPrefix = 'respond_'
/** Errors that end the session, such as the end of its time (60 minutes); every other error leaves it open. */
const sessionEnds: ReadonlySet<unknown> = new Set(['session_expired', 'server_shutdown'])
const transcript = 'conversation.item.input_audio_transcription.'

/** One session: the link of our side, and the receiver of the upstream's events. */
export class RealtimeConnection implements RealtimeLink {
  readonly #client: UpstreamClient
  readonly #call: RealtimeCall
  readonly #sink: RealtimeSink
  #setup: RealtimeSetup
  #socket: UpstreamSocket | undefined
  #answer: LiveAnswer | undefined
  #answers = 0
  /** The words so far of an item of the user, which come in pieces. */
  #heard: { itemId: string; text: string } | undefined
  #isClosed = false

  constructor(client: UpstreamClient, call: RealtimeCall, sink: RealtimeSink) {
    this.#client = client
    this.#call = call
    this.#sink = sink
    this.#setup = call.setup
  }

  get resumption(): undefined {
    return undefined
  }

  update(setup: RealtimeSetup): void {
    this.#setup = setup
    this.#send(sessionUpdate(setup, this.#client.host))
  }

  write(pcm: Uint8Array): void {
    this.#send({ type: 'input_audio_buffer.append', audio: base64Of(pcm) })
  }

  discard(): void {
    this.#send({ type: 'input_audio_buffer.clear' })
  }

  commit(): void {
    this.#send({ type: 'input_audio_buffer.commit' })
  }

  add(item: RealtimeInput): void {
    this.#send(itemCreate(item))
  }

  remove(itemId: string): void {
    this.#send({ type: 'conversation.item.delete', item_id: itemId })
  }

  respond(): void {
    if (this.#isClosed || !this.#socket || this.#socket.isOver) return
    if (this.#answer) throw new Error('Two answers of one session at once.')
    this.#answers += 1
    const { timeouts } = this.#call
    const { maxOutputTokens } = this.#setup
    this.#answer = new LiveAnswer(this.#sink, { timeouts, maxOutputTokens }, (error) =>
      this.#socket?.fail(error),
    )
    this.#send({ type: 'response.create', event_id: `${responseIdPrefix}${this.#answers}` })
  }

  cancel(): void {
    if (!this.#answer || this.#answer.isCancelled) return
    this.#answer.cancel()
    this.#send({ type: 'response.cancel' })
  }

  truncate(itemId: string, playedMs: number): void {
    this.#send({
      type: 'conversation.item.truncate',
      item_id: itemId,
      content_index: 0,
      audio_end_ms: Math.floor(playedMs),
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#answer?.drop()
    await this.#socket?.close()
  }

  /** Nothing is sent yet: the upstream greets first. */
  opened(socket: UpstreamSocket): void {
    this.#socket = socket
  }

  failed(error: UpstreamError): void {
    this.#answer?.drop()
    if (!this.#isClosed) this.#sink.failed(error)
  }

  event(event: UpstreamEvent, socket: UpstreamSocket): void {
    if (this.#isClosed) return
    const { type } = event
    if (typeof type !== 'string') throw new UpstreamError('malformed', { detail: 'an event without a type' })
    if (type.startsWith('response.')) this.#ofAnswer(type, event)
    else if (type.startsWith(transcript)) this.#transcribed(type.slice(transcript.length), event)
    else if (type === 'session.created' || type === 'conversation.created') this.#greeted(event, socket)
    else if (type === 'session.updated') socket.ready()
    else if (type === 'input_audio_buffer.committed') this.#sink.committed(idIn(event, 'item_id'))
    else if (type === 'error') this.#trouble(event['error'])
  }

  #send(event: UpstreamEvent): void {
    if (!this.#isClosed) this.#socket?.send(event)
  }

  #greeted({ session }: UpstreamEvent, socket: UpstreamSocket): void {
    const id = isRecord(session) ? session['id'] : undefined
    if (typeof id === 'string') this.#call.onUpstreamId?.(id.slice(0, 100))
    socket.send(sessionUpdate(this.#setup, this.#client.host))
  }

  #ofAnswer(type: string, event: UpstreamEvent): void {
    const answer = this.#answer
    // An answer that was not asked for would cost credits that nobody holds.
    if (!answer) throw new UpstreamError('malformed', { detail: 'an answer that was not asked for' })
    answer.moved()
    // Before the general release the events were `response.audio` and `response.text`.
    const kind = type.slice('response.'.length).replace(/^output_(?=audio|text)/, '')
    if (kind === 'output_item.added') this.#began(answer, event['item'])
    else if (kind === 'output_item.done') this.#called(answer, event['item'])
    else if (kind === 'audio.delta')
      answer.sound(idIn(event, 'item_id'), Buffer.from(textIn(event, 'delta'), 'base64'))
    else if (kind === 'audio_transcript.delta')
      answer.words(idIn(event, 'item_id'), textIn(event, 'delta'), true)
    else if (kind === 'text.delta') answer.words(idIn(event, 'item_id'), textIn(event, 'delta'), false)
    else if (kind === 'done') this.#done(answer, event['response'])
  }

  #began(answer: LiveAnswer, item: unknown): void {
    if (isRecord(item) && item['type'] === 'message') answer.began(idIn(item, 'id'))
  }

  #called(answer: LiveAnswer, item: unknown): void {
    if (!isRecord(item) || item['type'] !== 'function_call') return
    answer.functionCall({
      itemId: idIn(item, 'id'),
      callId: idIn(item, 'call_id'),
      name: idIn(item, 'name'),
      arguments: textIn(item, 'arguments'),
    })
  }

  #done(answer: LiveAnswer, response: unknown): void {
    this.#finish(answer, endIn(response, this.#client.secrets))
  }

  #finish(answer: LiveAnswer, end: RealtimeEnd): void {
    this.#answer = undefined
    answer.finish(end)
  }

  #transcribed(kind: string, event: UpstreamEvent): void {
    const itemId = idIn(event, 'item_id')
    if (kind === 'delta') {
      const before = this.#heard?.itemId === itemId ? this.#heard.text : ''
      this.#heard = { itemId, text: (before + textIn(event, 'delta')).slice(0, maxUserTextLength) }
      this.#sink.userTranscript({ itemId, text: this.#heard.text, isFinal: false })
    } else if (kind === 'completed' || kind === 'failed') {
      this.#heard = undefined
      const text = kind === 'completed' ? textIn(event, 'transcript').slice(0, maxUserTextLength) : ''
      this.#sink.userTranscript({ itemId, text: text.trim(), isFinal: true })
    }
  }

  #trouble(error: unknown): void {
    const fault = faultOfError(error, this.#client.secrets)
    const { code, event_id: eventId } = isRecord(error) ? error : {}
    // An error before the session is ready means that it will never be.
    if (!this.#socket?.isReady || sessionEnds.has(code) || fault.isPermanent) throw fault
    if (this.#answer && eventId === `${responseIdPrefix}${this.#answers}`)
      this.#finish(this.#answer, { status: 'failed', error: fault })
  }
}

/** The most characters of what the user says, enough for more than a minute. */
const maxUserTextLength = 4_000
