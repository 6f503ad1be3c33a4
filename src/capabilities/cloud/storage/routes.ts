import { fail } from '#platform/errors'
import { type Route, route } from '#platform/http'
import { CloudParams } from '../clouds/schema.ts'
import { readyErrors, requireCloud } from '../require-cloud.ts'
import { listFiles } from './list.ts'
import { BucketBody, FilesOfCloud, FilesQuery } from './schema.ts'

const path = '/v1/cloud/{id}/storage'

export const storageRoutes: Route[] = [
  route({
    method: 'GET',
    path,
    operation: 'cloud.storage.list',
    scope: 'cloud:read',
    summary: {
      en: 'The private files of all users of an app, newest first, without their contents.',
      fa: 'فایل‌های خصوصی همهٔ کاربران برنامه، تازه‌ترین نخست، بی‌محتوا.',
    },
    params: CloudParams,
    query: FilesQuery,
    reply: { 200: FilesOfCloud },
    errors: [...readyErrors],
    handle: listFiles,
  }),
  route({
    method: 'POST',
    path,
    operation: 'cloud.storage.create',
    scope: 'cloud:write',
    summary: {
      en: 'Create a bucket; needs dedicated infrastructure, so a Starter app back-end refuses it.',
      fa: 'ساختن باکت؛ زیرساخت اختصاصی می‌خواهد و بک‌اند Starter آن را رد می‌کند.',
    },
    idempotent: true,
    params: CloudParams,
    body: BucketBody,
    // No plan that is offered here has buckets.
    reply: {},
    errors: [...readyErrors, 'CLOUD_BUCKETS_UNAVAILABLE'],
    async handle({ app, caller, params }) {
      await requireCloud(app, caller, params.id, { ready: true })
      return fail('CLOUD_BUCKETS_UNAVAILABLE', {})
    },
  }),
]
