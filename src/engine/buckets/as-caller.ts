/**
 * Statements in the database of a cloud as whoever asks: anon, authenticated or service_role, never more. The developer's policies, triggers and
 * functions run in them.
 */
import type pg from 'pg'
import {
  asRole,
  canceled,
  type DatabaseCaller,
  type OpenDatabase,
  StatementFailed,
  statementError,
} from '#engine/databases'
import { Failure } from '#platform/errors'
import './errors.ts'

export interface ObjectCaller extends DatabaseCaller {
  /** Of a signed-in app user. */
  userId?: string | undefined
  /** Nothing of its database may be changed, by functions in policies neither. */
  isReadOnly?: boolean | undefined
}

/** What the keys of a cloud are, where no user has signed in. */
export const service: ObjectCaller = {
  role: 'service_role',
  claims: '{"role":"service_role"}',
  ...{ method: '', path: '', headers: '{}' },
}

export type Run = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/** Of a session, which has several statements. */
const longestMs = 20_000

/**
 * One transaction, and no trace of it for the next; `undo`: it is rolled back whatever it did, to learn whether it would be allowed. Throws
 * what `inWords` makes of errors.
 */
export async function asCaller<Result>(
  open: OpenDatabase,
  caller: ObjectCaller,
  work: (run: Run) => Promise<Result>,
  { undo = false } = {},
): Promise<Result> {
  const { isReadOnly = false } = caller
  try {
    return await asRole(open, caller, { isReadOnly, longestMs }, async ({ client, setup }) => {
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
    throw inWords(error)
  }
}

/** Reads past the policies, what nobody but this service has asked for: it writes nothing, and runs none of the developer's code. */
export const asReader = (open: OpenDatabase): Run => {
  const run = runOn(open.pool('app_reader'))
  return <Row>(text: string, values: readonly unknown[] = []) =>
    run<Row>(text, values).catch((error: unknown) => Promise.reject(inWords(error)))
}

const runOn =
  (client: Pick<pg.ClientBase, 'query'>): Run =>
  async <Row>(text: string, values: readonly unknown[] = []) => {
    try {
      return (await client.query(bounded(text, values))).rows as Row[]
    } catch (error) {
      throw statementError(error as Error)
    }
  }

/** Longer than the server takes. */
const answerMs = longestMs + 5_000

/** pg knows the option (client.js), its types do not. */
const bounded = (text: string, values: readonly unknown[]): pg.QueryConfig =>
  ({ text, values: [...values], query_timeout: answerMs }) as pg.QueryConfig

/** What the developer's database says against a statement is an answer to the app; only a database that is away is a failure of ours. */
function inWords(error: unknown): unknown {
  if (error instanceof Error && error.message === 'Query read timeout')
    return new Failure('OBJECT_STATEMENT_TIMEOUT', {}, { cause: error })
  if (!(error instanceof StatementFailed)) return error
  const { sqlState, message } = error.report
  if (sqlState === canceled) return new Failure('OBJECT_STATEMENT_TIMEOUT', {}, { cause: error })
  if (sqlState === '42501') return new Failure('OBJECT_DENIED', {}, { cause: error })
  return new Failure('OBJECT_STATEMENT_FAILED', { message }, { cause: error })
}

/** Of the refusal that such a failure was made of: a caller may know better what it means. */
const sqlStateOf = (failure: unknown): string | undefined =>
  failure instanceof Failure && failure.cause instanceof StatementFailed
    ? failure.cause.report.sqlState
    : undefined

export const isUniqueViolation = (failure: unknown): boolean => sqlStateOf(failure) === '23505'
export const isForeignKeyViolation = (failure: unknown): boolean => sqlStateOf(failure) === '23503'
