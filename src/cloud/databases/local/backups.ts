/** Takes copies of a database of this machine, and restores the database from one. */
import pg from 'pg'
import { clientConfig } from '#platform/db'
import type { DatabaseBackups, DatabaseCopy, RestoreOptions } from '../databases.ts'
import { baseBackup } from './base-backup.ts'
import { nextTransactionOf } from './control-file.ts'
import type { LocalDatabase } from './layout.ts'
import type { LocalContext } from './local.ts'
import { endRestore, requireDisk, restoreDatabase } from './restore.ts'
import { type AwakeDatabase, wake } from './wake.ts'

export class LocalBackups implements DatabaseBackups {
  readonly #context: LocalContext
  readonly #database: LocalDatabase

  constructor(context: LocalContext, database: LocalDatabase) {
    this.#context = context
    this.#database = database
  }

  requireRoom(bytes: number): Promise<void> {
    return requireDisk(this.#context, bytes)
  }

  nextTransaction(): Promise<bigint | undefined> {
    return nextTransactionOf(this.#context, this.#database)
  }

  async copy<Result>(work: (copy: DatabaseCopy) => Promise<Result>): Promise<Result> {
    const awake = await wake(this.#context, this.#database)
    try {
      return await work({ ...(await describe(awake)), tar: baseBackup(awake.address('backup')) })
    } finally {
      await awake.leave()
    }
  }

  restore(options: RestoreOptions): Promise<boolean> {
    return restoreDatabase(this.#context, this.#database, options)
  }

  endRestore(id: string): Promise<void> {
    return endRestore(this.#context, this.#database, id)
  }
}

/** Read before the copy begins, so that what is written meanwhile causes the next backup. */
async function describe(awake: AwakeDatabase): Promise<Omit<DatabaseCopy, 'tar'>> {
  const client = new pg.Client(clientConfig(awake.address('watcher')))
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query<{ next: string; version: string }>(
      `select pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())::text as next, pg_catalog.current_setting('server_version') as version`,
    )
    return { nextTransaction: BigInt(rows[0]!.next), serverVersion: rows[0]!.version }
  } finally {
    await client.end()
  }
}
