import { opusMs } from '#core/sound'

/** The clock of RTP: samples at 48 kHz, whatever rate Opus is decoded at. */
const samplesPerMs = 48
const tickMs = 20
/** How long a missing packet is waited for, at least and at most. */
export const minWaitMs = 40
export const maxWaitMs = 200
/** After this time without a late packet, the wait becomes one tick shorter. */
const calmMs = 5_000
/** RFC 6716: one frame has at most 1,275 bytes; a packet of several frames is not taken beyond that either. */
export const maxPacketBytes = 1_275
export const maxPacketMs = 60
/** Two seconds of usual packets; more wait only where nobody calls `next`. */
const maxHeld = 100
/** A longer gap means that the sender's clock was set again, not silence. */
const maxGapMs = 1_000
/** How many sequence numbers are remembered after they were given up. */
const maxGivenUp = 64

export interface HeldPacket {
  packet: Uint8Array
  sequence: number
  timestamp: number
  ms: number
}

/** The next packet in order, and the gap before it. */
export interface NextPacket extends HeldPacket {
  /** The milliseconds for which there was neither a packet nor filler. */
  gapMs: number
  /** Whether packets are missing, so that the gap is a loss; otherwise the sender was silent (DTX) and sent none. */
  isLoss: boolean
}

/**
 * Puts packets of one stream in order. The receiver is a machine, which needs no even pace: packets in order are passed on at once, and only missing
 * ones are waited for, as long as packets have lately been late. So the wait costs nothing while no packet is missing.
 */
export class JitterBuffer {
  /**
   * Counts of packets. Refused: `repeated`, too `late`, or `invalid`, which is no Opus packet of an accepted size. Missing: `lost`, which were given
   * up.
   */
  readonly counts = { taken: 0, repeated: 0, late: 0, invalid: 0, lost: 0 }
  #held: HeldPacket[] = []
  #last: HeldPacket | undefined
  /** The tick at which a sequence number was given up. */
  readonly #givenUp = new Map<number, number>()
  #ticks = 0
  /** The time since the last packet was taken. */
  #waitedMs = 0
  #fillerMs = 0
  #fillerDue = false
  #calmMs = 0
  #waitMs = minWaitMs

  get waitMs(): number {
    return this.#waitMs
  }

  /** @param timestamp the timestamp of RTP: 32 bits, which wrap */
  put(packet: Uint8Array, sequence: number, timestamp: number): void {
    const ms = durationOf(packet)
    if (ms === undefined) this.counts.invalid += 1
    else if (this.#last && sequence <= this.#last.sequence) this.#refuse(sequence)
    else this.#hold({ packet, sequence, timestamp, ms })
  }

  /** Call every 20 ms. */
  tick(): void {
    this.#ticks += 1
    this.#waitedMs += tickMs
    this.#fillerDue = true
    this.#calmMs += tickMs
    if (this.#calmMs < calmMs) return
    this.#calmMs = 0
    this.#waitMs = Math.max(minWaitMs, this.#waitMs - tickMs)
  }

  /** The next packet; undefined where it has not come and may still come. */
  next(): NextPacket | undefined {
    const first = this.#held[0]
    if (!first) return undefined
    const missing = this.#last ? first.sequence - this.#last.sequence - 1 : 0
    if (missing > 0 && !this.#isWaitOver()) return undefined
    this.#held.shift()
    const gapMs = this.#gapBefore(first)
    if (missing > 0) this.#giveUp(first.sequence, missing)
    else if (gapMs === 0 && this.#fillerMs > 0) this.#lengthen(this.#fillerMs)
    this.#last = first
    this.#waitedMs = 0
    this.#fillerMs = 0
    return { ...first, gapMs, isLoss: missing > 0 }
  }

  /** Whether 20 ms have to be filled now, because no packet has come for too long; true at most once a tick. */
  takeFiller(): boolean {
    const isDue = this.#fillerDue && this.#held.length === 0 && this.#last !== undefined && this.#isWaitOver()
    this.#fillerDue = false
    if (isDue) this.#fillerMs += tickMs
    return isDue
  }

  #hold(packet: HeldPacket): void {
    const held = this.#held
    let at = held.length
    while (at > 0 && held[at - 1]!.sequence > packet.sequence) at -= 1
    if (held[at - 1]?.sequence === packet.sequence) {
      this.counts.repeated += 1
      return
    }
    this.counts.taken += 1
    held.splice(at, 0, packet)
    if (held.length > maxHeld) held.shift()
  }

  #refuse(sequence: number): void {
    const tick = this.#givenUp.get(sequence)
    if (tick === undefined) {
      this.counts.repeated += 1
      return
    }
    this.#givenUp.delete(sequence)
    this.counts.late += 1
    this.#lengthen(tickMs * (this.#ticks - tick + 1))
  }

  #lengthen(ms: number): void {
    this.#waitMs = Math.min(maxWaitMs, this.#waitMs + ms)
    this.#calmMs = 0
  }

  /**
   * Whether the wait for missing packets is over. Packets after the missing one measure time as well as ticks do, and better where many come at once.
   */
  #isWaitOver(): boolean {
    const betweenMs = Math.max(0, (this.#last?.ms ?? 0) - tickMs)
    const heldMs = this.#held.reduce((sum, { ms }) => sum + ms, 0)
    return Math.max(this.#waitedMs - betweenMs, heldMs) > this.#waitMs
  }

  #gapBefore({ timestamp }: HeldPacket): number {
    if (!this.#last) return 0
    const passed = (timestamp - this.#last.timestamp) | 0
    const gapMs = passed / samplesPerMs - this.#last.ms
    if (gapMs > maxGapMs) return 0
    // libopus conceals multiples of 2.5 ms.
    return Math.max(0, Math.floor((gapMs - this.#fillerMs) / 2.5) * 2.5)
  }

  #giveUp(before: number, missing: number): void {
    this.counts.lost += missing
    for (let sequence = before - Math.min(missing, maxGivenUp); sequence < before; sequence++)
      this.#givenUp.set(sequence, this.#ticks)
    for (const sequence of this.#givenUp.keys()) {
      if (this.#givenUp.size <= maxGivenUp) break
      this.#givenUp.delete(sequence)
    }
  }
}

/** The duration of a packet in ms, by its first bytes; undefined where the packet is not accepted. */
export function durationOf(packet: Uint8Array): number | undefined {
  if (packet.length === 0 || packet.length > maxPacketBytes) return undefined
  const ms = opusMs(packet)
  return ms > 0 && ms <= maxPacketMs ? ms : undefined
}

/**
 * Whether a packet of one frame also carries the frame before it at lower quality (RFC 6716 section 4.2.4), so that it can replace a missing packet.
 */
export function hasFec(packet: Uint8Array): boolean {
  const [head = 0, first = 0] = packet
  const isOfOneFrame = (head & 3) === 0
  // From 16 on the packet has no SILK. The first bits of SILK tell for each 20 ms whether there is a voice, and then whether there is a repair.
  if (head >> 3 >= 16 || !isOfOneFrame) return false
  const voiceBits = Math.max(1, opusMs(packet) / 20)
  return ((first >> (7 - voiceBits)) & 1) === 1
}
