/** Writes and copies objects, as the policies of storage.objects allow the caller. */
import { randomUUID } from 'node:crypto'
import type { CloudKey } from '#cloud/clouds'
import type { OpenDatabase } from '#cloud/databases'
import { fail } from '#platform/errors'
import { type ByteSource, writeBlob } from '#platform/storage'
import type { BucketsApp } from './app.ts'
import {
  isForeignKeyViolation,
  isUniqueViolation,
  type ObjectCaller,
  runAsCaller,
  type StatementRunner,
} from './as-caller.ts'
import { abandonBlobs, keepBlob, keyOfBlob, markUnresolved, reserveBlob, resolveBlobs } from './blobs.ts'
import { requireFits } from './bucket-limits.ts'
import { readBucket } from './manage-buckets.ts'
import * as store from './object-store.ts'
import { cacheControlOf, openBytes, requireObject, sizeOf, typeOf } from './read-objects.ts'

/** What an app states about the bytes that it stores. */
export interface ObjectProperties {
  contentType: string
  /** The header as it is sent in answers. */
  cacheControl: string
  /** A JSON object. */
  userMetadata: string | null
}

export interface NewObject extends store.ObjectPlace {
  upsert: boolean
  properties: ObjectProperties
}

export interface StoredObject {
  id: string
  version: string
}

export interface ObjectContext {
  app: BucketsApp
  cloud: CloudKey
  open: OpenDatabase
  caller: ObjectCaller
}

/**
 * Checks before the bytes are read that the caller may store the object; nothing is written. Throws OBJECT_DENIED, OBJECT_EXISTS and
 * BUCKET_NOT_FOUND.
 */
export const requireCanStore = (
  { app, open, caller }: ObjectContext,
  object: NewObject,
  bytes?: number | undefined,
): Promise<unknown> => {
  const row = rowOf({ app, caller }, object, { id: randomUUID(), version: randomUUID() }, bytes)
  const writing = runAsCaller(open, caller, (run) => write(run, row, object.upsert), { undo: true })
  return withObjectRefusals(object.bucket, writing)
}

/** Throws what `requireCanStore` throws, OBJECT_TOO_LARGE, OBJECT_TYPE_REFUSED, BUCKETS_FULL and CLOUD_NOT_FOUND. */
export function putObject(
  context: ObjectContext,
  object: NewObject,
  source: Uint8Array | ByteSource,
): Promise<StoredObject> {
  const bytes = source instanceof Uint8Array ? source.length : source.bytes
  return storeObject(context, object, bytes, (key) => writeBlob(context.app, key, source))
}

export interface CopyOptions {
  from: store.ObjectPlace
  to: store.ObjectPlace
  upsert: boolean
  /** They replace the properties of the source. */
  properties?: Partial<Pick<ObjectProperties, 'contentType' | 'cacheControl'>> | undefined
}

/** Copies an object and its bytes. Throws OBJECT_NOT_FOUND, and what `putObject` throws. */
export async function copyObject(
  context: ObjectContext,
  { from, to, upsert, properties }: CopyOptions,
): Promise<StoredObject> {
  const { app, cloud } = context
  const row = await requireObject(context, from)
  const object: NewObject = {
    ...{ ...to, upsert },
    properties: {
      contentType: properties?.contentType ?? typeOf(row),
      cacheControl: properties?.cacheControl ?? cacheControlOf(row),
      userMetadata: row.user_metadata,
    },
  }
  const bytes = sizeOf(row)
  return storeObject(context, object, bytes, async (key) => {
    const written = await app.storage.putUnsized(key, await openBytes(app, cloud, row), bytes)
    // The developer has changed the size in the row.
    if (written.bytes !== bytes) fail('OBJECT_NOT_FOUND', {})
  })
}

/** Counts the bytes, writes them and names them by a row, in this order; refused bytes are no longer counted. */
async function storeObject(
  context: ObjectContext,
  object: NewObject,
  bytes: number,
  writeBytes: (key: string) => Promise<void>,
): Promise<StoredObject> {
  const { app, cloud, open } = context
  app.storage.requireRoom()
  requireFits(await readBucket(open, object.bucket), { bytes, contentType: object.properties.contentType })
  await requireCanStore(context, object, bytes)
  const { accountId, cloudId } = cloud
  const blobId = randomUUID()
  await reserveBlob(app, { accountId, cloudId, blobId }, bytes)
  try {
    await writeBytes(keyOfBlob(cloud, blobId))
  } catch (error) {
    await abandonBlobs(app, cloud, [blobId])
    throw error
  }
  try {
    return await placeObject(context, object, { blobId, bytes })
  } catch (error) {
    // Where this fails too, the sweep resolves the blob.
    await resolveBlobs(app, cloud, open, [blobId]).catch(() => undefined)
    throw error
  }
}

/** This process stood still for so long that the bytes it has written are no longer counted. */
export class BytesGone extends Error {
  constructor() {
    super('The bytes of an object were reserved too long ago.')
  }
}

/** Writes the row of bytes that are stored. Throws what the policies refuse, and BytesGone. */
export async function placeObject(
  { app, cloud, open, caller }: ObjectContext,
  object: NewObject,
  { blobId, bytes }: { blobId: string; bytes: number },
): Promise<StoredObject> {
  const row = rowOf({ app, caller }, object, { id: randomUUID(), version: blobId }, bytes)
  const placing = runAsCaller(open, caller, async (run) => {
    const old = await write(run, row, object.upsert)
    const found = await markUnresolved(app, cloud, [blobId, ...(old?.version ? [old.version] : [])])
    if (!found.includes(blobId)) throw new BytesGone()
    return old
  })
  const replaced = await withObjectRefusals(object.bucket, placing)
  const isKept = await keepBlob(app, cloud, blobId)
  if (replaced?.version) await resolveBlobs(app, cloud, open, [replaced.version])
  if (!isKept) throw new BytesGone()
  return { id: replaced?.id ?? row.id, version: blobId }
}

/** Returns the row that it replaces. */
async function write(
  run: StatementRunner,
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
  { app, caller }: Pick<ObjectContext, 'app' | 'caller'>,
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

/** Turns violated constraints of storage.objects into OBJECT_EXISTS and BUCKET_NOT_FOUND. */
export async function withObjectRefusals<Result>(bucket: string, writing: Promise<Result>): Promise<Result> {
  try {
    return await writing
  } catch (error) {
    if (isUniqueViolation(error)) fail('OBJECT_EXISTS', {})
    if (isForeignKeyViolation(error)) fail('BUCKET_NOT_FOUND', { bucket })
    throw error
  }
}
