import { databaseErrors } from '#cloud/databases'
import type { Config } from '#platform/config'
import type { Route } from '#platform/http'
import { type ExportApp, exportRoute, type ImportApp, importRoute } from '../app.ts'
import { CloudParams } from '../clouds/schema.ts'
import { readyErrors } from '../require-cloud.ts'
import { exportCloud } from './export.ts'
import { importCloud } from './import.ts'
import { ImportForm, ImportResult } from './schema.ts'

const path = '/v1/cloud/{id}'
const mebibyte = 1024 * 1024
/** Bytes of a line beside its data: ids, times, names, and metadata of users. */
const [lineBytes, userBytes] = [1_024, 8 * 1_024]

/** Returns as much as a cloud with the limits of the configuration may have, escaped and in Base64. */
const maxBytes = ({ clouds: limits }: Config): number =>
  2 * (mebibyte + limits.rowBytes + limits.fileTotalBytes) +
  lineBytes * (limits.collections + limits.rows + limits.files) +
  userBytes * limits.users +
  mebibyte * limits.functions

export const transferRoutes: (Route<ExportApp> | Route<ImportApp>)[] = [
  exportRoute({
    method: 'GET',
    path: `${path}/export`,
    operation: 'cloud.export',
    scope: 'cloud:write',
    summary: {
      en: 'All that is in a Starter app back-end as lines of JSON, the database of a dedicated one as SQL. Secrets and keys are left out.',
      fa: 'همهٔ محتوای بک‌اند Starter به شکل سطرهای JSON، و پایگاه دادهٔ بک‌اند اختصاصی به شکل SQL. مقدارهای محرمانه و کلیدها در آن نیستند.',
    },
    params: CloudParams,
    reply: { 200: 'application/x-ndjson, application/sql' },
    errors: [...readyErrors, ...databaseErrors, ...(['EXPORT_RUNNING', 'EXPORT_TOO_LARGE'] as const)],
    handle: exportCloud,
  }),
  importRoute({
    method: 'POST',
    path: `${path}/import`,
    operation: 'cloud.import',
    scope: 'cloud:write',
    audited: true,
    summary: {
      en: 'Put an export into an empty Starter app back-end: all of it, or nothing.',
      fa: 'ورود خروجی به بک‌اند Starter خالی: همهٔ آن یا هیچ.',
    },
    idempotent: true,
    params: CloudParams,
    upload: { fields: ImportForm, files: { export: 1 }, maxBytes },
    reply: { 200: ImportResult },
    errors: [
      ...readyErrors,
      'PLAN_MISMATCH',
      'CLOUD_NOT_EMPTY',
      'CLOUD_IMPORTING',
      'CLOUD_IMPORT_INVALID',
      'FUNCTIONS_UNAVAILABLE',
      'FUNCTIONS_BUSY',
      'ROWS_BUSY',
      'SECRETS_SEALED',
    ],
    handle: importCloud,
  }),
]
