/** The side connection of a call whose sound runs past us: it tells what happens in the call, and restores the limits. */

import { type PassthroughSetup, type SideLink, type SideSink, UpstreamError } from '#core/spec'
import {
  claimedSeconds,
  isRecord,
  type SocketReceiver,
  type UpstreamEvent,
  type UpstreamSocket,
} from '#providers/kit'
import { endIn, idIn } from './events.ts'
import { limitsUpdate } from './session.ts'
import { limitIn, settingsIn } from './side-settings.ts'

/** The most turns whose length is remembered until they are transcribed. */
const maxTurns = 100
const transcript = 'conversation.item.input_audio_transcription.'
/** Events that are no sign of anybody talking: greetings, errors, and what follows them. */
const inactiveEvents: ReadonlySet<unknown> = new Set(['session.created', 'error', 'rate_limits.updated'])
/** Close codes of a regular end (RFC 6455, section 7.4.1): the other side has nothing more to say. */
const regularCloseCodes: readonly number[] = [1000, 1005]

export class SideConnection implements SideLink, SocketReceiver {
  readonly #secrets: readonly string[]
  readonly #sink: SideSink
  #socket: UpstreamSocket | undefined
  #closeCode = 0
  #isClosed = false
  /** The length of each turn, by its item. */
  readonly #seconds = new Map<string, number>()
  #spokenFromMs: number | undefined
  /** The time of the last commit or clearing: sound from before belongs to an earlier turn, or was cleared. */
  #committedMs = performance.now()

  constructor(secrets: readonly string[], sink: SideSink) {
    this.#secrets = secrets
    this.#sink = sink
  }

  restore(setup: PassthroughSetup): void {
    this.#socket?.send(limitsUpdate(setup))
  }

  cancel(responseId: string): void {
    this.#socket?.send({ type: 'response.cancel', response_id: responseId })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#socket?.close()
  }

  /** The socket is ready at once: nothing says that the upstream greets on a connection beside that of the caller. */
  opened(socket: UpstreamSocket): void {
    this.#socket = socket
    socket.ready()
  }

  left(code: number): void {
    this.#closeCode = code
  }

  failed(error: UpstreamError): void {
    if (!this.#isClosed) this.#sink.closed(regularCloseCodes.includes(this.#closeCode), error)
  }

  event(event: UpstreamEvent): void {
    if (this.#isClosed) return
    const { type } = event
    if (typeof type !== 'string') throw new UpstreamError('malformed', { detail: 'an event without a type' })
    if (!inactiveEvents.has(type)) this.#sink.active()
    const [room, kind] = [type.slice(0, type.indexOf('.')), type.slice(type.indexOf('.') + 1)]
    if (room === 'response') this.#ofResponse(kind, event['response'])
    else if (type === 'session.created' || type === 'session.updated')
      this.#sink.updated(settingsIn(event['session']))
    else if (room === 'input_audio_buffer') this.#ofInput(kind, event)
    else if (room === 'output_audio_buffer') this.#sink.playing(kind === 'started')
    else if (type === `${transcript}completed`) this.#transcribed(event)
  }

  #ofResponse(kind: string, response: unknown): void {
    if (kind !== 'created' && kind !== 'done') return
    if (!isRecord(response)) throw new UpstreamError('malformed', { detail: `response.${kind} without it` })
    const id = idIn(response, 'id')
    if (kind === 'created') this.#sink.began(id, limitIn(response['max_output_tokens']))
    else this.#sink.finished(id, endIn(response, this.#secrets))
  }

  #ofInput(kind: string, event: UpstreamEvent): void {
    if (kind === 'speech_started') this.#spokenFromMs = msIn(event['audio_start_ms'])
    if (kind === 'speech_started' || kind === 'speech_stopped') this.#sink.speaking(kind === 'speech_started')
    if (kind === 'speech_stopped') {
      const [fromMs, toMs] = [this.#spokenFromMs, msIn(event['audio_end_ms'])]
      if (fromMs !== undefined && toMs !== undefined) this.#measured(idIn(event, 'item_id'), toMs - fromMs)
    }
    if (kind !== 'committed' && kind !== 'cleared') return
    const nowMs = performance.now()
    const sinceMs = nowMs - this.#committedMs
    this.#committedMs = nowMs
    if (kind === 'cleared') return
    // Where the caller says when a turn is over, all sound since the last one belongs to it.
    const itemId = idIn(event, 'item_id')
    if (!this.#seconds.has(itemId)) this.#measured(itemId, sinceMs)
  }

  #measured(itemId: string, ms: number): void {
    this.#seconds.set(itemId, Math.max(0, ms) / 1_000)
    const [oldest] = this.#seconds.keys()
    if (this.#seconds.size > maxTurns) this.#seconds.delete(oldest!)
  }

  #transcribed(event: UpstreamEvent): void {
    const itemId = idIn(event, 'item_id')
    const { usage } = event
    const claimed =
      isRecord(usage) && usage['type'] === 'duration' ? claimedSeconds(usage['seconds']) : undefined
    const measured = this.#seconds.get(itemId)
    this.#seconds.delete(itemId)
    // Words that were heard have a length, so that 0 is no figure.
    this.#sink.transcribed(claimed || measured || undefined)
  }
}

const msIn = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= 24 * 3_600_000 ? value : undefined
