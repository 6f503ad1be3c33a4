/** What the calls of an account cost, by periods of any time zone and calendar, from the sums that the ledger keeps with each settlement. */
import type { Route } from '#platform/http'
import { route, type UsageApp } from './app.ts'
import { exportUsage } from './export.ts'
import { foldJob } from './fold.ts'
import { readUsage } from './read.ts'
import { AccountUsage, AccountUsageQuery, UsageExportQuery } from './schema.ts'

const routes: Route<UsageApp>[] = [
  route({
    method: 'GET',
    path: '/v1/account/usage',
    operation: 'account.usage',
    scope: 'usage:read',
    managementKeys: 'account',
    summary: {
      en: 'Usage of the account in any range, by day, week or month, and by what you group it.',
      fa: 'مصرف حساب در هر بازه، به تفکیک روز، هفته یا ماه و آنچه با آن گروه می‌کنید.',
    },
    query: AccountUsageQuery,
    reply: { 200: AccountUsage },
    errors: ['NOT_FOUND'],
    handle: readUsage,
  }),
  route({
    method: 'GET',
    path: '/v1/account/usage/export',
    operation: 'account.usage_export',
    scope: 'usage:read',
    managementKeys: 'account',
    summary: {
      en: 'The same usage as a table for spreadsheets: CSV or XLSX.',
      fa: 'همان مصرف به شکل جدولی برای صفحه‌گسترده: CSV یا XLSX.',
    },
    query: UsageExportQuery,
    reply: { 200: 'text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
    errors: ['NOT_FOUND', 'EXPORT_TOO_LONG', 'EXPORTS_BUSY', 'SPOOL_FULL', 'STORAGE_UNWRITABLE'],
    handle: exportUsage,
  }),
]

export const accountUsage = { name: 'account-usage', routes, jobs: [foldJob] }
