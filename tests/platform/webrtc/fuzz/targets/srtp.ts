/**
 * Sound and reports: what a stranger makes of encrypted packets is never heard, and whatever a client with keys says is read or dropped, and
 * leaves sensible counts.
 */

import type { Peer } from '#platform/webrtc'
import { Media } from '../../../../../src/platform/webrtc/media.ts'
import { extendSequence, readRtp, writeRtp } from '../../../../../src/platform/webrtc/rtp.ts'
import { SrtpSender, saltBytes, srtpProfiles } from '../../../../../src/platform/webrtc/srtp.ts'
import type { Random } from '../../../../simulation/random.ts'
import { type FuzzContext, holds, type Target } from '../context.ts'
import { HostilePeer } from '../hostile-peer.ts'
import { mutated, randomBytes, someLength } from '../mutate.ts'

/** Of one connection: of more packets the endpoint would drop most unread, since they are more than 60 a second. */
const cases = 32
const ssrc = 0x0bad_cafe
const payloadType = 111
const maxRoundTripMs = 60_000

abstract class SoundTarget implements Target {
  readonly maxCpuMs = 50
  protected readonly context: FuzzContext
  #peer: HostilePeer | undefined
  #left = 0
  /** The highest index that the endpoint has heard. */
  protected highest: number | undefined

  constructor(context: FuzzContext) {
    this.context = context
  }

  protected abstract send(draw: Random, peer: HostilePeer, sender: SrtpSender): Promise<void>

  async run(draw: Random): Promise<void> {
    if (this.#peer === undefined || this.#peer.isOver || this.#left-- <= 0) {
      await this.close()
      this.#peer = await HostilePeer.secure(this.context, {
        shape: { profile: draw.pick(Object.values(srtpProfiles)) },
      })
      this.#left = cases
      this.highest = undefined
    }
    const peer = this.#peer
    await this.send(draw, peer, peer.dtls.sound!.sender)
    await peer.settle()
    holds(peer.broken === undefined, peer.broken ?? '')
    holds(peer.end === undefined || peer.end === 'abuse', `sound does not end a connection: ${peer.end}`)
    checkStats(peer.peer)
  }

  /** A packet of a client that is honest so far. */
  protected packet(draw: Random): { header: Buffer; payload: Buffer; index: number } {
    const index = (this.highest ?? draw.between(1, 65_535)) + 1
    this.highest = index
    const header = writeRtp({ payloadType, ssrc, timestamp: 960 * index, sequence: index % 65_536 })
    return { header, payload: randomBytes(draw, someLength(draw, 200)), index }
  }

  async close(): Promise<void> {
    await this.#peer?.[Symbol.asyncDispose]()
    this.#peer = undefined
  }
}

/** What anybody sends who has seen the packets of a call. */
export class StrangerSoundTarget extends SoundTarget {
  protected async send(draw: Random, peer: HostilePeer, sender: SrtpSender): Promise<void> {
    const { rtp, rtcp } = this.context.corpus
    const { header, payload, index } = this.packet(draw)
    const genuine = sender.rtp(header, payload, index)
    const report = sender.rtcp(draw.pick(rtcp))
    peer.sendNoted(genuine)
    peer.sendNoted(report)
    await peer.settle()
    const heard = peer.heard
    for (let left = someLength(draw, 8); left > 0; left--) {
      const base = draw.pick([genuine, report, draw.pick(rtp), draw.pick(rtcp)])
      const changed = draw.chance(0.1) ? Buffer.from(base) : mutated(draw, base, [genuine, report])
      if (changed.length > 0) peer.sendNoted(changed)
    }
    await peer.settle()
    holds(peer.heard === heard, 'no changed or repeated packet is heard')
  }
}

/** What a client sends who has the keys. */
export class ClientSoundTarget extends SoundTarget {
  protected async send(draw: Random, peer: HostilePeer, sender: SrtpSender): Promise<void> {
    const { rtp, rtcp } = this.context.corpus
    for (let left = someLength(draw, 4); left > 0; left--) {
      if (draw.chance(0.5)) {
        const report = mutated(draw, draw.pick(rtcp), rtcp, 1_400)
        if (report.length < 8) continue
        this.context.journal.note(report)
        peer.send(sender.rtcp(asRtcp(draw, report)))
      } else this.#sendSound(draw, peer, sender, mutated(draw, draw.pick(rtp), rtp, 1_400))
    }
    this.#alone(draw)
  }

  #sendSound(draw: Random, peer: HostilePeer, sender: SrtpSender, packet: Buffer): void {
    if (packet.length < 12) return
    if (draw.chance(0.9)) packet[0] = 0x80 | (packet[0]! & 0x3f)
    if (draw.chance(0.9)) packet.writeUInt32BE(ssrc, 8)
    if (draw.chance(0.7)) packet[1] = payloadType
    // Near to what came before, or anywhere: half of the numbers ahead count as a wrap.
    if (this.highest !== undefined && draw.chance(0.7))
      packet.writeUInt16BE((this.highest + draw.pick([1, 1, 2, 30, 513, 32_767, 32_768])) % 65_536, 2)
    this.context.journal.note(packet)
    const { payloadAt, sequence } = readRtp(packet) ?? { payloadAt: 12, sequence: packet.readUInt16BE(2) }
    const index = extendSequence(sequence, this.highest)
    this.highest = Math.max(this.highest ?? 0, index)
    peer.send(sender.rtp(packet.subarray(0, payloadAt), packet.subarray(payloadAt), index))
  }

  /** The sound of a connection by itself, whose clock jumps. */
  #alone(draw: Random): void {
    const { rtp, rtcp } = this.context.corpus
    const profile = draw.pick(Object.values(srtpProfiles))
    const master = (fill: number) => ({
      key: Buffer.alloc(16, fill),
      salt: Buffer.alloc(saltBytes(profile), fill),
    })
    const media = new Media(
      { profile, ours: master(1), theirs: master(2) },
      { payloadType, ssrc: 7, nowMs: 0 },
    )
    const sender = new SrtpSender(profile, master(2))
    let nowMs = draw.pick([1_000, Date.UTC(2036, 1, 7, 6, 28), Date.UTC(2026, 0, 1)])
    const isFlood = draw.chance(0.03)
    for (let left = isFlood ? 300 : someLength(draw, 12); left > 0; left--) {
      nowMs += isFlood ? 0 : draw.pick([0, 1, 20, 1_000, 3_600_000, -20])
      const report = mutated(draw, draw.pick(rtcp), rtcp, 1_400)
      if (draw.chance(0.5) && report.length >= 12) report.fill(Buffer.from([0, 0, 0, 7]), 8, 12)
      if (report.length >= 8) media.receive(sender.rtcp(asRtcp(draw, report)), nowMs)
      const packet = draw.pick(rtp)
      const index = draw.between(0, 200_000)
      const header = Buffer.from(packet.subarray(0, readRtp(packet)?.payloadAt ?? 12))
      header.writeUInt16BE(index % 65_536, 2)
      media.receive(sender.rtp(header, packet.subarray(header.length), index), nowMs)
      const written = media.report(nowMs)
      if (draw.chance(0.1)) media.isAbused()
      holds(written.length <= 100, 'a report has its length')
    }
    checkStats({ stats: () => media.stats() })
  }
}

/** Most are reports by their first bytes, so that they are read. */
function asRtcp(draw: Random, report: Buffer): Buffer {
  if (draw.chance(0.9)) {
    report[0] = 0x80 | (report[0]! & 0x3f)
    report[1] = draw.pick([200, 201, 202, 203, 204, 205, 206, 207])
  }
  return report
}

function checkStats(peer: Pick<Peer, 'stats'>): void {
  const { packetsIn, packetsOut, lost, lossOut, roundTripMs = 0 } = peer.stats()
  const counts = [packetsIn, packetsOut, lost]
  holds(
    counts.every((count) => Number.isSafeInteger(count) && count >= 0),
    `counts of packets are counts: ${counts.join(', ')}`,
  )
  holds(lossOut >= 0 && lossOut <= 1, `a loss is a share: ${lossOut}`)
  holds(roundTripMs >= 0 && roundTripMs <= maxRoundTripMs, `a round trip takes seconds: ${roundTripMs} ms`)
}
