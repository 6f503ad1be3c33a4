/** How much the other side may send (a_rwnd of RFC 9260, section 3.3.4): what is free of a bound, by what was read and not taken yet. */
import type { SctpAssociation } from './werift.ts'

/** Advertised where nothing waits. */
export const windowBytes = 131_072
/** Small messages weigh more here than where they come from: so much may wait before they are dropped. */
const mostBytes = 4 * windowBytes
/** A smaller window is none, so that it is not filled packet by packet (RFC 9260, section 6.2). */
const leastBytes = 2_400

export class ReceiveWindow {
  readonly #association: SctpAssociation
  #advertised = windowBytes
  /** Of whole messages, with what each costs beside its text. */
  unreadBytes = 0
  /** Of messages that are not whole yet. */
  partialBytes = 0

  constructor(association: SctpAssociation) {
    this.#association = association
    // In place of its own count, which forgets a message as soon as it is whole.
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

  /** False where more has come than was ever advertised. */
  get hasRoom(): boolean {
    return this.unreadBytes + this.partialBytes < mostBytes
  }

  /** Says so where it was nearly closed and is half open again: its sender would notice by a probe alone, a second later. */
  reopen(): void {
    if (this.#advertised < windowBytes / 4 && this.bytes >= windowBytes / 2) this.acknowledge()
  }

  /** What has come, and the window. */
  acknowledge(): void {
    const association = this.#association
    if (association.lastReceivedTsn === undefined) return
    association.sackNeeded = true
    association.sackImmediate = true
    association.scheduleSack().catch(() => undefined)
  }
}
