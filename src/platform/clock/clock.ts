/** The only source of time of the program, so that tests can move it. */
export interface Clock {
  /** Unix time in milliseconds. */
  nowMs(): number
}

export const systemClock: Clock = { nowMs: () => Date.now() }
