import { deadlines } from '#platform/clock'

/** Resolves with `work`, or without it after this time. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const passed = Promise.withResolvers<void>()
  const deadline = deadlines.in(ms, passed.resolve)
  await Promise.race([work, passed.promise])
  deadline.cancel()
}
