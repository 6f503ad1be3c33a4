import type { App } from '#app'
import { isDiskFull } from '#platform/db'
import { Failure } from '#platform/errors'

/** Until somebody has made room. */
const retryAfterMs = 30_000

/** A database that is away since its disk is full says so: to send the request again in a moment would not help. */
export function fullDatabase({ space }: Pick<App, 'space'>, failure: Failure): Failure {
  if (failure.code !== 'SERVICE_UNAVAILABLE') return failure
  if ((failure.detail as { why: string }).why !== 'database') return failure
  const of = space.lacking(['database', 'wal']) ?? (isDiskFull(failure.cause) ? 'database' : undefined)
  if (of === undefined) return failure
  return new Failure('STORAGE_FULL', { of }, { ...failure.more, retryAfterMs })
}
