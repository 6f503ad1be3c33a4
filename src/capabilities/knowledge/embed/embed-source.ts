/** Vectors of one source, made in the background, call by call. Each call is recorded before it is made. */
import type { App } from '#app'
import type { EmbeddingModel } from '#engine/models'
import { uuidv7 } from '#platform/ids'
import { job, type Later, type Run } from '#platform/jobs'
import type { Trail } from '#platform/trace'
import type { SourcePlace } from '../index/store.ts'
import { requestVectors, resumeBatch } from './call.ts'
import * as store from './store.ts'

export const embedJob = job<{ knowledgeId: string; sourceId: string }>({
  name: 'knowledge.embed',
  limits: () => ({ perAccount: 2, perProcess: 4 }),
  handle: embedSource,
  async setAside({ app, accountId, data }) {
    await app.db.tx((tx) => store.endFailed(tx, { accountId, ...data }, 'set_aside'))
    return undefined
  },
})

/** What every step of the job needs. */
export interface Work {
  app: App
  place: SourcePlace
  source: store.WaitingSource
  model: EmbeddingModel
  signal: AbortSignal
  trail: Trail
}

/** `on`: continue with the next batch; `over`: the source is done. */
export type Step = 'on' | 'over' | Later

async function embedSource(run: Run<{ knowledgeId: string; sourceId: string }>): Promise<Later | undefined> {
  const { app, accountId, data, stopping, signal, trail, progressed } = run
  const place = { accountId, ...data }
  for (;;) {
    if (stopping.aborted || signal.aborted) return { laterMs: 0 }
    const source = await store.findWaiting(app.db, place)
    if (!source) return undefined
    const model = app.models.find(source.vectors_model)
    const step: Step =
      model?.kind === 'embedding' ? await next({ app, place, source, model, signal, trail }) : 'over'
    if (model?.kind !== 'embedding') await app.db.tx((tx) => store.endFailed(tx, place, 'no_model'))
    if (step === 'over') return undefined
    if (step !== 'on') return step
    await progressed()
  }
}

async function next(work: Work): Promise<Step> {
  const { app, place, model } = work
  const begun = await store.findBegun(app.db, place)
  if (begun) return resumeBatch(work, begun)
  const passages = inOneRow(await store.uncovered(app.db, place, model.maxBatch))
  if (passages.length === 0) {
    await store.endComplete(app.db, place)
    return 'over'
  }
  const batch = { position: passages[0]!.position, passages: passages.length, effect_id: uuidv7() }
  if (!(await store.insertBatch(app.db, place, batch))) return 'on'
  return requestVectors(work, batch, passages)
}

/** Up to the first gap, behind which there are vectors. */
const inOneRow = (passages: store.PassageText[]): store.PassageText[] =>
  passages.filter(({ position }, index) => position === passages[0]!.position + index)
