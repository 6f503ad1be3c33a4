/** A call over a WebSocket: events both ways, and sound in events. */

import { fail } from '#platform/errors'
import type { Socket } from '#platform/http'
import {
  type EndReason,
  newId,
  type PcmFormat,
  PcmSound,
  PcmVoice,
  type RealtimeEvent,
  type SoundType,
  type Transport,
  type TransportListener,
} from '#voice/realtime'
import { eventOf } from './client-event.ts'
import { reasons } from './phrases.ts'

/** The most sound that waits to be heard; beyond it no message is read. */
const maxWaitingMs = 30_000
/** The most events that wait for a client that reads too slowly; one more ends the call. */
const maxUnsent = 1_000
/** The most answers whose place in their response is remembered. */
const maxPlaces = 16

const formats: Record<SoundType, PcmFormat> = {
  'audio/pcm': 'pcm16',
  'audio/pcmu': 'pcmu',
  'audio/pcma': 'pcma',
}

/** The close codes (RFC 6455, section 7.4.1). */
const closeCodes: Partial<Record<EndReason, number>> = {
  credits: 1008,
  revoked: 1008,
  failed: 1011,
  stopped: 1001,
}

/** The place of a spoken item in its response. */
interface ContentPosition {
  response_id: unknown
  output_index: unknown
  content_index: unknown
}

export class SocketTransport implements Transport {
  readonly kind = 'websocket'
  readonly #socket: Socket
  readonly #places = new Map<string, ContentPosition>()
  #ears = new PcmSound('pcm16')
  #voice = new PcmVoice('pcm16')
  #forms: { inputSound: SoundType; outputSound: SoundType } = {
    inputSound: 'audio/pcm',
    outputSound: 'audio/pcm',
  }
  /** The commits whose sound has not been heard yet: events that follow one wait for it. */
  #commits = 0
  /** The number of events that the client has not taken. */
  #unsent = 0
  #isOver = false
  #roomWanted: (() => void) | undefined

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** The frames that are due; call every 20 ms. */
  *pull(): Generator<Float32Array> {
    yield* this.#ears.pull()
    if (this.#ears.waitingMs <= maxWaitingMs) this.#roomWanted?.()
  }

  /** Reads until the client has gone or the call is over. */
  async read(listener: TransportListener & { unreadable(): void }): Promise<void> {
    for await (const message of this.#socket.messages) {
      if (this.#isOver) continue
      const event = eventOf(message)
      if (event) this.#take(event, listener)
      else listener.unreadable()
      if (this.#ears.waitingMs > maxWaitingMs) await this.#room()
    }
    this.#roomWanted?.()
  }

  #take(event: RealtimeEvent, listener: TransportListener): void {
    if (event.type === 'input_audio_buffer.commit') {
      this.#commits++
      this.#ears.runAfterPending(() => {
        this.#commits--
        listener.event(event)
      })
    } else if (event.type === 'input_audio_buffer.clear') {
      this.#ears.clear()
      listener.event(event)
    } else if (this.#commits > 0 && waitsForCommit(event))
      this.#ears.runAfterPending(() => listener.event(event))
    else listener.event(event)
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#roomWanted = resolve
      if (this.#socket.gone.aborted) resolve()
      else this.#socket.gone.addEventListener('abort', () => resolve(), { once: true })
    })
  }

  append(audio: string): void {
    const result = this.#ears.append(audio)
    if (result === 'malformed') fail('INVALID_REQUEST', { why: reasons.noBase64 }, { param: 'audio' })
    if (result === 'full') fail('INVALID_REQUEST', { why: reasons.tooMuchSound }, { param: 'audio' })
  }

  setSoundFormats({ inputSound, outputSound }: { inputSound: SoundType; outputSound: SoundType }): void {
    if (inputSound !== this.#forms.inputSound) {
      this.#ears.clear()
      this.#ears = new PcmSound(formats[inputSound])
    }
    if (outputSound !== this.#forms.outputSound) this.#voice = new PcmVoice(formats[outputSound])
    this.#forms = { inputSound, outputSound }
  }

  play(frame: Float32Array, itemId: string | undefined): void {
    const place = itemId === undefined ? undefined : this.#places.get(itemId)
    // A client that does not read its events gets no sound.
    if (!place || this.#unsent > 0) return
    this.send({
      type: 'response.output_audio.delta',
      event_id: newId('event'),
      ...{ item_id: itemId, ...place },
      delta: this.#voice.encode(frame),
    })
  }

  send(event: RealtimeEvent): void {
    if (this.#isOver) return
    if (event.type === 'response.content_part.added') this.#learn(event)
    const sent = this.#socket.send(JSON.stringify(event))
    if (!sent) return
    if (++this.#unsent > maxUnsent) this.#socket.close(closeCodes.failed, 'events are not read')
    void sent.then(() => this.#unsent--)
  }

  end(reason: EndReason): void {
    this.#isOver = true
    this.#roomWanted?.()
    this.#socket.close(closeCodes[reason], reason)
  }

  #learn({ item_id, response_id, output_index, content_index }: RealtimeEvent): void {
    this.#places.set(String(item_id), { response_id, output_index, content_index })
    if (this.#places.size > maxPlaces) this.#places.delete(this.#places.keys().next().value!)
  }
}

/** Whether an event waits for an open commit. A cancellation should not wait, and sound keeps its own order. */
const waitsForCommit = ({ type }: RealtimeEvent): boolean =>
  type !== 'response.cancel' && type !== 'output_audio_buffer.clear' && type !== 'input_audio_buffer.append'
