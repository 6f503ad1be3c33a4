/** Opens the database, finds out which installation it is, and keeps a copy from what it may not touch. */
import { fileURLToPath } from 'node:url'
import type { App } from '#app'
import type { Config } from '#platform/config'
import { type Db, duringStart, migrate, openDb, type SocketAddress } from '#platform/db'
import { fail } from '#platform/errors'
import {
  BucketMark,
  becomeCopy,
  claimFolder,
  copyProblem,
  type Identity,
  migrationEvents,
  settleIdentity,
} from '#platform/installation'
import { type EmbeddedOptions, startEmbedded } from '#platform/postgres'
import type { Storage } from '#platform/storage'

const migrations = fileURLToPath(new URL('../migrations', import.meta.url))

/** The migrated database, named by the config or embedded below the data folder, and the installation that it is. */
export async function openDatabase(
  config: Config,
  { log, readiness }: Pick<App, 'log' | 'readiness'>,
  opening: AsyncDisposableStack,
): Promise<{ db: Db; url: string | SocketAddress; installation: Identity }> {
  const { dataDir, databaseUrl, pgBin, asCopy } = config
  const claim = await claimFolder({ dataDir, hasOwnServer: databaseUrl !== undefined, asCopy, log })
  const url = databaseUrl ?? (await openEmbedded({ dataDir, pgBin, log, identity: claim.record.id }))
  const db = opening.use(await openDb({ url, log, connectMs: config.timing.databaseWaitMs }))
  await duringStart(db, () => migrate(db, migrations, migrationEvents(claim, log)))
  const installation = await duringStart(db, () => settleIdentity({ db, claim, databaseUrl, asCopy, log }))
  // `holdBucket` may still find that this is a copy.
  readiness.add(() => (installation.copy ? copyProblem : undefined))
  return { db, url, installation }

  async function openEmbedded(options: EmbeddedOptions): Promise<SocketAddress> {
    const embedded = opening.use(await startEmbedded(options))
    readiness.add(embedded.readiness)
    return embedded.address
  }
}

/** Marks the bucket as ours. If a live installation elsewhere holds it with the same identity, this installation becomes a copy. */
export async function holdBucket(
  {
    installation,
    db,
    clock,
    log,
    readiness,
  }: Pick<App, 'installation' | 'db' | 'clock' | 'log' | 'readiness'>,
  storage: Storage,
  opening: AsyncDisposableStack,
): Promise<void> {
  if (installation.copy) return
  const { id, place } = installation
  const mark = opening.use(new BucketMark({ storage, id, place, log, nowMs: () => clock.nowMs() }))
  readiness.add(mark.readiness)
  const holder = await mark.claimOrFindHolder({ isAdopted: installation.isAdopted })
  if (holder !== undefined) await becomeCopy(db, installation, holder)
}

/** The bucket of a copy's original, which can be read and never written. */
export const heldStorage = (storage: Storage): Storage => {
  const refuse = async (): Promise<never> => fail('INSTALLATION_COPY', {})
  return {
    get: (key, range) => storage.get(key, range),
    requireRoom: () => fail('INSTALLATION_COPY', {}),
    put: refuse,
    putStream: refuse,
    putUnsized: refuse,
    delete: async () => undefined,
    endUploads: async () => undefined,
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}
