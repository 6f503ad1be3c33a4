/**
 * One row, answered in the background. Its paid call has an id that is written down before the call (`platform/effects`), so that
 * whoever takes the row over knows what became of it, and none is made twice.
 */
import type { App } from '#app'
import { isDatabaseAway } from '#platform/db'
import { discardReply, effectOf, fenceEffect } from '#platform/effects'
import { asFailure, errorBody, Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { job, type Later, type Run } from '#platform/jobs'
import type { Trail } from '#platform/trace'
import { answerInBackground } from '../create.ts'
import type { MessagesBody } from '../request/schema.ts'
import { versionOf } from '../versions.ts'
import { shownId } from './batch.ts'
import * as store from './store.ts'

const endpoint = '/v1/messages/batches'
/** A call that runs elsewhere is looked at again after this; so is a database that was away. */
const lookAgainMs = 1_000
/** A limit of speed that says nothing of its end, and the longest that one is believed. */
const limitedMs = 1_000
const longestLimitedMs = 60_000

export const rowJob = job<{ batchId: string; position: number }>({
  name: 'batches.row',
  limits: ({ batches }) => ({ perAccount: batches.rowsPerAccount, perProcess: batches.rowsPerProcess }),
  handle: (run) => takeUp(run, (row) => (row.was === 'waiting' ? ask(row) : takeOver(row, ask))),
  setAside: (run) => takeUp(run, (row) => (row.was === 'waiting' ? setAside(row) : takeOver(row, setAside))),
})

interface Row extends store.BegunRow {
  app: App
  place: store.Place
  signal: AbortSignal
  trail: Trail
}

async function takeUp(
  { app, accountId, data, signal, trail }: Run<{ batchId: string; position: number }>,
  answer: (row: Row) => Promise<Later | undefined>,
): Promise<Later | undefined> {
  if (signal.aborted) return { laterMs: 0 }
  const place = { accountId, ...data }
  const begun = await store.beginRow(app.db, place, uuidv7(), now(app))
  if (!begun) return undefined
  trail.span?.set({ 'kherad.batch_id': shownId(place.batchId), 'kherad.request_id': begun.effect_id })
  return answer({ ...begun, app, place, signal, trail })
}

const setAside = (row: Row): Promise<undefined> =>
  end(row, 'errored', bodyOf(row, new Failure('SET_ASIDE', {}, {})))

/** Somebody had begun it: what became of the call decides. Where there was none, `otherwise`. */
async function takeOver(
  row: Row,
  otherwise: (row: Row) => Promise<Later | undefined>,
): Promise<Later | undefined> {
  const { app, place, effect_id } = row
  const effect = await effectOf(app.ledger, place.accountId, effect_id)
  switch (effect.state) {
    case 'running':
      return { laterMs: lookAgainMs }
    case 'done':
    case 'failed':
      if (effect.reply === null) return end(row, 'errored', ambiguous(row))
      return end(row, effect.state === 'done' ? 'succeeded' : 'errored', effect.reply)
    case 'ambiguous':
      return end(row, 'errored', ambiguous(row))
    case 'never': {
      const barred = await app.db.tx((tx) => fenceEffect(tx, payerOf(row), effect_id, endpoint, now(app)))
      if (!barred) return { laterMs: lookAgainMs }
    }
  }
  const next = uuidv7()
  if (!(await store.replaceEffect(app.db, place, effect_id, next))) return { laterMs: lookAgainMs }
  return otherwise({ ...row, effect_id: next })
}

async function ask(row: Row): Promise<Later | undefined> {
  const { app, place, effect_id, signal, trail, key_id } = row
  const told = (failure: Failure): string => (signal.aborted ? ambiguous(row) : bodyOf(row, failure))
  try {
    const { failure, text } = await answerInBackground({
      app,
      caller: await app.keys.callerOf(place.accountId, key_id),
      body: JSON.parse(row.params) as MessagesBody,
      dialect: { version: versionOf(row.version), betas: row.betas },
      requestId: effect_id,
      endpoint,
      customerId: row.customer_id ?? undefined,
      referenceId: row.reference_id ?? undefined,
      gone: signal,
      trail,
      told,
    })
    if (failure?.code === 'INTERNAL') tellDefect(row, failure)
    return await end(row, failure ? 'errored' : 'succeeded', text)
  } catch (error) {
    return refused(row, error)
  }
}

/** Nothing was held for it, or the database cannot say: then it is looked up once it can. */
async function refused(row: Row, error: unknown): Promise<Later | undefined> {
  if (row.signal.aborted) return { laterMs: 0 }
  if (!(error instanceof Failure) && isDatabaseAway(error)) throw error
  const failure = asFailure(error)
  if (failure.code === 'SERVICE_UNAVAILABLE') return { laterMs: lookAgainMs }
  if (failure.code === 'RATE_LIMITED' || failure.code === 'CONCURRENCY_LIMITED') {
    await row.app.db.tx((tx) => store.leaveRow(tx, row.place, 'waiting', null, now(row.app)))
    const waitMs = Math.min(failure.more.retryAfterMs ?? limitedMs, longestLimitedMs)
    // Not all of them at the same moment.
    return { laterMs: Math.ceil(waitMs * (1 + Math.random() / 4)) }
  }
  if (failure.code === 'INTERNAL') tellDefect(row, failure)
  return end(row, 'errored', bodyOf(row, failure))
}

/** What its caller will read, and the end of the journal's copy, in one transaction. */
async function end(row: Row, how: store.RowEnd, result: string): Promise<undefined> {
  const { app, place, effect_id } = row
  await app.db.tx(async (tx) => {
    await discardReply(tx, place.accountId, effect_id)
    // Last, since rows of the batch wait for each other here.
    await store.leaveRow(tx, place, how, result, now(app))
  })
}

const now = ({ clock }: App): Date => new Date(clock.nowMs())

const payerOf = ({ place, project_id, key_id }: Row) => ({
  accountId: place.accountId,
  projectId: project_id,
  keyId: key_id,
})

const bodyOf = ({ effect_id, language }: Row, failure: Failure): string =>
  JSON.stringify(errorBody(failure, effect_id, language))

const ambiguous = (row: Row): string =>
  bodyOf(row, new Failure('AMBIGUOUS_RESULT', {}, { executed: true, receiptId: row.effect_id }))

const tellDefect = ({ app, place, effect_id }: Row, failure: Failure): void =>
  app.log.error(
    { err: failure.cause ?? failure, request_id: effect_id, batch_id: place.batchId },
    'a row of a batch broke',
  )
