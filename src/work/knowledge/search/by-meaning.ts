/** Finds the passages that are nearest to the question in meaning, by an exact search over all vectors of the knowledge project. */
import { embed, NearestVectors, truncateForModel, unpackVectors } from '#core/embeddings'
import type { PaidCall } from '#core/paid'
import { asFailure, type Failure } from '#platform/errors'
import type { KnowledgeApp } from '../app.ts'
import { searchPgvector } from '../embed/pgvector.ts'
import { maxPassagesInBatch } from '../embed/store.ts'
import type { ProjectKey } from '../store.ts'
import type { PassagePosition } from './fuse.ts'
import * as store from './store.ts'

/** Who pays for the embedding of the query, and under which receipt. */
export type Payment = Omit<PaidCall, 'claim' | 'background'>

export interface MeaningMatch {
  /** False if only words decide the order. */
  used: boolean
  /** The nearest passages, nearest first. */
  near: PassagePosition[]
  /** Why vectors were not used although there are vectors and a payer. */
  failure?: Failure
}

const maxNear = 100
/** Upper bound of vector bytes in memory at a time, if every row is as large as can be. */
const pageBytes = 8 * 1024 * 1024

/** Finds passages by meaning. Missing credits or an unavailable model are no error: the search falls back to words alone. */
export async function findByMeaning(
  app: Pick<KnowledgeApp, 'db' | 'models' | 'paid'>,
  projectKey: ProjectKey,
  text: string,
  payer: Payment | undefined,
): Promise<MeaningMatch> {
  const model = app.models.defaults.embedding
  if (!model || !payer || !(await store.hasVectors(app.db, projectKey, model.id)))
    return { used: false, near: [] }
  try {
    const outcome = await embed(app.paid, {
      ...payer,
      model,
      texts: [truncateForModel(model, text)],
    })
    if ('failure' in outcome) return { used: false, near: [], failure: outcome.failure }
    return { used: true, near: await nearest(app, projectKey, model.id, outcome.vectors[0]!) }
  } catch (error) {
    const failure = asFailure(error)
    if (failure.code === 'INTERNAL') throw error
    return { used: false, near: [], failure }
  }
}

async function nearest(
  app: Pick<KnowledgeApp, 'db'>,
  projectKey: ProjectKey,
  model: string,
  query: Float32Array,
): Promise<PassagePosition[]> {
  const pgvectorMatches = await searchPgvector(app.db, projectKey, { model, query, limit: maxNear })
  if (pgvectorMatches) return pgvectorMatches
  const best = new NearestVectors<PassagePosition>(query, maxNear)
  const dimensions = query.length
  const rows = Math.max(1, Math.floor(pageBytes / (4 * dimensions * maxPassagesInBatch)))
  let after: PassagePosition | undefined
  do {
    const page = await store.readVectors(app.db, projectKey, { model, dimensions, after, rows })
    for (const { source_id, position, vectors } of page)
      best.add(unpackVectors(vectors), (index) => ({ source_id, position: position + index }))
    after = page.at(-1)
  } while (after)
  return best.found.map(({ item }) => item)
}
