/** Collections, their counts, and their rows as a whole. A writer of a cloud's rows locks the counts first, so that writers come one by one. */
import { type CloudKey, failMoving } from '#cloud/clouds'

/** Runs one statement: on a connection of the pool, or in a transaction. A statement with a name stays prepared. */
export type RunStatement = <Row>(text: string, values: readonly unknown[], name?: string) => Promise<Row[]>

export interface CollectionRow {
  collection_id: string
  name: string
  public_read: boolean
  created_at: Date
}

export interface CountedCollection extends CollectionRow {
  rows: bigint
  bytes: bigint
}

export interface Counts {
  rows: number
  bytes: number
}

interface LockedCounts {
  rows: bigint
  bytes: bigint
  is_frozen: boolean
}

/** Locks the counts of a cloud until the transaction ends. Throws CLOUD_MOVING where its rows were copied into its own database. */
export async function lockCounts(run: RunStatement, cloud: CloudKey): Promise<Counts> {
  const { rows, bytes, is_frozen: isFrozen } = await lockFrozenCounts(run, cloud)
  return isFrozen ? failMoving() : { rows: Number(rows), bytes: Number(bytes) }
}

/** Locks the counts of a frozen cloud too, to delete rows that were copied. */
export async function lockFrozenCounts(
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
): Promise<LockedCounts> {
  const text =
    'select rows, bytes, is_frozen from collections.counts where account_id = $1 and cloud_id = $2 for update'
  let [counts] = await run<LockedCounts>(text, [accountId, cloudId])
  if (!counts) {
    await run(
      'insert into collections.counts (account_id, cloud_id) values ($1, $2) on conflict do nothing',
      [accountId, cloudId],
    )
    ;[counts] = await run<LockedCounts>(text, [accountId, cloudId])
  }
  return counts!
}

/** Changes the counts; call it after `lockCounts`. */
export const addCounts = async (
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  { rows, bytes }: Counts,
): Promise<void> =>
  void (await run(
    'update collections.counts set rows = rows + $3, bytes = bytes + $4 where account_id = $1 and cloud_id = $2',
    [accountId, cloudId, rows, bytes],
  ))

export async function countsOf(run: RunStatement, { accountId, cloudId }: CloudKey): Promise<Counts> {
  const [counts] = await run<{ rows: bigint; bytes: bigint }>(
    'select rows, bytes from collections.counts where account_id = $1 and cloud_id = $2',
    [accountId, cloudId],
  )
  return { rows: Number(counts?.rows ?? 0), bytes: Number(counts?.bytes ?? 0) }
}

export const collectionsOf = (
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
): Promise<CollectionRow[]> =>
  run(
    'select collection_id, name, public_read, created_at from collections.collections where account_id = $1 and cloud_id = $2 order by name collate "C"',
    [accountId, cloudId],
  )

export const countedCollections = (
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
): Promise<CountedCollection[]> =>
  run(
    `select c.collection_id, c.name, c.public_read, c.created_at, count(r.row_id) as rows, coalesce(sum(r.bytes), 0)::bigint as bytes
      from collections.collections c
      left join collections.rows r on r.account_id = c.account_id and r.cloud_id = c.cloud_id and r.collection_id = c.collection_id
      where c.account_id = $1 and c.cloud_id = $2
      group by c.account_id, c.cloud_id, c.collection_id order by c.name collate "C"`,
    [accountId, cloudId],
  )

export async function findCollection(
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  name: string,
): Promise<CollectionRow | undefined> {
  const [found] = await run<CollectionRow>(
    'select collection_id, name, public_read, created_at from collections.collections where account_id = $1 and cloud_id = $2 and name = $3',
    [accountId, cloudId, name],
  )
  return found
}

/** Returns undefined where the name is taken. */
export async function insertCollection(
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  { collection_id, name, public_read, created_at }: CollectionRow,
): Promise<CollectionRow | undefined> {
  const [inserted] = await run<CollectionRow>(
    `insert into collections.collections (account_id, cloud_id, collection_id, name, public_read, created_at)
      values ($1, $2, $3, $4, $5, $6) on conflict (account_id, cloud_id, name) do nothing
      returning collection_id, name, public_read, created_at`,
    [accountId, cloudId, collection_id, name, public_read, created_at],
  )
  return inserted
}

export async function setPublicRead(
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  name: string,
  publicRead: boolean,
): Promise<CollectionRow | undefined> {
  await lockCounts(run, { accountId, cloudId })
  const [changed] = await run<CollectionRow>(
    `update collections.collections set public_read = $4 where account_id = $1 and cloud_id = $2 and name = $3
      returning collection_id, name, public_read, created_at`,
    [accountId, cloudId, name, publicRead],
  )
  return changed
}

/** Deletes at most `limit` rows of a collection; returns their number and bytes. */
export async function deletePortion(
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  collectionId: string,
  limit: number,
): Promise<Counts> {
  const [deleted] = await run<{ rows: bigint; bytes: bigint }>(
    `with t as materialized (select r.row_id from collections.rows r
        where r.account_id = $1 and r.cloud_id = $2 and r.collection_id = $3 order by r.row_id limit $4),
      w as (delete from collections.rows r using t
        where r.account_id = $1 and r.cloud_id = $2 and r.collection_id = $3 and r.row_id = t.row_id returning r.bytes)
      select count(*) as rows, coalesce(sum(bytes), 0)::bigint as bytes from w`,
    [accountId, cloudId, collectionId, limit],
  )
  return { rows: Number(deleted!.rows), bytes: Number(deleted!.bytes) }
}

export const deleteCollectionRow = async (
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  collectionId: string,
): Promise<void> =>
  void (await run(
    'delete from collections.collections where account_id = $1 and cloud_id = $2 and collection_id = $3',
    [accountId, cloudId, collectionId],
  ))

export const tableColumns =
  'account_id, cloud_id, collection_id, row_id, owner_id, data, bytes, created_at, updated_at'

export interface NewRow {
  id: string
  ownerId: string | null
  json: string
  bytes: number
}

/** A row for callers that read all rows of a cloud, in the order of keys. */
export interface StoredRow {
  collection_id: string
  row_id: string
  owner_id: string | null
  /** The document as JSON. */
  data: string
  bytes: number
  created_at: Date
  updated_at: Date
}

export const rowsAfter = (
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  after: { collectionId: string; rowId: string },
  limit: number,
): Promise<StoredRow[]> =>
  run(
    `select collection_id, row_id, owner_id, data::text as data, bytes, created_at, updated_at from collections.rows
      where account_id = $1 and cloud_id = $2 and (collection_id, row_id) > ($3, $4) order by collection_id, row_id limit $5`,
    [accountId, cloudId, after.collectionId, after.rowId, limit],
  )

/** Inserts rows with their own times, as they were exported. */
export const restoreRows = async (
  run: RunStatement,
  { accountId, cloudId }: CloudKey,
  rows: readonly (NewRow & { collectionId: string; createdAt: Date; updatedAt: Date })[],
): Promise<void> =>
  void (await run(
    `insert into collections.rows (${tableColumns})
      select $1::uuid, $2::uuid, i.collection_id, i.row_id, i.owner_id, i.data, i.bytes, i.created_at, i.updated_at
      from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::jsonb[], $7::int[], $8::timestamptz[], $9::timestamptz[])
        as i(collection_id, row_id, owner_id, data, bytes, created_at, updated_at)`,
    [
      accountId,
      cloudId,
      rows.map(({ collectionId }) => collectionId),
      rows.map(({ id }) => id),
      rows.map(({ ownerId }) => ownerId),
      rows.map(({ json }) => json),
      rows.map(({ bytes }) => bytes),
      rows.map(({ createdAt }) => createdAt),
      rows.map(({ updatedAt }) => updatedAt),
    ],
  ))
