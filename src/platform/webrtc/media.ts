/** The sound of a connection in both directions: SRTP, its reports, and limits that an honest client keeps. */
import { randomInt } from 'node:crypto'
import type { SecuredMedia } from './dtls-client.ts'
import type { PeerStats } from './peer.ts'
import { Rate } from './rate.ts'
import { type LossReport, Reports } from './rtcp.ts'
import { isRtcp, writeRtp } from './rtp.ts'
import { SrtpReceiver, SrtpSender } from './srtp.ts'

export interface MediaOptions {
  payloadType: number
  /** The source id of the sound that is sent. */
  ssrc: number
  nowMs: number
}

export interface ReceivedMedia {
  /** True if the datagram came from the other side. */
  authentic: boolean
  /** True if the packet exceeded the rate of sound and is dropped. */
  isFlood?: true
  /** Sound to be played. */
  packet?: { payload: Buffer; index: number; timestamp: number }
}

/** The limits of sound; a packet is 20 ms. Packets beyond them are dropped. */
const packets = { perSecond: 60, burst: 120 } as const
/** A client that exceeds `packetsPerSecond` for so many seconds is no browser, nor is one that exceeds `maxInSecond` once; reports count, too. */
const abuse = { packetsPerSecond: 200, seconds: 5, maxInSecond: 2_000 } as const
const maxOpusBytes = 1_275

export class Media {
  readonly #options: MediaOptions
  readonly #sender: SrtpSender
  readonly #receiver: SrtpReceiver
  readonly #reports: Reports
  readonly #rate: Rate
  /** The index of the next RTP packet, which may begin anywhere below half of the sequence numbers. */
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

  /** Encrypts a packet of sound for sending. */
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

  /** Receives a datagram, which anybody may have written. */
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
    // Browsers send empty packets to keep a path open.
    return rtp.payload.length === 0 ? { authentic: true } : { authentic: true, packet: rtp }
  }

  /** True if more has arrived in this second than an honest client ever sends. */
  get isFlooded(): boolean {
    return this.#thisSecond > abuse.maxInSecond
  }

  /** Called once a second. Returns true if too much has arrived for too long. */
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
