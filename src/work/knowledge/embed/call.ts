/**
 * One call for vectors. Its id is recorded before the call (`platform/effects`), so that another worker that takes the work over can look up the
 * result, and no call is paid twice.
 */
import { embed, packVectors, truncateForModel, vectorsIn } from '#core/embeddings'
import { isDatabaseAway } from '#platform/db'
import { discardReply, effectOf, fenceEffect } from '#platform/effects'
import { asFailure, Failure, isPassing } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { Later } from '#platform/jobs'
import type { Step, Work } from './embed-source.ts'
import { vectorWriter } from './pgvector.ts'
import * as store from './store.ts'

const endpoint = '/v1/knowledge/sources'
/** The delay before a call that runs in another process is looked up again, or a database that was unavailable. */
const lookAgainMs = 1_000
/** The number of failed calls in a row after which the source is given up. */
const maxTries = 8
const firstRetryMs = 500
const maxRetryMs = 60_000

/** Continues a batch that an earlier worker began: the state of its recorded call decides. */
export async function resumeBatch(work: Work, batch: store.Batch): Promise<Step> {
  const { app, sourceKey } = work
  const effect = await effectOf(app.ledger, sourceKey.accountId, batch.effect_id)
  switch (effect.state) {
    case 'running':
      return { laterMs: lookAgainMs }
    case 'done':
    case 'failed':
      return effect.reply === null ? markLost(work, batch) : saveVectors(work, batch, vectorsIn(effect.reply))
    case 'ambiguous':
      return markLost(work, batch)
    case 'never': {
      const now = new Date(app.clock.nowMs())
      const barred = await app.db.tx((tx) => fenceEffect(tx, payerOf(work), batch.effect_id, endpoint, now))
      if (!barred) return { laterMs: lookAgainMs }
    }
  }
  const effectId = uuidv7()
  if (!(await store.replaceEffect(app.db, sourceKey, batch, effectId))) return { laterMs: lookAgainMs }
  const passages = await store.passagesIn(app.db, sourceKey, batch)
  return requestVectors(work, { ...batch, effect_id: effectId }, passages)
}

export async function requestVectors(
  work: Work,
  batch: store.Batch,
  passages: readonly store.PassageText[],
): Promise<Step> {
  const { app, sourceKey, source, model, signal, trace } = work
  const texts = passages.map(({ heading, text }) => {
    const above = [source.title, heading].filter((line) => line !== null).join(' › ')
    return truncateForModel(model, above === '' ? text : `${above}\n${text}`)
  })
  try {
    const outcome = await embed(app, {
      caller: await app.keys.callerOf(sourceKey.accountId, source.key_id),
      endpoint,
      requestId: batch.effect_id,
      receivedMs: app.clock.nowMs(),
      model,
      texts,
      background: true,
      gone: signal,
      trace,
    })
    if ('vectors' in outcome) return await saveVectors(work, batch, outcome.vectors)
    if (outcome.hadNoEffect && signal.aborted) return { laterMs: 0 }
    return await retryOrEnd(work, batch, outcome)
  } catch (error) {
    return handleError(work, batch, error)
  }
}

/** Stores the vectors and deletes the copy in the journal, in one transaction. */
async function saveVectors(work: Work, batch: store.Batch, vectors: readonly Float32Array[]): Promise<Step> {
  const { app, sourceKey, model } = work
  const dimensions = vectors[0]!.length
  const writeVectors = await vectorWriter(app.db)
  await app.db.tx(async (tx) => {
    await discardReply(tx, sourceKey.accountId, batch.effect_id)
    const stored = await store.storeVectors(tx, sourceKey, batch, {
      dimensions,
      vectors: packVectors(vectors),
    })
    if (stored) await writeVectors(tx, sourceKey, { position: batch.position, model: model.id, vectors })
  })
  return 'on'
}

/** Marks a batch as lost: its passages stay without vectors and are found by their words only. */
async function markLost({ app, sourceKey }: Work, batch: store.Batch): Promise<Step> {
  await app.db.tx((tx) => store.loseBatch(tx, sourceKey, batch))
  return 'on'
}

/** A call that had no effect is retried after a pause; one that an upstream may have executed is not. Gives up after `maxTries` in a row. */
async function retryOrEnd(
  work: Work,
  batch: store.Batch,
  { failure, hadNoEffect }: { failure: Failure; hadNoEffect: boolean },
): Promise<Step> {
  const { app, sourceKey, source } = work
  const tries = source.vectors_tries + 1
  if (tries >= maxTries) {
    if (!hadNoEffect) await markLost(work, batch)
    return endWithProblem(work, hadNoEffect ? batch : undefined, 'upstream_failed')
  }
  await app.db.tx(async (tx) => {
    if (!hadNoEffect) await store.loseBatch(tx, sourceKey, batch)
    await store.setTries(tx, sourceKey, tries)
  })
  return hadNoEffect ? later(firstRetryMs * 2 ** tries, failure) : 'on'
}

/** Handles an error before credits were held, or of an unavailable database, after which the state of the call is looked up later. */
async function handleError(work: Work, batch: store.Batch, error: unknown): Promise<Step> {
  const { app, sourceKey, signal } = work
  if (signal.aborted) return { laterMs: 0 }
  if (!(error instanceof Failure) && isDatabaseAway(error)) throw error
  const failure = asFailure(error)
  if (isPassing(failure)) return { laterMs: lookAgainMs }
  if (failure.code === 'RATE_LIMITED' || failure.code === 'CONCURRENCY_LIMITED') {
    await app.db.tx((tx) => store.dropBatch(tx, sourceKey, batch))
    return later(lookAgainMs, failure)
  }
  const problem = problems[failure.code]
  if (problem !== undefined) return endWithProblem(work, batch, problem)
  app.log.error({ err: failure.cause ?? failure, receipt: batch.effect_id }, 'a call for vectors broke')
  return retryOrEnd(work, batch, { failure, hadNoEffect: false })
}

const problems: Partial<Record<string, string>> = {
  INSUFFICIENT_CREDITS: 'no_credits',
  BUDGET_EXCEEDED: 'no_credits',
  INVALID_API_KEY: 'key_ended',
  ACCOUNT_SUSPENDED: 'key_ended',
  PLAN_REQUIRED: 'key_ended',
  MODEL_NOT_ALLOWED: 'model_not_allowed',
}

/**
 * Gives up the vectors of a source, which is still found by its words. `batch`: a call that was not made, dropped unless another worker has taken it
 * over.
 */
async function endWithProblem(
  { app, sourceKey }: Work,
  batch: store.Batch | undefined,
  problem: string,
): Promise<Step> {
  return app.db.tx(async (tx) => {
    if (batch && !(await store.dropBatch(tx, sourceKey, batch))) return { laterMs: lookAgainMs }
    await store.endFailed(tx, sourceKey, problem)
    return 'over'
  })
}

/** A delay with up to a quarter of jitter, so that jobs do not all retry at the same moment. */
function later(atLeastMs: number, { more }: Failure): Later {
  const waitMs = Math.min(Math.max(atLeastMs, more.retryAfterMs ?? 0), maxRetryMs)
  return { laterMs: Math.ceil(waitMs * (1 + Math.random() / 4)) }
}

const payerOf = ({ sourceKey, source }: Work) => ({
  accountId: sourceKey.accountId,
  projectId: source.project_id,
  keyId: source.key_id,
})
