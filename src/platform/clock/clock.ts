import { Deadlines } from './deadlines.ts'

export { type Deadline, Deadlines } from './deadlines.ts'

/** The only source of time of the program, so that tests can move it. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }

/** All timeouts of this process; it holds no other state. */
export const deadlines = new Deadlines()
