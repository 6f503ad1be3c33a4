/** A call over WebRTC, from the answer to its offer until its settlement. */

import type { Peer, PeerHandler, WebRtc } from '#platform/webrtc'
import type { CallSession, EndReason } from '#voice/realtime'
import type { CallContext } from './app.ts'
import type { BegunCall } from './begin.ts'
import { openSession } from './call-session.ts'
import { eventOf } from './client-event.ts'
import { PeerTransport } from './peer-transport.ts'

type PeerEndReason = Parameters<PeerHandler['ended']>[0]

/** The reasons for the end of a connected call; one that was not connected costs nothing. */
const reasons: Record<PeerEndReason, EndReason> = {
  closed: 'client',
  lost: 'disconnected',
  failed: 'failed',
  abuse: 'failed',
}

export class PeerCall implements PeerHandler {
  readonly #context: CallContext
  readonly #peer: Peer
  readonly #hasChannel: boolean
  #begun: BegunCall | undefined
  #transport: PeerTransport | undefined
  #session: CallSession | undefined
  #isConnected = false
  /** The reason for the end, where the call ended before it had a session. */
  #over: EndReason | undefined

  /** Answers the offer; nothing is paid yet. Throws SdpRefused. */
  constructor(context: CallContext, webrtc: WebRtc, offer: string) {
    this.#context = context
    this.#peer = webrtc.answer(offer, this)
    // Texts are held until the session listens: when the connection is secure, its codecs are open and its engine has begun.
    this.#peer.holdTexts()
    // An offer without a data channel has no events either way, only sound.
    this.#hasChannel = /^m=application \S+ \S+ webrtc-datachannel/m.test(offer)
  }

  /** The sound ends at this server, so there is no call at an upstream. */
  readonly upstream = undefined

  /** The SDP answer. */
  get answer(): string {
    return this.#peer.answer
  }

  /** Call once the call is paid for. */
  begin(begun: BegunCall): void {
    this.#begun = begun
    // The messages to this listener are repeated to the session that joins later.
    begun.listener.join({ end: (reason) => this.end(reason), warn: () => {}, announceEnd: () => {} })
    if (this.#over) this.#settle(this.#over)
  }

  /** Ends the call, or the peer where no call was begun. */
  end(reason: EndReason): void {
    if (this.#session) {
      this.#session.end(reason)
      return
    }
    if (this.#over) return
    this.#over = reason
    this.#peer.close()
    if (this.#begun) this.#settle(reason)
  }

  connected(): void {
    this.#isConnected = true
    this.#talk().catch((error: unknown) => {
      const { app, requestId } = this.#context
      app.log.error({ err: error, request_id: requestId }, 'a call could not begin')
      this.end('failed')
    })
  }

  audio(packet: Uint8Array, sequence: number, timestamp: number): void {
    this.#transport?.audio(packet, sequence, timestamp)
  }

  channelOpen(): void {}

  text(message: string): void {
    const event = eventOf(message)
    if (event) this.#session?.event(event)
    else this.#session?.unreadable()
  }

  ended(why: PeerEndReason): void {
    this.end(this.#isConnected ? reasons[why] : 'disconnected')
  }

  async #talk(): Promise<void> {
    const { app } = this.#context
    const codecs = await app.realtime.codecs.take()
    const begun = this.#begun
    if (!codecs || !begun || this.#over) {
      codecs?.[Symbol.dispose]()
      this.end('failed')
      return
    }
    const session = this.#open(begun, new PeerTransport(this.#peer, codecs, { hasEvents: this.#hasChannel }))
    await begun.money.connected()
    if (!session.signal.aborted) await session.start()
    this.#peer.releaseTexts()
  }

  #open(begun: BegunCall, transport: PeerTransport): CallSession {
    this.#transport = transport
    try {
      this.#session = openSession(this.#context, begun, transport, {
        pull: () => transport.pull(),
        leadMs: 0,
        tailMs: () => transport.tailMs,
      })
      return this.#session
    } catch (error) {
      // This frees the codecs too.
      transport.end('failed')
      throw error
    }
  }

  #settle(reason: EndReason): void {
    this.#begun!.money.end(reason).catch((error: unknown) => {
      const { app, requestId } = this.#context
      app.log.error({ err: error, request_id: requestId }, 'a call was not settled; its sweep does it')
    })
  }
}
