/** Pages of browsers wait with this module too, and have no environment. */
const env: Record<string, string | undefined> = globalThis.process?.env ?? {}

/** By which timeouts of this run are multiplied (tests/suite/factor.ts); a machine that is faster than the reference has no less. */
export const clockFactor = Math.max(1, Number(env['KHERAD_CLOCK_FACTOR'] ?? 1))

/** Folders of the campaign wait for real leases of up to 12 s, and stop processes for 20 s. */
const isOfCampaign = env['KHERAD_SUITE']?.startsWith('campaign') === true

/** The timeout, in milliseconds, for what takes a second or two on an idle machine. */
export const soon = Math.round((isOfCampaign ? 40_000 : 10_000) * clockFactor)

/** The timeout, in milliseconds, for what begins with the start of a program: a server, a PostgreSQL, a browser, LibreOffice. */
export const startMs = Math.round(60_000 * clockFactor)

/** Thrown where a wait has run out. Its name is how `tests/suite/voids.ts` knows it from a wrong value, which no stand-still excuses. */
export class WaitRanOut extends Error {
  override name = 'WaitRanOut'
}

/**
 * Waits for a condition, not for a fixed time. Throws `WaitRanOut` after `timeoutMs` with the last value. The longer it takes the rarer are the looks, since
 * each takes from the machine what is waited for.
 */
export async function until<T>(condition: () => T | Promise<T>, timeoutMs = soon): Promise<NonNullable<T>> {
  const beganMs = Date.now()
  let last: T | undefined
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs = Date.now() - beganMs) {
    last = await condition()
    if (last) return last
    const pauseMs = Math.min(50, 10 + waitedMs / 50)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  throw new WaitRanOut(`The condition did not come true within ${timeoutMs} ms; last answer: ${String(last)}`)
}
