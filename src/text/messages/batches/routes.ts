import { apiKeyHeader, modelsOfKind, referenceHeaders } from '#core/calls'
import { textFailures } from '#core/text'
import { baseUrlOf, type Route } from '#platform/http'
import { type MessagesApp, route } from '../app.ts'
import { Betas, Version } from '../request/schema.ts'
import { batchObject, maxBatchBytes } from './batch.ts'
import { createBatch } from './create.ts'
import { cancelBatch, deleteBatch } from './end.ts'
import { listBatches, readResults, requireBatch } from './read.ts'
import { BatchBody, BatchList, BatchListQuery, BatchParams, DeletedBatch, MessageBatch } from './schema.ts'
import './phrases.ts'

const path = '/v1/messages/batches'

export const batchRoutes: Route<MessagesApp>[] = [
  route({
    method: 'POST',
    path,
    operation: 'batches.create',
    scope: 'responses:write',
    keySources: [apiKeyHeader],
    summary: {
      en: 'Have up to 1,000 conversations answered in the background.',
      fa: 'پاسخ به تا ۱۰۰۰ پرسش در پس‌زمینه.',
    },
    models: modelsOfKind('text'),
    idempotent: true,
    bodyLimit: maxBatchBytes,
    exactNumbers: true,
    headers: { 'anthropic-version': Version, 'anthropic-beta': Betas, ...referenceHeaders },
    requiredHeaders: ['anthropic-version'],
    body: BatchBody,
    reply: { 200: MessageBatch },
    errors: [...textFailures, 'TOO_MANY_BATCHES'],
    handle: createBatch,
  }),
  route({
    method: 'GET',
    path,
    operation: 'batches.list',
    scope: 'usage:read',
    keySources: [apiKeyHeader],
    summary: { en: 'The batches of the project, newest first.', fa: 'دسته‌های پروژه، تازه‌ترین نخست.' },
    query: BatchListQuery,
    reply: { 200: BatchList },
    errors: [],
    handle: listBatches,
  }),
  route({
    method: 'GET',
    path: `${path}/{batch_id}`,
    operation: 'batches.read',
    scope: 'usage:read',
    keySources: [apiKeyHeader],
    summary: { en: 'How far a batch is.', fa: 'وضعیت یک دسته.' },
    params: BatchParams,
    reply: { 200: MessageBatch },
    errors: ['NOT_FOUND'],
    handle: async (ask) => batchObject(await requireBatch(ask), baseUrlOf(ask)),
  }),
  route({
    method: 'GET',
    path: `${path}/{batch_id}/results`,
    operation: 'batches.results',
    scope: 'usage:read',
    keySources: [apiKeyHeader],
    summary: {
      en: 'The results of a batch that has ended, one JSON line a row, in the order of the batch.',
      fa: 'نتیجهٔ دستهٔ پایان‌یافته؛ هر ردیف یک خط JSON، به ترتیب دسته.',
    },
    params: BatchParams,
    reply: { 200: 'application/x-jsonl' },
    errors: ['NOT_FOUND', 'BATCH_NOT_ENDED', 'BATCH_RESULTS_EXPIRED'],
    handle: readResults,
  }),
  route({
    method: 'POST',
    path: `${path}/{batch_id}/cancel`,
    operation: 'batches.cancel',
    writes: 'nothing',
    scope: 'responses:write',
    keySources: [apiKeyHeader],
    summary: {
      en: 'Cancel a batch: rows that have not begun are not begun any more.',
      fa: 'لغو یک دسته: ردیف‌هایی که آغاز نشده‌اند دیگر آغاز نمی‌شوند.',
    },
    idempotent: true,
    params: BatchParams,
    reply: { 200: MessageBatch },
    errors: ['NOT_FOUND'],
    handle: cancelBatch,
  }),
  route({
    method: 'DELETE',
    path: `${path}/{batch_id}`,
    operation: 'batches.delete',
    scope: 'responses:write',
    keySources: [apiKeyHeader],
    summary: {
      en: 'Delete a batch that has ended, with all prompts and answers.',
      fa: 'حذف دستهٔ پایان‌یافته همراه با همهٔ پرسش‌ها و پاسخ‌ها.',
    },
    params: BatchParams,
    reply: { 200: DeletedBatch },
    errors: ['NOT_FOUND', 'BATCH_NOT_ENDED'],
    handle: deleteBatch,
  }),
]
