import { databaseErrors } from '#cloud/databases'
import type { FailureCode } from '#platform/errors'
import type { Route } from '#platform/http'
import { type StorageRoutesApp, storageRoute } from '../app.ts'
import { CloudParams } from '../clouds/schema.ts'
import { readyErrors } from '../require-cloud.ts'
import { createBucket } from './create.ts'
import { listFiles } from './list.ts'
import { Bucket, BucketBody, FilesOfCloud, FilesQuery } from './schema.ts'

/** Errors of the database of a dedicated cloud, where buckets and objects stand. */
const objectErrors: FailureCode[] = [
  ...databaseErrors,
  'OBJECT_ROW_TOO_LARGE',
  'OBJECT_STATEMENT_FAILED',
  'OBJECT_STATEMENT_TIMEOUT',
  'OBJECT_DENIED',
]

const path = '/v1/cloud/{id}/storage'

export const storageRoutes: Route<StorageRoutesApp>[] = [
  storageRoute({
    method: 'GET',
    path,
    operation: 'cloud.storage.list',
    scope: 'cloud:read',
    summary: {
      en: 'The private files of all users of an app, then the objects of its buckets, each newest first, without their contents.',
      fa: 'فایل‌های خصوصی همهٔ کاربران برنامه و سپس فایل‌های باکت‌ها، هر یک تازه‌ترین نخست، بی‌محتوا.',
    },
    params: CloudParams,
    query: FilesQuery,
    reply: { 200: FilesOfCloud },
    errors: [...readyErrors, ...objectErrors],
    handle: listFiles,
  }),
  storageRoute({
    method: 'POST',
    path,
    operation: 'cloud.storage.create',
    scope: 'cloud:write',
    audited: true,
    summary: {
      en: 'Create a bucket; needs dedicated infrastructure, so a Starter app back-end refuses it.',
      fa: 'ساختن باکت؛ بک‌اند اختصاصی می‌خواهد و بک‌اند Starter آن را رد می‌کند.',
    },
    idempotent: true,
    params: CloudParams,
    body: BucketBody,
    reply: { 201: Bucket },
    errors: [
      ...readyErrors,
      ...objectErrors,
      'CLOUD_BUCKETS_UNAVAILABLE',
      'BUCKET_INVALID',
      'BUCKET_EXISTS',
      'BUCKET_NOT_FOUND',
    ],
    handle: createBucket,
  }),
]
