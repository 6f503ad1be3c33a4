/** One connection: which datagrams are trusted, and how they are processed (docs/decisions/voice/own-webrtc.md). */
import { randomBytes, randomInt } from 'node:crypto'
import type { Flow, Scheduler } from '#platform/scheduler'
import type { Certificate } from './certificate.ts'
import { DataChannel, maxMessageBytes } from './data-channel.ts'
import { DtlsClient, type SecuredMedia } from './dtls-client.ts'
import { isDtls } from './dtls-records.ts'
import { Media } from './media.ts'
import type { Path } from './path.ts'
import type { Peer, PeerHandler, PeerStats } from './peer.ts'
import { Rate } from './rate.ts'
import { isMedia } from './rtp.ts'
import { type Candidate, writeAnswer } from './sdp-answer.ts'
import type { Offer } from './sdp-offer.ts'
import { type Check, successOf } from './stun.ts'

export interface ConnectionOptions {
  offer: Offer
  certificate: Certificate
  candidates: readonly Candidate[]
  handler: PeerHandler
  scheduler: Scheduler
  /** A monotonic clock, in milliseconds. */
  nowMs(): number
  connectMs: number
  /** Called when the connection has ended, with its paths, which are closed. */
  over(paths: Iterable<Path>): void
  /** Called when a packet was dropped because the client sends more than an honest one. */
  flooded(): void
}

/** A connection is lost after this silence on all paths, or after `consentMs` in which the client has not consented to receive (RFC 7675). */
const silentMs = 15_000
const consentMs = 30_000
const reportMs = 5_000
const pathsPerConnection = 16
/** The bytes that may wait on a path. Beyond `sound` no sound is sent, since it would be late; beyond `all` nothing is. */
const waiting = { sound: 65_536, all: 262_144 } as const
/** The bounds of datagrams that wait for their turn: as many as a client sends before it learns that the window of its data channel is full. */
const unread = { tasks: 256, bytes: 262_144 } as const
/**
 * Browsers send 21 checks a second while they look for a path. Checks beyond this rate get no answer, but do not end the connection: whoever saw a
 * check can repeat it.
 */
const checks = { perSecond: 50, burst: 500 } as const

export class Connection implements Peer {
  readonly ufrag = randomBytes(6).toString('hex')
  readonly password = randomBytes(16).toString('hex')
  readonly answer: string
  /** The flow in which all work for the client takes its turns. */
  readonly flow: Flow
  readonly #options: ConnectionOptions
  readonly #ssrc = randomInt(1, 2 ** 32)
  readonly #handler: PeerHandler
  readonly #paths = new Set<Path>()
  readonly #dtls: DtlsClient
  readonly #checkRate: Rate
  readonly #madeMs: number
  #path: Path | undefined
  #media: Media | undefined
  #channel: DataChannel | undefined
  #seenMs: number
  #consentMs: number
  #reportedMs = 0
  #holdsTexts = false
  #isOver = false

  constructor(options: ConnectionOptions) {
    this.#options = options
    const { offer, certificate, candidates, handler } = options
    this.#handler = handler
    this.flow = options.scheduler.flow(unread)
    this.#madeMs = this.#seenMs = this.#consentMs = options.nowMs()
    this.#checkRate = new Rate(checks, this.#madeMs)
    this.answer = writeAnswer(offer, {
      ufrag: this.ufrag,
      password: this.password,
      fingerprint: certificate.fingerprint,
      candidates,
      ssrc: this.#ssrc,
      sctpPort: offer.sctpPort,
      maxMessageLength: maxMessageBytes,
    })
    this.#dtls = new DtlsClient({
      certificate,
      fingerprint: offer.fingerprint,
      send: (datagram) => this.#send(datagram, waiting.all),
      secured: (media) => this.#secured(media),
      data: (bytes) => this.#takeData(bytes),
      closed: () => this.#end('closed'),
      failed: () => this.#end('failed'),
    })
  }

  get path(): 'udp' | 'tcp' | undefined {
    return this.#path?.transport
  }

  /** Whether a check belongs to the client of the offer; its password is checked separately. */
  isNamed({ username }: Check): boolean {
    return username === `${this.ufrag}:${this.#options.offer.ufrag}`
  }

  /** Answers an authentic check on its own path. Returns false if the client has too many paths, or sends too many checks. */
  check(check: Check, path: Path): boolean {
    if (!this.#checkRate.take(1, this.#options.nowMs())) {
      this.#options.flooded()
      return false
    }
    if (!this.#paths.has(path) && this.#paths.size >= pathsPerConnection) return false
    this.#paths.add(path)
    this.#seenMs = this.#consentMs = this.#options.nowMs()
    path.send(successOf(check, path, this.password))
    if (!check.nominates) return true
    const isFirst = this.#path === undefined && this.#media === undefined
    this.#path = path
    if (isFirst) this.#dtls.start()
    return true
  }

  /** Receives a datagram from one of the connection's paths; anybody may have written it. */
  receive(datagram: Buffer): void {
    if (this.#isOver) return
    if (isMedia(datagram)) this.#takeMedia(datagram)
    else if (isDtls(datagram)) this.#dtls.receive(datagram)
  }

  /** Removes a path that is gone; the client may use another. */
  lost(path: Path): void {
    this.#paths.delete(path)
    if (this.#path === path) this.#path = undefined
  }

  sendAudio(packet: Uint8Array, timestamp: number): void {
    if (this.#media !== undefined && (this.#path?.waitingBytes ?? waiting.sound) < waiting.sound)
      this.#send(this.#media.seal(packet, timestamp), waiting.sound)
  }

  sendText(text: string): boolean {
    return this.#channel?.send(text) ?? false
  }

  holdTexts(): void {
    this.#holdsTexts = true
    this.#channel?.hold(true)
  }

  releaseTexts(): void {
    this.#holdsTexts = false
    this.#channel?.hold(false)
  }

  stats(): PeerStats {
    const none = { packetsIn: 0, packetsOut: 0, lost: 0, lossOut: 0, roundTripMs: undefined }
    return this.#media?.stats() ?? none
  }

  close(): void {
    this.#end('closed')
  }

  /** Called once a second. */
  tick(): void {
    const nowMs = this.#options.nowMs()
    const why = this.#whyOver(nowMs)
    if (why !== undefined) this.#end(why)
    if (this.#media === undefined || this.#isOver || nowMs - this.#reportedMs < reportMs) return
    this.#reportedMs = nowMs
    this.#send(this.#media.report(Date.now()), waiting.sound)
  }

  #whyOver(nowMs: number): 'failed' | 'lost' | 'abuse' | undefined {
    if (this.#media === undefined)
      return nowMs - this.#madeMs >= this.#options.connectMs ? 'failed' : undefined
    if (nowMs - this.#seenMs >= silentMs || nowMs - this.#consentMs >= consentMs) return 'lost'
    return this.#media.isAbused() ? 'abuse' : undefined
  }

  #secured(media: SecuredMedia): void {
    const { offer } = this.#options
    const nowMs = this.#options.nowMs()
    this.#seenMs = nowMs
    this.#media = new Media(media, { payloadType: offer.payloadType, ssrc: this.#ssrc, nowMs })
    if (offer.sections.some(({ kind }) => kind === 'data'))
      this.#channel = new DataChannel(offer.sctpPort, {
        flow: this.flow,
        send: (packet) => this.#dtls.send(packet),
        opened: () => this.#handler.channelOpen(),
        text: (message) => this.#handler.text(message),
        closed: () => this.#end('closed'),
        abused: () => this.#end('abuse'),
      })
    this.#channel?.hold(this.#holdsTexts)
    this.#handler.connected()
  }

  #takeMedia(datagram: Buffer): void {
    if (this.#media === undefined) return
    const { authentic, isFlood, packet } = this.#media.receive(datagram, Date.now())
    if (authentic) this.#seenMs = this.#options.nowMs()
    if (isFlood) this.#options.flooded()
    if (this.#media.isFlooded) this.#end('abuse')
    if (packet !== undefined) this.#handler.audio(packet.payload, packet.index, packet.timestamp)
  }

  #takeData(bytes: Buffer): void {
    this.#seenMs = this.#options.nowMs()
    this.#channel?.receive(bytes)
  }

  #send(datagram: Buffer, maxWaiting: number): void {
    if (this.#path !== undefined && this.#path.waitingBytes < maxWaiting) this.#path.send(datagram)
  }

  #end(why: 'closed' | 'lost' | 'failed' | 'abuse'): void {
    if (this.#isOver) return
    this.#isOver = true
    this.flow[Symbol.dispose]()
    this.#channel?.close()
    this.#dtls.close()
    for (const path of this.#paths) path.close()
    this.#path = undefined
    this.#options.over(this.#paths)
    this.#handler.ended(why)
  }
}
