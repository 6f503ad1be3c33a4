/** SQL of storage.objects, in the database of a cloud. Statements that run as the caller are filtered by the policies of the table. */
import type { StatementRunner } from './as-caller.ts'
import { boundedObject, readText, readTime } from './read-columns.ts'

interface Times {
  created_at: Date | null
  updated_at: Date | null
  last_accessed_at: Date | null
}

/** `size`, `mimetype` and `cache_control` are what this service wrote of the bytes, unless the developer has changed it. */
export interface ObjectSummary extends Times {
  id: string
  bucket_id: string
  name: string
  owner: string | null
  owner_id: string | null
  version: string | null
  size: string | null
  mimetype: string | null
  cache_control: string | null
}

/** Each of the two is a JSON object, as text. */
interface Metadata {
  metadata: string | null
  user_metadata: string | null
}

export type ObjectRow = ObjectSummary & Metadata

const maxMemberLength = 300
const member = (name: string): string =>
  `pg_catalog.left(pg_catalog.jsonb_extract_path_text(metadata, '${name}'), ${maxMemberLength})`

const about = `id, bucket_id, name, owner, owner_id, version, created_at, updated_at, last_accessed_at,
  ${member('size')} as size, ${member('mimetype')} as mimetype, ${member('cacheControl')} as cache_control`
const columns = `${about}, ${boundedObject('metadata')}, ${boundedObject('user_metadata')}`

/** Reads a row: invalid dates become null, and texts are checked. Throws OBJECT_ROW_TOO_LARGE. */
const read = <Row extends Times & Partial<Metadata>>(row: Row): Row => ({
  ...row,
  created_at: readTime(row.created_at),
  updated_at: readTime(row.updated_at),
  last_accessed_at: readTime(row.last_accessed_at),
  ...(row.metadata !== undefined && { metadata: readText(row.metadata, 'metadata') }),
  ...(row.user_metadata !== undefined && { user_metadata: readText(row.user_metadata, 'user_metadata') }),
})

const rowsOf = async <Row extends Times & Partial<Metadata> = ObjectRow>(
  run: StatementRunner,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> => (await run<Row>(text, values)).map(read)

export interface ObjectPlace {
  bucket: string
  name: string
}

export async function findObject(
  run: StatementRunner,
  { bucket, name }: ObjectPlace,
): Promise<ObjectRow | undefined> {
  const [row] = await rowsOf(
    run,
    `select ${columns} from storage.objects where bucket_id = $1 and name = $2`,
    [bucket, name],
  )
  return row
}

export const findObjects = (
  run: StatementRunner,
  bucket: string,
  names: readonly string[],
): Promise<ObjectSummary[]> =>
  rowsOf(run, `select ${about} from storage.objects where bucket_id = $1 and name = any($2::text[])`, [
    bucket,
    names,
  ])

/** Until the transaction ends, nobody else writes an object of this name through this service. */
export const lockName = (run: StatementRunner, { bucket, name }: ObjectPlace): Promise<unknown> =>
  run('select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 0))', [`${bucket}/${name}`])

export interface WrittenObject extends ObjectPlace {
  id: string
  version: string
  ownerId: string | null
  metadata: Readonly<Record<string, unknown>>
  /** A JSON object. */
  userMetadata: string | null
  now: Date
}

/**
 * Writes an object. `replaces` allows it to replace one of its name, if the policies do too. Nothing is read back: a caller who may write need not be
 * able to read.
 */
export const writeObject = (
  run: StatementRunner,
  object: WrittenObject,
  { replaces }: { replaces: boolean },
) =>
  run(
    `insert into storage.objects
      (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata, created_at, updated_at, last_accessed_at)
    values ($1, $2, $3, $4::uuid, $4::text, $5, $6, $7, $8, $8, $8)${
      replaces
        ? ` on conflict (bucket_id, name) do update set owner = excluded.owner, owner_id = excluded.owner_id,
        version = excluded.version, metadata = excluded.metadata, user_metadata = excluded.user_metadata,
        updated_at = excluded.updated_at`
        : ''
    }`,
    [
      ...[object.id, object.bucket, object.name, object.ownerId, object.version],
      ...[JSON.stringify(object.metadata), object.userMetadata],
      object.now,
    ],
  )

/** Renames an object, whose bytes stay where they are. Returns how many rows the policies let it move. */
export async function renameObject(
  run: StatementRunner,
  id: string,
  { bucket, name }: ObjectPlace,
  now: Date,
): Promise<number> {
  const rows = await run<{ n: bigint }>(
    `with moved as (
      update storage.objects set bucket_id = $2, name = $3, updated_at = $4 where id = $1 returning 1
    ) select count(*) as n from moved`,
    [id, bucket, name, now],
  )
  return Number(rows[0]!.n)
}

export const deleteObjects = (
  run: StatementRunner,
  bucket: string,
  names: readonly string[],
): Promise<ObjectRow[]> =>
  rowsOf(
    run,
    `delete from storage.objects where bucket_id = $1 and name = any($2::text[]) returning ${columns}`,
    [bucket, names],
  )

export const deleteSome = (
  run: StatementRunner,
  bucket: string,
  limit: number,
): Promise<{ version: string | null }[]> =>
  run(
    `delete from storage.objects where id = any(array(select id from storage.objects where bucket_id = $1 limit $2))
    returning version`,
    [bucket, limit],
  )

/** Returns which of these versions rows name, whoever may see the rows. */
export const referencedVersions = async (
  run: StatementRunner,
  versions: readonly string[],
): Promise<string[]> => {
  const rows = await run<{ version: string }>(
    'select version from storage.objects where version = any($1::text[])',
    [versions],
  )
  return rows.map(({ version }) => version)
}

const sortable = ['name', 'updated_at', 'created_at', 'last_accessed_at'] as const
export type SortColumn = (typeof sortable)[number]
export const isSortColumn = (text: string): text is SortColumn =>
  (sortable as readonly string[]).includes(text)

export interface FolderQuery {
  bucket: string
  /** Empty, or a path with a slash at its end. */
  folder: string
  /** What the names in the folder begin with. */
  search: string
  limit: number
  offset: number
  column: SortColumn
  isDescending: boolean
}

export interface FolderEntry extends Times, Pick<Metadata, 'metadata'> {
  name: string
  /** Null for a folder. */
  id: string | null
}

/**
 * Lists the direct entries of a folder. Folders come first when sorted by a date, which they do not have; sorted by name they are among the files.
 */
export const listFolder = (run: StatementRunner, query: FolderQuery): Promise<FolderEntry[]> => {
  const { bucket, folder, search, limit, offset, column, isDescending } = query
  const direction = isDescending ? 'desc' : 'asc'
  return rowsOf(
    run,
    `with within as (
      select o.*, pg_catalog.substr(o.name, pg_catalog.length($2::text) + 1) as rest from storage.objects o
      where o.bucket_id = $1 and pg_catalog.starts_with(o.name, $2::text || $3::text)
        and o.name >= ($2::text || $3::text)
    ), entries as (
      select rest as entry, id, metadata, created_at, updated_at, last_accessed_at
      from within where pg_catalog.strpos(rest, '/') = 0
      union all
      select distinct pg_catalog.split_part(rest, '/', 1), null::uuid, null::jsonb, null::timestamptz,
        null::timestamptz, null::timestamptz
      from within where pg_catalog.strpos(rest, '/') > 0
    )
    select entry as name, id, ${boundedObject('metadata')}, created_at, updated_at, last_accessed_at from entries
    order by ${column === 'name' ? 'entry' : column} ${direction} nulls first, entry ${direction}, id is null desc
    limit $4 offset $5`,
    [bucket, folder, search, limit, offset],
  )
}

export interface KeysQuery {
  bucket: string
  prefix: string
  withFolders: boolean
  limit: number
  column: 'name' | 'updated_at' | 'created_at'
  isDescending: boolean
  /** The last entry of the previous page. */
  after?: { value: string; name: string } | undefined
}

/** Lists objects by whole names; with folders, names that go on behind a slash are one entry. */
export const listKeys = (
  run: StatementRunner,
  { bucket, prefix, withFolders, limit, column, isDescending, after }: KeysQuery,
): Promise<(FolderEntry & { sorted_by: string | null })[]> => {
  const direction = isDescending ? 'desc' : 'asc'
  const isBeyond = isDescending ? '<' : '>'
  const value = column === 'name' ? 'key' : `coalesce(${column}::text, '')`
  return rowsOf(
    run,
    `with within as (
      select o.*, pg_catalog.substr(o.name, pg_catalog.length($2::text) + 1) as rest from storage.objects o
      where o.bucket_id = $1 and pg_catalog.starts_with(o.name, $2::text) and o.name >= $2::text
    ), entries as (
      select name as key, id, metadata, created_at, updated_at, last_accessed_at
      from within where not $3::boolean or pg_catalog.strpos(rest, '/') = 0
      union all
      select distinct $2::text || pg_catalog.split_part(rest, '/', 1) || '/', null::uuid, null::jsonb,
        null::timestamptz, null::timestamptz, null::timestamptz
      from within where $3::boolean and pg_catalog.strpos(rest, '/') > 0
    ), placed as (select entries.*, ${value} collate "C" as sorted_by from entries)
    select key as name, id, ${boundedObject('metadata')}, created_at, updated_at, last_accessed_at, sorted_by from placed
    where $5::text is null or (sorted_by, key collate "C") ${isBeyond} ($5::text, $6::text)
    order by sorted_by ${direction}, key collate "C" ${direction} limit $4`,
    [bucket, prefix, withFolders, limit, after?.value ?? null, after?.name ?? null],
  )
}

/** Lists objects of all buckets, newest first; `after` is the id of the last object of the previous page. */
export const listAllObjects = (
  run: StatementRunner,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<ObjectSummary[]> =>
  rowsOf(
    run,
    `select ${about} from storage.objects o where $2::uuid is null
      or (coalesce(o.created_at, 'epoch'), o.id) < (select coalesce(l.created_at, 'epoch'), l.id from storage.objects l where l.id = $2::uuid)
    order by coalesce(o.created_at, 'epoch') desc, o.id desc limit $1`,
    [limit, after ?? null],
  )
