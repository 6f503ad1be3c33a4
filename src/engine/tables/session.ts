/** A request of an app in its database: as one of three roles, in one round trip, and without a trace of it for the next. */
import type pg from 'pg'
import { endSession, type OpenDatabase, sessionCleaning } from '#engine/databases'
import { type Answers, Batch, Prepared, Script, StatementFailed } from './batch.ts'
import type { Statement } from './read-sql.ts'

/** Who asks, as policies and functions of the database see it. */
export interface DatabaseCaller {
  role: 'anon' | 'authenticated' | 'service_role'
  /** `auth.jwt()`: a JSON object. */
  claims: string
  /** `current_setting('request.method')` and its like. */
  method: string
  path: string
  /** A JSON object, names in small letters. */
  headers: string
}

export interface SessionOptions {
  isReadOnly: boolean
  /** Of the catalogue from which the statements were made: where it is another one by now, nothing of them runs. */
  schemaVersion: string
  /** Given the answers, whether all is undone. Costs another round trip. */
  undoes?: ((answers: Answers) => boolean) | undefined
  /** Then the session is ended, whatever its code does. */
  longestMs?: number | undefined
}

/** Tables, functions or policies are others than those from which the statements were made. */
export class SchemaChanged extends Error {
  override name = 'SchemaChanged'
}

/**
 * A statement ends by its own timeout before, unless its code refuses to: functions can catch that. Then the server is told to end the session.
 */
const longestMs = 10_000

/**
 * `1 / 0` where the version is another one: what stands behind it in the batch does not run then. The role is set first and for this transaction
 * alone, and PostgreSQL lets it be no other than the three that `authenticator` may become.
 */
const setup = `select pg_catalog.set_config('role', $1, true), pg_catalog.set_config('request.jwt.claims', $2, true),
pg_catalog.set_config('request.method', $3, true), pg_catalog.set_config('request.path', $4, true),
pg_catalog.set_config('request.headers', $5, true), pg_catalog.set_config('transaction_read_only', $6, true),
1 / (case when version = $7::bigint then 1 else 0 end) from kherad.schema_version`
const divisionByZero = '22012'

/** A function of the app has closed what the connection had prepared, or has prepared something by the name that is next. */
export const plansAreLost = ({ cause }: StatementFailed): boolean =>
  cause.code === '26000' || cause.code === '42P05'

/** Kept for each connection. */
interface Kept {
  prepared: Prepared
  schemaVersion: string
}
const kept = new WeakMap<pg.PoolClient, Kept>()

/** Rejects with SchemaChanged, StatementFailed (`place` counts from 0 in `statements`), and what the driver throws where there is no connection. */
export async function inDatabase(
  open: OpenDatabase,
  caller: DatabaseCaller,
  statements: readonly Statement[],
  options: SessionOptions,
): Promise<Answers> {
  const client = await open.pool('authenticator').connect()
  const timer = setTimeout(() => endSession(open, client), options.longestMs ?? longestMs)
  const clean = new Script(sessionCleaning)
  // Nobody else gets the connection before it is clean; the answer leaves meanwhile.
  void clean.ended.then(
    () => client.release(),
    () => client.release(true),
  )
  try {
    return await transact(client, caller, statements, { ...options, clean })
  } finally {
    clearTimeout(timer)
  }
}

async function transact(
  client: pg.PoolClient,
  caller: DatabaseCaller,
  statements: readonly Statement[],
  { isReadOnly, schemaVersion, undoes, clean }: SessionOptions & { clean: Script },
): Promise<Answers> {
  const { prepared } = keptOf(client, schemaVersion)
  const first: Statement = {
    text: setup,
    values: [
      ...[caller.role, caller.claims, caller.method, caller.path, caller.headers],
      ...[isReadOnly ? 'on' : 'off', schemaVersion],
    ],
  }
  const begin = undoes ? [{ text: 'begin', values: [] }] : []
  const scope = caller.role
  const before = begin.length + 1
  const batch = new Batch([...begin, first, ...statements], {
    ...{ prepared, scope, unnamed: before },
    behind: undoes ? undefined : clean,
  })
  client.query(batch)
  if (!undoes) client.query(clean)
  try {
    const answers = (await batch.ended).slice(before)
    if (undoes) await client.query(undoes(answers) ? 'rollback' : 'commit')
    return answers
  } catch (error) {
    if (undoes) await client.query('rollback').catch(() => undefined)
    if (!(error instanceof StatementFailed)) throw error
    const place = error.place - before
    if (place === -1 && error.cause.code === divisionByZero) throw new SchemaChanged()
    if (plansAreLost(error)) prepared.forgetAll()
    throw new StatementFailed(error.cause, place)
  } finally {
    if (undoes) client.query(clean)
  }
}

function keptOf(client: pg.PoolClient, schemaVersion: string): Kept {
  const known = kept.get(client) ?? { prepared: new Prepared(), schemaVersion }
  kept.set(client, known)
  // Types of parameters were read from columns as they were.
  if (known.schemaVersion !== schemaVersion) known.prepared.forgetAll()
  known.schemaVersion = schemaVersion
  return known
}
