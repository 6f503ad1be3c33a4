/** Moves, copies and deletes objects. */
import { Type } from 'typebox'
import {
  type AboutObject,
  bucketName,
  copyObject as copy,
  decode,
  moveObject as move,
  type ObjectRow,
  objectName,
  placeIn,
  removeObjects as remove,
} from '#cloud/buckets'
import { fail } from '#platform/errors'
import type { AppCall, AppReply } from '../area.ts'
import { asking, bodyOf } from './asking.ts'
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

interface Stated {
  bucketId: string
  sourceKey: string
  destinationKey: string
  destinationBucket?: string
  sourceVersionId?: unknown
  copyMetadata?: boolean
  metadata?: { cacheControl?: string; mimetype?: string }
}

function placesOf(body: Stated) {
  if (body.sourceVersionId !== undefined) fail('BUCKETS_NOT_OFFERED', { what: 'versions' })
  const trimmed = (key: string): string => key.replace(/^\/+/, '')
  const from = { bucket: bucketName(body.bucketId), name: objectName(trimmed(body.sourceKey)) }
  const bucket = body.destinationBucket === undefined ? from.bucket : bucketName(body.destinationBucket)
  return { from, to: { bucket, name: objectName(trimmed(body.destinationKey)) } }
}

export async function moveObject(call: AppCall): Promise<AppReply> {
  const { from, to } = placesOf(await bodyOf<Stated>(call, MoveBody))
  const row = await asking(call, (own) => move(own, from, to))
  return {
    status: 200,
    body: { message: 'Successfully moved', Id: row.id, Key: `${to.bucket}/${to.name}` },
  }
}

export async function copyObject(call: AppCall): Promise<AppReply> {
  const body = await bodyOf<Stated>(call, CopyBody)
  const { from, to } = placesOf(body)
  const upsert = call.headers['x-upsert'] === 'true'
  const stored = await asking(call, (own) => copy(own, { from, to, upsert, properties: statedOf(body) }))
  return { status: 200, body: { Id: stored.id, Key: `${to.bucket}/${to.name}` } }
}

/** Throws INVALID_REQUEST. */
function statedOf({ copyMetadata, metadata = {} }: Stated) {
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
  const rows = await asking(call, (own) => remove(own, bucketName(decode(rest)), names))
  return jsonReply(listText(rows.map(shown)))
}

const shown = ({ metadata, user_metadata, ...row }: ObjectRow): string =>
  objectText(aboutOf(row), { metadata, user_metadata })

const aboutOf = (row: AboutObject) => ({
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
  const { bucket, name } = placeIn(rest)
  const rows = await asking(call, (own) => remove(own, bucket, [name]))
  if (rows.length === 0) fail('OBJECT_NOT_FOUND', {})
  return { status: 200, body: { message: 'Successfully deleted' } }
}
