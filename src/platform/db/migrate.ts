import type pg from 'pg'
import { refuseStart } from '#platform/errors'
import { isDatabaseAway } from './away.ts'
import type { Db } from './db.ts'
import {
  compareMigrations,
  isPrepared,
  type MigrationFile,
  type MigrationState,
  readApplied,
  readMigrations,
} from './migration-state.ts'
import { phrases } from './phrases.ts'

/** The key of the advisory lock. Any number works as long as it never changes. */
const lockKey = 7_210_418_001

/** Callbacks for whoever follows the migrations. */
export interface MigrationEvents {
  /** Called before the first pending file; `last` is the newest file applied before. */
  begins?(last: string | undefined, pending: readonly string[]): Promise<void>
  /** Called when a file has been applied, with the milliseconds that it took. */
  applied?(name: string, ms: number): void
}

/**
 * Brings the database to the state of `folder` (`0001-words.sql`, numbered without gaps), each file in a transaction of its own, under an advisory
 * lock: safe to run twice and by several processes at once. Returns the names of the newly applied files. Throws `StartRefused` if the database is
 * newer than the program, an applied file was changed, or a file fails.
 */
export async function migrate(db: Db, folder: string, on: MigrationEvents = {}): Promise<string[]> {
  const files = await readMigrations(folder)
  const client = await db.pool.connect()
  try {
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await prepare(client)
    const state = compareMigrations(files, await readApplied(client))
    refuseIncompatible(state)
    const pending = state.pending.map((file) => file.name)
    if (pending.length > 0) await on.begins?.(state.applied.at(-1), pending)
    for (const file of state.pending) {
      const begunMs = performance.now()
      await apply(client, file)
      on.applied?.(file.name, Math.round(performance.now() - begunMs))
    }
    return pending
  } finally {
    // This connection has settings of its own and holds the lock; closing it ends both.
    client.release(true)
  }
}

async function prepare(client: pg.ClientBase): Promise<void> {
  if (await isPrepared(client)) return
  // The tables are checked first: even "create if not exists" needs a privilege that a careful operator revokes later.
  await client
    .query(`
      create schema if not exists platform;
      create table platform.migrations (
        number     integer     primary key,
        name       text        not null,
        sha256     text        not null,
        applied_at timestamptz not null default now()
      )`)
    .catch((error: Error) => rethrow(error, phrases.migrationsTable(error.message)))
}

function refuseIncompatible({ files, missing, changed, newer }: MigrationState): void {
  const newest = newer.at(-1)
  if (newest !== undefined) refuseStart(phrases.databaseNewer(newest, files.at(-1)?.name))
  if (missing[0] !== undefined) refuseStart(phrases.migrationMissing(missing[0]))
  if (changed[0] !== undefined) refuseStart(phrases.migrationChanged(changed[0]))
}

async function apply(client: pg.ClientBase, file: MigrationFile): Promise<void> {
  try {
    await client.query('begin')
    await client.query(file.text)
    await client.query('insert into platform.migrations (number, name, sha256) values ($1, $2, $3)', [
      file.number,
      file.name,
      file.sha256,
    ])
    await client.query('commit')
  } catch (error) {
    // The caller closes the connection, which rolls the transaction back.
    rethrow(error, phrases.migrationFailed(file.name, error instanceof Error ? error.message : String(error)))
  }
}

function rethrow(error: unknown, sentence: { en: string; fa: string }): never {
  if (isDatabaseAway(error)) throw error
  refuseStart(sentence, error)
}
