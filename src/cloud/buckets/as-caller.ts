/**
 * Runs statements in the database of a cloud as the caller's role: anon, authenticated or service_role, never more. The developer's policies,
 * triggers and functions run in them.
 */
import type pg from 'pg'
import {
  type DatabaseCaller,
  noRoomFailure,
  type OpenDatabase,
  queryCanceledState,
  ReceiveLimiter,
  readOnlyCause,
  readOnlyState,
  StatementFailed,
  statementError,
  withRoleSession,
} from '#cloud/databases'
import { Failure } from '#platform/errors'
import './errors.ts'

export interface ObjectCaller extends DatabaseCaller {
  /** The id of a signed-in app user. */
  userId?: string | undefined
  /** Nothing in the cloud's database may be changed, not even by functions in policies. */
  isReadOnly?: boolean | undefined
}

/** The caller with the role of the service key, where no user has signed in. */
export const serviceCaller: ObjectCaller = {
  role: 'service_role',
  claims: '{"role":"service_role"}',
  ...{ method: '', path: '', headers: '{}' },
}

export type StatementRunner = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/** The most that the database sends for one request: a developer can write rows of any size, and they are answered in one piece. */
const maxResultBytes = 4 * 1024 * 1024

/** The time of a session, which has several statements. */
const maxMs = 20_000

/**
 * Runs `work` as the caller in one transaction, which leaves nothing behind for the next. `undo` always rolls it back, to learn whether it would be
 * allowed. Throws what `toFailure` makes of errors.
 */
export async function runAsCaller<Result>(
  open: OpenDatabase,
  caller: ObjectCaller,
  work: (run: StatementRunner) => Promise<Result>,
  { undo = false } = {},
): Promise<Result> {
  const { isReadOnly = false } = caller
  try {
    return await withRoleSession(open, caller, { isReadOnly, maxMs }, async ({ client, setup }) => {
      using _received = new ReceiveLimiter(client, maxResultBytes)
      const run = runOn(client)
      try {
        await run('begin')
        await run(setup.text, setup.values)
        const result = await work(run)
        await run(undo ? 'rollback' : 'commit')
        return result
      } catch (error) {
        await run('rollback').catch(() => undefined)
        throw error
      }
    })
  } catch (error) {
    throw readOnlyFailure(open, error) ?? toFailure(error)
  }
}

/** Reads past the policies, for this service itself: the reader writes nothing, and runs none of the developer's code. */
export const readerRunner =
  (open: OpenDatabase): StatementRunner =>
  async <Row>(text: string, values: readonly unknown[] = []) => {
    const client = await open.pool('app_reader').connect()
    using _received = new ReceiveLimiter(client, maxResultBytes)
    try {
      return await runOn(client)<Row>(text, values)
    } catch (error) {
      throw toFailure(error)
    } finally {
      client.release()
    }
  }

const runOn =
  (client: Pick<pg.ClientBase, 'query'>): StatementRunner =>
  async <Row>(text: string, values: readonly unknown[] = []) => {
    try {
      return (await client.query(bounded(text, values))).rows as Row[]
    } catch (error) {
      throw statementError(error as Error)
    }
  }

/** Longer than the server lets a session run. */
const answerMs = maxMs + 5_000

/** pg knows the option (client.js), its types do not. */
const bounded = (text: string, values: readonly unknown[]): pg.QueryConfig =>
  ({ text, values: [...values], query_timeout: answerMs }) as pg.QueryConfig

/** Returns a failure for a write to a database that has just become read-only. */
function readOnlyFailure({ disk }: OpenDatabase, error: unknown): Failure | undefined {
  const why = readOnlyCause(disk)
  const isWrite = error instanceof StatementFailed && error.report.sqlState === readOnlyState
  return isWrite && why !== null ? new Failure('CLOUD_READ_ONLY', { why }, { cause: error }) : undefined
}

/** Turns a refusal by the developer's database into an answer to the app; only an unreachable database is a failure of ours. */
function toFailure(error: unknown): unknown {
  if (error instanceof Error && error.message === 'Query read timeout')
    return new Failure('OBJECT_STATEMENT_TIMEOUT', {}, { cause: error })
  if (!(error instanceof StatementFailed)) return error
  const { sqlState, message } = error.report
  if (sqlState === queryCanceledState) return new Failure('OBJECT_STATEMENT_TIMEOUT', {}, { cause: error })
  if (sqlState === '42501') return new Failure('OBJECT_DENIED', {}, { cause: error })
  return (
    noRoomFailure(error.report, error) ??
    new Failure('OBJECT_STATEMENT_FAILED', { message }, { cause: error })
  )
}

/** Returns the SQLSTATE that a failure was made of: a caller may know better what it means. */
const sqlStateOf = (failure: unknown): string | undefined =>
  failure instanceof Failure && failure.cause instanceof StatementFailed
    ? failure.cause.report.sqlState
    : undefined

export const isUniqueViolation = (failure: unknown): boolean => sqlStateOf(failure) === '23505'
export const isForeignKeyViolation = (failure: unknown): boolean => sqlStateOf(failure) === '23503'
