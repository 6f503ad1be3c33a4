/** Reads objects: their bytes, in parts too, and what is known about them. */
import {
  cacheControlOf,
  findBucket,
  isPossiblyPublic,
  type ObjectRow,
  openBytes,
  parseObjectPlace,
  readLink,
  readObject,
  refreshPublicBuckets,
  requireObject,
  sizeOf,
  typeOf,
} from '#cloud/buckets'
import { sandboxPolicy } from '#platform/apps'
import { Failure, fail } from '#platform/errors'
import { attachment, isNotModified, requestedRange } from '#platform/http'
import type { AppCall, AppReply } from '../area.ts'
import { withDatabase, withObjectContext } from './asking.ts'
import { jsonReply, objectText } from './json-text.ts'
import { storageFailureReply } from './refused.ts'

export interface ReadableObject {
  row: ObjectRow
  /** Whether only the user of this session may keep the answer in a cache, or everybody. */
  isPrivate: boolean
}

/** Throws OBJECT_NOT_FOUND, and BUCKET_NOT_FOUND, also where the bucket is not public; then a caller without a key wakes no database. */
export async function publicObject(call: AppCall, rest: string): Promise<ReadableObject> {
  const place = parseObjectPlace(rest)
  const { app, cloud, caller } = call
  const isKnown = await isPossiblyPublic(app.buckets, cloud, place.bucket)
  if (!isKnown && caller.role === 'none') fail('BUCKET_NOT_FOUND', { bucket: place.bucket })
  return withDatabase(call, async (open) => {
    const bucket = await findBucket(open, place.bucket)
    // The bucket was changed by code of the app, or nothing was known.
    if ((bucket?.public ?? false) !== isKnown) await refreshPublicBuckets(app.buckets, cloud, open)
    if (!bucket?.public) fail('BUCKET_NOT_FOUND', { bucket: place.bucket })
    return { row: await readObject(open, place), isPrivate: false }
  })
}

export async function objectBySession(call: AppCall, rest: string): Promise<ReadableObject> {
  refuseOtherVersions(call)
  const place = parseObjectPlace(rest)
  return { row: await withObjectContext(call, (context) => requireObject(context, place)), isPrivate: true }
}

export async function objectByLink(call: AppCall, rest: string, to: 'read' | 'render') {
  const place = parseObjectPlace(rest)
  const { app, cloud, query } = call
  const link = await readLink(app, cloud, query.get('token'), { ...place, to })
  const row = await withDatabase(call, (open) => readObject(open, place))
  return { row, link, isPrivate: true }
}

export const readPublic = async (call: AppCall, rest: string): Promise<AppReply> =>
  sendObject(call, await publicObject(call, rest))

export const readBySession = async (call: AppCall, rest: string): Promise<AppReply> =>
  sendObject(call, await objectBySession(call, rest))

export const readLinked = async (call: AppCall, rest: string): Promise<AppReply> =>
  sendObject(call, await objectByLink(call, rest, 'read'))

/** Refuses to read another version: objects have one. */
export function refuseOtherVersions({ query }: AppCall): void {
  if (query.has('versionId')) fail('BUCKETS_NOT_OFFERED', { what: 'versions' })
}

async function sendObject(call: AppCall, { row, isPrivate }: ReadableObject): Promise<AppReply> {
  const { app, cloud, headers, method } = call
  const size = sizeOf(row)
  const etag = `"${row.version}"`
  const always = headersOf(call, row, { etag, isPrivate })
  if (isNotModified(headers, etag) || isUnchanged(call, row)) return { status: 304, headers: always }
  const part = method === 'GET' ? requestedRange(headers, etag, size) : 'whole'
  if (part === 'beyond') return beyond(call, size)
  const range = part === 'whole' ? undefined : part
  const length = range ? range.end - range.start + 1 : size
  const partly = range && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }
  const answer = { ...always, ...partly, 'content-length': String(length) }
  const status = range ? 206 : 200
  if (method === 'HEAD' || size === 0) return { status, headers: answer }
  return { status, headers: answer, body: await openBytes(app.buckets, cloud, row, range) }
}

/** Whether the object is unchanged since the client's time, which counts without an ETag (RFC 9110, section 13.1.3). */
function isUnchanged({ headers }: AppCall, row: ObjectRow): boolean {
  const since = headers['if-modified-since']
  if (since === undefined || headers['if-none-match'] !== undefined) return false
  const changedAt = Math.floor((row.updated_at?.getTime() ?? Number.POSITIVE_INFINITY) / 1000)
  return changedAt * 1000 <= Date.parse(since)
}

function beyond(call: AppCall, bytes: number): AppReply {
  const failure = new Failure('RANGE_NOT_SATISFIABLE', { bytes }, {})
  const { body } = storageFailureReply(failure, call)
  return { status: failure.status, headers: { 'content-range': `bytes */${bytes}` }, body }
}

export function headersOf(
  { query }: AppCall,
  row: ObjectRow,
  { etag, isPrivate }: { etag: string; isPrivate: boolean },
): Record<string, string> {
  const cache = cacheControlOf(row)
  const download = query.get('download')
  const ownName = row.name.slice(row.name.lastIndexOf('/') + 1)
  return {
    etag,
    'content-type': typeOf(row),
    'accept-ranges': 'bytes',
    ...(row.updated_at && { 'last-modified': row.updated_at.toUTCString() }),
    'cache-control': isPrivate
      ? `private, ${cache.replace(/\bpublic\b\s*,?\s*/gi, '') || 'no-cache'}`
      : cache,
    // Where two users share a browser, the second never gets what the first has fetched.
    ...(isPrivate && { vary: 'authorization, apikey' }),
    // Nothing that an app has stored runs in the origin of its back-end.
    'content-security-policy': sandboxPolicy,
    ...(download !== null && { 'content-disposition': attachment((download || ownName).slice(0, 255)) }),
  }
}

export async function showObject(call: AppCall, rest: string): Promise<AppReply> {
  const { row } = call.path.startsWith('/object/info/public/')
    ? await publicObject(call, rest)
    : await objectBySession(call, rest)
  const text = objectText(
    {
      id: row.id,
      name: row.name,
      bucket_id: row.bucket_id,
      version: row.version,
      size: sizeOf(row),
      content_type: typeOf(row),
      cache_control: cacheControlOf(row),
      etag: `"${row.version}"`,
      created_at: row.created_at?.toISOString() ?? null,
      last_modified: row.updated_at?.toISOString() ?? null,
    },
    { metadata: row.user_metadata },
  )
  return jsonReply(text)
}
