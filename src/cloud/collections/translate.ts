import { isDatabaseAway } from '#platform/db'
import { Failure, fail } from '#platform/errors'
import { valueError } from './errors.ts'
import { statementTimeoutMs } from './lanes.ts'

/** Throws what the caller is answered for an error of a statement: errors that the caller's values cause are not ours. */
export function throwRowFailure(error: unknown, collection: string): never {
  if (error instanceof Failure || !(error instanceof Error) || isDatabaseAway(error)) throw error
  const sqlState = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (sqlState === '57014') fail('ROWS_TIMEOUT', { seconds: statementTimeoutMs / 1000 }, { cause: error })
  // These are lock timeouts, deadlocks and failed serialization.
  if (['55P03', '40P01', '40001'].includes(sqlState))
    fail('ROWS_BUSY', {}, { retryAfterMs: 1_000, cause: error })
  if (sqlState === '23505') fail('ROW_TAKEN', {}, { cause: error })
  if (sqlState === '23503') fail('COLLECTION_NOT_FOUND', { name: collection }, { cause: error })
  const why = valueError(sqlState)
  if (why) fail('ROW_QUERY', { why, sqlState }, { cause: error })
  throw error
}
