/** Repeats work of a call while the database is away. */
import { setTimeout as pause } from 'node:timers/promises'
import { isDatabaseAway } from '#platform/db'

/** How long a call goes on without the database: after this time other processes take its process for dead. */
export const maxAwayMs = 20_000
const againMs = 500

/**
 * Repeats the work while the database is away, which it shows by rejecting or by not answering. After `maxMs` it throws the reason; whether the work
 * was done is then not known.
 */
export async function retryWhileDatabaseAway<Result>(
  work: () => Promise<Result>,
  maxMs: number,
): Promise<Result> {
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
