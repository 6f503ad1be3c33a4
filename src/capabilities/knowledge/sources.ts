/** Sources of a knowledge project: added, listed, deleted. */
import { acceptOnce } from '#capabilities/calls'
import { decodeBase64InSlices } from '#platform/bytes'
import { fail, type Language } from '#platform/errors'
import type { Ask, JsonText } from '#platform/http'
import { isUuid, uuidv7 } from '#platform/ids'
import { plainList } from '#platform/lists'
import { abandon, adopt, stage, tidyStrays } from '#platform/storage'
import { indexJob } from './index/index-source.ts'
import { keyOf } from './mark.ts'
import { type KnowledgeAsk, notFound, placeOf, requireProject } from './projects.ts'
import { type ListQuery, mostFileBytes, type Source, type SourceBody } from './schema.ts'
import * as store from './store.ts'
import { problemWords, reasons, vectorWords } from './words.ts'

/** Of one knowledge project. */
export const mostSources = 1_000

type SourceAsk = Ask<unknown, unknown, { id: string; source_id: string }>

const shown = (row: store.SourceRow, language: Language): Source => ({
  id: row.source_id,
  knowledge_id: row.knowledge_id,
  type: row.kind,
  title: row.title,
  url: row.url,
  state: row.state,
  problem: row.problem === null ? null : { code: row.problem, message: problemWords(row.problem)[language] },
  bytes: row.bytes === null ? null : Number(row.bytes),
  characters: row.characters,
  passages: row.passages,
  cut: row.cut,
  created_at: row.created_at.toISOString(),
  indexed_at: row.indexed_at?.toISOString() ?? null,
  vectors: vectorsOf(row, language),
})

function vectorsOf(row: store.SourceRow, language: Language): Source['vectors'] {
  const { vectors: state, vectors_model: model, vectors_problem: code } = row
  if (state === null) return null
  const problem = code === null ? null : { code, message: vectorWords(code)[language] }
  return { state, model: model!, problem }
}

/** Takes a source; a job reads it. What was given is stored before the transaction, and until it is read. */
export async function addSource(ask: KnowledgeAsk<SourceBody>): Promise<JsonText> {
  const { app, body } = ask
  const place = placeOf(ask)
  await requireProject(app, place)
  const bytes = await bytesIn(body)
  const row = newSource(ask, place, bytes)
  const key = keyOf(row.account_id, row.source_id)
  if (bytes) await stage(app, key, bytes)
  const undo = async () => void (bytes && (await tidyStrays(app, [key])))
  const accept = { endpoint: '/v1/knowledge/sources', statusCode: 201, now: row.created_at, undo }
  return acceptOnce(ask, accept, async (tx) => {
    if (!(await store.lockProject(tx, place.accountId, place.knowledgeId, place.projectId))) notFound()
    if ((await store.countSources(tx, place)) >= mostSources)
      fail('KNOWLEDGE_LIMIT', { most: mostSources, of: 'sources' })
    if (bytes) await adopt(tx, key)
    await store.insertSource(tx, row)
    const { knowledge_id: knowledgeId, source_id: sourceId } = row
    const data = { knowledgeId, sourceId }
    await app.jobs.enqueue(tx, indexJob, { accountId: row.account_id, data, singletonKey: sourceId })
    return shown(row, ask.language)
  })
}

function newSource(
  { app, body, caller }: KnowledgeAsk<SourceBody>,
  place: store.Place,
  bytes: Uint8Array | undefined,
): store.SourceRow {
  const nowMs = app.clock.nowMs()
  return {
    account_id: place.accountId,
    knowledge_id: place.knowledgeId.toLowerCase(),
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

/** The bytes that were given; undefined for a page by its address. Files are looked into only when they are read. */
async function bytesIn(body: SourceBody): Promise<Uint8Array | undefined> {
  if (body.type === 'url') {
    const url = URL.parse(body.url)
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
      refuse(reasons.notHttps, 'url')
    return undefined
  }
  if (body.type === 'text')
    return body.text.trim() === '' ? refuse(reasons.blank, 'text') : Buffer.from(body.text.toWellFormed())
  const bytes = (await decodeBase64InSlices(body.data)) ?? refuse(reasons.notBase64, 'data')
  if (bytes.length > mostFileBytes) refuse(reasons.tooLarge(mostFileBytes), 'data')
  const head = Buffer.from(bytes.subarray(0, 1_024)).toString('latin1')
  if (body.type === 'pdf' && !head.includes('%PDF-')) refuse(reasons.notPdf, 'data')
  if (body.type === 'docx' && !head.startsWith('PK\x03\x04')) refuse(reasons.notDocx, 'data')
  return bytes
}

export async function listSources(ask: KnowledgeAsk<unknown, ListQuery>) {
  const { app, query, language } = ask
  const place = placeOf(ask)
  await requireProject(app, place)
  return plainList.answer(await store.listSources(app.db, place, query), (row) => shown(row, language))
}

const noSource = (): never => fail('NOT_FOUND', {}, { param: 'source_id' })

export async function readSource(ask: SourceAsk) {
  const { app, params, language } = ask
  await requireProject(app, placeOf(ask))
  const { source_id: sourceId } = params
  const row = isUuid(sourceId) ? await store.findSource(app.db, placeOf(ask), sourceId) : undefined
  return row ? shown(row, language) : noSource()
}

/** With its passages, and with what was given where it is not read yet. */
export async function deleteSource(ask: SourceAsk) {
  const { app, params } = ask
  const place = placeOf(ask)
  await requireProject(app, place)
  const { source_id: sourceId } = params
  if (!isUuid(sourceId)) return noSource()
  const key = keyOf(place.accountId, sourceId.toLowerCase())
  const hadBytes = await app.db.tx(async (tx) => {
    // Whoever reads it, or deletes the whole project, comes before or after.
    if (!(await store.lockProject(tx, place.accountId, place.knowledgeId, place.projectId))) return notFound()
    const gone = (await store.deleteSource(tx, place, sourceId)) ?? noSource()
    const has = gone.state === 'queued' && gone.kind !== 'url'
    if (has) await abandon(tx, [key], new Date(app.clock.nowMs()))
    return has
  })
  if (hadBytes) await tidyStrays(app, [key])
  return { id: sourceId, deleted: true }
}
