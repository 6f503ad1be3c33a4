/** SQL that may write: a script in one transaction, as the owner of the app's tables. */
import {
  type DiskState,
  databaseReport,
  makingRoomName,
  type OpenDatabase,
  readOnlyCause,
} from '#cloud/databases'
import { fail } from '#platform/errors'
import { answerLimits, answerOf, type SqlAnswer } from './answer.ts'
import type { ScriptStatement } from './lexer.ts'
import { activeTransactionState } from './phrases.ts'
import { type SqlSession, withSession } from './session.ts'
import type { StatementResult } from './statement.ts'
import { type ExecutedStatement, throwSqlFailure } from './translate.ts'

export interface WrittenAnswer extends SqlAnswer {
  /** How many statements there were; the answer is that of the last one. */
  statements: number
}

interface WriteScript {
  query: string
  statements: readonly ScriptStatement[]
  timeoutMs: number
}

interface AdmittedScript extends WriteScript {
  /** The script is accepted because it makes room at once, where the disk has none. */
  makesRoom: boolean
}

/**
 * Runs all statements or none. Throws CLOUD_READ_ONLY, SQL_FAILED, SQL_TIMEOUT, SQL_ANSWER_TOO_LARGE, SQL_DATABASE_LOST and SQL_BUSY: nothing has
 * happened then, unless the failure says `executed`; and SQL_OUTCOME_UNKNOWN.
 */
export async function write(open: OpenDatabase, script: WriteScript): Promise<WrittenAnswer> {
  const disk = await open.lookAtDisk()
  requireWritable(disk, script)
  const makesRoom = disk === 'machine' || disk === 'growing'
  const inTransaction = await withSession(open, 'postgres', script.timeoutMs, (session) =>
    runTogether(session, { ...script, makesRoom }),
  )
  if (inTransaction) return inTransaction
  return withSession(open, 'postgres', script.timeoutMs, (session) => runAlone(session, script))
}

/** Throws CLOUD_READ_ONLY where the disk is full, and a statement does not delete. */
function requireWritable(disk: DiskState, { statements }: WriteScript): void {
  const why = readOnlyCause(disk)
  if (why === null) return
  if (statements.some(({ words: [first = ''] }) => !acceptedCommands[disk].includes(first)))
    fail('CLOUD_READ_ONLY', { why })
}

/** The first words of the statements that are accepted. */
const acceptedCommands: Record<DiskState, readonly string[]> = {
  free: [],
  full: ['delete', 'truncate', 'drop', 'vacuum'],
  growing: ['truncate', 'drop', 'vacuum'],
  // These statements are short, and make room at once.
  machine: ['truncate', 'drop'],
}

/** Runs a script in one transaction. Undefined where its only statement cannot run in a transaction, and nothing has happened. */
async function runTogether(
  session: SqlSession,
  { query, statements, timeoutMs, makesRoom }: AdmittedScript,
): Promise<WrittenAnswer | undefined> {
  const executed: ExecutedStatement = { session, query, start: 0, timeoutMs, rolledBack: true }
  try {
    const named = makesRoom ? `; set local application_name = '${makingRoomName}'` : ''
    await session.runInternal(`begin read write; set local statement_timeout = ${timeoutMs}${named}`)
    let last: StatementResult | undefined
    for (const { text, start } of statements) {
      executed.start = start
      last = await session.run(text, { ...answerLimits, stops: false })
      session.requireOpenTransaction()
    }
    executed.start = 0
    const answer = await answerOf(last!, (text, values) => session.query(text, values))
    await commit(session)
    await session.forget()
    return { ...answer, statements: statements.length }
  } catch (error) {
    if (statements.length === 1 && databaseReport(error)?.sqlState === activeTransactionState)
      return undefined
    return throwSqlFailure(error, executed)
  }
}

/** Runs a statement without a transaction: VACUUM, CREATE INDEX CONCURRENTLY and the like. */
async function runAlone(
  session: SqlSession,
  { query, statements: [only], timeoutMs }: WriteScript,
): Promise<WrittenAnswer> {
  try {
    await session.runInternal(`set statement_timeout = ${timeoutMs}`)
    const outcome = await session.run(only!.text, { ...answerLimits, stops: false })
    return { ...(await answerOf(outcome, (text, values) => session.query(text, values))), statements: 1 }
  } catch (error) {
    return throwSqlFailure(error, { session, query, start: only!.start, timeoutMs, rolledBack: false })
  }
}

/**
 * Commits the transaction. After the commit has been sent, only a refusal says that nothing was stored. Throws that refusal, and SQL_OUTCOME_UNKNOWN.
 */
async function commit(session: SqlSession): Promise<void> {
  try {
    await session.runInternal('commit')
  } catch (error) {
    if (databaseReport(error)) throw error
    fail('SQL_OUTCOME_UNKNOWN', {}, { executed: true, cause: error })
  }
}
