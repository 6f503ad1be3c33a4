/** Bounds the total memory of request bodies in this process (`limits.body_bytes_in_flight`). */
import { collectWhenQuiet } from '#platform/bytes'
import type { Config } from '#platform/config'
import { Failure } from '#platform/errors'
import { LargeBodies } from './large-bodies.ts'

/** The bytes of each body that are not counted: small requests are accepted even at the limit. */
const freeBytes = 16 * 1024
/** The time within which a request must be complete (`server.ts`); a body that will not make it can lose its reservation to others. */
const requestMs = 120_000
/** The age from which the transfer rate of a body is checked. */
const graceMs = 2_000
const retryAfterMs = 2_000
/** The memory of larger bodies is released once no body is being received. */
const largeBytes = 4 * 1024 * 1024

/** The reservation of one body, until its request is over. */
export interface BodySlot {
  /**
   * Grows the reservation to `bytes` as soon as there is room, waiting at most `bodyWaitMs`; then throws TOO_MUCH_IN_FLIGHT. A single body
   * always has room.
   */
  announce(bytes: number): Promise<void>
  /** Grows the reservation like `announce`, but without waiting: for bytes that have already arrived. */
  reserve(bytes: number): void
  /** Counts bytes that have arrived. */
  arrived(bytes: number): void
  /** Called when the whole body has arrived. */
  complete(): void
  release(): void
}

interface Waiting {
  held: Reservation
  bytes: number
  enter: () => void
}

interface Reservation {
  bytes: number
  arrivedBytes: number
  sinceMs: number
  isComplete: boolean
  giveUp: () => void
}

export class Intake {
  readonly large = new LargeBodies()
  readonly #limitBytes: number
  readonly #waitMs: number
  readonly #held = new Set<Reservation>()
  /** Waiting bodies, first come first served; a body that fits need not wait for one that does not. */
  readonly #waiting = new Set<Waiting>()
  #bytes = 0

  constructor({ limits, timing }: Pick<Config, 'limits' | 'timing'>) {
    this.#limitBytes = limits.bodyBytesInFlight
    this.#waitMs = timing.bodyWaitMs
  }

  get bytes(): number {
    return this.#bytes
  }

  /** `giveUp` is called when a body that arrives too slowly loses its reservation to another. */
  enter(giveUp: () => void): BodySlot {
    const held: Reservation = {
      bytes: 0,
      arrivedBytes: 0,
      sinceMs: performance.now(),
      isComplete: false,
      giveUp,
    }
    return {
      announce: (bytes) => this.#announce(held, Math.max(0, bytes - freeBytes)),
      reserve: (bytes) => this.#reserve(held, Math.max(0, bytes - freeBytes)),
      arrived: (bytes) => {
        held.arrivedBytes += bytes
      },
      complete: () => {
        held.isComplete = true
      },
      release: () => this.#release(held),
    }
  }

  async #announce(held: Reservation, bytes: number): Promise<void> {
    if (bytes > 0 && !this.#fits(held, bytes)) {
      this.#dropSlow(held, bytes)
      if (!this.#fits(held, bytes)) await this.#turnOf(held, bytes)
    }
    this.#reserve(held, bytes)
  }

  /** Resolves when there is room, or when the body has waited long enough. */
  async #turnOf(held: Reservation, bytes: number): Promise<void> {
    const { promise, resolve: enter } = Promise.withResolvers<void>()
    const waiting = { held, bytes, enter }
    this.#waiting.add(waiting)
    const timer = setTimeout(enter, this.#waitMs)
    await promise
    clearTimeout(timer)
    this.#waiting.delete(waiting)
  }

  #reserve(held: Reservation, bytes: number): void {
    const more = bytes - held.bytes
    if (more <= 0) return
    if (!this.#fits(held, more)) this.#dropSlow(held, more)
    if (!this.#fits(held, more)) throw tooMuch()
    // The time spent waiting does not count against the sender, since nothing was read meanwhile.
    if (held.bytes === 0) held.sinceMs = performance.now()
    held.bytes = bytes
    this.#bytes += more
    this.#held.add(held)
  }

  #fits(held: Reservation, more: number): boolean {
    return this.#bytes === held.bytes || this.#bytes + more <= this.#limitBytes
  }

  /** Drops the reservations of slow bodies, so that a client that announces much and sends nothing does not block others. */
  #dropSlow(asking: Reservation, more: number): void {
    const nowMs = performance.now()
    for (const held of [...this.#held]) {
      if (this.#fits(asking, more)) return
      const dueBytes = (held.bytes * (nowMs - held.sinceMs - graceMs)) / requestMs
      if (held === asking || held.isComplete || held.arrivedBytes >= dueBytes) continue
      this.#release(held)
      held.giveUp()
    }
  }

  #release(held: Reservation): void {
    if (!this.#held.delete(held)) return
    if (held.bytes > largeBytes) collectWhenQuiet()
    this.#bytes -= held.bytes
    held.bytes = 0
    this.#callWaiting()
  }

  /** Calls waiting bodies that fit. Their room is reserved at once, so that no new request can take it before they continue. */
  #callWaiting(): void {
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.held, waiting.bytes)) continue
      this.#waiting.delete(waiting)
      this.#reserve(waiting.held, waiting.bytes)
      waiting.enter()
    }
  }
}

export const tooMuch = (): Failure => new Failure('TOO_MUCH_IN_FLIGHT', {}, { retryAfterMs })
