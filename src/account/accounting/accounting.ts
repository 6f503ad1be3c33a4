/**
 * The routes of balance, usage and receipts, and the figures behind them. Days and months turn at midnight in Asia/Tehran, where the readers of these
 * figures live, and by the rules of that zone. Months are Gregorian, because prices and the invoices of vendors are. A call counts in the day and the
 * month in which its hold was taken, also if it ends after midnight. Reports in the zone of an account and by Jalali months are those of `#account/usage`.
 */
import type { Route } from '#platform/http'
import { type AccountingApp, route } from './app.ts'
import { lookUp, reportBalance, reportRequest } from './report.ts'
import {
  Balance,
  Lookup,
  LookupQuery,
  RequestParams,
  RequestReport,
  UsageQuery,
  UsageReport,
} from './schema.ts'
import { reportUsage } from './usage.ts'

export {
  type InvoiceColumns,
  InvoiceError,
  type InvoiceField,
  type InvoiceRow,
  invoiceFields,
  readInvoice,
} from './invoice.ts'
export {
  type Difference,
  type Reconciliation,
  type RowVerdict,
  reconcile,
  type SideTotals,
  verdicts,
} from './reconcile.ts'
export { keyMembers, receiptOf } from './report.ts'
export { NamedKey, Payer, Receipt, Tokens, UsageSums } from './schema.ts'
export { sumsOf } from './usage.ts'

const routes: Route<AccountingApp>[] = [
  route({
    method: 'GET',
    path: '/v1/balance',
    operation: 'accounting.balance',
    scope: 'usage:read',
    managementKeys: 'account',
    summary: { en: 'The shared balance of the account.', fa: 'موجودی مشترک حساب.' },
    reply: { 200: Balance },
    errors: [],
    handle: ({ app, caller }) => reportBalance(app, caller),
  }),
  route({
    method: 'GET',
    path: '/v1/usage',
    operation: 'accounting.usage',
    scope: 'usage:read',
    managementKeys: 'project',
    summary: { en: 'Usage of the project in the previous 30 days.', fa: 'مصرف پروژه در ۳۰ روز گذشته.' },
    query: UsageQuery,
    reply: { 200: UsageReport },
    errors: [],
    handle: ({ app, caller, query }) => reportUsage(app, caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/requests/lookup',
    operation: 'accounting.lookup',
    scope: 'usage:read',
    summary: { en: 'Find the receipt of an idempotency key.', fa: 'یافتن رسید یک کلید تکرارناپذیری.' },
    query: LookupQuery,
    reply: { 200: Lookup },
    errors: [],
    handle: ({ app, caller, query }) => lookUp(app, caller, query.idempotency_key),
  }),
  route({
    method: 'GET',
    path: '/v1/requests/{id}',
    operation: 'accounting.request',
    scope: 'usage:read',
    managementKeys: 'account',
    summary: { en: 'The receipt of a request, explained.', fa: 'رسید یک درخواست با شرح آن.' },
    params: RequestParams,
    reply: { 200: RequestReport },
    errors: ['NOT_FOUND'],
    handle: ({ app, caller, params }) => reportRequest(app, caller, params.id),
  }),
]

export const accounting = { name: 'accounting', routes }
