/** SQL of storage.buckets, in the database of a cloud. */
import { Slice } from '#platform/slices'
import type { StatementRunner } from './as-caller.ts'
import { boundedText, readText, readTime } from './read-columns.ts'

export interface BucketRow {
  id: string
  name: string
  owner: string | null
  public: boolean
  file_size_limit: bigint | null
  allowed_mime_types: string[] | null
  created_at: Date
  updated_at: Date
}

const columns = `id, name, owner, coalesce(public, false) as public, file_size_limit,
  ${boundedText('pg_catalog.array_to_json(allowed_mime_types)', 'allowed_mime_types')}, created_at, updated_at`

type RawBucketRow = Record<keyof BucketRow, unknown> & { allowed_mime_types: string | null }

/** Throws OBJECT_ROW_TOO_LARGE. */
function read(row: RawBucketRow): BucketRow {
  // The JSON is an array of texts, which PostgreSQL nests six deep at most.
  const types = JSON.parse(readText(row.allowed_mime_types, 'allowed_mime_types') ?? 'null') as
    | unknown[]
    | null
  const created_at = readTime(row.created_at) ?? new Date(0)
  return {
    ...(row as RawBucketRow & Pick<BucketRow, 'id' | 'name' | 'owner' | 'public' | 'file_size_limit'>),
    allowed_mime_types: types?.filter((one) => typeof one === 'string') ?? null,
    ...{ created_at, updated_at: readTime(row.updated_at) ?? created_at },
  }
}

export async function findBucket(run: StatementRunner, id: string): Promise<BucketRow | undefined> {
  const [row] = await run<RawBucketRow>(`select ${columns} from storage.buckets where id = $1`, [id])
  return row && read(row)
}

/** Returns the public buckets with names of at most 400 bytes: no request can name a longer one. */
export const publicBuckets = async (run: StatementRunner, limit: number): Promise<string[]> => {
  const rows = await run<{ id: string }>(
    'select id from storage.buckets where public and pg_catalog.octet_length(id) <= 400 order by id limit $1',
    [limit],
  )
  return rows.map(({ id }) => id)
}

const sortable = ['id', 'name', 'created_at', 'updated_at'] as const
export type BucketSort = (typeof sortable)[number]
export const isBucketSort = (text: string): text is BucketSort =>
  (sortable as readonly string[]).includes(text)

export interface BucketsQuery {
  search: string
  column: BucketSort
  isDescending: boolean
  limit: number
  offset: number
}

export async function listBuckets(
  run: StatementRunner,
  { search, column, isDescending, limit, offset }: BucketsQuery,
): Promise<BucketRow[]> {
  const rows = await run<RawBucketRow>(
    `select ${columns} from storage.buckets where pg_catalog.strpos(pg_catalog.lower(name), pg_catalog.lower($1)) > 0 or $1 = ''
    order by ${column} ${isDescending ? 'desc' : 'asc'}, id limit $2 offset $3`,
    [search, limit, offset],
  )
  const slice = new Slice()
  const buckets: BucketRow[] = []
  for (const row of rows) {
    buckets.push(read(row))
    if (slice.isOver()) await slice.next()
  }
  return buckets
}

export interface NewBucket {
  id: string
  owner: string | null
  isPublic: boolean
  fileSizeLimit: number | null
  allowedMimeTypes: readonly string[] | null
  now: Date
}

export const insertBucket = (run: StatementRunner, bucket: NewBucket): Promise<unknown> =>
  run(
    `insert into storage.buckets
      (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types, created_at, updated_at)
    values ($1, $1, $2::uuid, $2::text, $3, $4, $5, $6, $6)`,
    [bucket.id, bucket.owner, bucket.isPublic, bucket.fileSizeLimit, bucket.allowedMimeTypes, bucket.now],
  )

export type BucketChange = Partial<Pick<NewBucket, 'isPublic' | 'fileSizeLimit' | 'allowedMimeTypes'>>

/** Returns how many rows the policies let it change. */
export async function updateBucket(
  run: StatementRunner,
  id: string,
  change: BucketChange,
  now: Date,
): Promise<number> {
  const rows = await run<{ n: bigint }>(
    `with changed as (
      update storage.buckets set updated_at = $2, public = coalesce($3, public),
        file_size_limit = case when $4 then $5 else file_size_limit end,
        allowed_mime_types = case when $6 then $7 else allowed_mime_types end
      where id = $1 returning 1
    ) select count(*) as n from changed`,
    [
      ...[id, now, change.isPublic ?? null],
      ...[change.fileSizeLimit !== undefined, change.fileSizeLimit ?? null],
      ...[change.allowedMimeTypes !== undefined, change.allowedMimeTypes ?? null],
    ],
  )
  return Number(rows[0]!.n)
}

export async function deleteBucket(run: StatementRunner, id: string): Promise<number> {
  const rows = await run<{ n: bigint }>(
    `with gone as (delete from storage.buckets where id = $1 returning 1) select count(*) as n from gone`,
    [id],
  )
  return Number(rows[0]!.n)
}
