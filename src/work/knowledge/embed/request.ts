/** Requests vectors again: for sources without them, and for all sources if another model was configured. */
import { acceptOnce } from '#core/calls'
import { fail } from '#platform/errors'
import type { JsonText } from '#platform/http'
import { type KnowledgeContext, notFound, projectKeyOf, requireProject } from '../projects.ts'
import type { Embedding } from '../schema.ts'
import { lockProject } from '../store.ts'
import { embedJob } from './embed-source.ts'
import * as store from './store.ts'

/** Queues sources for vectors, which the caller pays. Sources that are already queued stay queued; complete ones are left alone. */
export async function embedKnowledge(context: KnowledgeContext): Promise<JsonText> {
  const { app, caller } = context
  const projectKey = projectKeyOf(context)
  const { knowledge_id: id } = await requireProject(app, projectKey)
  const { id: model } = app.models.defaults.embedding ?? fail('EMBEDDING_NOT_CONFIGURED', {})
  return acceptOnce(context, { endpoint: '/v1/knowledge/embed', statusCode: 202 }, async (tx) => {
    if (!(await lockProject(tx, projectKey.accountId, id, projectKey.projectId))) return notFound()
    const sources = await store.requeueVectors(tx, projectKey, { model, keyId: caller.keyId })
    // The jobs have no singleton key: the job that ended a source may still be in the queue, and would suppress the new one.
    const jobs = sources.map((sourceId) => ({
      accountId: projectKey.accountId,
      data: { knowledgeId: id, sourceId },
    }))
    await app.jobs.enqueue(tx, embedJob, ...jobs)
    return { id, model, queued: sources.length } satisfies Embedding
  })
}
