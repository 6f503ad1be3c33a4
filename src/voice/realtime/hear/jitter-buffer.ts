import { opusMs } from '#core/sound'

/** Of RTP: samples at 48 kHz, whatever rate Opus is decoded at. */
const samplesPerMs = 48
const tickMs = 20
/** For how long a packet that is missing is waited for, at least and at most. */
export const leastWaitMs = 40
export const maxWaitMs = 200
/** So long without a late packet, and the wait becomes one tick shorter. */
const calmMs = 5_000
/** RFC 6716: 1,275 bytes is one frame at most, and we take no longer packet for several either. */
export const maxPacketBytes = 1_275
export const maxPacketMs = 60
/** Two seconds of usual packets; more wait only where nobody pulls. */
const maxHeld = 100
/** A longer gap is a clock that was set anew, not silence. */
const maxGapMs = 1_000
/** Sequence numbers of which it is remembered that they were given up. */
const maxGivenUp = 64

export interface HeldPacket {
  packet: Uint8Array
  sequence: number
  timestamp: number
  ms: number
}

/** The next packet in order, and what is missing before it. */
export interface NextPacket extends HeldPacket {
  /** Of sound that neither a packet nor filler has stood for. */
  gapMs: number
  /** Packets are missing: the gap is a loss. Else the sender was silent (DTX) and sent none. */
  isLoss: boolean
}

/**
 * Puts packets of one stream in order. They are for a machine's ears, which need no even pace: what is in order is passed on at once, and only
 * what is missing is waited for, as long as packets have lately been late. So the wait costs nothing while nothing is missing.
 */
export class JitterBuffer {
  /** Of those refused: repeated, too late, no Opus packet as we take them. Of those missing: given up. */
  readonly counts = { taken: 0, repeated: 0, late: 0, invalid: 0, lost: 0 }
  #held: HeldPacket[] = []
  #last: HeldPacket | undefined
  /** When a sequence number was given up, in ticks. */
  readonly #givenUp = new Map<number, number>()
  #ticks = 0
  /** Since the last packet was taken. */
  #waitedMs = 0
  #fillerMs = 0
  #fillerDue = false
  #calmMs = 0
  #waitMs = leastWaitMs

  get waitMs(): number {
    return this.#waitMs
  }

  /** @param timestamp as it stands in RTP: 32 bits, which wrap */
  put(packet: Uint8Array, sequence: number, timestamp: number): void {
    const ms = durationOf(packet)
    if (ms === undefined) this.counts.invalid += 1
    else if (this.#last && sequence <= this.#last.sequence) this.#refuse(sequence)
    else this.#hold({ packet, sequence, timestamp, ms })
  }

  /** Once each 20 ms. */
  tick(): void {
    this.#ticks += 1
    this.#waitedMs += tickMs
    this.#fillerDue = true
    this.#calmMs += tickMs
    if (this.#calmMs < calmMs) return
    this.#calmMs = 0
    this.#waitMs = Math.max(leastWaitMs, this.#waitMs - tickMs)
  }

  /** Undefined where the next one has not come and may still come. */
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

  /** Whether 20 ms have to be made up now, because nothing has come for too long. At most once a tick. */
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

  /** Packets behind the missing one tell time as well as ticks do, and better where many come at once. */
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
    // libopus makes up multiples of 2.5 ms.
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

/** How long a packet sounds, in ms, by its first bytes; undefined where we do not take it. */
export function durationOf(packet: Uint8Array): number | undefined {
  if (packet.length === 0 || packet.length > maxPacketBytes) return undefined
  const ms = opusMs(packet)
  return ms > 0 && ms <= maxPacketMs ? ms : undefined
}

/** Whether a packet of one frame repeats the one before it, coarser (RFC 6716 section 4.2.4), so that it can stand for one that is missing. */
export function hasRepair(packet: Uint8Array): boolean {
  const [head = 0, first = 0] = packet
  const isOfOneFrame = (head & 3) === 0
  // From 16 on there is no SILK in it, whose first bits say for each 20 ms whether there is a voice, and then whether there is a repair.
  if (head >> 3 >= 16 || !isOfOneFrame) return false
  const voiceBits = Math.max(1, opusMs(packet) / 20)
  return ((first >> (7 - voiceBits)) & 1) === 1
}
