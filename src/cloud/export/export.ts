/**
 * Exports a whole database as SQL that makes it again in an empty PostgreSQL. The SQL has the definitions, the rows, and what is made after the rows.
 * The export is of one moment, is read by a role that only reads, and calls no code of the app.
 */
import type pg from 'pg'
import { exportLock, maxExportMs } from '#cloud/databases'
import { copyOut } from '#platform/db'
import { fail } from '#platform/errors'
import { grants } from './grants.ts'
import {
  dependenciesQuery,
  kindsAfterRows,
  kindsBeforeRows,
  type ObjectKind,
  ownersQuery,
  withSchemas,
} from './objects.ts'
import { type ExportObject, orderByDependencies } from './order.ts'
import { extensions, roles, schemas, sequenceValues, tablesToCopy, unsupportedObjects } from './parts.ts'
import { ExportReader, maxObjects, tooLarge } from './reading.ts'

const definedAtOnce = 50
const chunkBytes = 64 * 1024
/** The time after which another export may be over. */
const runningMs = 10_000

interface ExportItem extends ExportObject {
  kind: ObjectKind
  oid: number
}

/**
 * Yields the export. The client is that of `app_reader`, and is in no transaction. Throws EXPORT_RUNNING, EXPORT_TOO_LARGE and what the database
 * refuses.
 */
export async function* exportDatabase(client: pg.ClientBase): AsyncGenerator<Buffer> {
  await begin(client)
  try {
    const reading = new ExportReader(client)
    await lockTables(reading)
    yield* inChunks(exportParts(reading, { withRows: true }))
  } finally {
    await client.query('rollback').catch(() => undefined)
  }
}

/** Checks that an export may begin and comes to its end; throws what `exportDatabase` does. */
export async function requireExportable(client: pg.ClientBase): Promise<void> {
  await begin(client)
  try {
    for await (const _part of exportParts(new ExportReader(client), { withRows: false }));
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
  // The setting exists in PostgreSQL 17 and later.
  await client.query(
    `select set_config(name, '${maxExportMs}', true) from pg_settings where name = 'transaction_timeout'`,
  )
}

async function* exportParts(
  reading: ExportReader,
  { withRows }: { withRows: boolean },
): AsyncGenerator<Buffer | string> {
  const [first, second] = [
    await listItems(reading, kindsBeforeRows),
    await listItems(reading, kindsAfterRows),
  ]
  const needs = await readDependencies(reading)
  const orderedBefore = await orderByDependencies(first, needs)
  const orderedAll = await orderByDependencies([...orderedBefore.items, ...second], needs)
  const orderedAfter = orderedAll.items.slice(orderedBefore.items.length)
  yield head
  for (const part of [roles, schemas, extensions]) yield* linesOf(reading, part)
  yield* definitions(reading, orderedBefore.items)
  yield* linesOf(reading, sequenceValues)
  if (withRows) yield* copyStatements(reading)
  yield* definitions(reading, orderedAfter)
  yield* refreshStatements(reading, orderedBefore.items)
  yield* linesOf(reading, grants)
  yield* omissionComments(reading, [...orderedBefore.leftOut, ...orderedAll.leftOut])
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

/** Locks the tables, which nobody alters or drops while they are read; a table that is dropped at this very moment fails the export. */
async function lockTables(reading: ExportReader): Promise<void> {
  const names: string[] = []
  for await (const { name } of reading.list<{ name: string }>(tablesToCopy)) names.push(name)
  for (let at = 0; at < names.length; at += definedAtOnce)
    await reading.rows(`lock table ${names.slice(at, at + definedAtOnce).join(', ')} in access share mode`)
}

async function listItems(reading: ExportReader, kinds: readonly ObjectKind[]): Promise<ExportItem[]> {
  const items: ExportItem[] = []
  for (const kind of kinds) {
    const text = `${withSchemas(`select * from (${kind.list}) k order by is_ours desc, name`)} limit ${maxObjects + 1}`
    for await (const { oid, name } of reading.list<{ oid: number; name: string }>(text))
      items.push({ kind, oid, name, key: `${kind.catalogue}/${oid}` })
    if (items.length > maxObjects) tooLarge()
  }
  return items
}

type Edge = Record<'catalogue' | 'of_catalogue', string> & Record<'oid' | 'of_oid', number>

async function readDependencies(reading: ExportReader): Promise<(key: string) => string[]> {
  const owners = new Map<string, string>()
  for await (const { catalogue, oid, of_catalogue: of, of_oid: ofOid } of reading.list<Edge>(ownersQuery))
    owners.set(`${catalogue}/${oid}`, `${of}/${ofOid}`)
  const ownerOf = (key: string): string => {
    const owner = owners.get(key)
    return owner === undefined || owner === key ? key : ownerOf(owner)
  }
  const needs = new Map<string, Set<string>>()
  for await (const { catalogue, oid, of_catalogue: of, of_oid: ofOid } of reading.list<Edge>(
    dependenciesQuery,
  )) {
    const [one, other] = [ownerOf(`${catalogue}/${oid}`), ownerOf(`${of}/${ofOid}`)]
    if (one !== other) needs.set(one, (needs.get(one) ?? new Set()).add(other))
  }
  return (key) => [...(needs.get(key) ?? [])]
}

async function* definitions(reading: ExportReader, items: readonly ExportItem[]): AsyncGenerator<string> {
  for (let at = 0; at < items.length; at += definedAtOnce) {
    const some = items.slice(at, at + definedAtOnce)
    const texts = new Map<string, string>()
    for (const kind of new Set(some.map((item) => item.kind))) {
      const oids = some.filter((item) => item.kind === kind).map(({ oid }) => oid)
      const found = await reading.rows<{ oid: number; sql: string }>(withSchemas(kind.define), [oids])
      for (const { oid, sql } of found) texts.set(`${kind.catalogue}/${oid}`, sql)
    }
    for (const { key, name } of some) {
      const text = texts.get(key)
      if (text === undefined) throw new Error(`${name} has no definition any more.`)
      yield `${text}\n\n`
    }
  }
}

async function* copyStatements(reading: ExportReader): AsyncGenerator<Buffer | string> {
  for await (const { name, columns } of reading.list<{ name: string; columns: string }>(tablesToCopy)) {
    yield `copy ${name} (${columns}) from stdin;\n`
    yield* copyOut(reading.client, `copy ${name} (${columns}) to stdout`)
    yield '\\.\n\n'
  }
}

/** Refreshes materialized views, each after those that it reads. */
async function* refreshStatements(
  reading: ExportReader,
  items: readonly ExportItem[],
): AsyncGenerator<string> {
  const oids = new Set<number>()
  const text = `select oid from pg_class where relkind = 'm' and relispopulated`
  for await (const { oid } of reading.list<{ oid: number }>(text)) oids.add(oid)
  for (const { key, oid, name } of items)
    if (oids.has(oid) && key.startsWith('pg_class/')) yield `refresh materialized view ${name};\n`
}

async function* linesOf(reading: ExportReader, text: string): AsyncGenerator<string> {
  let isEmpty = true
  for await (const { sql } of reading.list<{ sql: string }>(text)) {
    yield `${sql}\n`
    isEmpty = false
  }
  if (!isEmpty) yield '\n'
}

/** Names what is not exported, so that nobody misses it later. */
async function* omissionComments(
  reading: ExportReader,
  items: readonly ExportItem[],
): AsyncGenerator<string> {
  const names = items.map(({ name }) => name)
  for await (const { name } of reading.list<{ name: string }>(unsupportedObjects)) names.push(name)
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
