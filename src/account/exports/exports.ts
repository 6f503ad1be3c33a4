/** What a person gets of everything that is stored of them: a ZIP that a job makes, and that is there for a day (docs/decisions/account/own-data.md). */
import type { Route } from '#platform/http'
import { type ExportsApp, route } from './app.ts'
import { downloadExport, listExports, readExport, requestExport } from './handle.ts'
import { exportJob, sweepJob } from './make.ts'
import * as schema from './schema.ts'
import './phrases.ts'

const routes: Route<ExportsApp>[] = [
  route({
    method: 'GET',
    path: '/v1/me/exports',
    operation: 'me.exports',
    scope: 'person',
    summary: {
      en: 'The exports of your data that you have asked for, the newest first.',
      fa: 'خروجی‌هایی که از داده‌هایتان خواسته‌اید، تازه‌ترین نخست.',
    },
    reply: { 200: schema.ExportList },
    errors: [],
    handle: listExports,
  }),
  route({
    method: 'POST',
    path: '/v1/me/exports',
    operation: 'me.export',
    scope: 'person',
    stepUp: true,
    audited: true,
    summary: {
      en: 'Have everything that is stored of you put into a ZIP; a mail tells when it is ready.',
      fa: 'درخواست یک ZIP از همهٔ آنچه از شما نگه داشته شده است؛ وقتی آماده شد نامه‌ای می‌رسد.',
    },
    reply: { 202: schema.PersonExport },
    errors: ['EXPORT_UNDER_WAY', 'TOO_MANY_EXPORTS'],
    handle: requestExport,
  }),
  route({
    method: 'GET',
    path: '/v1/me/exports/{id}',
    operation: 'me.readExport',
    scope: 'person',
    summary: { en: 'One export of your data.', fa: 'یک خروجی از داده‌های شما.' },
    params: schema.ExportParams,
    reply: { 200: schema.PersonExport },
    errors: ['NOT_FOUND'],
    handle: readExport,
  }),
  route({
    method: 'GET',
    path: '/v1/me/exports/{id}/content',
    operation: 'me.downloadExport',
    scope: 'person',
    ranges: true,
    summary: {
      en: 'The ZIP of an export, for a day after it was made.',
      fa: 'فایل ZIP یک خروجی، تا یک روز پس از ساخته شدن.',
    },
    params: schema.ExportParams,
    reply: { 200: 'application/zip' },
    errors: ['NOT_FOUND', 'EXPORT_NOT_READY', 'FILE_LOST'],
    handle: downloadExport,
  }),
]

export const exportsOfPeople = { name: 'exports', routes, jobs: [exportJob, sweepJob] }
