import { findAppFile, listAppFiles } from '#cloud/app-files'
import { listAllBuckets, listAllObjects, type ObjectSummary, sizeOf, typeOf } from '#cloud/buckets'
import { type CloudKey, keyOf } from '#cloud/clouds'
import { JsonText } from '#platform/http'
import { listJson } from '#platform/json'
import { cutPage, type Page } from '#platform/lists'
import type { StorageRoutesApp } from '../app.ts'
import type { CloudContext } from '../clouds/create.ts'
import { requireCloud } from '../require-cloud.ts'
import { shownBucket } from './create.ts'
import type { FilesQuery } from './schema.ts'

interface FileEntry {
  id: string
  name: string
  bucket: string | null
  media_type: string
  bytes: number
  user_id: string | null
  created_at: string
}

/** Lists files without their contents: files of users first, then objects of buckets, each newest first. */
export async function listFiles({
  app,
  caller,
  params,
  query,
}: CloudContext<StorageRoutesApp, unknown, FilesQuery>) {
  const row = await requireCloud(app, caller, params.id, { ready: true })
  const cloud = keyOf(row)
  const files = await filesPage(app.db, cloud, query)
  if (row.plan === 'starter') return answer(files, [])
  return app.databases.use(cloud, async (open) => {
    const buckets = await listAllBuckets(open)
    if (files.hasMore) return answer(files, buckets.map(shownBucket))
    const left = query.limit - files.rows.length
    const isAfterFile = files.rows.length > 0 || files.isOfFiles
    const after = isAfterFile ? undefined : query.after_id
    // One more object is read, to know whether there are more.
    const objects = cutPage(await listAllObjects(open, { limit: left + 1, after }), left)
    const rows = [...files.rows, ...objects.rows.map(shownObject)]
    return answer({ rows, hasMore: objects.hasMore }, buckets.map(shownBucket))
  })
}

/** What the developer has written into the rows of buckets may be megabytes. */
async function answer(
  { rows, hasMore }: Page<FileEntry>,
  buckets: ReturnType<typeof shownBucket>[],
): Promise<JsonText> {
  const rest = JSON.stringify({ data: rows, has_more: hasMore, last_id: rows.at(-1)?.id ?? null })
  return new JsonText(`${rest.slice(0, -1)},"buckets":${await listJson(buckets)}}`)
}

/** Returns a page of files; `isOfFiles` says that it begins among the files. */
async function filesPage(
  db: Parameters<typeof listAppFiles>[0],
  cloud: CloudKey,
  query: FilesQuery,
): Promise<Page<FileEntry> & { isOfFiles: boolean }> {
  const { after_id: after } = query
  const isOfFiles = after === undefined || (await findAppFile(db, cloud, after)) !== undefined
  if (!isOfFiles) return { rows: [], hasMore: false, isOfFiles }
  const page = await listAppFiles(db, cloud, query)
  const rows = page.rows.map((file) => ({
    id: file.file_id,
    name: file.name,
    bucket: null,
    media_type: file.media_type,
    bytes: Number(file.bytes),
    user_id: file.user_id,
    created_at: file.created_at.toISOString(),
  }))
  return { rows, hasMore: page.hasMore, isOfFiles }
}

const shownObject = (row: ObjectSummary): FileEntry => ({
  id: row.id,
  name: row.name,
  bucket: row.bucket_id,
  media_type: typeOf(row),
  bytes: sizeOf(row),
  user_id: row.owner,
  created_at: (row.created_at ?? new Date(0)).toISOString(),
})
