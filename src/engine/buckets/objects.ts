/** Objects written, moved, copied and deleted, as whoever asks may by the policies of storage.objects. */
import { randomUUID } from 'node:crypto'
import type { CloudKey } from '#engine/clouds'
import type { OpenDatabase } from '#engine/databases'
import { fail } from '#platform/errors'
import { isUuid } from '#platform/ids'
import { type ByteSource, writeBlob } from '#platform/storage'
import { asCaller, asReader, type ObjectCaller, type Run, sqlStateOf } from './as-caller.ts'
import {
  type BucketsRoom,
  decideBlobs,
  doubtBlobs,
  freeBlobs,
  keepBlob,
  keyOfBlob,
  reserveBlob,
} from './blobs.ts'
import type { BucketRow } from './bucket-store.ts'
import { largestObjectBytes, readBucket } from './manage-buckets.ts'
import * as store from './object-store.ts'

/** What an app says of the bytes that it stores. */
export interface ObjectProperties {
  contentType: string
  /** As it leaves. */
  cacheControl: string
  userMetadata: Readonly<Record<string, unknown>> | null
}

export interface NewObject extends store.ObjectPlace {
  upsert: boolean
  properties: ObjectProperties
}

export interface StoredObject {
  id: string
  version: string
}

/** The most that the bucket takes of one object. */
export const limitOf = ({ file_size_limit: limit }: BucketRow): number =>
  limit === null ? largestObjectBytes : Math.min(Number(limit), largestObjectBytes)

/** Throws OBJECT_TOO_LARGE and OBJECT_TYPE_REFUSED. */
export function requireFits(
  bucket: BucketRow,
  { bytes, contentType }: { bytes?: number | undefined; contentType?: string | undefined },
): void {
  const maxBytes = limitOf(bucket)
  if (bytes !== undefined && bytes > maxBytes) fail('OBJECT_TOO_LARGE', { maxBytes })
  const types = bucket.allowed_mime_types
  if (contentType === undefined || types === null || types.length === 0) return
  const given = contentType.split(';', 1)[0]!.trim().toLowerCase()
  const isAllowed = types.some((type) => {
    const allowed = type.trim().toLowerCase()
    return (
      allowed === given ||
      allowed === '*/*' ||
      (allowed.endsWith('/*') && given.startsWith(allowed.slice(0, -1)))
    )
  })
  if (!isAllowed) fail('OBJECT_TYPE_REFUSED', { given })
}

export interface Asking {
  app: BucketsRoom
  cloud: CloudKey
  open: OpenDatabase
  caller: ObjectCaller
}

/** Before its bytes are read: nothing is written. Throws OBJECT_DENIED and OBJECT_EXISTS. */
export const requireMayPut = (
  { app, open, caller }: Asking,
  object: NewObject,
  bytes?: number | undefined,
): Promise<unknown> => {
  const row = rowOf({ app, caller }, object, { id: randomUUID(), version: randomUUID() }, bytes)
  return named(asCaller(open, caller, (run) => write(run, row, object.upsert), { undo: true }))
}

/** Throws what `requireMayPut` throws, OBJECT_TOO_LARGE, OBJECT_TYPE_REFUSED, BUCKETS_FULL and CLOUD_NOT_FOUND. */
export async function putObject(
  asking: Asking,
  object: NewObject,
  source: Uint8Array | ByteSource,
): Promise<StoredObject> {
  const { app, cloud, open } = asking
  const bytes = source instanceof Uint8Array ? source.length : source.bytes
  requireFits(await readBucket(open, object.bucket), { bytes, contentType: object.properties.contentType })
  await requireMayPut(asking, object, bytes)
  const blob = { accountId: cloud.accountId, cloudId: cloud.cloudId, blobId: randomUUID() }
  await reserveBlob(app, blob, bytes)
  try {
    await writeBlob(app, keyOfBlob(cloud, blob.blobId), source)
  } catch (error) {
    await freeBlobs(app, cloud, [blob.blobId])
    throw error
  }
  return placeObject(asking, object, { blobId: blob.blobId, bytes })
}

/**
 * The row of bytes that are stored. Throws what the policies say against it; then the bytes are gone, unless nobody knows what has become of
 * the row.
 */
export async function placeObject(
  { app, cloud, open, caller }: Asking,
  object: NewObject,
  { blobId, bytes }: { blobId: string; bytes: number },
): Promise<StoredObject> {
  const row = rowOf({ app, caller }, object, { id: randomUUID(), version: blobId }, bytes)
  let replaced: store.ObjectRow | undefined
  try {
    replaced = await named(
      asCaller(open, caller, async (run) => {
        const old = await write(run, row, object.upsert)
        if (old?.version) await doubtBlobs(app, cloud, [old.version])
        return old
      }),
    )
  } catch (error) {
    // Where this fails too, the sweep decides.
    await decideBlobs(app, cloud, open, [blobId]).catch(() => undefined)
    throw error
  }
  const { accountId, cloudId } = cloud
  const isKept = await keepBlob(app, { accountId, cloudId, blobId })
  if (replaced?.version) await decideBlobs(app, cloud, open, [replaced.version])
  // This process stood still for so long that the sweep has decided against it.
  if (!isKept) throw new Error('The bytes of an object were reserved too long ago.')
  return { id: replaced?.id ?? row.id, version: blobId }
}

/** Returns the row that it replaces. */
async function write(
  run: Run,
  row: store.WrittenObject,
  upsert: boolean,
): Promise<store.ObjectRow | undefined> {
  if (!upsert) {
    await store.writeObject(run, row, { replaces: false })
    return undefined
  }
  await store.lockName(run, row)
  const old = await store.findObject(run, row)
  await store.writeObject(run, row, { replaces: true })
  return old
}

const rowOf = (
  { app, caller }: Pick<Asking, 'app' | 'caller'>,
  { bucket, name, properties }: NewObject,
  ids: Pick<store.WrittenObject, 'id' | 'version'>,
  bytes: number | undefined,
): store.WrittenObject => {
  const now = new Date(app.clock.nowMs())
  const size = bytes !== undefined && { size: bytes, contentLength: bytes }
  return {
    ...{ ...ids, bucket, name, now, ownerId: caller.userId ?? null, userMetadata: properties.userMetadata },
    metadata: {
      eTag: `"${ids.version}"`,
      ...size,
      mimetype: properties.contentType,
      cacheControl: properties.cacheControl,
      lastModified: now.toISOString(),
      httpStatusCode: 200,
    },
  }
}

/** Which constraint a row was refused by. */
async function named<Result>(writing: Promise<Result>): Promise<Result> {
  try {
    return await writing
  } catch (error) {
    if (sqlStateOf(error) === '23505') fail('OBJECT_EXISTS', {})
    if (sqlStateOf(error) === '23503') fail('BUCKET_NOT_FOUND', { bucket: '' })
    throw error
  }
}

/** Throws OBJECT_NOT_FOUND, also where no policy lets the caller see it. */
export const requireObject = async (
  { open, caller }: Pick<Asking, 'open' | 'caller'>,
  place: store.ObjectPlace,
): Promise<store.ObjectRow> =>
  (await asCaller(open, caller, (run) => store.findObject(run, place))) ?? fail('OBJECT_NOT_FOUND', {})

/** Whoever asks: its bucket is public, or a link of it was checked. Throws OBJECT_NOT_FOUND. */
export const readObject = async (open: OpenDatabase, place: store.ObjectPlace): Promise<store.ObjectRow> =>
  (await store.findObject(asReader(open), place)) ?? fail('OBJECT_NOT_FOUND', {})

/** Those of them that the caller may delete. */
export async function removeObjects(
  { app, cloud, open, caller }: Asking,
  bucket: string,
  names: readonly string[],
): Promise<store.ObjectRow[]> {
  const rows = await asCaller(open, caller, async (run) => {
    const gone = await store.deleteObjects(run, bucket, names)
    await doubtBlobs(app, cloud, versionsOf(gone))
    return gone
  })
  // Another row may name the same bytes where the developer has copied one by SQL.
  await decideBlobs(app, cloud, open, versionsOf(rows))
  return rows
}

const versionsOf = (rows: readonly { version: string | null }[]): string[] =>
  rows.flatMap(({ version }) => version ?? [])

/** Its bytes stay. Throws OBJECT_NOT_FOUND, OBJECT_EXISTS, OBJECT_DENIED, OBJECT_TOO_LARGE, OBJECT_TYPE_REFUSED and BUCKET_NOT_FOUND. */
export async function moveObject(
  { app, open, caller }: Asking,
  from: store.ObjectPlace,
  to: store.ObjectPlace,
): Promise<store.ObjectRow> {
  const target = await readBucket(open, to.bucket)
  return named(
    asCaller(open, caller, async (run) => {
      const row = (await store.findObject(run, from)) ?? fail('OBJECT_NOT_FOUND', {})
      if (to.bucket !== from.bucket) requireFits(target, { bytes: sizeOf(row), contentType: typeOf(row) })
      const moved = await store.renameObject(run, row.id, to, new Date(app.clock.nowMs()))
      return moved === 1 ? row : fail('OBJECT_DENIED', {})
    }),
  )
}

export const sizeOf = ({ metadata }: store.ObjectRow): number => {
  const size = Number(metadata?.['size'])
  return Number.isSafeInteger(size) && size >= 0 ? size : 0
}

export const typeOf = ({ metadata }: store.ObjectRow): string => {
  const type = metadata?.['mimetype']
  return typeof type === 'string' ? type : 'application/octet-stream'
}

export const cacheControlOf = ({ metadata }: store.ObjectRow): string => {
  const stated = metadata?.['cacheControl']
  return typeof stated === 'string' && /^[\x20-\x7e]{1,200}$/.test(stated) ? stated : 'no-cache'
}

export interface Copying {
  from: store.ObjectPlace
  to: store.ObjectPlace
  upsert: boolean
  /** In place of those of the source. */
  properties?: Partial<Pick<ObjectProperties, 'contentType' | 'cacheControl'>> | undefined
}

/** With bytes of its own. Throws OBJECT_NOT_FOUND, and what `putObject` throws. */
export async function copyObject(
  asking: Asking,
  { from, to, upsert, properties }: Copying,
): Promise<StoredObject> {
  const { app, cloud, open } = asking
  const row = await requireObject(asking, from)
  const object: NewObject = {
    ...{ ...to, upsert },
    properties: {
      contentType: properties?.contentType ?? typeOf(row),
      cacheControl: properties?.cacheControl ?? cacheControlOf(row),
      userMetadata: row.user_metadata,
    },
  }
  const bytes = sizeOf(row)
  requireFits(await readBucket(open, to.bucket), { bytes, contentType: object.properties.contentType })
  await requireMayPut(asking, object, bytes)
  const blob = { accountId: cloud.accountId, cloudId: cloud.cloudId, blobId: randomUUID() }
  await reserveBlob(app, blob, bytes)
  try {
    const source = await openBytes(app, cloud, row)
    const written = await app.storage.putUnsized(keyOfBlob(cloud, blob.blobId), source, bytes)
    // The developer has changed what the row says of its size.
    if (written.bytes !== bytes) fail('OBJECT_NOT_FOUND', {})
  } catch (error) {
    await freeBlobs(app, cloud, [blob.blobId])
    throw error
  }
  return placeObject(asking, object, { blobId: blob.blobId, bytes })
}

/** All of the bytes, or a part of them. Throws OBJECT_NOT_FOUND where the row names none of this cloud. */
export async function openBytes(
  { storage }: Pick<BucketsRoom, 'storage'>,
  cloud: CloudKey,
  { version }: Pick<store.ObjectRow, 'version'>,
  range?: { start: number; end: number },
) {
  const found =
    version !== null && isUuid(version) ? await storage.get(keyOfBlob(cloud, version), range) : undefined
  return found ?? fail('OBJECT_NOT_FOUND', {})
}
