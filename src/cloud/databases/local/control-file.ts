/** What PostgreSQL writes last when it stops: `pg_control`, in the layout of PostgreSQL 18 (src/include/catalog/pg_control.h). */
import { open } from 'node:fs/promises'
import path from 'node:path'
import { type LocalDatabase, layoutOf } from './layout.ts'
import type { LocalContext } from './local.ts'

const layoutVersion = 1_800
const shutDownState = 1
const places = { version: 8, state: 16, nextTransaction: 64 }

/** The number of the database's next transaction; undefined where PostgreSQL did not stop in order, runs, or is of another release. */
export async function nextTransactionOf(
  { root }: LocalContext,
  database: LocalDatabase,
): Promise<bigint | undefined> {
  await using file = await open(path.join(layoutOf(root, database).data, 'global', 'pg_control'))
  const { buffer } = await file.read(Buffer.alloc(72), 0, 72, 0)
  if (buffer.readUInt32LE(places.version) !== layoutVersion) return undefined
  return buffer.readUInt32LE(places.state) === shutDownState
    ? buffer.readBigUInt64LE(places.nextTransaction)
    : undefined
}
