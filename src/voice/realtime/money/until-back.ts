/** Work of a call while the database is away. */
import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway } from '#platform/db'

/** A call goes on without the database for so long: others take its process for dead then. */
export const maxAwayMs = 20_000
const againMs = 500

/**
 * Does the work again while the database is away, which it says by rejecting or by not answering. After `maxMs` it throws why, and whether the
 * work was done is not known.
 */
export async function untilBack<Result>(work: () => Promise<Result>, maxMs: number): Promise<Result> {
  const lastMs = performance.now() + maxMs
  for (;;) {
    try {
      return await answerBefore(lastMs, work())
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() + againMs >= lastMs) throw error
      await pause(againMs)
    }
  }
}

async function answerBefore<Result>(lastMs: number, work: Promise<Result>): Promise<Result> {
  const stopped = new AbortController()
  const tooLate = pause(Math.max(0, lastMs - performance.now()), undefined, { signal: stopped.signal }).then(
    () => {
      throw new Error('Query read timeout: the database did not answer within the time of a call')
    },
  )
  tooLate.catch(() => {})
  work.catch(() => {})
  try {
    return await Promise.race([work, tooLate])
  } finally {
    stopped.abort()
  }
}
