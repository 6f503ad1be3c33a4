import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { DbLog } from '#platform/db'
import { type SocketAddress, socketUrl } from '#platform/db'
import { findBinaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import { locateCluster, recordMade } from './cluster-location.ts'
import { type Plan, reach } from './connect-or-start.ts'
import type { Postmaster } from './postmaster.ts'
import { database, programRole } from './roles.ts'
import { leave, type ServerUse } from './server-use.ts'

export { findBinaries } from './binaries.ts'
export { clusterOf, hasCluster } from './cluster-location.ts'
export { lowerOwnBackends } from './own-backends.ts'

export interface EmbeddedOptions {
  /** The cluster lies in its folder `postgres`, the log of PostgreSQL in `postgres.log`. */
  dataDir: string
  /** Folder with initdb and postgres; the npm package's when absent. */
  pgBin?: string | undefined
  log: DbLog
  /** Additional PostgreSQL settings, which override all others. With `fsync: 'off'` a crash of the machine destroys the cluster. */
  settings?: Readonly<Record<string, string>> | undefined
}

/** A PostgreSQL in use by this process. Disposing it stops the server, unless another process uses it too. */
export interface Embedded extends AsyncDisposable {
  readonly address: SocketAddress
  /** The address as a connection string, of the role that owns the database and is no superuser. */
  readonly url: string
}

/**
 * Runs the PostgreSQL of a data folder: creates it if missing, uses a running one (started by another process, or left by a killed one), or
 * starts it. If it dies while in use, it is restarted at the same address. Throws `StartRefused`, which says how to fix it.
 */
export async function startEmbedded({
  dataDir,
  pgBin,
  log,
  settings = {},
}: EmbeddedOptions): Promise<Embedded> {
  const location = await locateCluster(dataDir, log)
  const binaries = await findBinaries(pgBin, location.user, log)
  await prepareCluster(location, binaries, settings['fsync'] !== 'off')
  await recordMade(location)
  const plan: Plan = { location, binaries, settings, log }
  const supervisor = superviseServer(plan, await reach(plan))
  const { postmaster } = supervisor
  const address = {
    socketFolder: postmaster.socketFolder,
    port: postmaster.port,
    user: programRole,
    database,
  }
  return { address, url: socketUrl(address), [Symbol.asyncDispose]: () => supervisor.end() }
}

/** Holds the "in use" lock; when the connection breaks, restarts PostgreSQL and takes the lock again. */
function superviseServer(plan: Plan, first: ServerUse): { postmaster: Postmaster; end(): Promise<void> } {
  const stop = new AbortController()
  const watch = async () => {
    let use = first
    for (;;) {
      if (!(await lost(use.client, stop.signal))) return use
      plan.log.warn({}, 'PostgreSQL is gone; bringing it back')
      const again = await restart(plan, stop.signal)
      if (!again) return undefined
      use = again
      plan.log.info({}, 'PostgreSQL is back')
    }
  }
  const watching = watch()
  return {
    postmaster: first.postmaster,
    async end() {
      stop.abort()
      const use = await watching
      if (use) await leave(plan.location, use, plan.log)
    },
  }
}

/** Resolves to true when the connection is lost, to false if we are stopped first. */
function lost(client: pg.Client, stop: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve(false)
    stop.addEventListener('abort', () => resolve(false), { once: true })
    client.once('end', () => resolve(true))
  })
}

async function restart(plan: Plan, stop: AbortSignal): Promise<ServerUse | undefined> {
  while (!stop.aborted) {
    try {
      return await reach(plan, stop)
    } catch (err) {
      if (stop.aborted) return undefined
      plan.log.warn({ err }, 'PostgreSQL cannot be started')
      await pause(1_000, undefined, { signal: stop, ref: false }).catch(() => undefined)
    }
  }
  return undefined
}
