/**
 * Statements in the database of a cloud as whoever asks: anon, authenticated or service_role, never more. The developer's policies, triggers and
 * functions run in them.
 */
import type pg from 'pg'
import { endSession, type OpenDatabase, sessionCleaning } from '#engine/databases'
import { isDatabaseAway } from '#platform/db'
import { Failure } from '#platform/errors'
import './errors.ts'

export interface ObjectCaller {
  role: 'anon' | 'authenticated' | 'service_role'
  /** Of a signed-in app user. */
  userId?: string | undefined
  claims: Readonly<Record<string, unknown>>
  /** Nothing of its database may be changed, by functions in policies neither. */
  isReadOnly?: boolean | undefined
}

/** What the keys of a cloud are, where no user has signed in. */
export const service: ObjectCaller = { role: 'service_role', claims: { role: 'service_role' } }

export type Run = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>

const statementMs = 10_000
/** Code of the developer can lift the limit of the server: then its session is ended. */
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
  const client = await open.pool('authenticator').connect()
  const run = runOn(client)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    endSession(open, client)
  }, longestMs)
  try {
    await run('begin')
    await run(setup, settingsOf(caller))
    const result = await work(run)
    await run(undo ? 'rollback' : 'commit')
    return result
  } catch (error) {
    await run('rollback').catch(() => undefined)
    throw isLate ? new Failure('OBJECT_STATEMENT_TIMEOUT', {}, { cause: error }) : inWords(error)
  } finally {
    clearTimeout(timer)
    // Nobody else gets the connection before it is clean; the answer leaves meanwhile.
    void client.query(sessionCleaning).then(
      () => client.release(),
      () => client.release(true),
    )
  }
}

/** The role is set for this transaction alone, and last: it may set less. */
const setup = `select pg_catalog.set_config(s.name, s.value, true) from (values ('search_path', 'public, extensions'),
  ('statement_timeout', $1), ('transaction_read_only', $2), ('request.jwt.claims', $3), ('role', $4)) s(name, value)`

const settingsOf = ({ role, claims, isReadOnly }: ObjectCaller): string[] => [
  String(statementMs),
  isReadOnly ? 'on' : 'off',
  JSON.stringify(claims),
  role,
]

/** Reads past the policies, what nobody but this service has asked for: it writes nothing, and runs none of the developer's code. */
export const asReader = (open: OpenDatabase): Run => {
  const pool = open.pool('app_reader')
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    try {
      return (await pool.query(bounded(text, values))).rows as Row[]
    } catch (error) {
      throw inWords(error)
    }
  }
}

const runOn =
  (client: pg.ClientBase): Run =>
  async <Row>(text: string, values: readonly unknown[] = []) =>
    (await client.query(bounded(text, values))).rows as Row[]

/** Longer than the server takes. */
const answerMs = longestMs + 5_000

/** pg knows the option (client.js), its types do not. */
const bounded = (text: string, values: readonly unknown[]): pg.QueryConfig =>
  ({ text, values: [...values], query_timeout: answerMs }) as pg.QueryConfig

/** What the developer's database says against a statement is an answer to the app; only a database that is away is a failure of ours. */
function inWords(error: unknown): unknown {
  if (error instanceof Failure || !(error instanceof Error)) return error
  const { code } = error as { code?: string }
  if (code === '57014' || error.message === 'Query read timeout')
    return new Failure('OBJECT_STATEMENT_TIMEOUT', {}, { cause: error })
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code) || isDatabaseAway(error)) return error
  if (code === '42501') return new Failure('OBJECT_DENIED', {}, { cause: error })
  return new StatementFailed(code, error)
}

/** By its SQLSTATE, where a caller knows better what it means. */
export class StatementFailed extends Failure {
  readonly sqlState: string
  constructor(sqlState: string, error: Error) {
    super('OBJECT_STATEMENT_FAILED', { message: error.message.slice(0, 500) }, { cause: error })
    this.sqlState = sqlState
  }
}
