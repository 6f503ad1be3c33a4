import type { Timeouts } from '#core/spec'

/** Longer than any vendor takes to say how a job goes. */
const maxLookMs = 30_000

export const lookTimeouts = (timeouts: Timeouts): Timeouts => ({
  connectMs: Math.min(timeouts.connectMs, maxLookMs),
  firstByteMs: Math.min(timeouts.firstByteMs, maxLookMs),
  firstTokenMs: Math.min(timeouts.firstTokenMs, maxLookMs),
  idleMs: Math.min(timeouts.idleMs, maxLookMs),
  totalMs: Math.min(timeouts.totalMs, maxLookMs),
})

const firstStepMs = 2_000
const maxStepMs = 15_000
const growth = 1.3

/** Until the next look after so many: 2 s at first, 15 s after the eighth. */
export const stepMs = (looks: number): number =>
  Math.round(Math.min(firstStepMs * growth ** looks, maxStepMs))
