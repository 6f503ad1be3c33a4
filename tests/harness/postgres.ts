import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { inject } from 'vitest'
import { migrate, openDb } from '#platform/db'
import { fastRoot } from './fast-root.ts'
import { movableTime } from './time.ts'
import { until } from './until.ts'

/** The run's one PostgreSQL, as tests see it. */
export interface TestPostgres {
  /** A database from which others may be created and dropped. */
  adminUrl: string
  /** A migrated database without connections. */
  template: string
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestPostgres
  }
}

export interface ClonedDatabase extends AsyncDisposable {
  /** Also usable as `DATABASE_URL` of a child process. */
  url: string
}

/** Test data need not survive a power failure. The servers of all files that run at once share one PostgreSQL. */
const fast = {
  max_connections: '400',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
}

/** A new database for one test, with every migration applied; dropped on dispose, even with open connections. */
export async function cloneDatabase(): Promise<ClonedDatabase> {
  const { adminUrl, template } = inject('postgres')
  return createDatabase(adminUrl, template)
}

/** A new database for the tests of one process. It bears the template's name, so the run drops it even if the process was killed. */
export async function sharedDatabase(): Promise<ClonedDatabase> {
  const { adminUrl, template } = inject('postgres')
  return createDatabase(adminUrl, template, `${template}_${randomBytes(6).toString('hex')}`)
}

/** A new database for one test, without tables. */
export async function emptyDatabase(): Promise<ClonedDatabase> {
  return createDatabase(inject('postgres').adminUrl, 'template1')
}

/** The same address with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}

/** Starts one PostgreSQL for the whole run, or uses the one at `url`, and creates the template. */
export async function startTestPostgres(url: string | undefined): Promise<TestPostgres & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const adminUrl = url ?? (await startTemporary(starting))
  const template = uniqueName('template')
  await ask(adminUrl, `create database ${template} template template1`)
  starting.defer(() => dropDatabase(adminUrl, template))
  starting.defer(() => dropNamedAfter(adminUrl, template))
  {
    await using db = await openDb({ url: withDatabase(adminUrl, template), connectMs: 60_000 })
    await migrate(db, path.resolve(import.meta.dirname, '../../migrations'))
    await db.pool.query(movableTime)
  }
  const owned = starting.move()
  return { adminUrl, template, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** A separate process owns it and ends it even when the run is killed. */
async function startTemporary(stack: AsyncDisposableStack): Promise<string> {
  const dataDir = await mkdtemp(path.join(fastRoot, 'kherad-tests-'))
  // If this runs as root, PostgreSQL runs as another user, who must be able to traverse the folder.
  await chmod(dataDir, 0o711)
  const script = path.join(import.meta.dirname, 'postgres-owner.ts')
  const settings = Object.entries(fast).map(([name, value]) => `${name}=${value}`)
  const owner = spawn(
    process.execPath,
    [script, dataDir, '--temporary', '--creates-databases', ...settings],
    {
      // In its own process group, so that Ctrl-C ends only the run; the owner then sees its input end and stops in order.
      detached: true,
      env: { PATH: process.env['PATH'] },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const ended = once(owner, 'exit')
  stack.defer(async () => {
    owner.stdin.end()
    await ended
  })
  for await (const line of createInterface(owner.stdout)) {
    const answer: { url?: string; refused?: string } = JSON.parse(line)
    if (answer.url === undefined) throw new Error(answer.refused)
    return answer.url
  }
  throw new Error('The PostgreSQL of the tests did not start.')
}

async function createDatabase(
  adminUrl: string,
  template: string,
  name = uniqueName('test'),
): Promise<ClonedDatabase> {
  // Copying the files takes half the time of writing them to the WAL.
  await ask(adminUrl, `create database ${name} template ${template} strategy file_copy`)
  return {
    url: withDatabase(adminUrl, name),
    [Symbol.asyncDispose]: () => dropDatabase(adminUrl, name),
  }
}

/**
 * PostgreSQL ends the sessions of the database and waits five seconds for them; on a busy machine one may need longer. Tried again until they are
 * gone.
 */
async function dropDatabase(adminUrl: string, name: string): Promise<void> {
  await until(() =>
    ask(adminUrl, `drop database if exists ${name} with (force)`).then(
      () => true,
      (error: pg.DatabaseError) => {
        if (error.code !== objectInUse) throw error
        return false
      },
    ),
  )
}

/** Those of processes that could not drop them. */
async function dropNamedAfter(adminUrl: string, template: string): Promise<void> {
  const names = await ask<{ datname: string }>(
    adminUrl,
    `select datname from pg_database where starts_with(datname, '${template}_')`,
  )
  for (const { datname } of names) await dropDatabase(adminUrl, datname)
}

/** SQLSTATE: "is being accessed by other users". */
const objectInUse = '55006'

const uniqueName = (kind: string) => `kherad_${kind}_${process.pid}_${randomBytes(6).toString('hex')}`

async function ask<Row = unknown>(url: string, statement: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
