/** All rows of a cloud: read for an export, written from one, deleted in portions. */
import type { CloudKey } from '#cloud/clouds'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import { isUuid, uuidv7 } from '#platform/ids'
import { exactly, readExactly } from '#platform/json'
import { documentOf } from './document.ts'
import { rowReasons } from './errors.ts'
import type { Collections } from './open.ts'
import { statementRunner } from './open.ts'
import * as store from './store.ts'
import { throwRowFailure } from './translate.ts'
import { createCollection, type RowsCloud } from './writes.ts'

export type ExportedItem =
  | { kind: 'collection'; name: string; public_read: boolean }
  | {
      kind: 'row'
      collection: string
      id: string
      owner_id: string | null
      data: unknown
      created_at: string
      updated_at: string
    }

const portion = 200
/** Bytes of rows that are written at once: values of a statement are escaped in one go. */
const portionBytes = 1024 * 1024
const firstId = '00000000-0000-0000-0000-000000000000'

/** Yields collections first, then their rows by id. */
export async function* exportAll(collections: Collections, cloud: CloudKey): AsyncGenerator<ExportedItem> {
  const found = await collections.query(cloud, (run) => store.collectionsOf(run, cloud))
  for (const { name, public_read } of found) yield { kind: 'collection', name, public_read }
  const names = new Map(found.map(({ collection_id, name }) => [collection_id, name]))
  let after = { collectionId: firstId, rowId: firstId }
  for (;;) {
    const rows = await collections.query(cloud, (run) => store.rowsAfter(run, cloud, after, portion))
    for (const row of rows) {
      const collection = names.get(row.collection_id)
      // A collection that was made after the export began is left out.
      if (collection !== undefined) yield exported(collection, row)
    }
    const last = rows.at(-1)
    if (!last || rows.length < portion) return
    after = { collectionId: last.collection_id, rowId: last.row_id }
  }
}

const exported = (collection: string, row: store.StoredRow): ExportedItem => ({
  kind: 'row',
  collection,
  id: row.row_id,
  owner_id: row.owner_id,
  data: readExactly(row.data),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

/**
 * Writes what was exported, in this transaction and within the limits of the cloud. From here on other writes of the cloud's rows wait for the
 * transaction. Throws COLLECTION_TAKEN, COLLECTION_LIMIT, ROW_TAKEN, ROW_LIMIT, ROW_BYTES_LIMIT, ROW_INVALID.
 */
export async function importAll(
  tx: Tx,
  cloud: RowsCloud,
  items: AsyncIterable<ExportedItem> | Iterable<ExportedItem>,
  now: Date,
): Promise<store.Counts> {
  const run = statementRunner(tx)
  const ids = new Map<string, string>()
  const total = { rows: 0, bytes: 0 }
  let waiting: ImportedRow[] = []
  let waitingBytes = 0
  const write = async () => {
    const written = await writeRows(run, cloud, waiting)
    total.rows += written.rows
    total.bytes += written.bytes
    waiting = []
    waitingBytes = 0
  }
  for await (const item of items) {
    if (item.kind === 'collection') {
      const made = { id: uuidv7(now.getTime()), name: item.name, publicRead: item.public_read }
      await createCollection(run, cloud, made, now)
      ids.set(item.name, made.id)
      continue
    }
    const collectionId = ids.get(item.collection)
    if (collectionId === undefined) fail('COLLECTION_NOT_FOUND', { name: item.collection })
    const row = importedRow(item, collectionId)
    waiting.push(row)
    waitingBytes += row.bytes
    if (waiting.length >= portion || waitingBytes >= portionBytes) await write()
  }
  if (waiting.length > 0) await write()
  return total
}

/** Whether the cloud has no collection; nobody makes one until the transaction ends. */
export async function lockAndCheckEmpty(tx: Tx, cloud: CloudKey): Promise<boolean> {
  await store.lockCounts(statementRunner(tx), cloud)
  return (await store.collectionsOf(statementRunner(tx), cloud)).length === 0
}

type ImportedRow = Parameters<typeof store.restoreRows>[2][number]

function importedRow(item: Extract<ExportedItem, { kind: 'row' }>, collectionId: string): ImportedRow {
  const ownerIsGood = item.owner_id === null || isUuid(item.owner_id)
  if (!isUuid(item.id) || !ownerIsGood) fail('ROW_INVALID', { why: rowReasons.badId }, { param: 'id' })
  return {
    collectionId,
    id: item.id,
    ownerId: item.owner_id,
    ...documentOf(exactly(item.data), 'data'),
    createdAt: new Date(item.created_at),
    updatedAt: new Date(item.updated_at),
  }
}

async function writeRows(
  run: store.RunStatement,
  cloud: RowsCloud,
  rows: readonly ImportedRow[],
): Promise<store.Counts> {
  const counts = await store.lockCounts(run, cloud)
  const added = { rows: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) }
  const { limits } = cloud
  if (counts.rows + added.rows > limits.rows) fail('ROW_LIMIT', { max: limits.rows })
  if (counts.bytes + added.bytes > limits.rowBytes) fail('ROW_BYTES_LIMIT', { max: limits.rowBytes })
  await store.restoreRows(run, cloud, rows).catch((error: unknown) => throwRowFailure(error, ''))
  await store.addCounts(run, cloud, added)
  return added
}

/** Rows of one portion. */
const deletedAtOnce = 1_000

/** Deletes a portion of a cloud's rows and collections; returns true when nothing is left. */
export const deleteRowsPortion = (collections: Collections, cloud: CloudKey): Promise<boolean> =>
  collections
    .runInLane(cloud, (db) => db.tx((tx) => deletePortionOf(statementRunner(tx), cloud)))
    .catch((error: unknown) => throwRowFailure(error, ''))

async function deletePortionOf(run: store.RunStatement, cloud: CloudKey): Promise<boolean> {
  await store.lockFrozenCounts(run, cloud)
  const [first] = await store.collectionsOf(run, cloud)
  if (!first) return true
  const deleted = await store.deletePortion(run, cloud, first.collection_id, deletedAtOnce)
  await store.addCounts(run, cloud, { rows: -deleted.rows, bytes: -deleted.bytes })
  if (deleted.rows < deletedAtOnce) await store.deleteCollectionRow(run, cloud, first.collection_id)
  return false
}
