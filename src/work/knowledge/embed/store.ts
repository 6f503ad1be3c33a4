import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { SourceKey } from '../index/store.ts'
import type { ProjectKey } from '../store.ts'

/** The most passages of one call, whose vectors are stored in one row: a search reads whole rows. */
export const maxPassagesInBatch = 128

/** A source whose vectors are queued. */
export interface WaitingSource {
  project_id: string
  key_id: string
  title: string | null
  vectors_model: string
  vectors_tries: number
}

/** The passages of one call. */
export interface VectorBatch {
  /** The position of the first passage. */
  position: number
  passages: number
  effect_id: string
}

export interface PassageText {
  position: number
  heading: string | null
  text: string
}

export async function findQueuedSource(db: Db, sourceKey: SourceKey): Promise<WaitingSource | undefined> {
  const { accountId, knowledgeId, sourceId } = sourceKey
  const { rows } =
    await sql<WaitingSource>`select p.project_id, s.key_id, s.title, s.vectors_model, s.vectors_tries
    from knowledge.sources s join knowledge.projects p using (account_id, knowledge_id)
    where s.account_id = ${accountId} and s.knowledge_id = ${knowledgeId} and s.source_id = ${sourceId}
      and s.vectors = 'queued'`.execute(db.kysely)
  return rows[0]
}

/** The batch whose call was begun and has not ended; there is at most one. */
export async function findOpenBatch(db: Db, sourceKey: SourceKey): Promise<VectorBatch | undefined> {
  const { accountId, knowledgeId, sourceId } = sourceKey
  const { rows } = await sql<VectorBatch>`select position, passages, effect_id from knowledge.vectors
    where account_id = ${accountId} and knowledge_id = ${knowledgeId} and source_id = ${sourceId}
      and state = 'begun'`.execute(db.kysely)
  return rows[0]
}

/** Passages for which no call was made, in their order. */
export async function unbatchedPassages(db: Db, sourceKey: SourceKey, limit: number): Promise<PassageText[]> {
  const { accountId, knowledgeId, sourceId } = sourceKey
  const { rows } = await sql<PassageText>`select p.position, p.heading, p.text from knowledge.passages p
    where p.account_id = ${accountId} and p.knowledge_id = ${knowledgeId} and p.source_id = ${sourceId}
      and not exists (
        select from knowledge.vectors v
        where v.account_id = p.account_id and v.knowledge_id = p.knowledge_id and v.source_id = p.source_id
          and p.position >= v.position and p.position < v.position + v.passages
      )
    order by p.position limit ${limit}`.execute(db.kysely)
  return rows
}

export async function passagesIn(db: Db, sourceKey: SourceKey, batch: VectorBatch): Promise<PassageText[]> {
  const { accountId, knowledgeId, sourceId } = sourceKey
  const { rows } = await sql<PassageText>`select position, heading, text from knowledge.passages
    where account_id = ${accountId} and knowledge_id = ${knowledgeId} and source_id = ${sourceId}
      and position >= ${batch.position} and position < ${batch.position + batch.passages}
    order by position`.execute(db.kysely)
  return rows
}

/** Records the call before it is made. Returns false if another worker has recorded it or the source is gone. */
export async function insertBatch(db: Db, sourceKey: SourceKey, batch: VectorBatch): Promise<boolean> {
  const { accountId, knowledgeId, sourceId } = sourceKey
  const { rows } =
    await sql`insert into knowledge.vectors (account_id, knowledge_id, source_id, position, passages, model, effect_id)
    select account_id, knowledge_id, source_id, ${batch.position}, ${batch.passages}, vectors_model, ${batch.effect_id}
    from knowledge.sources where account_id = ${accountId} and knowledge_id = ${knowledgeId} and source_id = ${sourceId}
      and vectors = 'queued'
    on conflict do nothing returning 1`.execute(db.kysely)
  return rows.length === 1
}

const batchCondition = (
  { accountId, knowledgeId, sourceId }: SourceKey,
  { position, effect_id }: VectorBatch,
) =>
  sql`account_id = ${accountId} and knowledge_id = ${knowledgeId} and source_id = ${sourceId}
    and position = ${position} and effect_id = ${effect_id} and state = 'begun'`

/** Replaces a call that had no effect by another. Returns false if another worker was faster. */
export async function replaceEffect(
  db: Db,
  sourceKey: SourceKey,
  batch: VectorBatch,
  next: string,
): Promise<boolean> {
  const { rows } = await sql`update knowledge.vectors set effect_id = ${next}
    where ${batchCondition(sourceKey, batch)} returning 1`.execute(db.kysely)
  return rows.length === 1
}

/** Stores the vectors of a batch; `vectors` are those of all its passages, packed. Returns false if the source or the call is gone. */
export async function storeVectors(
  tx: Tx,
  sourceKey: SourceKey,
  batch: VectorBatch,
  { dimensions, vectors }: { dimensions: number; vectors: Buffer },
): Promise<boolean> {
  const { rows } =
    await sql`update knowledge.vectors set state = 'stored', dimensions = ${dimensions}, vectors = ${vectors}
    where ${batchCondition(sourceKey, batch)} returning 1`.execute(tx)
  if (rows.length === 1) await setTries(tx, sourceKey, 0)
  return rows.length === 1
}

export async function markBatchLost(tx: Tx, sourceKey: SourceKey, batch: VectorBatch): Promise<void> {
  await sql`update knowledge.vectors set state = 'lost' where ${batchCondition(sourceKey, batch)}`.execute(tx)
}

/** Deletes a batch whose call was never made. Returns false if another worker has taken it over. */
export async function dropBatch(tx: Tx, sourceKey: SourceKey, batch: VectorBatch): Promise<boolean> {
  const { rows } =
    await sql`delete from knowledge.vectors where ${batchCondition(sourceKey, batch)} returning 1`.execute(tx)
  return rows.length === 1
}

export async function setTries(tx: Tx, sourceKey: SourceKey, tries: number): Promise<void> {
  const { accountId, knowledgeId, sourceId } = sourceKey
  await sql`update knowledge.sources set vectors_tries = ${tries}
    where account_id = ${accountId} and knowledge_id = ${knowledgeId} and source_id = ${sourceId}
      and vectors_tries <> ${tries}`.execute(tx)
}

/** Ends a source after all its batches, as `ready`, or as `partial` if a batch was lost. */
export async function completeVectors(db: Db, sourceKey: SourceKey): Promise<void> {
  const { accountId, knowledgeId, sourceId } = sourceKey
  await sql`update knowledge.sources s set
      vectors = case when l.lost then 'partial' else 'ready' end,
      vectors_problem = case when l.lost then 'lost' end
    from (select exists (
      select from knowledge.vectors where account_id = ${accountId} and knowledge_id = ${knowledgeId}
        and source_id = ${sourceId} and state = 'lost'
    ) as lost) l
    where s.account_id = ${accountId} and s.knowledge_id = ${knowledgeId} and s.source_id = ${sourceId}
      and s.vectors = 'queued'`.execute(db.kysely)
}

export async function failVectors(tx: Tx, sourceKey: SourceKey, problem: string): Promise<void> {
  const { accountId, knowledgeId, sourceId } = sourceKey
  await sql`update knowledge.sources set vectors = 'failed', vectors_problem = ${problem}
    where account_id = ${accountId} and knowledge_id = ${knowledgeId} and source_id = ${sourceId}
      and vectors = 'queued'`.execute(tx)
}

/**
 * Queues the sources that are incomplete or were embedded with another model, including lost batches. Returns their ids. Sources that are queued
 * already are left alone: a worker may be processing them.
 */
export async function requeueVectors(
  tx: Tx,
  { accountId, knowledgeId }: ProjectKey,
  { model, keyId }: { model: string; keyId: string },
): Promise<string[]> {
  const { rows } = await sql<{ source_id: string }>`update knowledge.sources
    set vectors = 'queued', vectors_model = ${model}, vectors_problem = null, vectors_tries = 0, key_id = ${keyId}
    where account_id = ${accountId} and knowledge_id = ${knowledgeId} and state = 'ready'
      and (vectors is null or vectors in ('partial', 'failed') or (vectors = 'ready' and vectors_model <> ${model}))
    returning source_id`.execute(tx)
  const sources = rows.map(({ source_id }) => source_id)
  await sql`delete from knowledge.vectors where account_id = ${accountId} and knowledge_id = ${knowledgeId}
    and source_id = any(${sources}::uuid[]) and (model <> ${model} or state = 'lost')`.execute(tx)
  return sources
}
