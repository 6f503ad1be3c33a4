/** Buckets of `/storage/v1`. */
import { Type } from 'typebox'
import {
  type BucketRow,
  bucketName,
  changeBucket,
  createBucket as create,
  decodePath,
  deleteBucket as drop,
  emptyBucket as empty,
  isBucketSort,
  listBucketsAs,
  mediaTypes,
  requireBucket,
  sizeLimit,
  withPublicListRefresh,
} from '#cloud/buckets'
import type { OpenDatabase } from '#cloud/databases'
import { fail } from '#platform/errors'
import { listJson } from '#platform/json'
import type { AppCall, AppReply } from '../area.ts'
import { bodyOf, objectCaller, withDatabase } from './asking.ts'
import { boundedInteger } from './bounds.ts'
import { jsonReply } from './json-text.ts'

const Body = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  public: Type.Optional(Type.Boolean()),
  file_size_limit: Type.Optional(Type.Unknown()),
  allowed_mime_types: Type.Optional(Type.Unknown()),
  type: Type.Optional(Type.String()),
  versioning_status: Type.Optional(Type.String()),
})

interface BucketRequest {
  id?: string
  name?: string
  public?: boolean
  file_size_limit?: unknown
  allowed_mime_types?: unknown
  type?: string
  versioning_status?: string
}

/** Throws BUCKET_INVALID and BUCKETS_NOT_OFFERED. */
function bucketFields(body: BucketRequest) {
  if (body.type !== undefined && body.type !== 'STANDARD') fail('BUCKETS_NOT_OFFERED', { what: 'analytics' })
  if (body.versioning_status !== undefined && body.versioning_status !== 'DISABLED')
    fail('BUCKETS_NOT_OFFERED', { what: 'versions' })
  const { file_size_limit: limit, allowed_mime_types: types } = body
  return {
    ...(body.public !== undefined && { isPublic: body.public }),
    ...(limit !== undefined && { fileSizeLimit: sizeLimit(limit) }),
    ...(types !== undefined && { allowedMimeTypes: mediaTypes(types) }),
  }
}

const changeBuckets = (call: AppCall, work: (open: OpenDatabase) => Promise<void>): Promise<void> =>
  withPublicListRefresh(call.app.buckets, call.cloud, () => withDatabase(call, work))

export async function createBucket(call: AppCall): Promise<AppReply> {
  const body = await bodyOf<BucketRequest>(call, Body)
  const id = bucketName(body.id ?? body.name ?? '')
  const bucket = { isPublic: false, fileSizeLimit: null, allowedMimeTypes: null, ...bucketFields(body), id }
  await changeBuckets(call, (open) => create(call.app, open, objectCaller(call), bucket))
  return { status: 200, body: { name: id } }
}

const toBucket = (row: BucketRow) => ({
  id: row.id,
  name: row.name,
  owner: row.owner ?? '',
  public: row.public,
  type: 'STANDARD',
  file_size_limit: row.file_size_limit === null ? null : Number(row.file_size_limit),
  allowed_mime_types: row.allowed_mime_types,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

export async function showBucket(call: AppCall, rest: string): Promise<AppReply> {
  const row = await withDatabase(call, (open) =>
    requireBucket(open, objectCaller(call), bucketName(decodePath(rest))),
  )
  return { status: 200, body: toBucket(row) }
}

const maxBuckets = 1_000

export async function listBuckets(call: AppCall): Promise<AppReply> {
  const { query } = call
  const column = query.get('sortColumn') ?? 'name'
  const rows = await withDatabase(call, (open) =>
    listBucketsAs(open, objectCaller(call), {
      search: (query.get('search') ?? '').slice(0, 100),
      column: isBucketSort(column) ? column : 'name',
      isDescending: query.get('sortOrder') === 'desc',
      limit: boundedInteger(query.get('limit'), { standard: maxBuckets, max: maxBuckets, param: 'limit' }),
      offset: boundedInteger(query.get('offset'), { standard: 0, max: 1_000_000, param: 'offset' }),
    }),
  )
  return jsonReply(await listJson(rows.map(toBucket)))
}

export async function updateBucket(call: AppCall, rest: string): Promise<AppReply> {
  const id = bucketName(decodePath(rest))
  const change = bucketFields(await bodyOf<BucketRequest>(call, Body))
  await changeBuckets(call, (open) =>
    changeBucket(call.app, open, { caller: objectCaller(call), id, change }),
  )
  return { status: 200, body: { message: 'Successfully updated' } }
}

export async function deleteBucket(call: AppCall, rest: string): Promise<AppReply> {
  await changeBuckets(call, (open) => drop(open, objectCaller(call), bucketName(decodePath(rest))))
  return { status: 200, body: { message: 'Successfully deleted' } }
}

export async function emptyBucket(call: AppCall, rest: string): Promise<AppReply> {
  const { app, cloud, gone } = call
  const id = bucketName(decodePath(rest))
  await withDatabase(call, (open) =>
    empty(app.buckets, cloud, open, { caller: objectCaller(call), id, gone }),
  )
  return { status: 200, body: { message: 'Successfully emptied' } }
}
