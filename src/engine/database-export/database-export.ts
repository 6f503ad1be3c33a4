/**
 * A whole database as SQL that makes it again in an empty PostgreSQL: definitions, rows, and what is made after them. It is of one moment, is
 * read as a role that only reads, and calls nothing of the app.
 */
import type pg from 'pg'
import { exportLock, longestExportMs } from '#engine/databases'
import { copyOut } from '#platform/db'
import { fail } from '#platform/errors'
import { grants } from './grants.ts'
import { after, aliases, before, edges, type Kind, withSchemas } from './objects.ts'
import { inOrder, type Listed } from './order.ts'
import './phrases.ts'
import { extensions, notGoing, roles, schemas, sequenceValues, tablesToCopy } from './parts.ts'

const mostObjects = 20_000
const definedAtOnce = 50
const chunkBytes = 64 * 1024
/** After which another export may be over. */
const runningMs = 10_000

interface Item extends Listed {
  kind: Kind
  oid: number
}

type Rows = Record<string, unknown>

/** The client is that of `app_reader`, and is in no transaction. Throws EXPORT_RUNNING, EXPORT_TOO_LARGE and what the database refuses. */
export async function* exportDatabase(client: pg.ClientBase): AsyncGenerator<Buffer> {
  await begin(client)
  try {
    yield* inChunks(partsOf(client))
  } finally {
    await client.query('rollback').catch(() => undefined)
  }
}

/** Whether an export may begin; throws the same. */
export async function requireExportable(client: pg.ClientBase): Promise<void> {
  await begin(client)
  try {
    await listed(client, before)
  } finally {
    await client.query('rollback').catch(() => undefined)
  }
}

async function begin(client: pg.ClientBase): Promise<void> {
  await client.query(`begin isolation level repeatable read read only;
    set local search_path = pg_catalog; set local statement_timeout = 0; set local extra_float_digits = 3;
    set local datestyle = iso; set local intervalstyle = postgres; set local timezone = 'UTC'`)
  const { rows: locks } = await client.query<{ free: boolean }>(
    'select pg_try_advisory_xact_lock($1) as free',
    [String(exportLock)],
  )
  if (locks[0]?.free !== true) {
    await client.query('rollback')
    fail('EXPORT_RUNNING', {}, { retryAfterMs: runningMs })
  }
  // Of PostgreSQL 17 and later.
  await client.query(
    `select set_config(name, '${longestExportMs}', true) from pg_settings where name = 'transaction_timeout'`,
  )
}

async function* partsOf(client: pg.ClientBase): AsyncGenerator<Buffer | string> {
  await lockTables(client)
  const first = await listed(client, before)
  const needs = await needsOf(client)
  const made = inOrder(first, needs)
  const then = inOrder([...made.items, ...(await listed(client, after))], needs)
  const later = then.items.slice(made.items.length)
  yield head
  for (const part of [roles, schemas, extensions]) yield* linesOf(client, part)
  yield* definitions(client, made.items)
  yield* linesOf(client, sequenceValues)
  yield* rows(client)
  yield* definitions(client, later)
  yield* filled(client, made.items)
  yield* linesOf(client, grants)
  yield* leftOut(client, [...made.leftOut, ...then.leftOut])
  yield '\n-- The end: nothing was cut.\n'
}

const head = `-- A database as SQL for an empty PostgreSQL 18: psql --set ON_ERROR_STOP=1 --single-transaction -f FILE
-- Of app users it has what policies and joins need, not their passwords and sessions.
set client_encoding = 'UTF8';
set standard_conforming_strings = on;
set check_function_bodies = off;
set row_security = off;
select pg_catalog.set_config('search_path', '', false);

`

/** Nobody changes them while they are read; what is dropped at this very moment fails the export. */
async function lockTables(client: pg.ClientBase): Promise<void> {
  const names = (await client.query<{ name: string }>(tablesToCopy)).rows.map(({ name }) => name)
  for (let at = 0; at < names.length; at += definedAtOnce)
    await client.query(`lock table ${names.slice(at, at + definedAtOnce).join(', ')} in access share mode`)
}

async function listed(client: pg.ClientBase, kinds: readonly Kind[]): Promise<Item[]> {
  const items: Item[] = []
  for (const kind of kinds) {
    const text = `${withSchemas(`select * from (${kind.list}) k order by is_ours desc, name`)} limit ${mostObjects + 1}`
    const { rows: found } = await client.query<{ oid: number; name: string }>(text)
    for (const { oid, name } of found) items.push({ kind, oid, name, key: `${kind.catalogue}/${oid}` })
    if (items.length > mostObjects) fail('EXPORT_TOO_LARGE', { max: mostObjects })
  }
  return items
}

type Edge = Record<'catalogue' | 'of_catalogue', string> & Record<'oid' | 'of_oid', number>

async function needsOf(client: pg.ClientBase): Promise<(key: string) => string[]> {
  const owners = new Map<string, string>()
  for (const { catalogue, oid, of_catalogue: of, of_oid: ofOid } of (await client.query<Edge>(aliases)).rows)
    owners.set(`${catalogue}/${oid}`, `${of}/${ofOid}`)
  const ownerOf = (key: string): string => {
    const owner = owners.get(key)
    return owner === undefined || owner === key ? key : ownerOf(owner)
  }
  const needs = new Map<string, Set<string>>()
  for (const { catalogue, oid, of_catalogue: of, of_oid: ofOid } of (await client.query<Edge>(edges)).rows) {
    const [one, other] = [ownerOf(`${catalogue}/${oid}`), ownerOf(`${of}/${ofOid}`)]
    if (one !== other) needs.set(one, (needs.get(one) ?? new Set()).add(other))
  }
  return (key) => [...(needs.get(key) ?? [])]
}

async function* definitions(client: pg.ClientBase, items: readonly Item[]): AsyncGenerator<string> {
  for (let at = 0; at < items.length; at += definedAtOnce) {
    const some = items.slice(at, at + definedAtOnce)
    const texts = new Map<string, string>()
    for (const kind of new Set(some.map((item) => item.kind))) {
      const oids = some.filter((item) => item.kind === kind).map(({ oid }) => oid)
      const { rows: found } = await client.query<{ oid: number; sql: string }>(withSchemas(kind.define), [
        oids,
      ])
      for (const { oid, sql } of found) texts.set(`${kind.catalogue}/${oid}`, sql)
    }
    for (const { key, name } of some) {
      const text = texts.get(key)
      if (text === undefined) throw new Error(`${name} has no definition any more.`)
      yield `${text}\n\n`
    }
  }
}

async function* rows(client: pg.ClientBase): AsyncGenerator<Buffer | string> {
  const { rows: tables } = await client.query<{ name: string; columns: string }>(tablesToCopy)
  for (const { name, columns } of tables) {
    yield `copy ${name} (${columns}) from stdin;\n`
    yield* copyOut(client, `copy ${name} (${columns}) to stdout`)
    yield '\\.\n\n'
  }
}

/** Views that keep their rows, each after those that it reads. */
async function* filled(client: pg.ClientBase, items: readonly Item[]): AsyncGenerator<string> {
  const { rows: found } = await client.query<{ oid: number }>(
    `select oid from pg_class where relkind = 'm' and relispopulated`,
  )
  const oids = new Set(found.map(({ oid }) => oid))
  for (const { key, oid, name } of items)
    if (oids.has(oid) && key.startsWith('pg_class/')) yield `refresh materialized view ${name};\n`
}

async function* linesOf(client: pg.ClientBase, text: string): AsyncGenerator<string> {
  const { rows: lines } = await client.query<{ sql: string }>(text)
  for (const { sql } of lines) yield `${sql}\n`
  if (lines.length > 0) yield '\n'
}

/** What cannot go out is named, so that nobody misses it later. */
async function* leftOut(client: pg.ClientBase, items: readonly Item[]): AsyncGenerator<string> {
  const { rows: others } = await client.query<Rows>(notGoing)
  const names = [...items.map(({ name }) => name), ...others.map((row) => String(row['name']))]
  if (names.length === 0) return
  yield '-- Left out, because it is or needs something that is ours or has no place in an export:\n'
  for (const name of names) yield `--   ${name.replaceAll(/[\r\n]/g, ' ')}\n`
}

async function* inChunks(parts: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let bytes = 0
  for await (const part of parts) {
    const buffer = typeof part === 'string' ? Buffer.from(part) : part
    held.push(buffer)
    bytes += buffer.length
    if (bytes < chunkBytes) continue
    yield Buffer.concat(held)
    held = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(held)
}
