import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { isDatabaseAway } from './away.ts'
import type { Db } from './db.ts'
import { refuse } from './refused.ts'
import { words } from './words.ts'

/** One applied file. */
export interface MigrationRow {
  number: number
  name: string
  /** Of the file's text with line ends as LF, so that a checkout that rewrites them changes nothing. */
  sha256: string
  applied_at: Date
}

interface MigrationFile {
  number: number
  name: string
  sha256: string
  text: string
}

/** Any number will do, as long as it is always this one. */
const lockKey = 7_210_418_001

/**
 * Brings the database to the state of `folder` (`0001-words.sql`, numbered without gaps), each file in a transaction of
 * its own, under an advisory lock: safe to run twice and by several processes at once. Answers the names newly applied.
 * Throws `StartRefused` when the database is newer than the program, when an applied file was changed, or when a file fails.
 */
export async function migrate(db: Db, folder: string): Promise<string[]> {
  const files = await readMigrations(folder)
  const client = await db.pool.connect()
  try {
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await prepare(client)
    const applied = await client.query<MigrationRow>('select * from platform.migrations order by number')
    check(files, applied.rows)
    const missing = files.slice(applied.rows.length)
    for (const file of missing) await apply(client, file)
    return missing.map((file) => file.name)
  } finally {
    // The connection has other settings than its siblings and holds the lock: closing it mends both.
    client.release(true)
  }
}

/** Reads the numbered files of the folder, in order. Other names than `0001-some-words.sql` are refused, gaps too. */
async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name, index) => {
      const number = Number(/^(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.sql$/.exec(name)?.[1])
      if (number !== index + 1) refuse(words.migrationName(name, String(index + 1).padStart(4, '0')))
      const text = (await readFile(path.join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { number, name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

async function prepare(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ here: boolean }>(
    "select to_regclass('platform.migrations') is not null as here",
  )
  if (rows[0]?.here) return
  // Asked for first, because even "create if not exists" needs a right that a careful operator takes away later.
  await client
    .query(`
      create schema if not exists platform;
      create table platform.migrations (
        number     integer     primary key,
        name       text        not null,
        sha256     text        not null,
        applied_at timestamptz not null default now()
      )`)
    .catch((error: Error) => rethrow(error, words.migrationsTable(error.message)))
}

function check(files: readonly MigrationFile[], applied: readonly MigrationRow[]): void {
  const newest = applied.at(-1)
  if (newest !== undefined && newest.number > files.length)
    refuse(words.databaseNewer(newest.name, files.at(-1)?.name))
  for (const [index, row] of applied.entries()) {
    const file = files[index]
    if (row.number !== index + 1) refuse(words.migrationMissing(index + 1))
    if (file?.sha256 !== row.sha256) refuse(words.migrationChanged(row.name))
  }
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
    // The connection is closed by the caller, which rolls back.
    rethrow(error, words.migrationFailed(file.name, error instanceof Error ? error.message : String(error)))
  }
}

function rethrow(error: unknown, sentence: { en: string; fa: string }): never {
  if (isDatabaseAway(error)) throw error
  refuse(sentence, error)
}
