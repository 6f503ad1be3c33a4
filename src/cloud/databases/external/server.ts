/** Makes and drops databases on a PostgreSQL server of the operator, as its superuser. */
import pg from 'pg'
import { clientConfig } from '#platform/db'
import { fail } from '#platform/errors'
import '../phrases.ts'
import type { DatabaseRole } from '../databases.ts'
import type { DatabaseServer } from '../settings.ts'
import { type Login, updateLogins } from './logins.ts'
import { refusals } from './phrases.ts'
import { databaseName, draftName, loginRoles, roleName, sharedRoles, statementsFor } from './statements.ts'

const oldestVersion = 180_000
/** The key of the advisory lock under which databases are made and dropped, one after the other. */
const changeLock = 7_210_418_004
/** The first key of the advisory lock of one database's log-ins; the second is the hash of its ref. */
const loginsLock = 721_041_804
const statementMs = 60_000

/** Makes a database; may run any number of times. Nothing of the app is there yet: this is the only time that the superuser works in its database. */
export async function makeDatabaseOn(
  server: DatabaseServer,
  ref: string,
  logins: readonly Login[],
): Promise<void> {
  await using admin = await connectAdmin(server)
  await admin.client.query('select pg_advisory_lock($1)', [changeLock])
  await prepareServer(admin.client, server)
  if (await exists(admin.client, databaseName(ref))) return
  await admin.client.query(`drop database if exists ${draftName(ref)} with (force)`)
  for (const role of loginRoles) await admin.client.query(`drop role if exists ${roleName(ref, role)}`)
  await admin.client.query(
    `create database ${draftName(ref)} template template0 encoding 'UTF8' locale 'C' locale_provider builtin builtin_locale 'C.UTF-8'`,
  )
  await fill(server, ref)
  await updateLogins(admin.client, ref, logins)
  await admin.client.query(`alter database ${draftName(ref)} rename to ${databaseName(ref)}`)
}

async function fill(server: DatabaseServer, ref: string): Promise<void> {
  await using admin = await connectAdmin(server, draftName(ref))
  for (const statement of await statementsFor(ref)) await admin.client.query(statement)
}

/** Sets the log-ins of a database to what they have to be, whatever code of the app has made of them and whatever package it has now. */
export async function resetLoginsOn(
  server: DatabaseServer,
  ref: string,
  logins: readonly Login[],
): Promise<void> {
  await using admin = await connectAdmin(server)
  // Two processes at once would change the same rows.
  const lock = 'select pg_advisory_lock($1, hashtext($2))'
  await admin.client.query(lock, [loginsLock, ref])
  await updateLogins(admin.client, ref, logins)
}

export interface ServerFindings {
  version: number
  versionName: string
  isSuperuser: boolean
  /** The number of databases of apps. */
  databases: number
  /** The most pages of its queue of notifications. */
  queuePages: number
}

/** What the doctor reports of a server; nothing is changed. `away`: why it cannot be connected to. */
export async function examineServer(server: DatabaseServer): Promise<ServerFindings | { away: string }> {
  const connected = await connectAdmin(server).catch((error: NodeJS.ErrnoException) => error)
  // The error of an attempt at several addresses has no message of its own.
  if (connected instanceof Error) return { away: connected.message || (connected.code ?? connected.name) }
  await using admin = connected
  const { rows } = await admin.client.query<ServerFindings>(
    `select current_setting('server_version_num')::int as version, current_setting('server_version') as "versionName", rolsuper as "isSuperuser",
      (select count(*)::int from pg_database where datname ~ '^kherad_[a-z0-9]{20}$') as databases,
      coalesce(current_setting('max_notify_queue_pages', true)::int, 0) as "queuePages"
      from pg_roles where rolname = current_user`,
  )
  return rows[0]!
}

/** Ends all connections to the database. */
export async function disconnectClientsOn(server: DatabaseServer, ref: string): Promise<void> {
  await using admin = await connectAdmin(server)
  await admin.client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
    databaseName(ref),
  ])
}

/** Drops the database and its roles; may run any number of times. */
export async function dropDatabaseOn(server: DatabaseServer, ref: string): Promise<void> {
  await using admin = await connectAdmin(server)
  await admin.client.query('select pg_advisory_lock($1)', [changeLock])
  for (const name of [databaseName(ref), draftName(ref)])
    await admin.client.query(`drop database if exists ${name} with (force)`)
  for (const role of loginRoles) await admin.client.query(`drop role if exists ${roleName(ref, role)}`)
}

/** The address of a cloud's database on the server, with the role and its password. */
export function urlOf(server: DatabaseServer, ref: string, role: DatabaseRole, password: string): string {
  const url = new URL(server.url)
  url.username = roleName(ref, role)
  url.password = encodeURIComponent(password)
  url.pathname = `/${databaseName(ref)}`
  return url.href
}

async function connectAdmin(
  server: DatabaseServer,
  database?: string,
): Promise<{ client: pg.Client } & AsyncDisposable> {
  const url = new URL(server.url)
  if (database !== undefined) url.pathname = `/${database}`
  const client = new pg.Client({ ...clientConfig(url.href), statement_timeout: statementMs })
  client.on('error', () => undefined)
  await client.connect().catch(async (error: unknown) => {
    await client.end().catch(() => undefined)
    throw error
  })
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

/** Ensures that no role of one app can connect to another database of the server, and that the shared roles exist. */
async function prepareServer(client: pg.Client, { name }: DatabaseServer): Promise<void> {
  const { rows } = await client.query<{ version: number; isSuperuser: boolean }>(
    `select current_setting('server_version_num')::int as version, rolsuper as "isSuperuser" from pg_roles where rolname = current_user`,
  )
  const [about] = rows
  if (!about?.isSuperuser || about.version < oldestVersion)
    fail('DATABASES_UNAVAILABLE', { why: refusals.unfitServer(name) })
  const { rows: open } = await client.query<{ datname: string }>(
    `select datname from pg_database where datallowconn
      and (has_database_privilege('pg_read_all_stats', oid, 'connect') or has_database_privilege('pg_read_all_stats', oid, 'temporary'))`,
  )
  for (const { datname } of open)
    await client.query(
      `revoke connect, temporary on database ${client.escapeIdentifier(datname)} from public`,
    )
  for (const role of sharedRoles)
    if (!(await roleExists(client, role)))
      await client.query(`create role ${role} nologin ${role === 'service_role' ? 'bypassrls' : ''}`)
}

async function exists(client: pg.Client, database: string): Promise<boolean> {
  return (await client.query('select from pg_database where datname = $1', [database])).rowCount === 1
}

async function roleExists(client: pg.Client, role: string): Promise<boolean> {
  return (await client.query('select from pg_roles where rolname = $1', [role])).rowCount === 1
}
