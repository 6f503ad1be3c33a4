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

/** The most bytes of events that the data channel has not taken; beyond it the client reads too slowly. */
const maxUnsentBytes = 768 * 1024
/** How often the loss that the other side reports is read, in frames of 20 ms. */
const framesPerReport = 250
/** The buffer with which a browser evens out the network, in ms. */
const clientBufferMs = 60

/** The transport of a call. Its codecs exist from the moment at which the connection is secure, and are freed at its end. */
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

  /** The delay from here to the caller's ear, in ms. */
  get tailMs(): number {
    return (this.#peer.stats().roundTripMs ?? 0) / 2 + clientBufferMs
  }

  /** The counts of received packets: lost, restored, late, and filled in. */
  get counts() {
    return this.#ears.counts
  }

  /** Takes a packet with the sequence and timestamp of the connection. */
  audio(packet: Uint8Array, sequence: number, timestamp: number): void {
    this.#ears.packet(packet, sequence, timestamp)
  }

  /** The frames that are due; call once a tick. Throws where the other side does not send Opus, or does not read its events. */
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

  /** Sends events in order: one that the channel does not take waits, and so do all later ones. */
  send(event: RealtimeEvent): void {
    if (this.#isOver || !this.#hasEvents) return
    const text = JSON.stringify(event)
    if (this.#unsent.length === 0 && this.#peer.sendText(text)) return
    // Events beyond the bound are dropped here, and the next tick ends the call.
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

  /** Sets the expected loss. TCP loses nothing, so that repeating would only take bytes from the sound. */
  #adapt(): void {
    const { path } = this.#peer
    this.#voice.expectLoss(path === 'tcp' ? undefined : this.#peer.stats().lossOut)
  }
}
