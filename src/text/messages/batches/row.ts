/**
 * Answers one row in the background. The id of its paid call is stored before the call (`platform/effects`), so that a worker which
 * resumes the row can find the outcome, and no call is made twice.
 */
import { isDatabaseAway } from '#platform/db'
import { discardReply, effectOf, fenceEffect } from '#platform/effects'
import { asFailure, errorBody, Failure, isTemporary } from '#platform/errors'
import { parseJson, withExactNumbers } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import type { JobDelay, JobRun } from '#platform/jobs'
import type { TraceContext } from '#platform/trace'
import { job, type MessagesApp } from '../app.ts'
import { answerInBackground } from '../create.ts'
import { MessagesBody } from '../request/schema.ts'
import { versionOf } from '../versions.ts'
import { maxBatchBytes, publicId } from './batch.ts'
import * as store from './store.ts'

const endpoint = '/v1/messages/batches'
/** The delay before a row is tried again whose call still runs in another process, or for which the database was not available. */
const retryMs = 1_000
/** The delay after a rate limit without `Retry-After`, and the longest `Retry-After` that is followed. */
const rateLimitWaitMs = 1_000
const maxRateLimitWaitMs = 60_000

export const rowJob = job<{ batchId: string; position: number }>({
  name: 'batches.row',
  writes: ['database', 'wal'],
  limits: ({ batches }) => ({ perAccount: batches.rowsPerAccount, perProcess: batches.rowsPerProcess }),
  handle: (run) =>
    startRow(run, (row) => (row.was === 'waiting' ? answerRow(row) : resolveEarlierCall(row, answerRow))),
  setAside: (run) =>
    startRow(run, (row) => (row.was === 'waiting' ? endSetAside(row) : resolveEarlierCall(row, endSetAside))),
})

interface RunningRow extends store.StartedRow {
  app: MessagesApp
  rowKey: store.RowKey
  signal: AbortSignal
  trace: TraceContext
}

async function startRow(
  { app, accountId, data, signal, trace }: JobRun<{ batchId: string; position: number }, MessagesApp>,
  answer: (row: RunningRow) => Promise<JobDelay | undefined>,
): Promise<JobDelay | undefined> {
  if (signal.aborted) return { laterMs: 0 }
  const rowKey = { accountId, ...data }
  const started = await store.beginRow(app.db, rowKey, uuidv7(), now(app))
  if (!started) return undefined
  trace.span?.set({ 'kherad.batch_id': publicId(rowKey.batchId), 'kherad.request_id': started.effect_id })
  return answer({ ...started, app, rowKey, signal, trace })
}

const endSetAside = (row: RunningRow): Promise<undefined> =>
  endRow(row, 'errored', bodyOf(row, new Failure('SET_ASIDE', {}, {})))

/** Resumes a row that another worker had started: the outcome of its call is used. If the call was never made, `otherwise` is run under a new effect id. */
async function resolveEarlierCall(
  row: RunningRow,
  otherwise: (row: RunningRow) => Promise<JobDelay | undefined>,
): Promise<JobDelay | undefined> {
  const { app, rowKey, effect_id } = row
  const effect = await effectOf(app.ledger, rowKey.accountId, effect_id)
  switch (effect.state) {
    case 'running':
      return { laterMs: retryMs }
    case 'done':
    case 'failed':
      if (effect.reply === null) return endRow(row, 'errored', ambiguousResult(row))
      return endRow(row, effect.state === 'done' ? 'succeeded' : 'errored', effect.reply)
    case 'ambiguous':
      return endRow(row, 'errored', ambiguousResult(row))
    case 'never': {
      const fenced = await app.db.tx((tx) => fenceEffect(tx, payerOf(row), effect_id, endpoint, now(app)))
      if (!fenced) return { laterMs: retryMs }
    }
  }
  const next = uuidv7()
  if (!(await store.replaceEffect(app.db, rowKey, effect_id, next))) return { laterMs: retryMs }
  return otherwise({ ...row, effect_id: next })
}

async function answerRow(row: RunningRow): Promise<JobDelay | undefined> {
  const { app, rowKey, effect_id, signal, trace, key_id } = row
  const describeFailure = (failure: Failure): string =>
    signal.aborted ? ambiguousResult(row) : bodyOf(row, failure)
  try {
    const { failure, text } = await answerInBackground({
      app,
      caller: await app.turns.keys.callerOf(rowKey.accountId, key_id),
      body: await bodyOfRow(row.params),
      dialect: { version: versionOf(row.version), betas: row.betas },
      requestId: effect_id,
      endpoint,
      customerId: row.customer_id ?? undefined,
      referenceId: row.reference_id ?? undefined,
      gone: signal,
      trace,
      describeFailure,
    })
    if (failure?.code === 'INTERNAL') logDefect(row, failure)
    return await endRow(row, failure ? 'errored' : 'succeeded', text)
  } catch (error) {
    return handleRefusal(row, error)
  }
}

/** The body of a row, which was checked when the batch was created, with every digit of its numbers. */
async function bodyOfRow(params: string): Promise<MessagesBody> {
  const body = await parseJson(Buffer.from(params), maxBatchBytes)
  return withExactNumbers(MessagesBody, body as MessagesBody)
}

/**
 * Handles an error before any credits were held. If the database is unavailable, the error is thrown, and the outcome is looked up at the next
 * attempt.
 */
async function handleRefusal(row: RunningRow, error: unknown): Promise<JobDelay | undefined> {
  if (row.signal.aborted) return { laterMs: 0 }
  if (!(error instanceof Failure) && isDatabaseAway(error)) throw error
  const failure = asFailure(error)
  if (isTemporary(failure)) return { laterMs: retryMs }
  if (failure.code === 'RATE_LIMITED' || failure.code === 'CONCURRENCY_LIMITED') {
    await row.app.db.tx((tx) => store.releaseRow(tx, row.rowKey, 'waiting', null, now(row.app)))
    const waitMs = Math.min(failure.more.retryAfterMs ?? rateLimitWaitMs, maxRateLimitWaitMs)
    // The delays are spread out, so that waiting rows do not retry at the same moment.
    return { laterMs: Math.ceil(waitMs * (1 + Math.random() / 4)) }
  }
  if (failure.code === 'INTERNAL') logDefect(row, failure)
  return endRow(row, 'errored', bodyOf(row, failure))
}

/** Stores the result of the row and deletes the copy in the journal, in one transaction. */
async function endRow(row: RunningRow, state: store.RowEnd, result: string): Promise<undefined> {
  const { app, rowKey, effect_id } = row
  await app.db.tx(async (tx) => {
    await discardReply(tx, rowKey.accountId, effect_id)
    // This comes last, because rows of one batch wait for each other's lock from here on.
    await store.releaseRow(tx, rowKey, state, result, now(app))
  })
}

const now = ({ clock }: Pick<MessagesApp, 'clock'>): Date => new Date(clock.nowMs())

const payerOf = ({ rowKey, project_id, key_id }: RunningRow) => ({
  accountId: rowKey.accountId,
  projectId: project_id,
  keyId: key_id,
})

const bodyOf = ({ effect_id, language }: RunningRow, failure: Failure): string =>
  JSON.stringify(errorBody(failure, effect_id, language))

const ambiguousResult = (row: RunningRow): string =>
  bodyOf(row, new Failure('AMBIGUOUS_RESULT', {}, { executed: true, receiptId: row.effect_id }))

const logDefect = ({ app, rowKey, effect_id }: RunningRow, failure: Failure): void =>
  app.log.error(
    { err: failure.cause ?? failure, request_id: effect_id, batch_id: rowKey.batchId },
    'a row of a batch broke',
  )
