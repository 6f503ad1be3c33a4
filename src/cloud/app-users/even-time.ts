import { setTimeout as delay } from 'node:timers/promises'

/** More than the statements for an address that somebody has take, on a machine that is not overloaded. */
const leastMs = 50

/** What is answered about an address takes the same time whether or not somebody has it. */
export async function inEvenTime<Result>(work: () => Promise<Result>): Promise<Result> {
  const [done] = await Promise.allSettled([work(), delay(leastMs)])
  if (done.status === 'rejected') throw done.reason
  return done.value
}
