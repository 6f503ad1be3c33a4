import pg from 'pg'
import type { DbLog } from '#platform/db'
import { clientConfig, isDatabaseAway } from '#platform/db'
import type { ClusterLocation } from './cluster-location.ts'
import type { Postmaster } from './postmaster.ts'
import { prepareRoles, reopenAccess, superuser, superuserPassword } from './roles.ts'
import { stopServer } from './server-process.ts'
import { removeSocketFolder } from './socket-folder.ts'

/** PostgreSQL, reached, and marked as in use for as long as `client` stays connected. */
export interface ServerUse {
  client: pg.Client
  postmaster: Postmaster
}

/** "In use by this process" is a shared advisory lock of this number. */
const useLock = 7_210_418_002
/** A server whose whole stop may take 10 s cannot wait longer. */
export const stopMs = 8_000

/** Connects, makes role and database on the first occasion, marks PostgreSQL as in use. Else: no socket, or not yet. */
export async function connectAsUser(
  location: ClusterLocation,
  postmaster: Postmaster,
  log: DbLog,
): Promise<ServerUse | 'deaf' | 'busy'> {
  const { socketFolder, port } = postmaster
  const password = await superuserPassword(location)
  const address = { socketFolder, port, user: superuser, password, database: 'postgres' }
  const client = new pg.Client(clientConfig(address))
  // Failures are reported by its queries or by 'end'; an 'error' without a listener would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select pg_advisory_lock_shared($1)', [useLock])
    await prepareRoles(location, client, postmaster, password)
    return { client, postmaster }
  } catch (error) {
    if (await reopenAccess(location, postmaster.pid, error)) return 'busy'
    // It runs but cannot be used (because of a full disk, for one), and must not be left running without a user.
    if (!isDatabaseAway(error)) await leave(location, { client, postmaster }, log)
    await client.end().catch(() => undefined)
    if (!isDatabaseAway(error)) throw error
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ECONNREFUSED' ? 'deaf' : 'busy'
  }
}

/** Releases the advisory lock. If no other process holds it, this one was the last user and stops PostgreSQL. */
export async function leave(
  location: ClusterLocation,
  { client, postmaster }: ServerUse,
  log: DbLog,
): Promise<void> {
  const last = await client
    .query('select pg_advisory_unlock_shared($1)', [useLock])
    .then(() => client.query<{ last: boolean }>('select pg_try_advisory_lock($1) as last', [useLock]))
    .then(({ rows }) => rows[0]?.last === true)
    .catch(() => false)
  if (!last) return client.end().catch(() => undefined)
  // The lock is held until the shutdown takes it: who arrives meanwhile waits, is turned away, and starts anew.
  if (await stopServer(location, stopMs)) await removeSocketFolder(postmaster.socketFolder)
  else log.warn({}, 'PostgreSQL is still writing its data and will stop by itself')
  await client.end().catch(() => undefined)
}
