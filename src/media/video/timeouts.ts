import type { Timeouts } from '#core/spec'

/** The longest look: no vendor takes longer to answer how a job goes. */
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

/** The wait until the next look after this many looks: 2 s at first, 15 s after the eighth. */
export const nextLookMs = (looks: number): number =>
  Math.round(Math.min(firstStepMs * growth ** looks, maxStepMs))
