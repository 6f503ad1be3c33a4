/** Vectors asked for anew: of sources without them, and of all when another model was configured. */
import { fail } from '#platform/errors'
import { JsonText } from '#platform/http'
import { record } from '#platform/ledger'
import { type KnowledgeAsk, notFound, placeOf, requireProject } from '../projects.ts'
import type { Embedding } from '../schema.ts'
import { lockProject } from '../store.ts'
import { embedJob } from './embed-source.ts'
import * as store from './store.ts'

/** Whoever asks pays. What is under way goes on; what is whole stays. */
export async function embedKnowledge(ask: KnowledgeAsk): Promise<JsonText> {
  const { app, caller, claim } = ask
  const place = placeOf(ask)
  const { knowledge_id: id } = await requireProject(app, place)
  const { id: model } = app.models.embedding ?? fail('EMBEDDING_NOT_CONFIGURED', {})
  return app.db.tx(async (tx) => {
    if (!(await lockProject(tx, place.accountId, id, place.projectId))) return notFound()
    const sources = await store.awaitAnew(tx, place, { model, keyId: caller.keyId })
    const asks = sources.map((sourceId) => ({
      accountId: place.accountId,
      data: { knowledgeId: id, sourceId },
      singletonKey: sourceId,
    }))
    await app.jobs.enqueue(tx, embedJob, ...asks)
    const told: Embedding = { id, model, queued: sources.length }
    const reply = JSON.stringify(told)
    const endpoint = '/v1/knowledge/embed'
    const recorded = { payer: caller, receiptId: ask.requestId, endpoint, claim, statusCode: 202, reply }
    if (claim) await record(tx, recorded, new Date(app.clock.nowMs()))
    return new JsonText(reply)
  })
}
