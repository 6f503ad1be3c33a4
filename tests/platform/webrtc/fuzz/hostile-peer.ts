/** A client of the endpoint that has the keys of its connection and keeps no rule but those of a case. */

import type { Peer, PeerHandler } from '#platform/webrtc'
import { isDtls } from '../../../../src/platform/webrtc/dtls-records.ts'
import { isMedia, isRtcp } from '../../../../src/platform/webrtc/rtp.ts'
import { isStun } from '../../../../src/platform/webrtc/stun.ts'
import { bindingRequest, offerOf } from '../lean-peer.ts'
import { type FuzzContext, holds, RuleBroken } from './context.ts'
import { certificateOf, type HandshakeShape, HostileDtls } from './hostile-dtls.ts'
import { SctpClient } from './hostile-sctp.ts'
import { type Line, openTcpLine, openUdpLine } from './lines.ts'

export type End = Parameters<PeerHandler['ended']>[0]

export interface HostilePeerOptions {
  isTcp?: boolean
  shape?: HandshakeShape
}

/** The pause after which a check is sent again, and how often: a machine that is busy loses datagrams. */
const patience = { ms: 400, times: 10 } as const
const ownUfrag = 'hostile1'

export class HostilePeer implements AsyncDisposable, PeerHandler {
  readonly #context: FuzzContext
  readonly #line: Line
  readonly #connected = Promise.withResolvers<void>()
  readonly #opened = Promise.withResolvers<void>()
  readonly #indexes = new Set<number>()
  readonly dtls: HostileDtls
  readonly sctp: SctpClient
  readonly peer: Peer
  readonly ufrag: string
  readonly password: string
  #awaited: { transactionId: Buffer; wake(): void } | undefined
  #answered = false
  isSecure = false
  isOpen = false
  heard = 0
  texts = 0
  end: End | undefined

  private constructor(context: FuzzContext, line: Line, shape: HandshakeShape) {
    this.#context = context
    this.#line = line
    this.dtls = new HostileDtls({
      certificates: context.certificates,
      shape,
      send: (datagram) => this.sendNoted(datagram),
      data: (packet) => this.sctp.receive(packet),
    })
    this.sctp = new SctpClient((packet) => this.sendPacket(packet))
    const { fingerprint } = certificateOf(context.certificates, shape)
    this.peer = context.rtc.answer(offerOf(ownUfrag, fingerprint), this)
    const found = (pattern: RegExp): string => pattern.exec(this.peer.answer)?.[1] ?? ''
    this.ufrag = found(/a=ice-ufrag:(\S+)/)
    this.password = found(/a=ice-pwd:(\S+)/)
    line.received = (datagram) => this.#receive(datagram)
    line.closed = () => this.#wake()
  }

  /** Opens a connection, and starts its handshake by a check. */
  static async open(
    context: FuzzContext,
    { isTcp, shape = {} }: HostilePeerOptions = {},
  ): Promise<HostilePeer> {
    const { port } = context.rtc
    const line = await (isTcp === true ? openTcpLine(port) : openUdpLine(port))
    return new HostilePeer(context, line, shape)
  }

  /** A connection whose keys are agreed. */
  static async secure(context: FuzzContext, options?: HostilePeerOptions): Promise<HostilePeer> {
    const peer = await HostilePeer.open(context, options)
    await peer.settle()
    await peer.#within(peer.#connected.promise, 'an honest handshake did not end')
    return peer
  }

  /** Opens the data channel as an honest client does. */
  async openChannel(): Promise<void> {
    this.sctp.start()
    await this.#within(this.#opened.promise, 'an honest data channel did not open')
  }

  get isOver(): boolean {
    return this.end !== undefined || this.#line.isClosed
  }

  send(datagram: Uint8Array): void {
    this.#line.send(datagram)
  }

  sendNoted(datagram: Uint8Array): void {
    this.#context.journal.note(datagram)
    this.#line.send(datagram)
  }

  /** Writes a piece of the stream of TCP. */
  write(bytes: Uint8Array): void {
    this.#line.write(bytes)
  }

  /** Encrypts a packet of SCTP and sends it. */
  sendPacket(packet: Buffer): void {
    const record = this.dtls.seal(23, packet)
    if (record !== undefined) this.#line.send(record)
  }

  check(): Buffer {
    return bindingRequest(`${this.ufrag}:${ownUfrag}`, this.password)
  }

  /** Until the endpoint has read all that was sent, which the answer to a check says, or has ended the connection. */
  async settle(): Promise<void> {
    for (let time = 0; time < patience.times && !this.isOver; time++) {
      const check = this.check()
      if (await this.answerTo(check, () => this.#line.send(check))) return
    }
    holds(this.isOver, 'the connection has not ended, and checks get no answer')
  }

  /** Sends something, and waits for the answer to this check. Resolves with false where none came in time. */
  async answerTo(check: Buffer, send: () => void): Promise<boolean> {
    this.#context.step()
    this.#answered = false
    if (this.isOver) return false
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patience.ms)
      this.#awaited = {
        transactionId: check.subarray(8, 20),
        wake: () => {
          clearTimeout(timer)
          resolve()
        },
      }
      send()
    })
    this.#awaited = undefined
    return this.#answered
  }

  async #within(done: Promise<void>, otherwise: string): Promise<void> {
    // Messages are lost on a busy machine, and the endpoint repeats them.
    const late = setTimeout(() => this.#fail(new RuleBroken(otherwise)), patience.ms * patience.times)
    try {
      await done
    } finally {
      clearTimeout(late)
    }
  }

  #fail(error: Error): void {
    this.#connected.reject(error)
    this.#opened.reject(error)
    this.#connected.promise.catch(() => undefined)
    this.#opened.promise.catch(() => undefined)
  }

  #wake(): void {
    this.#awaited?.wake()
  }

  #receive(datagram: Buffer): void {
    if (isStun(datagram)) {
      const isAwaited = this.#awaited?.transactionId.equals(datagram.subarray(8, 20)) === true
      this.#answered ||= isAwaited
      if (isAwaited) this.#wake()
    } else if (isDtls(datagram)) this.#receiveDtls(datagram)
    else if (isMedia(datagram)) this.#receiveMedia(datagram)
  }

  /** What the endpoint says after hostile messages may be more than this client understands. */
  #receiveDtls(datagram: Buffer): void {
    try {
      this.dtls.receive(datagram)
    } catch (error) {
      if (error instanceof RuleBroken) this.#fail(error)
    }
  }

  #receiveMedia(datagram: Buffer): void {
    const { receiver } = this.dtls.sound ?? {}
    if (isRtcp(datagram)) receiver?.rtcp(datagram)
    else receiver?.rtp(datagram)
  }

  connected(): void {
    this.isSecure = true
    this.#connected.resolve()
  }

  audio(packet: Uint8Array, sequence: number, timestamp: number): void {
    this.heard++
    this.broken ??= this.#indexes.has(sequence) ? `packet ${sequence} was heard twice` : undefined
    this.#indexes.add(sequence)
    this.peer.sendAudio(packet, timestamp)
  }

  channelOpen(): void {
    this.isOpen = true
    this.#opened.resolve()
    this.peer.sendText('hello')
  }

  text(message: string): void {
    this.texts++
    this.peer.sendText(message)
  }

  ended(why: End): void {
    if (this.end !== undefined) this.broken ??= 'the end was told twice'
    this.end = why
    if (why !== 'closed') this.#context.refused()
    this.#connected.resolve()
    this.#opened.resolve()
    this.#wake()
  }

  /** The rule that was broken in a call of the endpoint, which must not throw. */
  broken: string | undefined

  async [Symbol.asyncDispose](): Promise<void> {
    this.peer.close()
    await this.#line[Symbol.asyncDispose]()
  }
}
