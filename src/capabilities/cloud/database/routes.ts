import { type Route, route } from '#platform/http'
import { CloudParams } from '../clouds/schema.ts'
import { readyErrors } from '../require-cloud.ts'
import { dropCollection, listCollections, useDatabase } from './database.ts'
import { CollectionList, CollectionParams, DatabaseBody, DatabaseReply, DeletedCollection } from './schema.ts'

const path = '/v1/cloud/{id}/database'

export const databaseRoutes: Route[] = [
  route({
    method: 'GET',
    path,
    operation: 'cloud.collections',
    scope: 'cloud:read',
    summary: { en: 'The collections of an app back-end.', fa: 'مجموعه‌های یک بک‌اند.' },
    params: CloudParams,
    reply: { 200: CollectionList },
    errors: [...readyErrors, 'ROWS_BUSY', 'ROWS_TIMEOUT'],
    handle: listCollections,
  }),
  route({
    method: 'POST',
    path,
    operation: 'cloud.database',
    scope: 'cloud:write',
    summary: {
      en: 'Create a collection, and list, insert, update or delete its rows.',
      fa: 'ساختن مجموعه، و دیدن و درج و تغییر و حذف ردیف‌های آن.',
    },
    idempotent: true,
    params: CloudParams,
    body: DatabaseBody,
    reply: { 200: DatabaseReply },
    errors: [
      ...readyErrors,
      'PLAN_MISMATCH',
      'COLLECTION_NOT_FOUND',
      'COLLECTION_TAKEN',
      'COLLECTION_LIMIT',
      'ROW_NOT_FOUND',
      'ROW_TAKEN',
      'ROW_LIMIT',
      'ROW_BYTES_LIMIT',
      'ROW_TOO_LARGE',
      'ROW_INVALID',
      'ROWS_BUSY',
      'ROWS_TIMEOUT',
    ],
    handle: useDatabase,
  }),
  route({
    method: 'DELETE',
    path: '/v1/cloud/{id}/collections/{name}',
    operation: 'cloud.delete_collection',
    scope: 'cloud:write',
    summary: {
      en: 'Delete a collection with all its rows, for good.',
      fa: 'حذف یک مجموعه با همهٔ ردیف‌هایش، برای همیشه.',
    },
    params: CollectionParams,
    reply: { 200: DeletedCollection },
    errors: [...readyErrors, 'COLLECTION_NOT_FOUND', 'ROWS_BUSY', 'ROWS_TIMEOUT'],
    handle: dropCollection,
  }),
]
