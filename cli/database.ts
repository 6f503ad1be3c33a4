/** Opens the database of a command: the one that is named, or that of the data folder. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Db, migrate, openDb } from '#platform/db'
import type { Env } from '#platform/env'
import { StartRefused } from '#platform/errors'
import { migrationEvents, readRecord, refuseNewerFolder } from '#platform/installation'
import { openLog } from '#platform/log'
import { hasCluster, startEmbedded } from '#platform/postgres'
import { loadConfig } from '#settings'
import { databasePhrases } from './doctor/database-phrases.ts'

export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url))

/** A command runs its queries one after another; a few connections are enough beside a busy server. */
const maxConnections = 4

/** Opens the database; `stack` closes it. */
export async function openDatabase(env: Env, verbose: boolean, stack: AsyncDisposableStack): Promise<Db> {
  // Only the environment determines the database: an error in the configuration file must not prevent revoking a key.
  const { databaseUrl, dataDir, pgBin } = loadConfig(env)
  // A wrong folder must not become a new, empty database without any account.
  if (databaseUrl === undefined && !(await hasCluster(dataDir))) {
    const { en, fa } = databasePhrases.noDatabaseYet(path.resolve(dataDir))
    throw new StartRefused(en, fa)
  }
  await refuseNewerFolder(path.resolve(dataDir))
  const log = openLog(verbose ? 'debug' : 'silent')
  const url = databaseUrl ?? stack.use(await startEmbedded({ dataDir, pgBin, log })).address
  return stack.use(await openDb({ url, maxConnections, log }))
}

/** Migrates the database as a start does: a folder with a record is stamped with this release first. */
export async function migrateDatabase(db: Db, { dataDir, databaseUrl }: Env): Promise<void> {
  const folder = path.resolve(dataDir)
  const record = databaseUrl === undefined ? await readRecord(folder) : undefined
  await migrate(
    db,
    migrationsFolder,
    record && migrationEvents({ dataDir: folder, record }, openLog('silent')),
  )
}
