import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import type { SourceRow } from '../store.ts'

/** The key of a source. */
export interface SourceKey {
  accountId: string
  knowledgeId: string
  sourceId: string
}

export interface NewPassage {
  heading: string | null
  text: string
  words: number
  /** The text form of a tsvector. */
  terms: string
}

/** Counts one more attempt at a queued source. Returns undefined if it is not queued. */
export async function beginSource(db: Db, sourceKey: SourceKey): Promise<SourceRow | undefined> {
  const [row] = await db.query<SourceRow>(
    {
      name: 'knowledge.begin_source',
      text: `update knowledge.sources set attempts = attempts + 1
        where account_id = $1 and knowledge_id = $2 and source_id = $3 and state = 'queued' returning *`,
    },
    [sourceKey.accountId, sourceKey.knowledgeId, sourceKey.sourceId],
  )
  return row
}

export interface SourceEnd {
  state: 'ready' | 'failed'
  problem?: string
  /** The document's title, if the caller gave none. */
  title?: string | undefined
  characters?: number
  words?: number
  passages?: number
  cut?: boolean
}

/** Ends a source. Returns false if it is no longer queued: another worker has indexed it, or it was deleted. */
export async function endSource(tx: Tx, sourceKey: SourceKey, end: SourceEnd, now: Date): Promise<boolean> {
  const { rows } =
    await sql`update knowledge.sources set state = ${end.state}, problem = ${end.problem ?? null},
      title = coalesce(title, ${end.title ?? null}), characters = ${end.characters ?? null}, words = ${end.words ?? null},
      passages = ${end.passages ?? null}, cut = ${end.cut ?? false}, indexed_at = ${now}
    where account_id = ${sourceKey.accountId} and knowledge_id = ${sourceKey.knowledgeId} and source_id = ${sourceKey.sourceId}
      and state = 'queued' returning 1`.execute(tx)
  return rows.length === 1
}

/** Queues the source for embedding. */
export async function queueVectors(
  tx: Tx,
  { accountId, knowledgeId, sourceId }: SourceKey,
  model: string,
): Promise<void> {
  await sql`update knowledge.sources set vectors = 'queued', vectors_model = ${model}
    where account_id = ${accountId} and knowledge_id = ${knowledgeId} and source_id = ${sourceId}`.execute(tx)
}

export async function countPassages(tx: Tx, { accountId, knowledgeId }: SourceKey): Promise<number> {
  const { rows } = await sql<{
    many: number
  }>`select coalesce(sum(passages), 0)::int as many from knowledge.sources
    where account_id = ${accountId} and knowledge_id = ${knowledgeId}`.execute(tx)
  return rows[0]!.many
}

/** Inserts passages of a source from the position `first` on. */
export async function insertPassages(
  tx: Tx,
  { accountId, knowledgeId, sourceId }: SourceKey,
  first: number,
  passages: readonly NewPassage[],
): Promise<void> {
  await sql`insert into knowledge.passages (account_id, knowledge_id, source_id, position, heading, text, words, terms)
    select ${accountId}, ${knowledgeId}, ${sourceId}, ${first}::int + place - 1, heading, text, words, terms::tsvector
    from rows from (
      unnest(${passages.map(({ heading }) => heading)}::text[]), unnest(${passages.map(({ text }) => text)}::text[]),
      unnest(${passages.map(({ words }) => words)}::int[]), unnest(${passages.map(({ terms }) => terms)}::text[])
    ) with ordinality as r(heading, text, words, terms, place)`.execute(tx)
}
