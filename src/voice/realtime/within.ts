/** Resolves with `work`, or without it after this time. Its timer keeps the process alive, since a stop waits for it. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const passed = Promise.withResolvers<void>()
  const timeout = setTimeout(passed.resolve, ms)
  try {
    await Promise.race([work, passed.promise])
  } finally {
    clearTimeout(timeout)
  }
}
