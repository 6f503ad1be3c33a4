import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { refuseStart } from '#platform/errors'
import type { Db } from './db.ts'
import { phrases } from './phrases.ts'

/** One applied file. */
export interface MigrationRow {
  number: number
  name: string
  /** The hash of the file's text with LF as line ends, so that a checkout that rewrites line ends changes nothing. */
  sha256: string
  applied_at: Date
}

export interface MigrationFile {
  number: number
  name: string
  sha256: string
  text: string
}

/** How the files of a folder compare with those applied to a database. */
export interface MigrationState {
  files: readonly MigrationFile[]
  /** Names of the applied files, in order; empty before the first start. */
  applied: string[]
  /** Files that the next start applies, in order. */
  pending: MigrationFile[]
  /** Numbers that the database lacks below its newest one. */
  missing: number[]
  /** Names of applied files whose text has changed since. */
  changed: string[]
  /** Names of files that a newer version of the program applied. */
  newer: string[]
}

/** Compares `folder` with the database and changes nothing in it. Throws `StartRefused` if a file's name is out of order. */
export async function migrationState(db: Db, folder: string): Promise<MigrationState> {
  const files = await readMigrations(folder)
  const client = await db.pool.connect()
  try {
    return compareMigrations(files, (await isPrepared(client)) ? await readApplied(client) : [])
  } finally {
    client.release()
  }
}

/** Reads the numbered files of the folder, in order. Refuses names other than `0001-some-words.sql`, and gaps. */
export async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name, index) => {
      const number = Number(/^(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.sql$/.exec(name)?.[1])
      if (number !== index + 1) refuseStart(phrases.migrationName(name, String(index + 1).padStart(4, '0')))
      const text = (await readFile(path.join(folder, name), 'utf8')).replaceAll('\r\n', '\n')
      return { number, name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** True if the table of migrations exists. */
export async function isPrepared(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ here: boolean }>(
    "select to_regclass('platform.migrations') is not null as here",
  )
  return rows[0]?.here === true
}

export async function readApplied(client: pg.ClientBase): Promise<MigrationRow[]> {
  const { rows } = await client.query<MigrationRow>('select * from platform.migrations order by number')
  return rows
}

export function compareMigrations(
  files: readonly MigrationFile[],
  applied: readonly MigrationRow[],
): MigrationState {
  const newest = applied.at(-1)?.number ?? 0
  const numbers = new Set(applied.map(({ number }) => number))
  const known = applied.filter(({ number }) => number <= files.length)
  return {
    files,
    applied: applied.map(({ name }) => name),
    pending: files.slice(newest),
    missing: Array.from({ length: newest }, (_, at) => at + 1).filter((number) => !numbers.has(number)),
    changed: known
      .filter(({ number, sha256 }) => files[number - 1]?.sha256 !== sha256)
      .map(({ name }) => name),
    newer: applied.slice(known.length).map(({ name }) => name),
  }
}
