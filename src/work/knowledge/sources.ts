/** Adds, reads, lists and deletes the sources of a knowledge project. */
import { acceptOnce, isBlank } from '#core/calls'
import { decodeBase64InSlices } from '#platform/bytes'
import { fail, type Language } from '#platform/errors'
import type { JsonText, RequestContext } from '#platform/http'
import { isUuid, uuidv7 } from '#platform/ids'
import { plainList } from '#platform/lists'
import { commitBlob, deletePendingBlobs, markForDeletion, stageBlob } from '#platform/storage'
import type { KnowledgeApp } from './app.ts'
import { indexJob } from './index/index-source.ts'
import { sourceStorageKey } from './mark.ts'
import { problemPhrases, reasons, vectorPhrases } from './phrases.ts'
import { type KnowledgeContext, notFound, projectKeyOf, requireProject } from './projects.ts'
import { type KnowledgeListQuery, type KnowledgeSource, maxFileBytes, type SourceBody } from './schema.ts'
import * as store from './store.ts'

/** The most sources of one knowledge project. */
export const maxSources = 1_000

type SourceContext = RequestContext<KnowledgeApp, unknown, unknown, { id: string; source_id: string }>

const toSource = (row: store.SourceRow, language: Language): KnowledgeSource => ({
  id: row.source_id,
  knowledge_id: row.knowledge_id,
  type: row.kind,
  title: row.title,
  url: row.url,
  state: row.state,
  problem:
    row.problem === null ? null : { code: row.problem, message: problemPhrases(row.problem)[language] },
  bytes: row.bytes === null ? null : Number(row.bytes),
  characters: row.characters,
  passages: row.passages,
  cut: row.cut,
  created_at: row.created_at.toISOString(),
  indexed_at: row.indexed_at?.toISOString() ?? null,
  vectors: vectorsOf(row, language),
})

function vectorsOf(row: store.SourceRow, language: Language): KnowledgeSource['vectors'] {
  const { vectors: state, vectors_model: model, vectors_problem: code } = row
  if (state === null) return null
  const problem = code === null ? null : { code, message: vectorPhrases(code)[language] }
  return { state, model: model!, problem }
}

/** Adds a source, which a job indexes. Its bytes are stored before the transaction, and deleted once it is indexed. */
export async function addSource(context: KnowledgeContext<SourceBody>): Promise<JsonText> {
  const { app, body } = context
  const projectKey = projectKeyOf(context)
  await requireProject(app, projectKey)
  const bytes = await bytesIn(body)
  const row = newSource(context, projectKey, bytes)
  const key = sourceStorageKey(row.account_id, row.source_id)
  if (bytes) await stageBlob(app, key, bytes)
  const undo = async () => void (bytes && (await deletePendingBlobs(app, [key])))
  const accept = { endpoint: '/v1/knowledge/sources', statusCode: 201, now: row.created_at, undo }
  return acceptOnce(context, accept, async (tx) => {
    if (!(await store.lockProject(tx, projectKey.accountId, projectKey.knowledgeId, projectKey.projectId)))
      notFound()
    if ((await store.countSources(tx, projectKey)) >= maxSources)
      fail('KNOWLEDGE_LIMIT', { max: maxSources, of: 'sources' })
    if (bytes) await commitBlob(tx, key)
    await store.insertSource(tx, row)
    const { knowledge_id: knowledgeId, source_id: sourceId } = row
    const data = { knowledgeId, sourceId }
    await app.jobs.enqueue(tx, indexJob, { accountId: row.account_id, data, singletonKey: sourceId })
    return toSource(row, context.language)
  })
}

function newSource(
  { app, body, caller }: KnowledgeContext<SourceBody>,
  projectKey: store.ProjectKey,
  bytes: Uint8Array | undefined,
): store.SourceRow {
  const nowMs = app.clock.nowMs()
  return {
    account_id: projectKey.accountId,
    knowledge_id: projectKey.knowledgeId.toLowerCase(),
    source_id: uuidv7(nowMs),
    kind: body.type,
    title: body.title ?? null,
    url: body.type === 'url' ? body.url : null,
    state: 'queued',
    problem: null,
    attempts: 0,
    bytes: bytes ? BigInt(bytes.length) : null,
    characters: null,
    words: null,
    passages: null,
    cut: false,
    created_at: new Date(nowMs),
    indexed_at: null,
    key_id: caller.keyId,
    vectors: null,
    vectors_model: null,
    vectors_problem: null,
    vectors_tries: 0,
  }
}

const refuse = (why: (typeof reasons)['blank'], param: string): never =>
  fail('INVALID_REQUEST', { why }, { param })

/** The bytes of the body; undefined for a URL. Files are validated only when they are indexed. */
async function bytesIn(body: SourceBody): Promise<Uint8Array | undefined> {
  if (body.type === 'url') {
    const url = URL.parse(body.url)
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
      refuse(reasons.notHttps, 'url')
    return undefined
  }
  if (body.type === 'text')
    return isBlank(body.text) ? refuse(reasons.blank, 'text') : Buffer.from(body.text.toWellFormed())
  const bytes = (await decodeBase64InSlices(body.data)) ?? refuse(reasons.notBase64, 'data')
  if (bytes.length > maxFileBytes) refuse(reasons.tooLarge(maxFileBytes), 'data')
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1')
  if (body.type === 'pdf' && !head.includes('%PDF-')) refuse(reasons.notPdf, 'data')
  if (body.type === 'docx' && !head.startsWith('PK\x03\x04')) refuse(reasons.notDocx, 'data')
  return bytes
}

export async function listSources(context: KnowledgeContext<unknown, KnowledgeListQuery>) {
  const { app, query, language } = context
  const projectKey = projectKeyOf(context)
  await requireProject(app, projectKey)
  return plainList.answer(await store.listSources(app.db, projectKey, query), (row) =>
    toSource(row, language),
  )
}

const noSource = (): never => fail('NOT_FOUND', {}, { param: 'source_id' })

export async function readSource(context: SourceContext) {
  const { app, params, language } = context
  await requireProject(app, projectKeyOf(context))
  const { source_id: sourceId } = params
  const row = isUuid(sourceId) ? await store.findSource(app.db, projectKeyOf(context), sourceId) : undefined
  return row ? toSource(row, language) : noSource()
}

/** Deletes a source with its passages, and with its bytes if it is not indexed yet. */
export async function deleteSource(context: SourceContext) {
  const { app, params } = context
  const projectKey = projectKeyOf(context)
  await requireProject(app, projectKey)
  const { source_id: sourceId } = params
  if (!isUuid(sourceId)) return noSource()
  const key = sourceStorageKey(projectKey.accountId, sourceId.toLowerCase())
  const hadBytes = await app.db.tx(async (tx) => {
    // The lock serializes the deletion with the index job and with the deletion of the project.
    if (!(await store.lockProject(tx, projectKey.accountId, projectKey.knowledgeId, projectKey.projectId)))
      return notFound()
    const gone = (await store.deleteSource(tx, projectKey, sourceId)) ?? noSource()
    const has = gone.state === 'queued' && gone.kind !== 'url'
    if (has) await markForDeletion(tx, [key], new Date(app.clock.nowMs()))
    return has
  })
  if (hadBytes) await deletePendingBlobs(app, [key])
  return { id: sourceId, deleted: true }
}
