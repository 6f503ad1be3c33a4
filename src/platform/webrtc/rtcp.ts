/** Reports of RTCP (RFC 3550): what was sent, what arrived, and how long the round trip takes. */
import type { ReceivedRtp } from './srtp.ts'

const senderReport = 200
const receiverReport = 201
const description = 202
const blockBytes = 24
const senderBytes = 28
/** The seconds from 1900, where the time of NTP begins, to 1970. */
const secondsBefore1970 = 2_208_988_800
const samplesPerMs = 48

/** What the other side reports about packets sent to it. */
export interface LossReport {
  /** The lost part of the packets since its last report, 0 to 1. */
  loss: number
  roundTripMs: number | undefined
}

/** Counts received packets, and writes and reads reports. `now` is Unix time in milliseconds. */
export class Reports {
  readonly #ssrc: number
  #theirs: number | undefined
  #first = 0
  #highest = 0
  #received = 0
  #expectedThen = 0
  #receivedThen = 0
  #jitter = 0
  #transit: number | undefined
  /** The middle bits of the time in the last report of the other side, and when it arrived. */
  #lastReport: { middle: number; atMs: number } | undefined

  constructor(ssrc: number) {
    this.#ssrc = ssrc
  }

  received({ ssrc, index, timestamp }: ReceivedRtp, nowMs: number): void {
    if (this.#theirs === undefined) this.#first = this.#highest = index
    this.#theirs = ssrc
    this.#received++
    this.#highest = Math.max(this.#highest, index)
    const transit = (nowMs * samplesPerMs - timestamp) % 2 ** 32
    const change = Math.abs(transit - (this.#transit ?? transit))
    // A restarted timestamp says nothing about the transit time.
    if (change < 2 ** 31) this.#jitter += (change - this.#jitter) / 16
    this.#transit = transit
  }

  /** The number of missing packets of the other side; late packets are not missing. */
  get lost(): number {
    return Math.max(0, this.#expected - this.#received)
  }

  get #expected(): number {
    return this.#theirs === undefined ? 0 : this.#highest - this.#first + 1
  }

  write(sent: { packets: number; bytes: number; timestamp: number }, nowMs: number): Buffer {
    const block = this.#theirs === undefined ? Buffer.alloc(0) : this.#block(this.#theirs, nowMs)
    const report = Buffer.alloc(senderBytes)
    report[0] = 0x80 | (block.length / blockBytes)
    report[1] = senderReport
    report.writeUInt16BE((senderBytes + block.length) / 4 - 1, 2)
    report.writeUInt32BE(this.#ssrc, 4)
    // The seconds of NTP wrap in February 2036.
    report.writeUInt32BE((Math.floor(nowMs / 1_000) + secondsBefore1970) % 2 ** 32, 8)
    report.writeUInt32BE(Math.floor((nowMs % 1_000) * 4_294_967.296), 12)
    report.writeUInt32BE(sent.timestamp >>> 0, 16)
    report.writeUInt32BE(sent.packets >>> 0, 20)
    report.writeUInt32BE(sent.bytes >>> 0, 24)
    return Buffer.concat([report, block, this.#name()])
  }

  #block(theirs: number, nowMs: number): Buffer {
    const expected = this.#expected
    const expectedNow = expected - this.#expectedThen
    const lostNow = Math.max(0, expectedNow - (this.#received - this.#receivedThen))
    this.#expectedThen = expected
    this.#receivedThen = this.#received
    const block = Buffer.alloc(blockBytes)
    block.writeUInt32BE(theirs, 0)
    block[4] = expectedNow > 0 ? Math.min(255, Math.floor((256 * lostNow) / expectedNow)) : 0
    block.writeUIntBE(Math.min(this.lost, 0x7fffff), 5, 3)
    block.writeUInt32BE(this.#highest >>> 0, 8)
    block.writeUInt32BE(Math.min(Math.floor(this.#jitter), 0xffffffff), 12)
    if (this.#lastReport !== undefined) {
      block.writeUInt32BE(this.#lastReport.middle, 16)
      block.writeUInt32BE(Math.floor((nowMs - this.#lastReport.atMs) * 65.536) >>> 0, 20)
    }
    return block
  }

  /** The source description with the name (CNAME) that every source needs. */
  #name(): Buffer {
    const name = Buffer.from('out')
    const bytes = Buffer.alloc(16)
    bytes[0] = 0x81
    bytes[1] = description
    bytes.writeUInt16BE(bytes.length / 4 - 1, 2)
    bytes.writeUInt32BE(this.#ssrc, 4)
    bytes[8] = 1
    bytes[9] = name.length
    name.copy(bytes, 10)
    return bytes
  }

  /** Reads received reports of any length and kind; undefined if none is about what was sent. */
  read(bytes: Buffer, nowMs: number): LossReport | undefined {
    let found: LossReport | undefined
    for (let at = 0; at + 8 <= bytes.length; ) {
      const end = at + 4 * (bytes.readUInt16BE(at + 2) + 1)
      if (end > bytes.length || bytes[at]! >> 6 !== 2) break
      found = this.#readOne(bytes.subarray(at, end), nowMs) ?? found
      at = end
    }
    return found
  }

  #readOne(report: Buffer, nowMs: number): LossReport | undefined {
    const type = report[1]!
    if (type !== senderReport && type !== receiverReport) return undefined
    let at = type === senderReport ? senderBytes : 8
    if (type === senderReport && report.length >= senderBytes)
      this.#lastReport = { middle: report.readUInt32BE(10), atMs: nowMs }
    for (let blocks = report[0]! & 0x1f; blocks > 0 && at + blockBytes <= report.length; blocks--) {
      if (report.readUInt32BE(at) === this.#ssrc) return lossOf(report.subarray(at), nowMs)
      at += blockBytes
    }
    return undefined
  }
}

function lossOf(block: Buffer, nowMs: number): LossReport {
  const middle = block.readUInt32BE(16)
  const sinceThen = block.readUInt32BE(20)
  const seconds = Math.floor(nowMs / 1_000) + secondsBefore1970
  const now = ((seconds % 65_536) * 65_536 + Math.floor((nowMs % 1_000) * 65.536)) >>> 0
  const roundTrip = (now - middle - sinceThen) >>> 0
  // A round trip of hours comes from a report with an unknown clock.
  const isKnown = middle !== 0 && roundTrip < 60 * 65_536
  return { loss: block[4]! / 256, roundTripMs: isKnown ? roundTrip / 65.536 : undefined }
}
