/**
 * `kherad cloud sql -f`: runs migrations in their order, each once, each whole or not at all. Statements that cannot run in a transaction stand in
 * files of their own; where it is not known whether such a file came to its end, it is not run again.
 */
import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { readBounded, utf8 } from '../read-bounded.ts'
import { idempotentBody, requestRecord } from '../server/records.ts'
import { plain, type Server, ServerRefused } from '../server.ts'
import { type Cloud, namedCloud, pathOf } from './api.ts'
import { withFilePosition } from './place.ts'
import type { SqlResult } from './sql.ts'
import { sqlPhrases as words } from './sql-phrases.ts'

interface Migration {
  file: string
  name: string
  text: string
  checksum: string
  /** The statements, where none of them can run in a transaction. */
  apart?: readonly string[] | undefined
}

/** The record of a migration. `isDone` is false where it was begun outside of a transaction and its end is not known. */
interface MigrationRecord {
  checksum: string
  isDone: boolean
  /** The migration was begun, or went on, so recently that whoever runs it may still be at work. */
  isRecent: boolean
}

/** The limit of 40,000 characters, less the statement that records the migration. */
const maxCharacters = 39_500
const maxFiles = 1_000
const lookAgainMs = 1_000
/** The time limit of a statement, 60 seconds, and the wait for its turn. */
const maxStatementLength = '90 seconds'
/** The status of a statement that PostgreSQL has refused. */
const badRequest = 400

/** The records belong to the app: they are written in the transaction of the migration, so that neither exists without the other. */
// A database on a server of the operator may not make schemas: it has this schema from its beginning. The column `begun_at` is younger than the
// table.
const createRecordsSql = `do $$ begin
  if pg_catalog.to_regnamespace('kherad_migrations') is null then create schema kherad_migrations; end if;
end $$;
create table if not exists kherad_migrations.applied
  (name text primary key, checksum text not null, applied_at timestamptz default now(), begun_at timestamptz default now());
alter table kherad_migrations.applied add column if not exists begun_at timestamptz default now()`
const readRecordsSql = `select pg_catalog.json_object_agg(name, pg_catalog.json_build_object('checksum', checksum, 'isDone', applied_at is not null,
    'isRecent', begun_at > now() - interval '${maxStatementLength}'))
  from kherad_migrations.applied`

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
/** The record comes after the migration, so that lines and columns in errors are those of the file. */
const migrateAndRecordSql = ({ name, text, checksum }: Migration): string =>
  `${text}\n;\ninsert into kherad_migrations.applied (name, checksum) values (${quoted(name)}, ${quoted(checksum)})`

const insertBegunSql = ({ name, checksum }: Migration): string =>
  `insert into kherad_migrations.applied (name, checksum, applied_at) values (${quoted(name)}, ${quoted(checksum)}, null)`
const touchBegunSql = ({ name }: Migration): string =>
  `update kherad_migrations.applied set begun_at = now() where name = ${quoted(name)} and applied_at is null`
const markDoneSql = ({ name }: Migration): string =>
  `update kherad_migrations.applied set applied_at = now() where name = ${quoted(name)} and applied_at is null`
const deleteBegunSql = ({ name }: Migration): string =>
  `delete from kherad_migrations.applied where name = ${quoted(name)} and applied_at is null`

export async function runMigrations(
  session: Session,
  given: ParsedArguments,
  places: readonly string[],
): Promise<CommandResult> {
  const { language } = session
  const migrations = await readMigrations(places)
  const { server, cloud } = await namedCloud(session, given)
  const database = new Database(server, cloud)
  const pending = await database.pendingMigrations(migrations)
  for (const migration of pending) {
    session.status(plain(migration.name))
    await database.run(migration)
    session.status()
    session.notify(words.ran(plain(migration.name))[language])
  }
  const names = pending.map(({ name }) => name)
  const text = pending.length > 0 ? '' : `${words.upToDate(migrations.length)[language]}\n`
  return { json: { applied: names, skipped: migrations.length - names.length }, text }
}

async function readMigrations(places: readonly string[]): Promise<Migration[]> {
  const files: string[] = []
  for (const place of places) files.push(...(await filesAt(place)))
  if (files.length > maxFiles) refuse('TOO_MANY_FILES', words.tooManyFiles(maxFiles))
  const migrations: Migration[] = []
  const names = new Set<string>()
  for (const file of files) {
    const name = path.basename(file)
    if (names.has(name)) refuse('SAME_NAME', words.sameName(plain(name)))
    names.add(name)
    migrations.push(await readMigration(file, name))
  }
  return migrations
}

/** The file, or those of a folder in the order of the code units of their names, which is the same for every tool and machine. */
async function filesAt(place: string): Promise<string[]> {
  const isFolder = await stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) return [place]
  const names = (await readdir(place)).filter((name) => name.endsWith('.sql')).sort()
  if (names.length === 0) refuse('NO_FILES', words.noFiles(place))
  return names.map((name) => path.join(place, name))
}

async function readMigration(file: string, name: string): Promise<Migration> {
  const tooLong = words.fileTooLong(plain(file))
  const bytes = await readBounded(file, 4 * maxCharacters, tooLong)
  // A file that is checked out on another system is still the same.
  const text = (utf8(bytes) ?? refuse('NOT_TEXT', words.notText(plain(file)))).replaceAll('\r\n', '\n')
  if (text.length > maxCharacters) refuse('FILE_TOO_LARGE', tooLong)
  const checksum = createHash('sha256').update(text).digest('hex')
  return { file, name, text, checksum, apart: await separateStatements(text, name) }
}

/** The statements of a file where none of them can run in a transaction. Refuses a file that has other statements beside them. */
async function separateStatements(text: string, name: string): Promise<readonly string[] | undefined> {
  if (!/concurrently|vacuum/i.test(text)) return undefined
  const { readScript } = await import('#cloud/sql')
  const script = readScript(text)
  if ('open' in script) return undefined
  const isApart = script.statements.map(({ words }) => isOutsideTransaction(words))
  if (!isApart.includes(true)) return undefined
  if (isApart.includes(false)) refuse('MIGRATION_MIXED', words.mixed(plain(name)))
  // Each statement keeps its place, so that lines and columns in errors are those of the file.
  return script.statements.map((one) => `${text.slice(0, one.start).replaceAll(/[^\n]/g, ' ')}${one.text}`)
}

const isOutsideTransaction = ([first = '', ...more]: readonly string[]): boolean =>
  first === 'vacuum' || (first !== 'refresh' && more.includes('concurrently'))

/** The migrations that have not been run. Refuses one that was changed after it ran, and one before others that have been run. */
function pendingMigrations(
  migrations: readonly Migration[],
  applied: Readonly<Record<string, MigrationRecord>>,
): Migration[] {
  const pending: Migration[] = []
  for (const migration of migrations) {
    const { name, checksum } = migration
    const known = Object.hasOwn(applied, name) ? applied[name] : undefined
    if (known === undefined) pending.push(migration)
    else if (!known.isDone) refuse('MIGRATION_IN_DOUBT', words.inDoubt(plain(name), quoted(name)))
    else if (known.checksum !== checksum) refuse('MIGRATION_CHANGED', words.changed(plain(name)))
    else if (pending[0]) refuse('MIGRATION_ORDER', words.outOfOrder(plain(pending[0].name), plain(name)))
  }
  return pending
}

class Database {
  readonly #server: Server
  readonly #path: string

  constructor(server: Server, cloud: Cloud) {
    this.#server = server
    this.#path = pathOf(cloud, '/database')
  }

  /** The records by the name of their migration. */
  async applied(): Promise<Record<string, MigrationRecord>> {
    const found = await this.#read(`select pg_catalog.to_regclass('kherad_migrations.applied')`)
    // If another command makes the table at the same time, one of the two is refused.
    if (found === null) await this.#write(createRecordsSql).catch(() => undefined)
    return ((await this.#read(readRecordsSql)) ?? {}) as Record<string, MigrationRecord>
  }

  /** Waits until nobody else runs one of the migrations outside of a transaction, and returns what `pendingMigrations` returns. */
  async pendingMigrations(migrations: readonly Migration[]): Promise<Migration[]> {
    const { notify, language, stopping } = this.#server
    for (let isFirst = true; ; isFirst = false) {
      const applied = await this.applied()
      const running = migrations.find(({ name }) => {
        const known = Object.hasOwn(applied, name) ? applied[name] : undefined
        return known && !known.isDone && known.isRecent
      })
      if (!running) return pendingMigrations(migrations, applied)
      if (isFirst) notify(words.runsElsewhere(plain(running.name))[language])
      await pause(lookAgainMs, undefined, { signal: stopping })
    }
  }

  /** Runs a migration. If the answer was lost, or another command ran it at the same time, the records say whether it happened. */
  async run(migration: Migration): Promise<void> {
    if (migration.apart) return this.#runApart(migration, migration.apart)
    try {
      await this.#write(migrateAndRecordSql(migration))
    } catch (error) {
      if (!(error instanceof ServerRefused)) throw error
      const applied = await this.applied()
      if (applied[migration.name]?.checksum === migration.checksum) return
      throw withFilePosition(error, migration.file)
    }
  }

  /** Records the migration before and after: the first record alone means that its end is not known. */
  async #runApart(migration: Migration, statements: readonly string[]): Promise<void> {
    const { file } = migration
    try {
      await this.#write(insertBegunSql(migration))
    } catch (error) {
      // Another command has run it meanwhile, or is running it; if it was refused there, it is run here.
      if (!(error instanceof ServerRefused) || !Object.hasOwn(await this.applied(), migration.name))
        throw error
      if ((await this.pendingMigrations([migration])).length === 0) return
      return this.#runApart(migration, statements)
    }
    for (const [index, text] of statements.entries()) {
      if (index > 0) await this.#write(touchBegunSql(migration))
      await this.#write(text).catch(async (error: unknown) => {
        const isRefused = error instanceof ServerRefused && error.status === badRequest
        if (isRefused && index === 0) await this.#write(deleteBegunSql(migration))
        throw withFilePosition(error, file)
      })
    }
    await this.#write(markDoneSql(migration))
  }

  async #read(query: string): Promise<unknown> {
    const { rows } = await requestRecord<SqlResult>(this.#server, 'POST', this.#path, { body: { query } })
    return rows[0]?.[0] ?? null
  }

  #write(query: string): Promise<SqlResult> {
    const body = { query, read_only: false, confirm_write: true }
    return requestRecord<SqlResult>(this.#server, 'POST', this.#path, idempotentBody(body))
  }
}
