import type { Timeouts } from '#core/spec'

/** Longer than any vendor takes to say how a job goes. */
const longestLookMs = 30_000

export const lookTimeouts = (timeouts: Timeouts): Timeouts => ({
  connectMs: Math.min(timeouts.connectMs, longestLookMs),
  firstByteMs: Math.min(timeouts.firstByteMs, longestLookMs),
  firstTokenMs: Math.min(timeouts.firstTokenMs, longestLookMs),
  idleMs: Math.min(timeouts.idleMs, longestLookMs),
  totalMs: Math.min(timeouts.totalMs, longestLookMs),
})

const firstStepMs = 2_000
const maxStepMs = 15_000
const growth = 1.3

/** Until the next look after so many: 2 s at first, 15 s after the eighth. */
export const stepMs = (looks: number): number =>
  Math.round(Math.min(firstStepMs * growth ** looks, maxStepMs))
