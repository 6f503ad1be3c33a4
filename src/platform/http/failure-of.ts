import { isDiskFull } from '#platform/db'
import { diskFailure, fullDiskFailure } from '#platform/disk-space'
import { asFailure, Failure } from '#platform/errors'
import type { HttpApp } from './app.ts'

/**
 * Turns anything thrown into a failure: a full or broken disk, wherever it was found, is no defect of the program, and a database that is away
 * because its disk is full is reported as STORAGE_FULL.
 */
export const failureOf = (app: Pick<HttpApp, 'space'>, error: unknown): Failure =>
  fullDatabase(app, asFailure(diskFailure(error, 'data')))

/** Reports a database that is away because its disk is full as STORAGE_FULL: repeating the request soon would not help. */
function fullDatabase({ space }: Pick<HttpApp, 'space'>, failure: Failure): Failure {
  if (failure.code !== 'SERVICE_UNAVAILABLE') return failure
  if ((failure.detail as { why: string }).why !== 'database') return failure
  const disk = space.lacking(['database', 'wal']) ?? (isDiskFull(failure.cause) ? 'database' : undefined)
  if (disk === undefined) return failure
  const { detail, more } = fullDiskFailure(disk)
  return new Failure('STORAGE_FULL', detail, { ...failure.more, ...more, cause: failure.cause })
}
