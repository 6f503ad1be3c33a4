import pg from 'pg'
import type { DbLog } from '#platform/db'
import { clientConfig, isDatabaseAway } from '#platform/db'
import type { ClusterLocation } from './cluster-location.ts'
import { isOthersSocket, type Postmaster, readSocketLock } from './postmaster.ts'
import { prepareRoles, reopenAccess, superuser, superuserPassword } from './roles.ts'
import { stopServer } from './server-process.ts'
import { removeSocketFolder } from './socket-folder.ts'

/** A reachable PostgreSQL; it is marked as in use while `client` is connected. */
export interface ServerUse {
  client: pg.Client
  postmaster: Postmaster
  /** The name by which connections recognise the server; empty if an earlier release started it. */
  clusterName: string
}

/** Why a running PostgreSQL of this cluster cannot be used now: nobody listens at its socket, another PostgreSQL does, or it does not answer yet. */
export type UnusableReason = 'deaf' | 'elsewhere' | 'busy'

/** The key of the shared advisory lock that means "in use". */
const useLock = 7_210_418_002
/** How long a stop waits for PostgreSQL; less than the 10 s that a whole stop may take. */
export const stopMs = 8_000

/** Connects, creates role and database on first use, and takes the "in use" lock. */
export async function connectAsUser(
  location: ClusterLocation,
  postmaster: Postmaster,
  log: DbLog,
): Promise<ServerUse | UnusableReason> {
  const { socketFolder, port } = postmaster
  const listening = await whoListens(location, postmaster)
  if (listening !== 'ours') return listening
  const password = await superuserPassword(location)
  const address = { socketFolder, port, user: superuser, password, database: 'postgres' }
  const client = new pg.Client(clientConfig(address))
  // Failures surface in its queries or as 'end'; an 'error' event without a listener would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select pg_advisory_lock_shared($1)', [useLock])
    await prepareRoles(location, client, postmaster, password)
    const { rows } = await client.query<{ cluster_name: string }>('show cluster_name')
    // The socket may have been taken over during the connection, so its lock is checked again afterwards.
    const answering = await whoListens(location, postmaster)
    if (answering === 'ours') return { client, postmaster, clusterName: rows[0]?.cluster_name ?? '' }
    await client.end()
    return answering
  } catch (error) {
    if (await reopenAccess(location, postmaster.pid, error)) return 'busy'
    // The server runs but cannot be used (for instance because the disk is full), and must not be left running without a user.
    if (!isDatabaseAway(error)) await releaseServer(location, { client, postmaster, clusterName: '' }, log)
    await client.end().catch(() => undefined)
    if (!isDatabaseAway(error)) throw error
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ECONNREFUSED' ? 'deaf' : 'busy'
  }
}

/**
 * Whether connections to the socket lead to this server: its folder may have been deleted (by cleaners of /tmp, for instance), and another
 * PostgreSQL may have taken it.
 */
export async function whoListens(
  location: ClusterLocation,
  postmaster: Postmaster,
): Promise<'ours' | 'deaf' | 'elsewhere'> {
  const lock = await readSocketLock(postmaster)
  if (lock?.pid === postmaster.pid) return 'ours'
  return (await isOthersSocket(postmaster, location.cluster)) ? 'elsewhere' : 'deaf'
}

/** Releases the advisory lock. If no other process holds it, this one was the last user and stops PostgreSQL. */
export async function releaseServer(
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
  // The lock is held until the shutdown: a process that arrives meanwhile waits, is disconnected, and starts the server again.
  if (await stopServer(location, stopMs)) await removeSocketFolder(location, postmaster)
  else log.warn({}, 'PostgreSQL is still writing its data and will stop by itself')
  await client.end().catch(() => undefined)
}
