/**
 * SQL that only reads, whatever it says: one statement over the extended protocol, in a transaction that is READ ONLY from its first
 * statement on and is always rolled back, as a role that may write nothing, on a connection that is not used again
 * (docs/decisions/cloud/database-requests.md).
 */
import type { OpenDatabase } from '#cloud/databases'
import { answerLimits, answerOf, type SqlAnswer } from './answer.ts'
import { readScript } from './lexer.ts'
import { refusals } from './phrases.ts'
import { refusalReason, refuse, requireText } from './script.ts'
import { type SqlSession, withSession } from './session.ts'
import { throwSqlFailure } from './translate.ts'

/** Refuses several statements with a better sentence than PostgreSQL, which refuses such a text itself. Throws SQL_REFUSED. */
export function requireSingleStatement(query: string): void {
  requireText(query)
  const script = readScript(query)
  if ('open' in script) return
  const [first = refuse(query, undefined, refusals.empty), second] = script.statements
  if (second) refuse(query, second.start, refusals.oneStatement)
  const why = refusalReason(first)
  if (why) refuse(query, first.start, why)
}

/** Runs one statement that only reads. Throws SQL_FAILED, SQL_TIMEOUT, SQL_ANSWER_TOO_LARGE, SQL_DATABASE_LOST and SQL_BUSY. */
export const read = (open: OpenDatabase, query: string, timeoutMs: number): Promise<SqlAnswer> =>
  withSession(open, 'app_reader', timeoutMs, async (session) => {
    try {
      await session.runInternal(beginReading(timeoutMs))
      return await readIn(session, open, query)
    } catch (error) {
      return throwSqlFailure(error, { session, query, start: 0, timeoutMs, rolledBack: true })
    }
  })

/** After the first SELECT nothing makes the transaction a writing one. */
const beginReading = (timeoutMs: number): string =>
  `begin read only; set local statement_timeout = ${timeoutMs}; select 1`

async function readIn(session: SqlSession, open: OpenDatabase, query: string): Promise<SqlAnswer> {
  const outcome = await session.run(query, { ...answerLimits, stops: true })
  if (!outcome.truncated) {
    await session.runInternal('rollback')
    await session.forget()
  }
  return answerOf(outcome, (text, values) =>
    // This goes over another connection: the session's own may still be sending rows that nobody reads.
    open
      .pool('watcher')
      .query(text, values)
      .then(({ rows }) => rows),
  )
}
