/** The journeys under way in this process, which are waited for or stopped when it ends. */

interface Stoppable {
  stop(): void
}

/** A member of a circular list, or alone (`next` is itself). */
class JourneyEntry implements Disposable {
  readonly journey: Stoppable | undefined
  readonly #left: () => void
  next: JourneyEntry = this
  previous: JourneyEntry = this

  constructor(journey: Stoppable | undefined, left: () => void) {
    this.journey = journey
    this.#left = left
  }

  [Symbol.dispose](): void {
    this.next.previous = this.previous
    this.previous.next = this.next
    this.next = this
    this.previous = this
    this.#left()
  }
}

/**
 * A list whose members unlink themselves. It is no Map or Set: with members that come and go, V8 gives those a new table every few dozen members, and
 * the old table points to the new one: once a table is promoted, the scavenger keeps all tables after it and the calls in them, until the next full
 * collection. Half of the processor time of collection went there.
 */
export class RunningJourneys {
  readonly #list = new JourneyEntry(undefined, () => undefined)
  readonly #left = () => {
    if (this.#list.next === this.#list) this.#ended?.()
  }
  #ended: (() => void) | undefined

  /** Called when a journey begins; its result is disposed when it ends. */
  enter(journey: Stoppable): Disposable {
    const entry = new JourneyEntry(journey, this.#left)
    entry.next = this.#list
    entry.previous = this.#list.previous
    entry.previous.next = entry
    this.#list.previous = entry
    return entry
  }

  /** Resolves when no journey is under way. */
  whenIdle(): Promise<void> {
    if (this.#list.next === this.#list) return Promise.resolve()
    return new Promise((resolve) => {
      this.#ended = resolve
    })
  }

  stop(): void {
    // The journeys are collected first: one that stops leaves the list, and its end may end others.
    const all: JourneyEntry[] = []
    for (let entry = this.#list.next; entry !== this.#list; entry = entry.next) all.push(entry)
    for (const { journey } of all) journey!.stop()
  }
}
