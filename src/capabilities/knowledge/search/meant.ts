/** Passages that are near the question in meaning: exact, over all vectors of the knowledge project. */
import type { App } from '#app'
import { embed, fitted, Nearest, unpackVectors } from '#engine/embeddings'
import type { PaidCall } from '#engine/paid'
import { asFailure, type Failure } from '#platform/errors'
import { searchNear } from '../embed/near.ts'
import type { Place } from '../store.ts'
import type { PassageAt } from './fuse.ts'
import * as store from './store.ts'

/** Who pays for the vector of the question, under which receipt. */
export type Payment = Omit<PaidCall, 'claim' | 'background'>

export interface Meant {
  /** False where words alone decide. */
  used: boolean
  /** The nearest first. */
  near: PassageAt[]
  /** Why not, where there are vectors and somebody to pay. */
  failure?: Failure
}

const maxNear = 100
/** Bytes of vectors that are here at a time, where calls were made for as many passages as the configuration allows. */
const pageBytes = 8 * 1024 * 1024
const maxInOneRow = 128

/** Never fails for want of money or of the model: then words have to do. */
export async function meant(
  app: App,
  place: Place,
  text: string,
  payer: Payment | undefined,
): Promise<Meant> {
  const model = app.models.embedding
  if (!model || !payer || !(await store.hasVectors(app.db, place, model.id))) return { used: false, near: [] }
  try {
    const outcome = await embed(app, { ...payer, claim: undefined, model, texts: [fitted(model, text)] })
    if ('failure' in outcome) return { used: false, near: [], failure: outcome.failure }
    return { used: true, near: await nearest(app, place, model.id, outcome.vectors[0]!) }
  } catch (error) {
    const failure = asFailure(error)
    if (failure.code === 'INTERNAL') throw error
    return { used: false, near: [], failure }
  }
}

async function nearest(app: App, place: Place, model: string, query: Float32Array): Promise<PassageAt[]> {
  const there = await searchNear(app.db, place, { model, query, limit: maxNear })
  if (there) return there
  const best = new Nearest<PassageAt>(query, maxNear)
  const dimensions = query.length
  const rows = Math.max(1, Math.floor(pageBytes / (4 * dimensions * maxInOneRow)))
  let after: PassageAt | undefined
  do {
    const page = await store.readVectors(app.db, place, { model, dimensions, after, rows })
    for (const { source_id, position, vectors } of page)
      best.add(unpackVectors(vectors), (index) => ({ source_id, position: position + index }))
    after = page.at(-1)
  } while (after)
  return best.best.map(({ place: at }) => at)
}
