import { databaseErrors } from '#cloud/databases'
import type { FailureCode } from '#platform/errors'
import type { Route } from '#platform/http'
import { type DatabaseRoutesApp, databaseRoute } from '../app.ts'
import { CloudParams } from '../clouds/schema.ts'
import { readyErrors } from '../require-cloud.ts'
import { dropCollection, showDatabase, useDatabase } from './database.ts'
import { CollectionParams, DatabaseBody, DatabaseReply, DatabaseView, DeletedCollection } from './schema.ts'

const path = '/v1/cloud/{id}/database'

const sqlErrors: FailureCode[] = [
  ...databaseErrors,
  'SQL_TIMEOUT',
  'SQL_ANSWER_TOO_LARGE',
  'SQL_BUSY',
  'SQL_DATABASE_LOST',
]

/** Rows are content; whether everybody may read a collection is access, and SQL that writes may change who reads what. */
const changesAccess = ({ action, public_read, read_only }: DatabaseBody): boolean =>
  action === undefined
    ? read_only === false
    : action === 'create_collection' || (action === 'update' && public_read !== undefined)

export const databaseRoutes: Route<DatabaseRoutesApp>[] = [
  databaseRoute({
    method: 'GET',
    path,
    operation: 'cloud.collections',
    scope: 'cloud:read',
    summary: {
      en: 'The collections of an app back-end; on dedicated infrastructure its tables, policies, functions and sizes.',
      fa: 'مجموعه‌های یک بک‌اند؛ در بک‌اند اختصاصی جدول‌ها، سیاست‌های دسترسی، تابع‌ها و اندازه‌هایش.',
    },
    params: CloudParams,
    reply: { 200: DatabaseView },
    errors: [...readyErrors, 'ROWS_BUSY', 'ROWS_TIMEOUT', ...sqlErrors],
    handle: showDatabase,
  }),
  databaseRoute({
    method: 'POST',
    path,
    operation: 'cloud.database',
    scope: 'cloud:write',
    audited: changesAccess,
    summary: {
      en: 'Create a collection, and list, insert, update or delete its rows; on dedicated infrastructure run SQL.',
      fa: 'ساختن مجموعه، و دیدن و درج و تغییر و حذف ردیف‌های آن؛ در بک‌اند اختصاصی اجرای SQL.',
    },
    // Lists only read, and SQL has a disk and bounds of its own: actions that write rows check the disk themselves.
    writes: 'nothing',
    idempotent: true,
    exactNumbers: true,
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
      'CONFIRM_WRITE_REQUIRED',
      'CLOUD_READ_ONLY',
      'SQL_REFUSED',
      'SQL_FAILED',
      'SQL_OUTCOME_UNKNOWN',
      ...sqlErrors,
    ],
    handle: useDatabase,
  }),
  databaseRoute({
    method: 'DELETE',
    path: '/v1/cloud/{id}/collections/{name}',
    operation: 'cloud.delete_collection',
    scope: 'cloud:write',
    audited: true,
    summary: {
      en: 'Delete a collection with all its rows, for good.',
      fa: 'حذف یک مجموعه با همهٔ ردیف‌هایش، برای همیشه.',
    },
    params: CollectionParams,
    reply: { 200: DeletedCollection },
    errors: [...readyErrors, 'PLAN_MISMATCH', 'COLLECTION_NOT_FOUND', 'ROWS_BUSY', 'ROWS_TIMEOUT'],
    handle: dropCollection,
  }),
]
