import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '#platform/clock'
import type { Env } from '#platform/config'
import { type Db, migrate, openDb } from '#platform/db'
import { StartRefused } from '#platform/errors'
import { openLog } from '#platform/log'
import { hasCluster, startEmbedded } from '#platform/postgres'
import { loadConfig } from '#settings'
import type { Session } from './command.ts'
import { doctorPhrases } from './doctor/phrases.ts'

export const migrationsFolder = fileURLToPath(new URL('../migrations', import.meta.url))

/** A command asks one thing after another; a few connections are plenty beside a busy server. */
const maxConnections = 4

/**
 * Stands on `DATABASE_URL`, else on the PostgreSQL of the data folder: of a running server, or started for this command
 * and stopped after it. Disposing it waits for an opening under way, so that no PostgreSQL is left running for nobody.
 */
export function openSession(
  env: Env,
  verbose: boolean,
  notify: (line: string) => void,
): Session & AsyncDisposable {
  const log = openLog(verbose ? 'debug' : 'silent')
  const stack = new AsyncDisposableStack()
  let opening: Promise<Db> | undefined
  let migrating: Promise<Db> | undefined

  async function open(): Promise<Db> {
    // The environment alone says where the database is: a fault in the configuration file is no reason to refuse a key.
    const { databaseUrl, dataDir, pgBin } = loadConfig(env)
    // A wrong folder must not become a new and empty database, in which nobody's account is found.
    if (databaseUrl === undefined && !(await hasCluster(dataDir))) {
      const { en, fa } = doctorPhrases.noDatabaseYet(path.resolve(dataDir))
      throw new StartRefused(en, fa)
    }
    const url = databaseUrl ?? stack.use(await startEmbedded({ dataDir, pgBin, log })).address
    return stack.use(await openDb({ url, maxConnections, log }))
  }
  async function brought(): Promise<Db> {
    const db = await openedDb()
    await migrate(db, migrationsFolder)
    return db
  }
  function openedDb(): Promise<Db> {
    opening ??= open()
    return opening
  }
  return {
    env,
    language: env.locale === 'en' ? 'en' : 'fa',
    clock: systemClock,
    notify,
    openedDb,
    db() {
      migrating ??= brought()
      return migrating
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([opening])
      await stack.disposeAsync()
    },
  }
}
