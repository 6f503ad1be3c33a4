import { setTimeout as delay } from 'node:timers/promises'

/** Longer than the statements for a known address take on a machine that is not overloaded. */
const minDurationMs = 50

/** Runs `work` so that an answer about an address takes the same time whether or not a user has the address. */
export async function inConstantTime<Result>(work: () => Promise<Result>): Promise<Result> {
  const [done] = await Promise.allSettled([work(), delay(minDurationMs)])
  if (done.status === 'rejected') throw done.reason
  return done.value
}
