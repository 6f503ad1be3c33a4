/** Turns what PostgreSQL says of the SQL of a developer into failures, in its own words. */
import type pg from 'pg'
import { canceled, databaseReport, maxReceivedBytes } from '#cloud/databases'
import { Failure, type FailureMore, fail } from '#platform/errors'
import { placeAt } from './lexer.ts'
import type { SqlSession } from './session.ts'

export interface Ran {
  session: SqlSession
  /** The whole text of the request, and where the statement begins in it. */
  query: string
  start: number
  timeoutMs: number
  /** False where the statement ran outside of a transaction, and may have done a part of its work. */
  undone: boolean
}

/** Throws SQL_FAILED, SQL_TIMEOUT, SQL_ANSWER_TOO_LARGE, SQL_DATABASE_LOST or SQL_OUTCOME_UNKNOWN; failures of ours as they are. */
export function translate(error: unknown, ran: Ran): never {
  if (error instanceof Failure) throw error
  const { session, timeoutMs, undone } = ran
  const more = { param: 'query', cause: error, ...(!undone && { executed: true }) } satisfies FailureMore
  if (session.overflowed)
    return fail('SQL_ANSWER_TOO_LARGE', { mebibytes: maxReceivedBytes / 1024 / 1024, undone }, more)
  const report = databaseReport(error)
  // The statement's own timeout, which is as long, may be a moment earlier than ours.
  if (session.timedOut || (report?.sqlState === canceled && session.isLate))
    return fail('SQL_TIMEOUT', { seconds: timeoutMs / 1_000, undone }, more)
  if (!report)
    return fail(undone ? 'SQL_DATABASE_LOST' : 'SQL_OUTCOME_UNKNOWN', {}, { ...more, retryAfterMs: 2_000 })
  const { sqlState, ...said } = report
  const place = placeOf(error as pg.DatabaseError, ran)
  const details = { sqlstate: sqlState, ...said, ...place }
  const { message, hint } = said
  return fail('SQL_FAILED', { message, sqlState, hint, undone, ...place }, { ...more, details })
}

const placeOf = (
  { position }: pg.DatabaseError,
  { query, start }: Ran,
): { line?: number; column?: number } =>
  position === undefined ? {} : placeAt(query, unitsAt(query, start, Number(position)))

/** PostgreSQL counts characters from 1, JavaScript units of UTF-16 from 0. */
function unitsAt(query: string, start: number, position: number): number {
  let at = start
  for (let left = position - 1; left > 0 && at < query.length; left--)
    at += query.codePointAt(at)! > 0xffff ? 2 : 1
  return at
}
