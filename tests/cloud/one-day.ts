/** For tests that count what a day of UTC has, by the clock of this machine, which they cannot move. */
import { setTimeout as pause } from 'node:timers/promises'

const dayMs = 24 * 60 * 60 * 1_000
/** What such a test takes at most. */
const enoughMs = 60_000

/** Resolves when a minute of the day is left: at once, but for the last minute before midnight. */
export async function withinOneDay(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < enoughMs) await pause(leftMs)
}
