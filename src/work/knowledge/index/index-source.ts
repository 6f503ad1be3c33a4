/** Reads and indexes one source in the background. The job may be started again after a crash, even concurrently: only the first end is stored. */
import { buffer } from 'node:stream/consumers'
import { indexPassage, iteratePassages } from '#core/retrieval'
import type { ReadFailure, ReadText } from '#core/tools'
import type { Tx } from '#platform/db'
import type { JobDelay, JobRun } from '#platform/jobs'
import { Slice } from '#platform/slices'
import { deletePendingBlobs, markForDeletion, reportLost } from '#platform/storage'
import { job, type KnowledgeApp } from '../app.ts'
import { embedJob } from '../embed/embed-source.ts'
import { projectTermOf, sourceStorageKey } from '../mark.ts'
import { lockProject, type SourceRow } from '../store.ts'
import * as store from './store.ts'

/** The most passages of one knowledge project. */
export const maxPassages = 50_000
const maxAttempts = 8
const lookAgainMs = 2_000
const insertedAtOnce = 100

interface SourceWork {
  knowledgeId: string
  sourceId: string
}

export const indexJob = job<SourceWork>({
  name: 'knowledge.index',
  writes: ['database', 'wal'],
  limits: () => ({ perAccount: 2, perProcess: 4 }),
  handle: indexSource,
  async setAside({ app, accountId, data }) {
    return finishSource(app, { accountId, ...data }, { state: 'failed', problem: 'set_aside' })
  },
})

async function indexSource({
  app,
  accountId,
  data,
  signal,
}: JobRun<SourceWork, KnowledgeApp>): Promise<JobDelay | undefined> {
  if (signal.aborted) return { laterMs: 0 }
  const sourceKey = { accountId, ...data }
  const source = await store.beginSource(app.db, sourceKey)
  if (!source) return undefined
  if (source.attempts > maxAttempts)
    return finishSource(app, sourceKey, { state: 'failed', problem: 'given_up' })
  const read = await textOf(app, source, signal)
  if ('unread' in read) {
    // The readers are busy with other sources: try again later.
    if (read.unread === 'busy') return { laterMs: lookAgainMs }
    return finishSource(app, sourceKey, { state: 'failed', problem: read.unread })
  }
  return save(app, sourceKey, source, read)
}

/** `file_lost`: the bytes were stored, but the storage does not have them. */
type FileLost = { unread: 'file_lost' }

async function textOf(
  app: KnowledgeApp,
  source: SourceRow,
  signal: AbortSignal,
): Promise<ReadText | ReadFailure | FileLost> {
  const { account_id: accountId, source_id: sourceId, kind, url } = source
  if (kind === 'url') return app.reader.fetch(url!, { accountId, signal })
  const stored = await app.storage.get(sourceStorageKey(accountId, sourceId))
  if (!stored) {
    reportLost(app, sourceStorageKey(accountId, sourceId))
    return { unread: 'file_lost' }
  }
  return app.reader.read(kind, await buffer(stored), { accountId, signal })
}

async function save(
  app: KnowledgeApp,
  sourceKey: store.SourceKey,
  source: SourceRow,
  read: ReadText,
): Promise<undefined> {
  const title = source.title ?? (read.title.slice(0, 200) || undefined)
  const passages: store.NewPassage[] = []
  const slice = new Slice()
  for (const passage of iteratePassages(read.text)) {
    if (passage) {
      const { heading, text } = passage
      const above = [title, heading].filter((line) => line !== undefined).join('\n')
      passages.push({
        heading: heading ?? null,
        text,
        ...indexPassage(above, text, projectTermOf(sourceKey.knowledgeId)),
      })
    }
    if (slice.isOver()) await slice.next()
  }
  if (passages.length === 0) return finishSource(app, sourceKey, { state: 'failed', problem: 'no_text' })
  const words = passages.reduce((sum, passage) => sum + passage.words, 0)
  const summary = { title, words, characters: read.text.length, passages: passages.length, cut: read.cut }
  return finishSource(app, sourceKey, { state: 'ready', ...summary }, passages)
}

/** Stores the outcome of a source and marks its bytes for deletion, in one transaction. */
async function finishSource(
  app: KnowledgeApp,
  sourceKey: store.SourceKey,
  how: store.SourceEnd,
  passages: readonly store.NewPassage[] = [],
): Promise<undefined> {
  const now = new Date(app.clock.nowMs())
  const key = sourceStorageKey(sourceKey.accountId, sourceKey.sourceId)
  const ended = await app.db.tx(async (tx) => {
    if (!(await lockProject(tx, sourceKey.accountId, sourceKey.knowledgeId))) return false
    const fits =
      passages.length === 0 || (await store.countPassages(tx, sourceKey)) + passages.length <= maxPassages
    const end: store.SourceEnd = fits ? how : { state: 'failed', problem: 'knowledge_full' }
    if (!(await store.endSource(tx, sourceKey, end, now))) return false
    if (fits) await keepPassages(app, tx, sourceKey, passages)
    // Only passages are kept. A source by URL never had bytes here, and deleting bytes that do not exist is no failure.
    await markForDeletion(tx, [key], now)
    return true
  })
  if (ended) await deletePendingBlobs(app, [key])
  return undefined
}

/** Stores the passages, which can be found by their words at once. Another job makes the vectors and has to pay for them. */
async function keepPassages(
  app: Pick<KnowledgeApp, 'jobs' | 'models'>,
  tx: Tx,
  sourceKey: store.SourceKey,
  passages: readonly store.NewPassage[],
): Promise<void> {
  for (let at = 0; at < passages.length; at += insertedAtOnce)
    await store.insertPassages(tx, sourceKey, at, passages.slice(at, at + insertedAtOnce))
  const { embedding } = app.models.defaults
  if (!embedding || passages.length === 0) return
  await store.queueVectors(tx, sourceKey, embedding.id)
  const { accountId, ...data } = sourceKey
  await app.jobs.enqueue(tx, embedJob, { accountId, data, singletonKey: data.sourceId })
}
