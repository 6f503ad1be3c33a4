import { auditRequest } from '#account/audit'
import {
  type BucketRow,
  bucketName,
  createBucket as create,
  readBucket,
  serviceCaller,
  withPublicListRefresh,
} from '#cloud/buckets'
import { keyOf } from '#cloud/clouds'
import { acceptOnce } from '#core/calls'
import { fail } from '#platform/errors'
import { HttpAnswer } from '#platform/http'
import type { StorageRoutesApp } from '../app.ts'
import type { CloudContext } from '../clouds/create.ts'
import { requireCloud } from '../require-cloud.ts'
import type { BucketBody } from './schema.ts'

const created = 201
/** The standard limit of the contract. */
const standardBytes = 10_485_760

export const shownBucket = (row: BucketRow) => ({
  id: row.id,
  name: row.name,
  public: row.public,
  file_size_limit: row.file_size_limit === null ? null : Number(row.file_size_limit),
  allowed_mime_types: row.allowed_mime_types,
  created_at: row.created_at.toISOString(),
})

/**
 * Creates the bucket in the database of the cloud first: where this process dies before it has answered, a repeated request finds the bucket there.
 */
export async function createBucket(context: CloudContext<StorageRoutesApp, BucketBody>): Promise<HttpAnswer> {
  const { app, body, caller, params } = context
  const row = await requireCloud(app, caller, params.id, { ready: true })
  if (row.plan === 'starter') fail('CLOUD_BUCKETS_UNAVAILABLE', {})
  const id = bucketName(body.name)
  const bucket = await withPublicListRefresh(app, keyOf(row), () =>
    app.databases.use(keyOf(row), async (open) => {
      const limits = { fileSizeLimit: body.file_size_limit ?? standardBytes, allowedMimeTypes: null }
      await create(app, open, serviceCaller, { id, isPublic: body.public ?? false, ...limits })
      return readBucket(open, id)
    }),
  )
  const options = { endpoint: '/v1/cloud/storage', statusCode: created }
  const reply = await acceptOnce(context, options, async (tx) => {
    const { public: isPublic, file_size_limit } = shownBucket(bucket)
    const target = { kind: 'bucket', id: `${row.cloud_id}/${bucket.id}` }
    await auditRequest(tx, context, { target, after: { public: isPublic, file_size_limit } })
    return shownBucket(bucket)
  })
  return new HttpAnswer(created, reply)
}
