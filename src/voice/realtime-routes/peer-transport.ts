/** A call over WebRTC: events on the data channel, and sound in Opus packets. */

import type { Peer } from '#platform/webrtc'
import {
  type CallCodecs,
  type EndReason,
  OpusSound,
  OpusVoice,
  type RealtimeEvent,
  type Transport,
} from '#voice/realtime'

/** Of events that the data channel does not take; beyond it the client reads too slowly. */
const maxUnsentBytes = 768 * 1024
/** How often the loss that the other side reports is looked at, in frames of 20 ms. */
const framesPerReport = 250
/** What a browser holds back to even out the way, in ms. */
const clientBufferMs = 60

/** Codecs are there from the moment at which the connection is secure, and are given back at its end. */
export class PeerTransport implements Transport {
  readonly kind = 'webrtc'
  readonly #peer: Peer
  readonly #hasEvents: boolean
  readonly #codecs: CallCodecs
  readonly #ears: OpusSound
  readonly #voice: OpusVoice
  #unsent: string[] = []
  #unsentBytes = 0
  #frames = 0
  #isOver = false

  /** @param hasEvents false where the client offered no data channel */
  constructor(peer: Peer, codecs: CallCodecs, { hasEvents = true }: { hasEvents?: boolean } = {}) {
    this.#peer = peer
    this.#hasEvents = hasEvents
    this.#codecs = codecs
    this.#ears = new OpusSound(codecs.decoder)
    this.#voice = new OpusVoice(codecs.encoder)
  }

  /** From here to the caller's ear, in ms. */
  get tailMs(): number {
    return (this.#peer.stats().roundTripMs ?? 0) / 2 + clientBufferMs
  }

  /** Of what was heard: packets lost, restored, late, and what was made up for them. */
  get counts() {
    return this.#ears.counts
  }

  /** As the connection has them. */
  audio(packet: Uint8Array, sequence: number, timestamp: number): void {
    this.#ears.packet(packet, sequence, timestamp)
  }

  /** Frames that are due, once a tick. Throws where the other side does not speak Opus, or does not read its events. */
  pull(): Float32Array[] {
    if (this.#isOver) return []
    this.#sendUnsent()
    if (this.#ears.hasFailed) throw new Error('fifty packets in a row were no Opus')
    if (this.#unsentBytes > maxUnsentBytes) throw new Error('events are not read')
    return this.#ears.pull()
  }

  play(frame: Float32Array, itemId: string | undefined): void {
    if (this.#isOver) return
    if (this.#frames++ % framesPerReport === 0) this.#adapt()
    const sent = this.#voice.encode(frame, itemId === undefined)
    if (sent) this.#peer.sendAudio(sent.packet, sent.timestamp)
  }

  /** In their order: what the channel does not take waits, and so does all that follows. */
  send(event: RealtimeEvent): void {
    if (this.#isOver || !this.#hasEvents) return
    const text = JSON.stringify(event)
    if (this.#unsent.length === 0 && this.#peer.sendText(text)) return
    // What is too much is dropped here and ends the call at the next tick.
    if (this.#unsentBytes <= maxUnsentBytes) this.#unsent.push(text)
    this.#unsentBytes += Buffer.byteLength(text)
  }

  end(_reason: EndReason): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#peer.close()
    this.#codecs[Symbol.dispose]()
  }

  #sendUnsent(): void {
    let sent = 0
    for (const text of this.#unsent) {
      if (!this.#peer.sendText(text)) break
      this.#unsentBytes -= Buffer.byteLength(text)
      sent += 1
    }
    this.#unsent.splice(0, sent)
  }

  /** TCP loses nothing, so that repeating would only take bytes from the sound. */
  #adapt(): void {
    const { path } = this.#peer
    this.#voice.expectLoss(path === 'tcp' ? undefined : this.#peer.stats().lossOut)
  }
}
