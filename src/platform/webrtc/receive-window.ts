/**
 * The receive window: how much the other side may send (a_rwnd of RFC 9260, section 3.3.4), which is a bound minus what was received and not yet
 * processed.
 */
import type { SctpAssociation } from './werift.ts'

/** The window that is advertised if nothing is waiting. */
export const windowBytes = 131_072
/** The maximum of waiting bytes, beyond which data is dropped. It exceeds the window, because small messages weigh more here than at their sender. */
const maxWaitingBytes = 4 * windowBytes
/** A smaller window is advertised as zero, so that it is not filled packet by packet (RFC 9260, section 6.2). */
const leastBytes = 2_400

export class ReceiveWindow {
  readonly #association: SctpAssociation
  #advertised = windowBytes
  /** The bytes of complete messages that are waiting, including the overhead of each. */
  unreadBytes = 0
  /** The bytes of incomplete messages. */
  partialBytes = 0

  constructor(association: SctpAssociation) {
    this.#association = association
    // This replaces werift's own count, which forgets a message as soon as it is complete.
    Object.defineProperty(association, 'advertisedRwnd', {
      get: () => {
        this.#advertised = this.bytes
        return this.#advertised
      },
      set: () => undefined,
    })
  }

  get bytes(): number {
    const free = windowBytes - this.unreadBytes - this.partialBytes
    return free < leastBytes ? 0 : free
  }

  /** False if more has arrived than was ever advertised. */
  get hasRoom(): boolean {
    return this.unreadBytes + this.partialBytes < maxWaitingBytes
  }

  /** Announces the window if it was nearly closed and is half open again: otherwise its sender would notice only by a probe, a second later. */
  reopen(): void {
    if (this.#advertised < windowBytes / 4 && this.bytes >= windowBytes / 2) this.acknowledge()
  }

  /** Acknowledges what has arrived, and announces the window. */
  acknowledge(): void {
    const association = this.#association
    if (association.lastReceivedTsn === undefined) return
    association.sackNeeded = true
    association.sackImmediate = true
    association.scheduleSack().catch(() => undefined)
  }
}
