/** Makes the vectors of one source in the background, call by call. Each call is recorded before it is made. */
import type { EmbeddingModel } from '#core/models'
import { uuidv7 } from '#platform/ids'
import type { JobDelay, JobRun } from '#platform/jobs'
import type { TraceContext } from '#platform/trace'
import { job, type KnowledgeApp } from '../app.ts'
import type { SourceKey } from '../index/store.ts'
import { requestVectors, resumeBatch } from './call.ts'
import * as store from './store.ts'

export const embedJob = job<{ knowledgeId: string; sourceId: string }>({
  name: 'knowledge.embed',
  writes: ['database', 'wal'],
  limits: () => ({ perAccount: 2, perProcess: 4 }),
  handle: embedSource,
  async setAside({ app, accountId, data }) {
    await app.db.tx((tx) => store.failVectors(tx, { accountId, ...data }, 'set_aside'))
    return undefined
  },
})

/** What every step of the job needs. */
export interface EmbedContext {
  app: KnowledgeApp
  sourceKey: SourceKey
  source: store.WaitingSource
  model: EmbeddingModel
  signal: AbortSignal
  trace: TraceContext
}

/** `on`: continue with the next batch; `over`: the source is done. */
export type EmbedStepResult = 'on' | 'over' | JobDelay

async function embedSource(
  run: JobRun<{ knowledgeId: string; sourceId: string }, KnowledgeApp>,
): Promise<JobDelay | undefined> {
  const { app, accountId, data, stopping, signal, trace, progressed } = run
  const sourceKey = { accountId, ...data }
  for (;;) {
    if (stopping.aborted || signal.aborted) return { laterMs: 0 }
    const source = await store.findQueuedSource(app.db, sourceKey)
    if (!source) return undefined
    const model = app.models.find(source.vectors_model)
    const step: EmbedStepResult =
      model?.kind === 'embedding'
        ? await embedNextBatch({ app, sourceKey, source, model, signal, trace })
        : 'over'
    if (model?.kind !== 'embedding') await app.db.tx((tx) => store.failVectors(tx, sourceKey, 'no_model'))
    if (step === 'over') return undefined
    if (step !== 'on') return step
    await progressed()
  }
}

async function embedNextBatch(context: EmbedContext): Promise<EmbedStepResult> {
  const { app, sourceKey, model } = context
  const begun = await store.findOpenBatch(app.db, sourceKey)
  if (begun) return resumeBatch(context, begun)
  const atMost = Math.min(model.maxBatch, store.maxPassagesInBatch)
  const passages = passagesBeforeGap(await store.unbatchedPassages(app.db, sourceKey, atMost))
  if (passages.length === 0) {
    await store.completeVectors(app.db, sourceKey)
    return 'over'
  }
  const batch = { position: passages[0]!.position, passages: passages.length, effect_id: uuidv7() }
  if (!(await store.insertBatch(app.db, sourceKey, batch))) return 'on'
  return requestVectors(context, batch, passages)
}

/** The passages before the first gap; for those in the gap a call was already made. */
const passagesBeforeGap = (passages: store.PassageText[]): store.PassageText[] =>
  passages.filter(({ position }, index) => position === passages[0]!.position + index)
