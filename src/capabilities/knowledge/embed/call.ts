/**
 * One call for vectors. Its id was written down before it (`platform/effects`), so that whoever takes the work over knows what became
 * of it, and none is paid twice.
 */
import { embed, fitted, packVectors, vectorsIn } from '#engine/embeddings'
import { isDatabaseAway } from '#platform/db'
import { effectOf, fenceEffect, takeReply } from '#platform/effects'
import { asFailure, Failure } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import type { Later } from '#platform/jobs'
import type { Step, Work } from './embed-source.ts'
import { putNear } from './near.ts'
import * as store from './store.ts'

const endpoint = '/v1/knowledge/sources'
/** A call that runs elsewhere is looked at again after this; so is a database that was away. */
const lookAgainMs = 1_000
/** Calls in a row that come to nothing. */
const maxTries = 8
const firstRetryMs = 500
const longestRetryMs = 60_000

/** Somebody had begun it: what became of the call decides. */
export async function takeOver(work: Work, batch: store.Batch): Promise<Step> {
  const { app, place } = work
  const effect = await effectOf(app.ledger, place.accountId, batch.effect_id)
  switch (effect.state) {
    case 'running':
      return { laterMs: lookAgainMs }
    case 'done':
    case 'failed':
      return effect.reply === null ? lose(work, batch) : keep(work, batch, vectorsIn(effect.reply))
    case 'ambiguous':
      return lose(work, batch)
    case 'never': {
      const now = new Date(app.clock.nowMs())
      const barred = await app.db.tx((tx) => fenceEffect(tx, payerOf(work), batch.effect_id, endpoint, now))
      if (!barred) return { laterMs: lookAgainMs }
    }
  }
  const effectId = uuidv7()
  if (!(await store.replaceEffect(app.db, place, batch, effectId))) return { laterMs: lookAgainMs }
  const passages = await store.passagesIn(app.db, place, batch)
  return askFor(work, { ...batch, effect_id: effectId }, passages)
}

export async function askFor(
  work: Work,
  batch: store.Batch,
  passages: readonly store.PassageText[],
): Promise<Step> {
  const { app, place, source, model, signal, trail } = work
  const texts = passages.map(({ heading, text }) => {
    const above = [source.title, heading].filter((line) => line !== null).join(' › ')
    return fitted(model, above === '' ? text : `${above}\n${text}`)
  })
  try {
    const outcome = await embed(app, {
      caller: await app.keys.callerOf(place.accountId, source.key_id),
      endpoint,
      requestId: batch.effect_id,
      receivedMs: app.clock.nowMs(),
      model,
      texts,
      background: true,
      gone: signal,
      trail,
    })
    if ('vectors' in outcome) return await keep(work, batch, outcome.vectors)
    if (outcome.didNothing && signal.aborted) return { laterMs: 0 }
    return await failed(work, batch, outcome)
  } catch (error) {
    return refused(work, batch, error)
  }
}

/** The vectors, and the end of the journal's copy, in one transaction. */
async function keep(work: Work, batch: store.Batch, vectors: readonly Float32Array[]): Promise<Step> {
  const { app, place, model } = work
  const dimensions = vectors[0]!.length
  const near = await putNear(app.db)
  await app.db.tx(async (tx) => {
    await takeReply(tx, place.accountId, batch.effect_id)
    const stored = await store.storeVectors(tx, place, batch, { dimensions, vectors: packVectors(vectors) })
    if (stored) await near(tx, place, { position: batch.position, model: model.id, vectors })
  })
  return 'on'
}

/** Its passages stay without vectors: they are found by their words. */
async function lose({ app, place }: Work, batch: store.Batch): Promise<Step> {
  await app.db.tx((tx) => store.loseBatch(tx, place, batch))
  return 'on'
}

/** What came to nothing is asked again after a while; what an upstream may have worked on is not. After some in a row nothing is. */
async function failed(
  work: Work,
  batch: store.Batch,
  { failure, didNothing }: { failure: Failure; didNothing: boolean },
): Promise<Step> {
  const { app, place, source } = work
  const tries = source.vectors_tries + 1
  if (tries >= maxTries) {
    if (!didNothing) await lose(work, batch)
    return giveUp(work, didNothing ? batch : undefined, 'upstream_failed')
  }
  await app.db.tx(async (tx) => {
    if (!didNothing) await store.loseBatch(tx, place, batch)
    await store.setTries(tx, place, tries)
  })
  return didNothing ? later(firstRetryMs * 2 ** tries, failure) : 'on'
}

/** Nothing was held for it, or the database cannot say: then it is looked up once it can. */
async function refused(work: Work, batch: store.Batch, error: unknown): Promise<Step> {
  const { app, place, signal } = work
  if (signal.aborted) return { laterMs: 0 }
  if (!(error instanceof Failure) && isDatabaseAway(error)) throw error
  const failure = asFailure(error)
  if (failure.code === 'SERVICE_UNAVAILABLE') return { laterMs: lookAgainMs }
  if (failure.code === 'RATE_LIMITED' || failure.code === 'CONCURRENCY_LIMITED') {
    await app.db.tx((tx) => store.dropBatch(tx, place, batch))
    return later(lookAgainMs, failure)
  }
  const problem = problems[failure.code]
  if (problem !== undefined) return giveUp(work, batch, problem)
  app.log.error({ err: failure.cause ?? failure, receipt: batch.effect_id }, 'a call for vectors broke')
  return failed(work, batch, { failure, didNothing: false })
}

const problems: Partial<Record<string, string>> = {
  INSUFFICIENT_CREDITS: 'no_credits',
  BUDGET_EXCEEDED: 'no_credits',
  INVALID_API_KEY: 'key_ended',
  ACCOUNT_SUSPENDED: 'key_ended',
  PLAN_REQUIRED: 'key_ended',
  MODEL_NOT_ALLOWED: 'model_not_allowed',
}

/** The source stays ready by its words. `batch`: a call that was not made, unless another has taken it over. */
async function giveUp({ app, place }: Work, batch: store.Batch | undefined, problem: string): Promise<Step> {
  return app.db.tx(async (tx) => {
    if (batch && !(await store.dropBatch(tx, place, batch))) return { laterMs: lookAgainMs }
    await store.endFailed(tx, place, problem)
    return 'over'
  })
}

/** Not all of them at the same moment. */
function later(atLeastMs: number, { more }: Failure): Later {
  const waitMs = Math.min(Math.max(atLeastMs, more.retryAfterMs ?? 0), longestRetryMs)
  return { laterMs: Math.ceil(waitMs * (1 + Math.random() / 4)) }
}

const payerOf = ({ place, source }: Work) => ({
  accountId: place.accountId,
  projectId: source.project_id,
  keyId: source.key_id,
})
