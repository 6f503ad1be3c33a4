/** Writes rows in a transaction together with their counts, so that limits are exact however many processes write. */
import type { CloudKey, CloudLimits } from '#cloud/clouds'
import { fail } from '#platform/errors'
import type { Collation } from './conditions.ts'
import { documentLimits } from './document.ts'
import { queryLimits, type RowCaller, type Selection } from './query.ts'
import type { ReportOptions, RowsFilter, WriteReport } from './row-store.ts'
import * as rowStore from './row-store.ts'
import type { NewRow, RunStatement } from './store.ts'
import * as store from './store.ts'

/** A cloud with the limits that its rows have. */
export interface RowsCloud extends CloudKey {
  readonly limits: Pick<CloudLimits, 'collections' | 'rows' | 'rowBytes'>
}

/** What happens where a row with the same id exists. */
export type OnConflict = 'refuse' | 'merge' | 'ignore'

export interface Insertion {
  collection: string
  caller: RowCaller
  rows: readonly NewRow[]
  onConflict: OnConflict
  /** What is answered of the rows; nothing where absent. */
  selection?: Selection | undefined
}

export interface RowsChange extends RowsFilter {
  /** The members that rows get, as JSON. */
  json: string
  selection?: Selection | undefined
}

export interface Removal extends RowsFilter {
  selection?: Selection | undefined
}

export interface WriteContext {
  now: Date
  collation: Collation
}

/** What was written. */
export interface WriteAnswer {
  rows: number
  /** JSON of rows, separated by commas; empty where none was requested. */
  text: string
  /** How many rows of an insertion are new; absent where all are. */
  inserted?: number
}

const reportOptionsFor = (selection: Selection | undefined): ReportOptions => ({
  selection,
  maxBytes: queryLimits.answerBytes,
})

const requireCollection = async (
  run: RunStatement,
  cloud: CloudKey,
  name: string,
): Promise<store.CollectionRow> =>
  (await store.findCollection(run, cloud, name)) ?? fail('COLLECTION_NOT_FOUND', { name })

/** Throws ROW_LIMIT and ROW_BYTES_LIMIT; a cloud that is over a limit already may still shrink. */
async function addWithinLimits(
  run: RunStatement,
  cloud: RowsCloud,
  counts: store.Counts,
  { rows, grown: bytes }: { rows: number; grown: number },
): Promise<void> {
  const { limits } = cloud
  if (rows > 0 && counts.rows + rows > limits.rows) fail('ROW_LIMIT', { max: limits.rows })
  if (bytes > 0 && counts.bytes + bytes > limits.rowBytes) fail('ROW_BYTES_LIMIT', { max: limits.rowBytes })
  if (rows !== 0 || bytes !== 0) await store.addCounts(run, cloud, { rows, bytes })
}

function answerOf({ rows, text, largestRowBytes: largest }: WriteReport): WriteAnswer {
  if (rows > queryLimits.rows) fail('ROWS_TOO_MANY', { max: queryLimits.rows })
  if (largest > documentLimits.bytes) fail('ROW_TOO_LARGE', { max: documentLimits.bytes })
  return { rows, text: text ?? fail('ROWS_ANSWER_TOO_LARGE', { max: queryLimits.answerBytes }) }
}

/** Throws COLLECTION_NOT_FOUND, ROW_TAKEN, ROW_NOT_YOURS, ROW_LIMIT, ROW_BYTES_LIMIT, ROW_TOO_LARGE. */
export async function insert(
  run: RunStatement,
  cloud: RowsCloud,
  insertion: Insertion,
  { now }: WriteContext,
): Promise<WriteAnswer> {
  const { caller, onConflict, selection } = insertion
  if (caller.role === 'anon') fail('ROW_NOT_YOURS', {})
  const counts = await store.lockCounts(run, cloud)
  const { collection_id: collectionId } = await requireCollection(run, cloud, insertion.collection)
  const ids = insertion.rows.map(({ id }) => id)
  const existing = await rowStore.existingRows(run, cloud, collectionId, ids)
  if (existing.length > 0 && onConflict === 'refuse') fail('ROW_TAKEN', {})
  if (onConflict === 'merge' && caller.role === 'user')
    for (const { owner_id } of existing) if (owner_id !== caller.userId) fail('ROW_NOT_YOURS', {})
  const taken = new Set(existing.map(({ row_id }) => row_id))
  const rows =
    onConflict === 'ignore'
      ? withoutDuplicateIds(insertion.rows).filter(({ id }) => !taken.has(id))
      : insertion.rows
  const write = onConflict === 'merge' && taken.size > 0 ? rowStore.mergeRows : rowStore.insertRows
  const written = await write(run, cloud, collectionId, { rows, now }, reportOptionsFor(selection))
  const answer = answerOf(written)
  const added = onConflict === 'merge' ? rows.length - taken.size : rows.length
  await addWithinLimits(run, cloud, counts, { rows: added, grown: written.grownBytes })
  return { ...answer, inserted: added }
}

/** Keeps the first of rows with the same id. */
function withoutDuplicateIds(rows: readonly NewRow[]): NewRow[] {
  const seen = new Map<string, NewRow>()
  for (const row of rows) if (!seen.has(row.id)) seen.set(row.id, row)
  return [...seen.values()]
}

/** Throws COLLECTION_NOT_FOUND, ROWS_TOO_MANY, ROW_BYTES_LIMIT, ROW_TOO_LARGE. */
export async function change(
  run: RunStatement,
  cloud: RowsCloud,
  { json, selection, ...filter }: RowsChange,
  { now, collation }: WriteContext,
): Promise<WriteAnswer> {
  const counts = await store.lockCounts(run, cloud)
  await requireCollection(run, cloud, filter.collection)
  const written = await rowStore.changeRows(
    run,
    cloud,
    filter,
    { json, now, collation },
    reportOptionsFor(selection),
  )
  const answer = answerOf(written)
  await addWithinLimits(run, cloud, counts, { rows: 0, grown: written.grownBytes })
  return answer
}

/** Throws COLLECTION_NOT_FOUND and ROWS_TOO_MANY. */
export async function remove(
  run: RunStatement,
  cloud: RowsCloud,
  { selection, ...filter }: Removal,
  { collation }: WriteContext,
): Promise<WriteAnswer> {
  const counts = await store.lockCounts(run, cloud)
  await requireCollection(run, cloud, filter.collection)
  const written = await rowStore.deleteRows(run, cloud, filter, collation, reportOptionsFor(selection))
  const answer = answerOf({ ...written, largestRowBytes: 0 })
  await addWithinLimits(run, cloud, counts, { rows: -written.rows, grown: written.grownBytes })
  return answer
}

export interface NewCollection {
  id: string
  name: string
  publicRead: boolean
}

/** Throws COLLECTION_LIMIT and COLLECTION_TAKEN. */
export async function createCollection(
  run: RunStatement,
  cloud: RowsCloud,
  { id, name, publicRead }: NewCollection,
  now: Date,
): Promise<store.CollectionRow> {
  await store.lockCounts(run, cloud)
  const existing = await store.collectionsOf(run, cloud)
  if (existing.some((one) => one.name === name)) fail('COLLECTION_TAKEN', { name })
  const max = cloud.limits.collections
  if (existing.length >= max) fail('COLLECTION_LIMIT', { max })
  const row = { collection_id: id, name, public_read: publicRead, created_at: now }
  return (await store.insertCollection(run, cloud, row)) ?? fail('COLLECTION_TAKEN', { name })
}

/** Deletes a collection with all that is in it. Throws COLLECTION_NOT_FOUND. */
export async function deleteCollection(
  run: RunStatement,
  cloud: RowsCloud,
  name: string,
): Promise<store.CollectionRow & { rows: number }> {
  await store.lockCounts(run, cloud)
  const found = await requireCollection(run, cloud, name)
  const deleted = await store.deletePortion(run, cloud, found.collection_id, 2_147_483_647)
  await store.addCounts(run, cloud, { rows: -deleted.rows, bytes: -deleted.bytes })
  await store.deleteCollectionRow(run, cloud, found.collection_id)
  return { ...found, rows: deleted.rows }
}
