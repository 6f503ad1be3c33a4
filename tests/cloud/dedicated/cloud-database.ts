/** A real database of a cloud without a platform around it: in its jail, with the roles and schemas of every dedicated cloud. */
import { mkdtemp, rm } from 'node:fs/promises'
import pg from 'pg'
import type { DatabaseRole, OpenDatabase } from '../../../src/engine/databases/databases.ts'
import { Claims } from '../../../src/engine/databases/local/claims.ts'
import { makeDatabase } from '../../../src/engine/databases/local/make.ts'
import { findPrograms } from '../../../src/engine/databases/local/program.ts'
import { wake } from '../../../src/engine/databases/local/wake.ts'
import { clientConfig } from '../../../src/platform/db/address.ts'
import { selfTest } from '../../../src/platform/jail/self-test.ts'
import { openLog } from '../../../src/platform/log/log.ts'
import { findBinaries } from '../../../src/platform/postgres/postgres.ts'

export interface CloudDatabase extends AsyncDisposable {
  open: OpenDatabase
  /** SQL of the app's developer, each script in one transaction. */
  sql(script: string): Promise<pg.QueryResult>
}

export async function openCloudDatabase({ connections = 4 } = {}): Promise<CloudDatabase> {
  await using undone = new AsyncDisposableStack()
  const log = openLog('error')
  const jail = await selfTest(log)
  if (jail.kind === 'refused') throw new Error(jail.why.en)
  const { postgres } = await findBinaries(undefined, undefined, log)
  const root = await mkdtemp('/tmp/kherad-db-')
  undone.defer(() => rm(root, { recursive: true, force: true }))
  const programs = await findPrograms(postgres)
  const { tools } = jail
  const claims = new Claims(root, { tools, limitBytes: Number.POSITIVE_INFINITY })
  const context = { root, tools, programs, log, claims }
  const user = process.getuid?.() === 0 ? 1_900_000_002 : undefined
  const database = { ref: 'tttttttttttttttttttt', user }
  await makeDatabase(context, database)
  undone.use(claims)
  const awake = await wake(context, database)
  undone.defer(() => awake.leave())
  const pools = new Map<DatabaseRole, pg.Pool>()
  undone.defer(async () => {
    await Promise.all([...pools.values()].map((pool) => pool.end()))
  })
  const pool = (role: DatabaseRole): pg.Pool => {
    const known = pools.get(role) ?? new pg.Pool({ ...clientConfig(awake.address(role)), max: connections })
    if (!pools.has(role))
      known
        .on('error', () => undefined)
        // A session that is ended while it runs.
        .on('connect', (client) => client.on('error', () => undefined))
    pools.set(role, known)
    return known
  }
  const open = { pool, schemaVersion: 0 } as unknown as OpenDatabase
  const ends = undone.move()
  return {
    open,
    sql: (script) => pool('postgres').query(script),
    [Symbol.asyncDispose]: () => ends.disposeAsync(),
  }
}
