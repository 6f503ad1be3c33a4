/** The list of the calls of an account: its filters, its pages, and its export (docs/decisions/account/requests.md). */

import type { Route } from '#platform/http'
import { job, type RequestsApp, route } from './app.ts'
import { exportRequests } from './export.ts'
import { listRequests } from './list.ts'
import { RequestList, RequestsExportQuery, RequestsQuery } from './schema.ts'
import { sealAll } from './search/seal.ts'

const routes: Route<RequestsApp>[] = [
  route({
    method: 'GET',
    path: '/v1/requests',
    operation: 'requests.list',
    scope: 'usage:read',
    managementKeys: 'account',
    summary: {
      en: 'The calls of a project, or of all projects that you may see, newest first.',
      fa: 'درخواست‌های یک پروژه، یا همهٔ پروژه‌هایی که می‌بینید، تازه‌ترین نخست.',
    },
    query: RequestsQuery,
    reply: { 200: RequestList },
    errors: ['NOT_FOUND', 'SECRETS_SEALED'],
    handle: listRequests,
  }),
  route({
    method: 'GET',
    path: '/v1/requests/export',
    operation: 'requests.export',
    scope: 'usage:read',
    managementKeys: 'account',
    summary: {
      en: 'The calls that match as a table for spreadsheets: CSV or XLSX.',
      fa: 'درخواست‌های یافته به شکل جدولی برای صفحه‌گسترده: CSV یا XLSX.',
    },
    query: RequestsExportQuery,
    reply: { 200: 'text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
    errors: ['NOT_FOUND', 'EXPORT_TOO_LONG', 'EXPORTS_BUSY', 'SPOOL_FULL', 'STORAGE_UNWRITABLE'],
    handle: exportRequests,
  }),
]

/** Writes the segments by which requests are searched; calls do not wait for it. */
export const sealJob = job<null>({
  name: 'requests.seal',
  limits: () => ({ perAccount: 1, perProcess: 1 }),
  everyMs: 60 * 1000,
  async handle({ app, stopping }) {
    await sealAll(app.db, stopping)
    return undefined
  },
})

export const requests = { name: 'requests', routes, jobs: [sealJob] }
