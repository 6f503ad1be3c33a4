/** Bounds the total memory of request bodies in this process (`limits.body_bytes_in_flight`). */
import { collectWhenQuiet } from '#platform/bytes'
import type { Config } from '#platform/config'
import { Failure } from '#platform/errors'
import { LargeBodies } from './large-bodies.ts'

/** The bytes of each body that are not counted: small requests are accepted even at the limit. */
const uncountedBytes = 16 * 1024
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

interface WaitingBody {
  held: Reservation
  /** To which the reservation is to grow. */
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

export class BodyMemory {
  readonly large = new LargeBodies()
  readonly #limitBytes: number
  readonly #waitMs: number
  readonly #held = new Set<Reservation>()
  /** Waiting bodies, first come first served; a body that fits need not wait for one that does not. */
  readonly #waiting = new Set<WaitingBody>()
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
    const reservation: Reservation = {
      bytes: 0,
      arrivedBytes: 0,
      sinceMs: performance.now(),
      isComplete: false,
      giveUp,
    }
    return {
      announce: (bytes) => this.#announce(reservation, Math.max(0, bytes - uncountedBytes)),
      reserve: (bytes) => this.#reserve(reservation, Math.max(0, bytes - uncountedBytes)),
      arrived: (bytes) => {
        reservation.arrivedBytes += bytes
      },
      complete: () => {
        reservation.isComplete = true
      },
      release: () => this.#release(reservation),
    }
  }

  async #announce(reservation: Reservation, bytes: number): Promise<void> {
    const more = bytes - reservation.bytes
    if (more > 0 && !this.#fits(reservation, more)) {
      this.#dropSlow(reservation, more)
      if (!this.#fits(reservation, more)) await this.#waitForMemory(reservation, bytes)
    }
    this.#reserve(reservation, bytes)
  }

  /** Resolves when there is room, or when the body has waited long enough. */
  async #waitForMemory(reservation: Reservation, bytes: number): Promise<void> {
    const { promise, resolve: enter } = Promise.withResolvers<void>()
    const waiting = { held: reservation, bytes, enter }
    this.#waiting.add(waiting)
    const timer = setTimeout(enter, this.#waitMs)
    await promise
    clearTimeout(timer)
    this.#waiting.delete(waiting)
  }

  #reserve(reservation: Reservation, bytes: number): void {
    const more = bytes - reservation.bytes
    if (more <= 0) return
    if (!this.#fits(reservation, more)) this.#dropSlow(reservation, more)
    if (!this.#fits(reservation, more)) throw tooMuchInFlight()
    // The time spent waiting does not count against the sender, since nothing was read meanwhile.
    if (reservation.bytes === 0) reservation.sinceMs = performance.now()
    reservation.bytes = bytes
    this.#bytes += more
    this.#held.add(reservation)
  }

  #fits(reservation: Reservation, more: number): boolean {
    return this.#bytes === reservation.bytes || this.#bytes + more <= this.#limitBytes
  }

  /** Drops the reservations of slow bodies, so that a client that announces much and sends nothing does not block others. */
  #dropSlow(requester: Reservation, more: number): void {
    const nowMs = performance.now()
    for (const reservation of [...this.#held]) {
      if (this.#fits(requester, more)) return
      const dueBytes = (reservation.bytes * (nowMs - reservation.sinceMs - graceMs)) / requestMs
      if (reservation === requester || reservation.isComplete || reservation.arrivedBytes >= dueBytes)
        continue
      this.#release(reservation)
      reservation.giveUp()
    }
  }

  #release(reservation: Reservation): void {
    if (!this.#held.delete(reservation)) return
    if (reservation.bytes > largeBytes) collectWhenQuiet()
    this.#bytes -= reservation.bytes
    reservation.bytes = 0
    this.#callWaiting()
  }

  /** Calls waiting bodies that fit. Their room is reserved at once, so that no new request can take it before they continue. */
  #callWaiting(): void {
    for (const waiting of this.#waiting) {
      if (!this.#fits(waiting.held, waiting.bytes - waiting.held.bytes)) continue
      this.#waiting.delete(waiting)
      this.#reserve(waiting.held, waiting.bytes)
      waiting.enter()
    }
  }
}

export const tooMuchInFlight = (): Failure => new Failure('TOO_MUCH_IN_FLIGHT', {}, { retryAfterMs })
