/** A call over WebRTC, from the answer to its offer until it is settled. */

import type { Peer, PeerHandler, WebRtc } from '#platform/webrtc'
import type { CallSession, EndReason } from '#voice/realtime'
import type { Asking, BegunCall } from './begin.ts'
import { openSession } from './call-session.ts'
import { eventOf } from './client-event.ts'
import { PeerTransport } from './peer-transport.ts'

type WhyEnded = Parameters<PeerHandler['ended']>[0]

/** Of a call that was connected; one that was not costs nothing. */
const reasons: Record<WhyEnded, EndReason> = {
  closed: 'client',
  lost: 'disconnected',
  failed: 'failed',
  abuse: 'failed',
}

export class PeerCall implements PeerHandler {
  readonly #context: Asking
  readonly #peer: Peer
  readonly #hasChannel: boolean
  #begun: BegunCall | undefined
  #transport: PeerTransport | undefined
  #session: CallSession | undefined
  #isConnected = false
  /** Why it is over, where that was before it had a session. */
  #over: EndReason | undefined

  /** Answers the offer; nobody pays for it yet. Throws SdpRefused. */
  constructor(context: Asking, webrtc: WebRtc, offer: string) {
    this.#context = context
    this.#peer = webrtc.answer(offer, this)
    // Until its session listens, which is when the connection is secure, its codecs are open and its engine has begun.
    this.#peer.holdTexts()
    // One without has no events either way: its sound is all of it.
    this.#hasChannel = /^m=application \S+ \S+ webrtc-datachannel/m.test(offer)
  }

  /** Its sound ends here. */
  readonly upstream = undefined

  /** The SDP answer. */
  get answer(): string {
    return this.#peer.answer
  }

  /** It is paid for from now on. */
  begin(begun: BegunCall): void {
    this.#begun = begun
    // What is said to it now is said again to its session.
    begun.listener.join({ end: (reason) => this.end(reason), warn: () => {}, announceEnd: () => {} })
    if (this.#over) this.#settle(this.#over)
  }

  /** Nothing was begun, or the call is to end. */
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

  ended(why: WhyEnded): void {
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
      // With its codecs.
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
