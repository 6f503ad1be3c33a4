/**
 * One call for vectors. Its id is recorded before the call (`platform/effects`), so that another worker that takes the work over can look up the
 * result, and no call is paid twice.
 */
import { embed, packVectors, parseVectors, truncateForModel } from '#core/embeddings'
import { isDatabaseAway } from '#platform/db'
import { discardReply, effectOf, fenceEffect } from '#platform/effects'
import { asFailure, Failure, isTemporary } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { JobDelay } from '#platform/jobs'
import type { EmbedContext, EmbedStepResult } from './embed-source.ts'
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
export async function resumeBatch(context: EmbedContext, batch: store.VectorBatch): Promise<EmbedStepResult> {
  const { app, sourceKey } = context
  const effect = await effectOf(app.ledger, sourceKey.accountId, batch.effect_id)
  switch (effect.state) {
    case 'running':
      return { laterMs: lookAgainMs }
    case 'done':
    case 'failed':
      return effect.reply === null
        ? markLost(context, batch)
        : saveVectors(context, batch, parseVectors(effect.reply))
    case 'ambiguous':
      return markLost(context, batch)
    case 'never': {
      const now = new Date(app.clock.nowMs())
      const isFenced = await app.db.tx((tx) =>
        fenceEffect(tx, payerOf(context), batch.effect_id, endpoint, now),
      )
      if (!isFenced) return { laterMs: lookAgainMs }
    }
  }
  const effectId = uuidv7()
  if (!(await store.replaceEffect(app.db, sourceKey, batch, effectId))) return { laterMs: lookAgainMs }
  const passages = await store.passagesIn(app.db, sourceKey, batch)
  return requestVectors(context, { ...batch, effect_id: effectId }, passages)
}

export async function requestVectors(
  context: EmbedContext,
  batch: store.VectorBatch,
  passages: readonly store.PassageText[],
): Promise<EmbedStepResult> {
  const { app, sourceKey, source, model, signal, trace } = context
  const texts = passages.map(({ heading, text }) => {
    const above = [source.title, heading].filter((line) => line !== null).join(' › ')
    return truncateForModel(model, above === '' ? text : `${above}\n${text}`)
  })
  try {
    const outcome = await embed(app.paid, {
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
    if ('vectors' in outcome) return await saveVectors(context, batch, outcome.vectors)
    if (outcome.hadNoEffect && signal.aborted) return { laterMs: 0 }
    return await retryOrEnd(context, batch, outcome)
  } catch (error) {
    return handleError(context, batch, error)
  }
}

/** Stores the vectors and deletes the copy in the journal, in one transaction. */
async function saveVectors(
  context: EmbedContext,
  batch: store.VectorBatch,
  vectors: readonly Float32Array[],
): Promise<EmbedStepResult> {
  const { app, sourceKey, model } = context
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
async function markLost(
  { app, sourceKey }: EmbedContext,
  batch: store.VectorBatch,
): Promise<EmbedStepResult> {
  await app.db.tx((tx) => store.markBatchLost(tx, sourceKey, batch))
  return 'on'
}

/** A call that had no effect is retried after a pause; one that an upstream may have executed is not. Gives up after `maxTries` in a row. */
async function retryOrEnd(
  context: EmbedContext,
  batch: store.VectorBatch,
  { failure, hadNoEffect }: { failure: Failure; hadNoEffect: boolean },
): Promise<EmbedStepResult> {
  const { app, sourceKey, source } = context
  const tries = source.vectors_tries + 1
  if (tries >= maxTries) {
    if (!hadNoEffect) await markLost(context, batch)
    return endWithProblem(context, hadNoEffect ? batch : undefined, 'upstream_failed')
  }
  await app.db.tx(async (tx) => {
    if (!hadNoEffect) await store.markBatchLost(tx, sourceKey, batch)
    await store.setTries(tx, sourceKey, tries)
  })
  return hadNoEffect ? retryLater(firstRetryMs * 2 ** tries, failure) : 'on'
}

/** Handles an error before credits were held, or of an unavailable database, after which the state of the call is looked up later. */
async function handleError(
  context: EmbedContext,
  batch: store.VectorBatch,
  error: unknown,
): Promise<EmbedStepResult> {
  const { app, sourceKey, signal } = context
  if (signal.aborted) return { laterMs: 0 }
  if (!(error instanceof Failure) && isDatabaseAway(error)) throw error
  const failure = asFailure(error)
  if (isTemporary(failure)) return { laterMs: lookAgainMs }
  if (failure.code === 'RATE_LIMITED' || failure.code === 'CONCURRENCY_LIMITED') {
    await app.db.tx((tx) => store.dropBatch(tx, sourceKey, batch))
    return retryLater(lookAgainMs, failure)
  }
  const problem = problems[failure.code]
  if (problem !== undefined) return endWithProblem(context, batch, problem)
  app.log.error({ err: failure.cause ?? failure, receipt: batch.effect_id }, 'a call for vectors broke')
  return retryOrEnd(context, batch, { failure, hadNoEffect: false })
}

const problems: Partial<Record<string, string>> = {
  INSUFFICIENT_CREDITS: 'no_credits',
  BUDGET_EXCEEDED: 'no_credits',
  INVALID_API_KEY: 'key_ended',
  ACCOUNT_SUSPENDED: 'key_ended',
  ACCOUNT_CLOSING: 'key_ended',
  PLAN_REQUIRED: 'key_ended',
  MODEL_NOT_ALLOWED: 'model_not_allowed',
}

/**
 * Gives up the vectors of a source, which is still found by its words. `batch`: a call that was not made, dropped unless another worker has taken it
 * over.
 */
async function endWithProblem(
  { app, sourceKey }: EmbedContext,
  batch: store.VectorBatch | undefined,
  problem: string,
): Promise<EmbedStepResult> {
  return app.db.tx(async (tx) => {
    if (batch && !(await store.dropBatch(tx, sourceKey, batch))) return { laterMs: lookAgainMs }
    await store.failVectors(tx, sourceKey, problem)
    return 'over'
  })
}

/** A delay with up to a quarter of jitter, so that jobs do not all retry at the same moment. */
function retryLater(atLeastMs: number, { more }: Failure): JobDelay {
  const waitMs = Math.min(Math.max(atLeastMs, more.retryAfterMs ?? 0), maxRetryMs)
  return { laterMs: Math.ceil(waitMs * (1 + Math.random() / 4)) }
}

const payerOf = ({ sourceKey, source }: EmbedContext) => ({
  accountId: sourceKey.accountId,
  projectId: source.project_id,
  keyId: source.key_id,
})
