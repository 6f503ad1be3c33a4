/**
 * The PostgreSQL that Kherad brings along: its programs, its cluster, its roles, its start and its stop
 * (docs/decisions/platform/embedded-postgresql.md).
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { DbLog } from '#platform/db'
import { type SocketAddress, socketUrl } from '#platform/db'
import type { Problem, ReadinessCheck } from '#platform/readiness'
import { findBinaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import { locateCluster, recordMade } from './cluster-location.ts'
import { connectOrStart, type Plan } from './connect-or-start.ts'
import { phrases } from './phrases.ts'
import { database, programRole } from './roles.ts'
import { releaseServer, type ServerUse, whoListens } from './server-use.ts'

export { findBinaries } from './binaries.ts'
export { isAlive } from './cluster.ts'
export { adoptLocation, clusterOf, hasCluster, openDataDir } from './cluster-location.ts'
export { formerCluster, isSameCluster, isServedElsewhere } from './former-cluster.ts'
export { lowerOwnBackends } from './own-backends.ts'

export interface EmbeddedOptions {
  /** The data folder. The cluster lies in its folder `postgres`, the log of PostgreSQL in `postgres.log`. */
  dataDir: string
  /** The folder with initdb and postgres; if absent, that of the npm package. */
  pgBin?: string | undefined
  log: DbLog
  /** The id of the installation, by which other processes find its running server. */
  identity?: string | undefined
  /** Additional PostgreSQL settings, which override all others. With `fsync: 'off'` a crash of the machine destroys the cluster. */
  settings?: Readonly<Record<string, string>> | undefined
}

/** A PostgreSQL in use by this process. Disposing it stops the server, unless another process uses it too. */
export interface EmbeddedPostgres extends AsyncDisposable {
  readonly address: SocketAddress
  /** The address as a connection string, for the role that owns the database and is not a superuser. */
  readonly url: string
  /** Reports when PostgreSQL cannot be reached at its address and is being restarted. */
  readonly readiness: ReadinessCheck
}

/**
 * Runs the PostgreSQL of a data folder: creates it if missing, uses a running one (started by another process, or left by a killed one), or
 * starts it. If it dies while in use, it is restarted at the same address. Throws `StartRefused`, which says how to fix it.
 */
export async function startEmbedded({
  dataDir,
  pgBin,
  log,
  identity,
  settings = {},
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const location = await locateCluster(dataDir, log)
  const binaries = await findBinaries(pgBin, location.user, log)
  await prepareCluster(location, binaries, settings['fsync'] !== 'off')
  await recordMade(location)
  const plan: Plan = { location, binaries, settings, identity, log }
  const supervisor = new Supervisor(plan, await connectOrStart(plan))
  return {
    address: supervisor.address,
    url: socketUrl(supervisor.address),
    readiness: () => (supervisor.isAway ? away : undefined),
    [Symbol.asyncDispose]: () => supervisor.end(),
  }
}

const away: Problem = { code: 'database_gone', message: phrases.away(), blocks: true }
/** How often the supervisor checks whether the socket still leads to its server. */
const lookMs = 1_000

/**
 * Holds the "in use" lock. If the connection breaks, or the socket leads nowhere or to another server, it restarts PostgreSQL and takes the lock
 * again.
 */
class Supervisor {
  /** The address of the current server; it is read anew for each connection. */
  readonly address: SocketAddress
  readonly #plan: Plan
  readonly #stop = new AbortController()
  readonly #watching: Promise<ServerUse | undefined>
  #isAway = false

  constructor(plan: Plan, first: ServerUse) {
    this.#plan = plan
    this.address = { socketFolder: '', port: 0, user: programRole, database }
    this.#pointTo(first)
    this.#watching = this.#watch(first)
  }

  get isAway(): boolean {
    return this.#isAway
  }

  async end(): Promise<void> {
    this.#stop.abort()
    const use = await this.#watching
    if (use) await releaseServer(this.#plan.location, use, this.#plan.log)
  }

  #pointTo({ postmaster: { socketFolder, port }, clusterName }: ServerUse): void {
    Object.assign(this.address, { socketFolder, port, clusterName })
  }

  async #watch(first: ServerUse): Promise<ServerUse | undefined> {
    const { log } = this.#plan
    let use = first
    for (;;) {
      const loss = await this.#waitForLoss(use)
      if (loss === undefined) return use
      this.#isAway = true
      log.warn({ why: loss }, 'PostgreSQL is gone; bringing it back')
      // Open connections continue until the server ends; this connection only holds the "in use" lock.
      void use.client.end().catch(() => undefined)
      const again = await restart(this.#plan, this.#stop.signal)
      if (!again) return undefined
      use = again
      this.#pointTo(use)
      this.#isAway = false
      log.info({}, 'PostgreSQL is back')
    }
  }

  /** Resolves with the reason when the server is lost; undefined if the supervisor is stopped first. */
  async #waitForLoss({ client, postmaster }: ServerUse): Promise<'ended' | 'deaf' | 'elsewhere' | undefined> {
    const { signal } = this.#stop
    const ended = new AbortController()
    client.once('end', () => ended.abort())
    const either = AbortSignal.any([signal, ended.signal])
    for (;;) {
      await pause(lookMs, undefined, { signal: either, ref: false }).catch(() => undefined)
      if (signal.aborted) return undefined
      if (ended.signal.aborted) return 'ended'
      const listening = await whoListens(this.#plan.location, postmaster)
      if (listening !== 'ours') return listening
    }
  }
}

async function restart(plan: Plan, stop: AbortSignal): Promise<ServerUse | undefined> {
  while (!stop.aborted) {
    try {
      return await connectOrStart(plan, stop)
    } catch (err) {
      if (stop.aborted) return undefined
      plan.log.warn({ err }, 'PostgreSQL cannot be started')
      await pause(1_000, undefined, { signal: stop, ref: false }).catch(() => undefined)
    }
  }
  return undefined
}
