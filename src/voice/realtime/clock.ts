export const tickMs = 20
/** What is missed at once, after the process was held up, is caught up on; more would be a burst that no client keeps. */
const maxTicks = 3

/** What the clock drives: a call. */
export interface Ticking {
  /** @param frames of 20 ms that are due: one, or up to three after a delay */
  tick(frames: number): void
  /** Its tick threw: it gets no other, and those of the other calls go on. */
  failed(error: unknown): void
}

/** How many frames are due at a moment. What is more than can be caught up on is not lost: everything is heard later by so much. */
export class Pace {
  #dueMs: number

  constructor(nowMs: number) {
    this.#dueMs = nowMs + tickMs
  }

  /** From 0 to 3. */
  take(nowMs: number): number {
    const late = Math.floor((nowMs - this.#dueMs) / tickMs) + 1
    const frames = Math.min(maxTicks, Math.max(0, late))
    this.#dueMs = late > maxTicks ? nowMs + tickMs : this.#dueMs + frames * tickMs
    return frames
  }

  /** Until the next frame is due, in ms. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#dueMs - nowMs)
  }
}

/** One clock for all calls of a process: one timer, whatever their number. It stands still while there are none. */
export class SoundClock {
  readonly #members = new Set<Ticking>()
  #timer: NodeJS.Timeout | undefined

  get isRunning(): boolean {
    return this.#timer !== undefined
  }

  /** Until what is returned is called. */
  join(member: Ticking): () => void {
    this.#members.add(member)
    if (!this.#timer) this.#run(new Pace(performance.now()))
    return () => {
      this.#members.delete(member)
    }
  }

  #run(pace: Pace): void {
    this.#timer = setTimeout(() => {
      const frames = pace.take(performance.now())
      if (frames > 0) for (const member of this.#members) this.#tick(member, frames)
      this.#timer = undefined
      if (this.#members.size > 0) this.#run(pace)
    }, pace.waitMs(performance.now()))
  }

  #tick(member: Ticking, frames: number): void {
    try {
      member.tick(frames)
    } catch (error) {
      this.#members.delete(member)
      member.failed(error)
    }
  }
}

/** Of this process; it holds no other state. */
export const soundClock = new SoundClock()
