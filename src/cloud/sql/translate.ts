/** Turns what PostgreSQL says of the SQL of a developer into failures, in its own words. */
import type pg from 'pg'
import { databaseReport, maxReceivedBytes, queryCanceledState } from '#cloud/databases'
import { Failure, type FailureOptions, fail } from '#platform/errors'
import { positionAt } from './lexer.ts'
import type { SqlSession } from './session.ts'

export interface ExecutedStatement {
  session: SqlSession
  /** The whole text of the request, and where the statement begins in it. */
  query: string
  start: number
  timeoutMs: number
  /** False where the statement ran outside of a transaction, and may have done a part of its work. */
  rolledBack: boolean
}

/** Throws SQL_FAILED, SQL_TIMEOUT, SQL_ANSWER_TOO_LARGE, SQL_DATABASE_LOST or SQL_OUTCOME_UNKNOWN; failures of ours as they are. */
export function throwSqlFailure(error: unknown, executed: ExecutedStatement): never {
  if (error instanceof Failure) throw error
  const { session, timeoutMs, rolledBack } = executed
  const more = {
    param: 'query',
    cause: error,
    ...(!rolledBack && { executed: true }),
  } satisfies FailureOptions
  if (session.hasOverflowed)
    return fail('SQL_ANSWER_TOO_LARGE', { mebibytes: maxReceivedBytes / 1024 / 1024, rolledBack }, more)
  const report = databaseReport(error)
  // The statement's own timeout, which is as long, may be a moment earlier than ours.
  if (session.timedOut || (report?.sqlState === queryCanceledState && session.isLate))
    return fail('SQL_TIMEOUT', { seconds: timeoutMs / 1_000, rolledBack }, more)
  if (!report)
    return fail(
      rolledBack ? 'SQL_DATABASE_LOST' : 'SQL_OUTCOME_UNKNOWN',
      {},
      { ...more, retryAfterMs: 2_000 },
    )
  const { sqlState, ...pgError } = report
  const place = sourcePosition(error as pg.DatabaseError, executed)
  const details = { sqlstate: sqlState, ...pgError, ...place }
  const { message, hint } = pgError
  return fail('SQL_FAILED', { message, sqlState, hint, rolledBack, ...place }, { ...more, details })
}

const sourcePosition = (
  { position }: pg.DatabaseError,
  { query, start }: ExecutedStatement,
): { line?: number; column?: number } =>
  position === undefined ? {} : positionAt(query, utf16Offset(query, start, Number(position)))

/** PostgreSQL counts characters from 1, JavaScript units of UTF-16 from 0. */
function utf16Offset(query: string, start: number, position: number): number {
  let at = start
  for (let left = position - 1; left > 0 && at < query.length; left--)
    at += query.codePointAt(at)! > 0xffff ? 2 : 1
  return at
}
