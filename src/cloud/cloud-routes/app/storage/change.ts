/** Moves, copies and deletes objects. */
import { Type } from 'typebox'
import {
  bucketName,
  copyObject as copy,
  decodePath,
  moveObject as move,
  type ObjectRow,
  type ObjectSummary,
  objectName,
  parseObjectPlace,
  removeObjects as remove,
} from '#cloud/buckets'
import { fail } from '#platform/errors'
import type { AppCall, AppReply } from '../area.ts'
import { bodyOf, withObjectContext } from './asking.ts'
import { jsonReply, listText, objectText } from './json-text.ts'
import { propertiesOf } from './store.ts'

const Place = {
  bucketId: Type.String(),
  sourceKey: Type.String(),
  destinationKey: Type.String(),
  destinationBucket: Type.Optional(Type.String()),
  sourceVersionId: Type.Optional(Type.Unknown()),
}
const MoveBody = Type.Object(Place)
const CopyBody = Type.Object({
  ...Place,
  copyMetadata: Type.Optional(Type.Boolean()),
  metadata: Type.Optional(
    Type.Object({ cacheControl: Type.Optional(Type.String()), mimetype: Type.Optional(Type.String()) }),
  ),
})

interface MoveOrCopyRequest {
  bucketId: string
  sourceKey: string
  destinationKey: string
  destinationBucket?: string
  sourceVersionId?: unknown
  copyMetadata?: boolean
  metadata?: { cacheControl?: string; mimetype?: string }
}

function placesOf(body: MoveOrCopyRequest) {
  if (body.sourceVersionId !== undefined) fail('BUCKETS_NOT_OFFERED', { what: 'versions' })
  const trimmed = (key: string): string => key.replace(/^\/+/, '')
  const from = { bucket: bucketName(body.bucketId), name: objectName(trimmed(body.sourceKey)) }
  const bucket = body.destinationBucket === undefined ? from.bucket : bucketName(body.destinationBucket)
  return { from, to: { bucket, name: objectName(trimmed(body.destinationKey)) } }
}

export async function moveObject(call: AppCall): Promise<AppReply> {
  const { from, to } = placesOf(await bodyOf<MoveOrCopyRequest>(call, MoveBody))
  const row = await withObjectContext(call, (context) => move(context, from, to))
  return {
    status: 200,
    body: { message: 'Successfully moved', Id: row.id, Key: `${to.bucket}/${to.name}` },
  }
}

export async function copyObject(call: AppCall): Promise<AppReply> {
  const body = await bodyOf<MoveOrCopyRequest>(call, CopyBody)
  const { from, to } = placesOf(body)
  const upsert = call.headers['x-upsert'] === 'true'
  const stored = await withObjectContext(call, (context) =>
    copy(context, { from, to, upsert, properties: copiedProperties(body) }),
  )
  return { status: 200, body: { Id: stored.id, Key: `${to.bucket}/${to.name}` } }
}

/** Throws INVALID_REQUEST. */
function copiedProperties({ copyMetadata, metadata = {} }: MoveOrCopyRequest) {
  if (copyMetadata !== false) return undefined
  const { contentType, cacheControl } = propertiesOf({
    type: metadata.mimetype ?? 'application/octet-stream',
    cacheControl: metadata.cacheControl,
    metadata: undefined,
  })
  return {
    ...(metadata.mimetype !== undefined && { contentType }),
    ...(metadata.cacheControl !== undefined && { cacheControl }),
  }
}

const maxNames = 1_000
const NamesBody = Type.Object({
  prefixes: Type.Array(Type.Union([Type.String(), Type.Object({ path: Type.String() })]), {
    minItems: 1,
    maxItems: maxNames,
  }),
})

export async function removeObjects(call: AppCall, rest: string): Promise<AppReply> {
  const body = await bodyOf<{ prefixes: (string | { path: string })[] }>(call, NamesBody)
  const names = body.prefixes.map((one) =>
    typeof one === 'string'
      ? objectName(one.replace(/^\/+/, ''))
      : fail('BUCKETS_NOT_OFFERED', { what: 'versions' }),
  )
  const rows = await withObjectContext(call, (context) =>
    remove(context, bucketName(decodePath(rest)), names),
  )
  return jsonReply(listText(rows.map(objectJson)))
}

const objectJson = ({ metadata, user_metadata, ...row }: ObjectRow): string =>
  objectText(aboutOf(row), { metadata, user_metadata })

const aboutOf = (row: ObjectSummary) => ({
  name: row.name,
  bucket_id: row.bucket_id,
  owner: row.owner,
  owner_id: row.owner_id,
  version: row.version,
  id: row.id,
  updated_at: row.updated_at?.toISOString() ?? null,
  created_at: row.created_at?.toISOString() ?? null,
  last_accessed_at: row.last_accessed_at?.toISOString() ?? null,
})

export async function removeObject(call: AppCall, rest: string): Promise<AppReply> {
  const { bucket, name } = parseObjectPlace(rest)
  const rows = await withObjectContext(call, (context) => remove(context, bucket, [name]))
  if (rows.length === 0) fail('OBJECT_NOT_FOUND', {})
  return { status: 200, body: { message: 'Successfully deleted' } }
}
