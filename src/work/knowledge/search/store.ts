import type { Db } from '#platform/db'
import type { ProjectKey } from '../store.ts'

type KnowledgeKey = Pick<ProjectKey, 'accountId' | 'knowledgeId'>

export interface FoundRow {
  source_id: string
  position: number
  words: number
  hits: { term: string; places: number[]; weights: string[] }[]
}

export interface PassageRow {
  source_id: string
  position: number
  heading: string | null
  text: string
  title: string | null
  url: string | null
}

/** The number of passages and words that can be searched. */
export async function sizeOf(
  db: Db,
  { accountId, knowledgeId }: KnowledgeKey,
): Promise<{ passages: number; words: number }> {
  const [size] = await db.query<{ passages: number; words: number }>(
    {
      name: 'knowledge.size',
      text: `select coalesce(sum(passages), 0)::int as passages, coalesce(sum(words), 0)::float8 as words
        from knowledge.sources where account_id = $1 and knowledge_id = $2 and state = 'ready'`,
    },
    [accountId, knowledgeId],
  )
  return size!
}

/** The number of passages that each tsquery finds, counted up to the limit. */
export async function countMatches(
  db: Db,
  { accountId, knowledgeId }: KnowledgeKey,
  queries: readonly string[],
  limit: number,
): Promise<number[]> {
  const rows = await db.query<{ found: number }>(
    {
      name: 'knowledge.count_found',
      text: `select (select count(*) from (
            select 1 from knowledge.passages p
            where p.account_id = $1 and p.knowledge_id = $2 and p.terms @@ q::tsquery limit $4
          ) these)::int as found
        from unnest($3::text[]) with ordinality as asked(q, place) order by place`,
    },
    [accountId, knowledgeId, queries, limit],
  )
  return rows.map(({ found }) => found)
}

/** Passages that the query finds, with the places of the terms in them; if there are too many, those in which the terms are closest together. */
export const findPassages = (
  db: Db,
  { accountId, knowledgeId }: KnowledgeKey,
  options: { query: string; ranked: string; terms: readonly string[]; limit: number },
): Promise<FoundRow[]> =>
  db.query(
    {
      name: 'knowledge.find',
      text: `select p.source_id, p.position, p.words, (
            select coalesce(json_agg(json_build_object('term', t.lexeme, 'places', t.positions, 'weights', t.weights)), '[]')
            from unnest(p.terms) t where t.lexeme = any($5)
          ) as hits
        from knowledge.passages p
        where p.account_id = $1 and p.knowledge_id = $2 and p.terms @@ $3::tsquery
        order by ts_rank_cd(p.terms, $4::tsquery) desc, p.source_id, p.position limit $6`,
    },
    [accountId, knowledgeId, options.query, options.ranked, options.terms, options.limit],
  )

/** The passages at these places, in any order. */
export const readPassages = (
  db: Db,
  { accountId, knowledgeId }: KnowledgeKey,
  places: readonly { source_id: string; position: number }[],
): Promise<PassageRow[]> =>
  db.query(
    {
      name: 'knowledge.read_passages',
      text: `select p.source_id, p.position, p.heading, p.text, s.title, s.url
        from unnest($3::uuid[], $4::int[]) as w(source_id, position)
        join knowledge.passages p on p.account_id = $1 and p.knowledge_id = $2
          and p.source_id = w.source_id and p.position = w.position
        join knowledge.sources s on s.account_id = $1 and s.knowledge_id = $2 and s.source_id = p.source_id`,
    },
    [
      accountId,
      knowledgeId,
      places.map(({ source_id }) => source_id),
      places.map(({ position }) => position),
    ],
  )

export async function hasVectors(
  db: Db,
  { accountId, knowledgeId }: KnowledgeKey,
  model: string,
): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'knowledge.has_vectors',
      text: `select from knowledge.vectors
        where account_id = $1 and knowledge_id = $2 and model = $3 and state = 'stored' limit 1`,
    },
    [accountId, knowledgeId, model],
  )
  return rows.length > 0
}

export interface VectorsRow {
  source_id: string
  position: number
  /** The vectors of this passage and of those after it, packed. */
  vectors: Buffer
}

/** The next rows of vectors, after `after`. */
export const readVectors = (
  db: Db,
  { accountId, knowledgeId }: KnowledgeKey,
  page: {
    model: string
    dimensions: number
    after: { source_id: string; position: number } | undefined
    rows: number
  },
): Promise<VectorsRow[]> =>
  db.query(
    {
      name: 'knowledge.read_vectors',
      text: `select source_id, position, vectors from knowledge.vectors
        where account_id = $1 and knowledge_id = $2 and model = $3 and state = 'stored' and dimensions = $4
          and (source_id, position) > ($5::uuid, $6::int)
        order by source_id, position limit $7`,
    },
    [
      accountId,
      knowledgeId,
      page.model,
      page.dimensions,
      page.after?.source_id ?? nilUuid,
      page.after?.position ?? 0,
      page.rows,
    ],
  )

const nilUuid = '00000000-0000-0000-0000-000000000000'
