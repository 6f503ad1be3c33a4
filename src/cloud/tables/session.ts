/** A request of an app in its database: as one of three roles, in one round trip, and cleaned before the next request. */
import type pg from 'pg'
import {
  type BoundStatement,
  type DatabaseCaller,
  type OpenDatabase,
  type RoleOptions,
  type RoleSession,
  StatementFailed,
  withRoleSession,
} from '#cloud/databases'
import { type BatchAnswers, PreparedStatements, StatementBatch } from './batch.ts'
import { timeZoneStatement } from './time-zones.ts'

export interface SessionOptions extends RoleOptions {
  schemaVersion: string
  /** The time zone of the statements; that of the database where absent. */
  timeZone?: string | undefined
  /** Whether all is undone, by the answers. This costs another round trip. */
  shouldRollBack?: ((answers: BatchAnswers) => boolean) | undefined
}

/** Thrown where tables, functions or policies have changed since the statements were made. */
export class SchemaChanged extends Error {
  override name = 'SchemaChanged'
}

/** The SQLSTATE of a session's setup where the schema has another version. */
const divisionByZero = '22012'

/** Whether a function of the app has closed what the connection had prepared, or has prepared something under the next name. */
export const plansAreLost = ({ report: { sqlState } }: StatementFailed): boolean =>
  sqlState === '26000' || sqlState === '42P05'

/** The prepared statements of one connection. */
interface Plans {
  prepared: PreparedStatements
  schemaVersion: string
}
const plans = new WeakMap<pg.PoolClient, Plans>()

/** Runs statements as one transaction. Rejects with SchemaChanged, StatementFailed, and what the driver throws where there is no connection. */
export async function inDatabase(
  open: OpenDatabase,
  caller: DatabaseCaller,
  statements: readonly BoundStatement[],
  options: SessionOptions,
): Promise<BatchAnswers> {
  return withRoleSession(open, caller, options, (session) =>
    transact(session, statements, { ...options, scope: caller.role }),
  )
}

async function transact(
  session: RoleSession,
  statements: readonly BoundStatement[],
  { schemaVersion, timeZone, shouldRollBack, scope }: SessionOptions & { scope: string },
): Promise<BatchAnswers> {
  const { client } = session
  const { prepared } = plansOf(client, schemaVersion)
  const begin = shouldRollBack ? [{ text: 'begin', values: [] }] : []
  const preparing = [
    ...begin,
    session.setup,
    ...(timeZone === undefined ? [] : [timeZoneStatement(timeZone)]),
  ]
  const before = preparing.length
  const batch = new StatementBatch([...preparing, ...statements], {
    ...{ prepared, scope, unnamed: before },
    cleanupScript: shouldRollBack ? undefined : session.cleaning,
  })
  client.query(batch)
  if (!shouldRollBack) session.clean()
  try {
    const answers = (await batch.ended).slice(before)
    if (shouldRollBack) await client.query(shouldRollBack(answers) ? 'rollback' : 'commit')
    return answers
  } catch (error) {
    if (shouldRollBack) await client.query('rollback').catch(() => undefined)
    if (!(error instanceof StatementFailed)) throw error
    if (batch.completedCount < before && error.report.sqlState === divisionByZero) throw new SchemaChanged()
    if (plansAreLost(error)) prepared.forgetAll()
    throw error
  }
}

function plansOf(client: pg.PoolClient, schemaVersion: string): Plans {
  const known = plans.get(client) ?? { prepared: new PreparedStatements(), schemaVersion }
  plans.set(client, known)
  // The types of parameters were read from columns of the earlier version.
  if (known.schemaVersion !== schemaVersion) known.prepared.forgetAll()
  known.schemaVersion = schemaVersion
  return known
}
