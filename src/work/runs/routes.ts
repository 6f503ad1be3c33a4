import { modelsOfKind, reference, referenceHeaders } from '#core/calls'
import { textFailures, textModel } from '#core/text'
import { baseUrlOf, type RequestContext, type Route } from '#platform/http'
import { acceptRun } from './accept.ts'
import { type RunsApp, route } from './app.ts'
import { cancelRun } from './cancel.ts'
import { streamEvents } from './events/stream.ts'
import { serveFiles } from './files/serve.ts'
import { listOfRuns, readRun } from './read.ts'
import {
  AcceptedRun,
  FilesQuery,
  RunList,
  RunListQuery,
  RunParams,
  RunStatus,
  RunSummary,
  WorkBody,
} from './schema.ts'

const path = '/v1/work'
const one = `${path}/{id}`

function create(context: RequestContext<RunsApp, WorkBody>) {
  const { app, caller, body, requestId, claim, language } = context
  return acceptRun(app, {
    caller,
    requestId,
    claim,
    endpoint: path,
    baseUrl: baseUrlOf(context),
    language,
    kind: body.kind,
    input: body.input,
    title: body.title,
    model: textModel(app, caller, body.model),
    knowledgeId: body.knowledge_id,
    fileIds: body.file_ids,
    maxCredits: body.max_credits,
    customerId: reference(context, 'X-Customer-ID'),
    referenceId: reference(context, 'X-Reference-ID'),
  })
}

/** The scope that suffices for runs that the key itself has started. */
const starterScope = 'agents:write'

/** Media types of the files that runs make, and of their bundle. Files of programs have their own types, most of them text. */
const fileTypes = [
  'text/markdown',
  'text/plain',
  'text/csv',
  'application/json',
  'application/pdf',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'image/svg+xml',
  'image/png',
  'application/zip',
  'application/octet-stream',
].join(', ')

export const routes: Route<RunsApp>[] = [
  route({
    method: 'POST',
    path,
    operation: 'work.create',
    writes: ['files'],
    scope: 'work:write',
    summary: {
      en: 'Have a report, a document, a program or an analysis made in the background.',
      fa: 'ساختن گزارش، سند، برنامه یا تحلیل داده در پس‌زمینه.',
    },
    models: modelsOfKind('text'),
    idempotent: true,
    headers: referenceHeaders,
    body: WorkBody,
    reply: { 202: AcceptedRun },
    errors: [...textFailures, 'TOO_MANY_RUNS', 'KNOWLEDGE_NOT_FOUND', 'FILE_NOT_FOUND'],
    handle: create,
  }),
  route({
    method: 'GET',
    path,
    operation: 'work.list',
    scope: 'files:read',
    summary: { en: 'The runs of the project, newest first.', fa: 'کارهای پروژه، تازه‌ترین نخست.' },
    query: RunListQuery,
    reply: { 200: RunList },
    errors: [],
    handle: listOfRuns,
  }),
  route({
    method: 'GET',
    path: one,
    operation: 'work.read',
    scope: 'files:read',
    orScope: starterScope,
    summary: {
      en: 'How far a run is, what happened to it and what it has made.',
      fa: 'وضعیت یک کار، رویدادها و فایل‌هایش.',
    },
    params: RunParams,
    reply: { 200: RunStatus },
    errors: ['NOT_FOUND'],
    handle: readRun,
  }),
  route({
    method: 'GET',
    path: `${one}/events`,
    operation: 'work.events',
    scope: 'files:read',
    orScope: starterScope,
    summary: {
      en: 'What happens to a run, as events; resumed after Last-Event-ID.',
      fa: 'رویدادهای یک کار به شکل جریان؛ ادامه پس از Last-Event-ID.',
    },
    params: RunParams,
    streams: true,
    reply: { 200: 'text/event-stream' },
    errors: ['NOT_FOUND'],
    handle: streamEvents,
  }),
  route({
    method: 'GET',
    path: `${one}/files`,
    operation: 'work.files',
    scope: 'files:read',
    orScope: starterScope,
    summary: { en: 'A file of a run, or all of them in a zip.', fa: 'یک فایل کار، یا همه در یک zip.' },
    params: RunParams,
    query: FilesQuery,
    reply: { 200: fileTypes },
    errors: ['NOT_FOUND', 'FILE_LOST'],
    handle: serveFiles,
  }),
  route({
    method: 'POST',
    path: `${one}/cancel`,
    operation: 'work.cancel',
    writes: 'nothing',
    scope: 'work:write',
    orScope: starterScope,
    summary: {
      en: 'Cancel a run: what it has used is charged, what it has made stays.',
      fa: 'لغو یک کار: آنچه مصرف شده حساب می‌شود و آنچه ساخته شده می‌ماند.',
    },
    idempotent: true,
    params: RunParams,
    reply: { 200: RunSummary },
    errors: ['NOT_FOUND'],
    handle: cancelRun,
  }),
]
