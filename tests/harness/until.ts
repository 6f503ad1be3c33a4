/** The timeout, in milliseconds, for what takes a second or two on an idle machine. */
export const soon = 10_000

/**
 * Waits for a condition, not for a fixed time. Throws after `timeoutMs` with the last value. The longer it takes the rarer are the looks, since
 * each takes from the machine what is waited for.
 */
export async function until<T>(condition: () => T | Promise<T>, timeoutMs = 60_000): Promise<NonNullable<T>> {
  const beganMs = Date.now()
  let last: T | undefined
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs = Date.now() - beganMs) {
    last = await condition()
    if (last) return last
    const pauseMs = Math.min(50, 10 + waitedMs / 50)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  throw new Error(`The condition did not come true within ${timeoutMs} ms; last answer: ${String(last)}`)
}
