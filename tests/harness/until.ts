/** The timeout, in milliseconds, for what takes a second or two on an idle machine. */
export const soon = 10_000

/** Waits for a condition, not for a fixed time. Throws after `timeoutMs` with the last value. */
export async function until<T>(condition: () => T | Promise<T>, timeoutMs = 60_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs
  let last: T | undefined
  while (Date.now() < deadline) {
    last = await condition()
    if (last) return last
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error(`The condition did not come true within ${timeoutMs} ms; last answer: ${String(last)}`)
}
