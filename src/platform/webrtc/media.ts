/** The sound of a connection in both directions: SRTP, its reports, and how much of it is honest. */
import { randomInt } from 'node:crypto'
import type { SecuredMedia } from './dtls-client.ts'
import type { PeerStats } from './peer.ts'
import { Rate } from './rate.ts'
import { type LossReport, Reports } from './rtcp.ts'
import { isRtcp, writeRtp } from './rtp.ts'
import { SrtpReceiver, SrtpSender } from './srtp.ts'

export interface MediaOptions {
  payloadType: number
  /** Of what we send. */
  ssrc: number
  nowMs: number
}

export interface ReceivedMedia {
  /** It came from the other side. */
  authentic: boolean
  /** It was more than the rate of sound, and is dropped. */
  isFlood?: true
  /** Sound that is to be heard. */
  packet?: { payload: Buffer; index: number; timestamp: number }
}

/** Of sound; a packet is 20 ms. One that exceeds them is dropped. */
const packets = { perSecond: 60, burst: 120 } as const
/** Whoever sends more for so many seconds is no browser, nor is one that sends so much in a single one; reports count, too. */
const abuse = { packetsPerSecond: 200, seconds: 5, maxInSecond: 2_000 } as const
const maxOpusBytes = 1_275

export class Media {
  readonly #options: MediaOptions
  readonly #sender: SrtpSender
  readonly #receiver: SrtpReceiver
  readonly #reports: Reports
  readonly #rate: Rate
  /** Of the RTP sequence, which may begin anywhere below the half. */
  #index = randomInt(1, 32_768)
  #sent = { packets: 0, bytes: 0, timestamp: 0 }
  #received = 0
  #thisSecond = 0
  #wildSeconds = 0
  #theirs: LossReport = { loss: 0, roundTripMs: undefined }

  constructor({ profile, ours, theirs }: SecuredMedia, options: MediaOptions) {
    this.#options = options
    this.#sender = new SrtpSender(profile, ours)
    this.#receiver = new SrtpReceiver(profile, theirs)
    this.#reports = new Reports(options.ssrc)
    this.#rate = new Rate(packets, options.nowMs)
  }

  /** Encrypted for the wire. */
  seal(payload: Uint8Array, timestamp: number): Buffer {
    const { payloadType, ssrc } = this.#options
    const index = this.#index++
    const header = writeRtp({ payloadType, ssrc, timestamp, sequence: index % 65_536 })
    this.#sent = {
      packets: this.#sent.packets + 1,
      bytes: this.#sent.bytes + payload.length,
      timestamp,
    }
    return this.#sender.rtp(header, Buffer.from(payload.buffer, payload.byteOffset, payload.length), index)
  }

  report(nowMs: number): Buffer {
    return this.#sender.rtcp(this.#reports.write(this.#sent, nowMs))
  }

  /** A datagram of anybody. */
  receive(datagram: Buffer, nowMs: number): ReceivedMedia {
    if (isRtcp(datagram)) {
      const report = this.#receiver.rtcp(datagram)
      if (report === undefined) return { authentic: false }
      this.#thisSecond++
      this.#theirs = this.#reports.read(report, nowMs) ?? this.#theirs
      return { authentic: true }
    }
    const rtp = this.#receiver.rtp(datagram)
    if (rtp === undefined) return { authentic: false }
    this.#thisSecond++
    if (!this.#rate.take(1, nowMs)) return { authentic: true, isFlood: true }
    const isSound = rtp.payloadType === this.#options.payloadType && rtp.payload.length <= maxOpusBytes
    if (!isSound) return { authentic: true }
    this.#received++
    this.#reports.received(rtp, nowMs)
    // Browsers send empty packets to keep a way open.
    return rtp.payload.length === 0 ? { authentic: true } : { authentic: true, packet: rtp }
  }

  /** More has come in this second than in any of an honest client. */
  get isFlooded(): boolean {
    return this.#thisSecond > abuse.maxInSecond
  }

  /** Once a second. True where it has been too much for too long. */
  isAbused(): boolean {
    this.#wildSeconds = this.#thisSecond > abuse.packetsPerSecond ? this.#wildSeconds + 1 : 0
    this.#thisSecond = 0
    return this.#wildSeconds >= abuse.seconds
  }

  stats(): PeerStats {
    return {
      packetsIn: this.#received,
      packetsOut: this.#sent.packets,
      lost: this.#reports.lost,
      lossOut: this.#theirs.loss,
      roundTripMs: this.#theirs.roundTripMs,
    }
  }
}
