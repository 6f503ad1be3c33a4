/**
 * Roles and access rules of the embedded PostgreSQL (docs/decisions/platform/embedded-postgresql.md). The program works as the owner of its database
 * and of nothing else; only the supervisor uses the superuser, which has a password. A cluster of an earlier version, in which the program was the
 * superuser, is converted at its next start.
 */
import { randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { clientConfig, type SocketAddress } from '#platform/db'
import { refuseStart } from '#platform/errors'
import { replaceFile } from '#platform/folders'
import { closedRules, isEmpty, openRules, reopenedRules } from './access-rules.ts'
import type { ClusterLocation } from './cluster-location.ts'
import { phrases } from './phrases.ts'

/** The superuser, which initdb creates; its rights cannot be revoked. */
export const superuser = 'kherad'
/** The role that owns the database `kherad` and everything in it. */
export const programRole = 'kherad_app'
/** The database of Kherad; the "in use" locks are in PostgreSQL's own database, `postgres`. */
export const database = 'kherad'

const lockKey = 7_210_418_003
const accessFile = ({ cluster }: ClusterLocation) => path.join(cluster, 'pg_hba.conf')

/**
 * The superuser's password, created once; of two concurrent processes the first to write it wins. An empty file counts as lost: PostgreSQL refuses
 * the new password, and `reopenAccess` then allows setting it.
 */
export async function superuserPassword({ dataDir }: ClusterLocation): Promise<string> {
  const file = path.join(dataDir, 'postgres.password')
  const known = await readFile(file, 'utf8').catch(() => undefined)
  if (known?.trim()) return known.trim()
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await writeFile(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true })
    if (known !== undefined) await rm(file, { force: true })
    await link(draft, file).catch(() => undefined)
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    return refuseStart(phrases.fileFailed(file, (error as Error).message), error)
  } finally {
    await rm(draft, { force: true })
  }
}

/**
 * Opens access if the password was refused, because the cluster was restored without its file. Returns true if the next attempt can set the password
 * again.
 */
export async function reopenAccess(
  location: ClusterLocation,
  postmasterPid: number,
  error: unknown,
): Promise<boolean> {
  const { code } = error as { code?: string }
  if (code !== '28P01' && code !== '28000') return false
  const rules = await readFile(accessFile(location), 'utf8').catch(() => undefined)
  const reopened = rules === undefined ? undefined : reopenedRules(rules, superuser)
  if (reopened === undefined) return false
  await replaceFile(accessFile(location), reopened)
  process.kill(postmasterPid, 'SIGHUP')
  return true
}

/** Repairs an empty pg_hba.conf, which a power failure may leave and with which PostgreSQL does not start: it gets the rules of a first start. */
export async function repairAccess(location: ClusterLocation): Promise<void> {
  const rules = await readFile(accessFile(location), 'utf8').catch(() => undefined)
  if (rules === undefined || !isEmpty(rules)) return
  await replaceFile(accessFile(location), openRules).catch((error: Error) =>
    refuseStart(phrases.fileFailed(accessFile(location), error.message), error),
  )
}

/** Creates the role and its database if missing, and transfers ownership from the superuser to the program. Safe to run concurrently. */
export async function prepareRoles(
  location: ClusterLocation,
  client: pg.Client,
  { socketFolder, port }: Pick<SocketAddress, 'socketFolder' | 'port'>,
  password: string,
): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [lockKey])
  try {
    await client.query(`do $$ begin
      if not exists (select from pg_roles where rolname = '${programRole}') then
        create role ${programRole} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
      end if;
    end $$`)
    await ensureDatabase(client)
    await transferOwnership({ socketFolder, port, user: superuser, database, password })
    await closeAccess(location, client, password)
  } finally {
    await client.query('select pg_advisory_unlock($1)', [lockKey])
  }
}

async function ensureDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ owner: string }>(
    'select pg_get_userbyid(datdba) as owner from pg_database where datname = $1',
    [database],
  )
  if (rows.length === 0) await client.query(`create database ${database} owner ${programRole}`)
  else if (rows[0]!.owner !== programRole)
    await client.query(`alter database ${database} owner to ${programRole}`)
}

/** Transfers everything that the superuser owns in the database to the program, atomically; extensions stay complete. */
async function transferOwnership(address: SocketAddress): Promise<void> {
  const client = new pg.Client(clientConfig(address))
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query(`set lock_timeout = '20s'`)
    await client.query(transferAll)
    // Extensions that the owner of a database may create belong to the program from the beginning.
    await client.query(`do $$ begin
      if exists (select from pg_available_extension_versions where name = 'vector' and not trusted) then
        create extension if not exists vector;
      end if;
    end $$`)
  } finally {
    await client.end()
  }
}

/** In pg_depend, members of an extension have type e; the sequence of a column (a, i) follows its table. */
const transferAll = `do $$
declare
  statement text;
begin
  for statement in
    with mine as (select oid from pg_roles where rolname = current_user),
    spaces as (
      select oid, nspname, nspowner from pg_namespace
      where nspname !~ '^pg_' and nspname <> 'information_schema'
    ),
    bound as (select classid, objid from pg_depend where deptype = 'e')
    select format('alter schema %I owner to ${programRole}', nspname) from spaces, mine
    where nspowner = mine.oid and ('pg_namespace'::regclass, spaces.oid) not in (select classid, objid from bound)
    union all
    select format('alter %s %I.%I owner to ${programRole}',
      case relkind when 'S' then 'sequence' when 'v' then 'view' when 'm' then 'materialized view'
        when 'f' then 'foreign table' when 'c' then 'type' else 'table' end, nspname, relname)
    from pg_class c join spaces s on s.oid = c.relnamespace, mine
    where relowner = mine.oid and relkind in ('r', 'p', 'S', 'v', 'm', 'f', 'c')
      and ('pg_class'::regclass, c.oid) not in (select classid, objid from bound)
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
        and d.deptype in ('a', 'i') and relkind = 'S')
    union all
    select format('alter routine %s owner to ${programRole}', p.oid::regprocedure)
    from pg_proc p join spaces s on s.oid = p.pronamespace, mine
    where proowner = mine.oid and ('pg_proc'::regclass, p.oid) not in (select classid, objid from bound)
    union all
    select format('alter type %I.%I owner to ${programRole}', nspname, typname)
    from pg_type t join spaces s on s.oid = t.typnamespace, mine
    where typowner = mine.oid and typtype in ('d', 'e', 'r')
      and ('pg_type'::regclass, t.oid) not in (select classid, objid from bound)
  loop
    execute statement;
  end loop;
end $$`

/**
 * Requires the password from now on, but not yet while a process of an earlier version runs as the superuser: it has no password, and keeps its
 * access until it ends.
 */
async function closeAccess(location: ClusterLocation, client: pg.Client, password: string): Promise<void> {
  const file = accessFile(location)
  const rules = await readFile(file, 'utf8').catch(() => undefined)
  if (rules === undefined) return
  const { text, closes } = closedRules(rules, { programRole, database })
  if (text === rules) return
  if (closes) {
    const { rowCount } = await client.query(
      'select from pg_stat_activity where usename = $1 and datname = $2 and pid <> pg_backend_pid()',
      [superuser, database],
    )
    if (rowCount) return
    await client.query(`alter role ${superuser} password ${client.escapeLiteral(password)}`)
  }
  await replaceFile(file, text)
  await client.query('select pg_reload_conf()')
}
