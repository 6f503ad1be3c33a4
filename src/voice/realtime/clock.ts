export const tickMs = 20
/** The most ticks made up for at once, after the process was held up; more would be a burst that no client keeps. */
const maxTicks = 3

/** A member that the clock drives: a call. */
export interface ClockMember {
  /** @param frames the number of frames of 20 ms that are due: one, or up to three after a delay */
  tick(frames: number): void
  /** Called when its tick threw: it gets no other, and the other calls go on. */
  failed(error: unknown): void
}

/** Counts the frames that are due at a moment. If more are due than can be made up for, none is lost: all sound is heard later by that time. */
export class FramePace {
  #dueMs: number

  constructor(nowMs: number) {
    this.#dueMs = nowMs + tickMs
  }

  /** The number of due frames, from 0 to 3. */
  take(nowMs: number): number {
    const late = Math.floor((nowMs - this.#dueMs) / tickMs) + 1
    const frames = Math.min(maxTicks, Math.max(0, late))
    this.#dueMs = late > maxTicks ? nowMs + tickMs : this.#dueMs + frames * tickMs
    return frames
  }

  /** The time until the next frame is due, in ms. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#dueMs - nowMs)
  }
}

/** One clock for all calls of a process: one timer, whatever their number. The timer is off while there are no calls. */
export class SoundClock {
  readonly #members = new Set<ClockMember>()
  #timer: NodeJS.Timeout | undefined

  get isRunning(): boolean {
    return this.#timer !== undefined
  }

  /** Adds a member, until the returned function is called. */
  join(member: ClockMember): () => void {
    this.#members.add(member)
    if (!this.#timer) this.#run(new FramePace(performance.now()))
    return () => {
      this.#members.delete(member)
    }
  }

  #run(pace: FramePace): void {
    this.#timer = setTimeout(() => {
      const frames = pace.take(performance.now())
      if (frames > 0) for (const member of this.#members) this.#tick(member, frames)
      this.#timer = undefined
      if (this.#members.size > 0) this.#run(pace)
    }, pace.waitMs(performance.now()))
  }

  #tick(member: ClockMember, frames: number): void {
    try {
      member.tick(frames)
    } catch (error) {
      this.#members.delete(member)
      member.failed(error)
    }
  }
}

/** The clock of this process; it holds no other state. */
export const soundClock = new SoundClock()
