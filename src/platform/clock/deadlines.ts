/** Timeouts by the thousand on one timer: a hierarchical timing wheel (Varghese and Lauck, 1987); setting, moving and cancelling one is O(1). */

export interface Deadline {
  /** Counts from now again, with the same time or another, even if the deadline rang or was cancelled. Allocates nothing. */
  restart(ms?: number): void
  /** Cancels the deadline. Allocates nothing. */
  cancel(): void
}

/** The length of a step. With the timer's own rounding a deadline rings at most 10 ms late. */
const stepMs = 8
const slotsPerLevel = 64
/** The number of steps that one slot of each level covers. Together the levels cover 99 days; a later deadline is placed again then. */
const spans = [0, 1, 2, 3, 4].map((level) => slotsPerLevel ** level)
/** The longest timer. Node rings at once for a timeout that exceeds 31 bits; waking early does no harm. */
const maxTimerMs = 1_000_000_000

/** A member of the circular list of its slot, or alone (then `next` is the entry itself). */
class DeadlineEntry implements Deadline {
  readonly owner: Deadlines | undefined
  readonly ring: () => void
  ms: number
  /** The step at which the deadline rings. */
  due = 0
  /** The step at which the entry's slot is processed: then the entry rings, or is placed again in a nearer slot. */
  slotStep = 0
  next: DeadlineEntry = this
  previous: DeadlineEntry = this

  constructor(owner: Deadlines | undefined, ms: number, ring: () => void) {
    this.owner = owner
    this.ms = ms
    this.ring = ring
  }

  restart(ms = this.ms): void {
    this.ms = ms
    this.owner!.place(this)
  }

  cancel(): void {
    this.next.previous = this.previous
    this.previous.next = this.next
    this.next = this
    this.previous = this
  }
}

const emptySlot = (): DeadlineEntry => new DeadlineEntry(undefined, 0, () => undefined)

/** Deadlines never ring early, and at most 10 ms late plus the delay of the event loop. Pending ones do not keep the process alive. */
export class Deadlines {
  readonly #report: (error: unknown) => void
  readonly #levels = spans.map(() => Array.from({ length: slotsPerLevel }, emptySlot))
  /** Every step up to this one is done. */
  #doneStep = 0
  #timer: NodeJS.Timeout | undefined
  /** The step at which the timer wakes; it is not moved when a deadline is cancelled. */
  #wakeStep = Number.POSITIVE_INFINITY

  /** `report` gets what a callback throws. */
  constructor(report: (error: unknown) => void = throwLater) {
    this.#report = report
  }

  /** Calls `ring` once, `ms` milliseconds from now. */
  in(ms: number, ring: () => void): Deadline {
    const entry = new DeadlineEntry(this, ms, ring)
    this.place(entry)
    return entry
  }

  /** Places an entry; only entries call this. For a later time only `due` changes: when the entry's slot is processed, the entry is placed again. */
  place(entry: DeadlineEntry): void {
    const nowMs = performance.now()
    if (this.#timer === undefined) this.#doneStep = stepOf(nowMs)
    entry.due = Math.max(Math.ceil((nowMs + entry.ms) / stepMs), this.#doneStep + 1)
    if (entry.next !== entry && entry.due >= entry.slotStep) return
    this.#link(entry)
    if (entry.slotStep < this.#wakeStep) this.#wakeAt(entry.slotStep, nowMs)
  }

  #link(entry: DeadlineEntry): void {
    entry.cancel()
    let level = 0
    let block = entry.due
    let ahead = block - this.#doneStep
    while (ahead >= slotsPerLevel && level < spans.length - 1) {
      const span = spans[++level]!
      block = Math.floor(entry.due / span)
      ahead = block - Math.floor(this.#doneStep / span)
    }
    if (ahead >= slotsPerLevel) block -= ahead - slotsPerLevel + 1
    entry.slotStep = block * spans[level]!
    const slot = this.#levels[level]![block % slotsPerLevel]!
    entry.next = slot
    entry.previous = slot.previous
    slot.previous.next = entry
    slot.previous = entry
  }

  #wakeAt(step: number, nowMs: number): void {
    clearTimeout(this.#timer)
    this.#wakeStep = step
    const ms = Math.min(maxTimerMs, Math.max(1, Math.ceil(step * stepMs - nowMs)))
    this.#timer = setTimeout(() => this.#wake(), ms).unref()
  }

  #wake(): void {
    const nowStep = stepOf(performance.now())
    let next = this.#nextStep()
    for (; next <= nowStep; next = this.#nextStep()) this.#run(next)
    this.#doneStep = nowStep
    this.#timer = undefined
    this.#wakeStep = Number.POSITIVE_INFINITY
    if (next < Number.POSITIVE_INFINITY) this.#wakeAt(next, performance.now())
  }

  /** The first step after `#doneStep` at which a slot has entries. */
  #nextStep(): number {
    let first = Number.POSITIVE_INFINITY
    for (const [level, slots] of this.#levels.entries()) {
      const span = spans[level]!
      const block = Math.floor(this.#doneStep / span)
      for (let ahead = 1; ahead < slotsPerLevel; ahead++) {
        const slot = slots[(block + ahead) % slotsPerLevel]!
        if (slot.next === slot) continue
        first = Math.min(first, (block + ahead) * span)
        break
      }
    }
    return first
  }

  /** Runs one step. Entries of coarse slots that begin at this step are placed again before anything rings. */
  #run(step: number): void {
    this.#doneStep = step
    for (let level = spans.length - 1; level > 0; level--) {
      if (step % spans[level]! !== 0) continue
      const slot = this.#levels[level]![(step / spans[level]!) % slotsPerLevel]!
      while (slot.next !== slot) this.#link(slot.next)
    }
    const slot = this.#levels[0]![step % slotsPerLevel]!
    while (slot.next !== slot) {
      const entry = slot.next
      if (entry.due > step) this.#link(entry)
      else this.#ring(entry)
    }
  }

  #ring(entry: DeadlineEntry): void {
    entry.cancel()
    try {
      entry.ring()
    } catch (error) {
      this.#report(error)
    }
  }
}

const stepOf = (ms: number): number => Math.floor(ms / stepMs)

const throwLater = (error: unknown): void =>
  process.nextTick(() => {
    throw error
  })
