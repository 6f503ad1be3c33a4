import type { Route } from '#platform/http'
import { type BackupRoutesApp, backupRoute } from '../app.ts'
import { CloudParams } from '../clouds/schema.ts'
import { readyErrors } from '../require-cloud.ts'
import { createBackup, list, read, remove } from './backups.ts'
import { restore } from './restore.ts'
import {
  Backup,
  BackupBody,
  BackupList,
  BackupParams,
  BackupQuery,
  DeletedBackup,
  Restore,
  RestoreBody,
} from './schema.ts'

const path = '/v1/cloud/{id}/backups'

export const backupRoutes: Route<BackupRoutesApp>[] = [
  backupRoute({
    method: 'GET',
    path,
    operation: 'cloud.backups',
    scope: 'cloud:read',
    summary: {
      en: 'The backups of the database of a dedicated app back-end, newest first, and the last one that was restored.',
      fa: 'پشتیبان‌های پایگاه دادهٔ بک‌اند اختصاصی، تازه‌ترین نخست، و آخرین بازگردانی.',
    },
    params: CloudParams,
    query: BackupQuery,
    reply: { 200: BackupList },
    errors: [...readyErrors, 'PLAN_MISMATCH'],
    handle: list,
  }),
  backupRoute({
    method: 'POST',
    path,
    operation: 'cloud.back_up',
    scope: 'cloud:write',
    summary: { en: 'Make a backup now.', fa: 'گرفتن پشتیبان در همین دم.' },
    idempotent: true,
    params: CloudParams,
    body: BackupBody,
    reply: { 202: Backup },
    errors: [
      ...readyErrors,
      ...(['PLAN_MISMATCH', 'BACKUP_LIMIT', 'BACKUP_RUNNING', 'BACKUPS_OF_OPERATOR'] as const),
      ...(['DATABASE_ELSEWHERE', 'DATABASES_UNAVAILABLE'] as const),
    ],
    handle: createBackup,
  }),
  backupRoute({
    method: 'GET',
    path: `${path}/{backupId}`,
    operation: 'cloud.backup',
    scope: 'cloud:read',
    summary: { en: 'One backup.', fa: 'یک پشتیبان.' },
    params: BackupParams,
    reply: { 200: Backup },
    errors: [...readyErrors, 'PLAN_MISMATCH', 'BACKUP_NOT_FOUND'],
    handle: read,
  }),
  backupRoute({
    method: 'DELETE',
    path: `${path}/{backupId}`,
    operation: 'cloud.delete_backup',
    scope: 'cloud:write',
    stepUp: true,
    audited: true,
    summary: { en: 'Delete a backup for good.', fa: 'حذف همیشگی یک پشتیبان.' },
    params: BackupParams,
    reply: { 200: DeletedBackup },
    errors: [...readyErrors, 'PLAN_MISMATCH', 'BACKUP_NOT_FOUND', 'RESTORE_RUNNING'],
    handle: remove,
  }),
  backupRoute({
    method: 'POST',
    path: `${path}/{backupId}/restore`,
    operation: 'cloud.restore_backup',
    scope: 'cloud:write',
    audited: true,
    summary: {
      en: 'Restore a backup: in place of the database as it is now, or into a new app back-end.',
      fa: 'بازگرداندن پشتیبان: به جای پایگاه دادهٔ کنونی، یا در بک‌اندی تازه.',
    },
    idempotent: true,
    params: BackupParams,
    body: RestoreBody,
    reply: { 202: Restore },
    errors: [
      ...readyErrors,
      ...([
        'PLAN_MISMATCH',
        'BACKUP_NOT_FOUND',
        'BACKUP_NOT_READY',
        'BACKUP_TOO_LARGE',
        'RESTORE_RUNNING',
      ] as const),
      ...([
        'BACKUPS_OF_OPERATOR',
        'DATABASE_ELSEWHERE',
        'DATABASE_NO_ROOM',
        'DATABASES_UNAVAILABLE',
      ] as const),
      ...(['PACKAGE_REQUIRED', 'PACKAGE_UNPAID', 'PACKAGE_USED_UP', 'CLOUD_DELETION_LIMIT'] as const),
      'SECRETS_SEALED',
    ],
    handle: restore,
  }),
]
