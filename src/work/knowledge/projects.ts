/** Creates, reads, lists, changes and deletes knowledge projects. */
import { acceptOnce } from '#core/calls'
import { fail } from '#platform/errors'
import type { JsonText, RequestContext } from '#platform/http'
import { isUuid, uuidv7 } from '#platform/ids'
import { plainList } from '#platform/lists'
import { deletePendingBlobs, markForDeletion } from '#platform/storage'
import type { KnowledgeApp } from './app.ts'
import { sourceStorageKey } from './mark.ts'
import type { Knowledge, KnowledgeBody, KnowledgeListQuery, KnowledgePatch } from './schema.ts'
import * as store from './store.ts'

/** The most knowledge projects of one project. */
export const maxProjects = 100

export type KnowledgeContext<Body = unknown, Query = unknown> = RequestContext<
  KnowledgeApp,
  Body,
  Query,
  { id: string }
>

export const projectKeyOf = ({
  caller,
  params,
}: Pick<KnowledgeContext, 'caller' | 'params'>): store.ProjectKey => ({
  accountId: caller.accountId,
  projectId: caller.projectId,
  knowledgeId: params.id,
})

const toKnowledge = (row: store.CountedProject): Knowledge => ({
  id: row.knowledge_id,
  name: row.name,
  instructions: row.instructions,
  sources: Number(row.sources),
  passages: Number(row.passages),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

/** A knowledge project of the caller's project. Throws KNOWLEDGE_NOT_FOUND if it is missing or belongs to another project. */
export async function requireProject(
  app: Pick<KnowledgeApp, 'db'>,
  projectKey: store.ProjectKey,
  param = 'id',
): Promise<store.CountedProject> {
  const found = isUuid(projectKey.knowledgeId) ? await store.findProject(app.db, projectKey) : undefined
  return found ?? notFound(param)
}

export const notFound = (param = 'id'): never => fail('KNOWLEDGE_NOT_FOUND', {}, { param })

export const readKnowledge = async (context: KnowledgeContext) =>
  toKnowledge(await requireProject(context.app, projectKeyOf(context)))

export async function createKnowledge(
  context: RequestContext<KnowledgeApp, KnowledgeBody>,
): Promise<JsonText> {
  const { app, body, caller } = context
  const now = new Date(app.clock.nowMs())
  const row = {
    account_id: caller.accountId,
    knowledge_id: uuidv7(now.getTime()),
    project_id: caller.projectId,
    name: body.name,
    instructions: body.instructions ?? null,
    created_at: now,
    updated_at: now,
  }
  return acceptOnce(context, { endpoint: '/v1/knowledge', statusCode: 201, now }, async (tx) => {
    await store.lockProjects(tx, caller)
    await store.insertProject(tx, row)
    if ((await store.countProjects(tx, caller)) > maxProjects)
      fail('KNOWLEDGE_LIMIT', { max: maxProjects, of: 'projects' })
    return toKnowledge({ ...row, sources: 0n, passages: 0n })
  })
}

export const listKnowledge = async ({
  app,
  caller,
  query,
}: RequestContext<KnowledgeApp, unknown, KnowledgeListQuery>) =>
  plainList.answer(await store.listProjects(app.db, caller, query), toKnowledge)

export async function changeKnowledge(context: KnowledgeContext<KnowledgePatch>) {
  const { app, body } = context
  await requireProject(app, projectKeyOf(context))
  const changed = await store.changeProject(app.db, projectKeyOf(context), body, new Date(app.clock.nowMs()))
  return changed ? readKnowledge(context) : notFound()
}

/** Deletes a knowledge project with its sources. Index jobs under way find the project gone and stop. */
export async function deleteKnowledge(context: KnowledgeContext) {
  const { app } = context
  const projectKey = projectKeyOf(context)
  await requireProject(app, projectKey)
  const keys = await app.db.tx(async (tx) => {
    if (!(await store.lockProject(tx, projectKey.accountId, projectKey.knowledgeId, projectKey.projectId)))
      return notFound()
    const unindexed = (await store.unindexedSources(tx, projectKey)).map((sourceId) =>
      sourceStorageKey(projectKey.accountId, sourceId),
    )
    await markForDeletion(tx, unindexed, new Date(app.clock.nowMs()))
    await store.deleteProject(tx, projectKey)
    return unindexed
  })
  await deletePendingBlobs(app, keys)
  return { id: projectKey.knowledgeId, deleted: true }
}
