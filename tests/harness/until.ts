/** What is promised within a second or two, seen on a machine that is busy with other tests, in milliseconds. */
export const soon = 10_000

/** Waits for a condition, never for a time. Throws after `timeoutMs` with the last answer. */
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
