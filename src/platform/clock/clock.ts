/** The clocks of the program, which tests can move, and its timers: all deadlines on one timer, and work that is repeated for a lease. */
import { Deadlines } from './deadlines.ts'
import { Repetitions } from './repetitions.ts'

export { type Deadline, Deadlines } from './deadlines.ts'
export type { Repetition } from './repetitions.ts'

/** The only source of time of the program, so that tests can move it. */
export interface Clock {
  nowMs(): number
}

/** Unix time in milliseconds. */
export const systemClock: Clock = { nowMs: () => Date.now() }

/**
 * A clock that only goes forward, whatever is done to the system's date, in milliseconds since some moment. It measures durations on which others
 * depend, such as a lease, the silence of a database, a stop.
 */
export const steadyClock: Clock = { nowMs: () => performance.now() }

/** All timeouts of this process; it holds no other state. */
export const deadlines = new Deadlines()

/** All work that this process repeats for a lease; it holds no state. */
export const repetitions = new Repetitions(steadyClock)
