/** What PostgreSQL says of the SQL of a developer, in its own words. */
import pg from 'pg'
import { mostReceivedBytes } from '#engine/databases'
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

/** A message can be as long as whoever raised it wants. */
const longest = 2_000

/** Its own timeout, which is as long, may be a moment earlier than ours. */
const canceled = '57014'

/** PostgreSQL refused it, and nothing is left of it: the connection is intact. */
export const isRefusal = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && error.severity === 'ERROR'

/** Throws SQL_FAILED, SQL_TIMEOUT, SQL_ANSWER_TOO_LARGE or SQL_DATABASE_LOST; failures of ours as they are. */
export function translate(error: unknown, ran: Ran): never {
  if (error instanceof Failure) throw error
  const { session, timeoutMs, undone } = ran
  const more = { param: 'query', cause: error, ...(!undone && { executed: true }) } satisfies FailureMore
  if (session.overflowed)
    return fail('SQL_ANSWER_TOO_LARGE', { megabytes: mostReceivedBytes / 1024 / 1024 }, more)
  if (session.timedOut || (isRefusal(error) && error.code === canceled && session.isLate))
    return fail('SQL_TIMEOUT', { seconds: timeoutMs / 1_000, undone }, more)
  if (!isRefusal(error))
    return fail(undone ? 'SQL_DATABASE_LOST' : 'SQL_OUTCOME_UNKNOWN', {}, { ...more, retryAfterMs: 2_000 })
  return failed(error, ran, more)
}

function failed(error: pg.DatabaseError, { query, start, undone }: Ran, more: FailureMore): never {
  const { code: sqlState = 'XX000' } = error
  const place =
    error.position === undefined ? {} : placeAt(query, unitsAt(query, start, Number(error.position)))
  const message = short(error.message)
  const hint = error.hint === undefined ? undefined : short(error.hint)
  const said = { detail: error.detail, where: error.where, constraint: error.constraint, table: error.table }
  const details = Object.fromEntries(
    Object.entries({ sqlstate: sqlState, message, hint, ...said, ...place })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? short(value) : value]),
  )
  return fail('SQL_FAILED', { message, sqlState, hint, undone, ...place }, { ...more, details })
}

/** PostgreSQL counts characters from 1, JavaScript units of UTF-16 from 0. */
function unitsAt(query: string, start: number, position: number): number {
  let at = start
  for (let left = position - 1; left > 0 && at < query.length; left--)
    at += query.codePointAt(at)! > 0xffff ? 2 : 1
  return at
}

const short = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)
