/**
 * Search by pgvector, if the server has it: the vectors are stored a second time, one row for each passage, and the database searches them itself.
 * The table is created outside the migrations, since its type may not exist. `knowledge.vectors` remains authoritative and is searched in this
 * process if the two tables do not agree.
 */
import { sql } from 'kysely'
import { type Db, isDatabaseAway, type Tx } from '#platform/db'
import type { SourceKey } from '../index/store.ts'
import type { ProjectKey } from '../store.ts'

/** Whether pgvector is there, checked once per process; an extension that is installed later is seen after a restart. */
const known = new WeakMap<Db, Promise<boolean>>()

export function hasPgvector(db: Db): Promise<boolean> {
  const available = known.get(db) ?? prepare(db)
  known.set(db, available)
  // An unreachable database gives no answer about its extensions: check again next time.
  available.catch(() => known.delete(db))
  return available
}

async function prepare(db: Db): Promise<boolean> {
  const [offer] = await db.query<{ offered: boolean; here: boolean }>(
    {
      text: `select exists (select from pg_available_extensions where name = 'vector') as offered,
        to_regtype('vector') is not null as here`,
    },
    [],
  )
  try {
    if (offer!.offered && !offer!.here) await db.query({ text: 'create extension if not exists vector' }, [])
    if (!offer!.offered && !offer!.here) return false
    await db.query({ text: table }, [])
    return true
  } catch (error) {
    if (isDatabaseAway(error)) throw error
    // The role has no permission, the extension is not preloaded, or two processes created it at once: then this process searches in memory.
    return false
  }
}

const table = `create table if not exists knowledge.near (
  account_id uuid not null,
  knowledge_id uuid not null,
  source_id uuid not null,
  position int not null,
  model text not null,
  vector vector not null,
  primary key (account_id, knowledge_id, source_id, position),
  foreign key (account_id, knowledge_id, source_id) references knowledge.sources on delete cascade
)`

export interface NewVectors {
  position: number
  model: string
  vectors: readonly Float32Array[]
}

/** Returns the function that also writes vectors to `knowledge.near`, if pgvector is there. Call it before the transaction. */
export async function vectorWriter(
  db: Db,
): Promise<(tx: Tx, sourceKey: SourceKey, rows: NewVectors) => Promise<void>> {
  return (await hasPgvector(db)) ? insert : async () => undefined
}

async function insert(
  tx: Tx,
  { accountId, knowledgeId, sourceId }: SourceKey,
  { position, model, vectors }: NewVectors,
): Promise<void> {
  const written = vectors.map((vector) => `{${vector.join(',')}}`)
  await sql`insert into knowledge.near (account_id, knowledge_id, source_id, position, model, vector)
    select ${accountId}, ${knowledgeId}, ${sourceId}, ${position}::int + place - 1, ${model}, v::real[]::vector
    from unnest(${written}::text[]) with ordinality as r(v, place)
    on conflict (account_id, knowledge_id, source_id, position)
      do update set model = excluded.model, vector = excluded.vector`.execute(tx)
}

export interface NearPassage {
  source_id: string
  position: number
}

/** The nearest passages, nearest first; undefined if pgvector is missing or does not have all stored vectors. */
export async function searchPgvector(
  db: Db,
  { accountId, knowledgeId }: Pick<ProjectKey, 'accountId' | 'knowledgeId'>,
  { model, query, limit }: { model: string; query: Float32Array; limit: number },
): Promise<NearPassage[] | undefined> {
  if (!(await hasPgvector(db))) return undefined
  const [counted] = await db.query<{ complete: boolean }>(
    {
      text: `select (select coalesce(sum(passages), 0) from knowledge.vectors
          where account_id = $1 and knowledge_id = $2 and model = $3 and state = 'stored' and dimensions = $4)
        = (select count(*) from knowledge.near where account_id = $1 and knowledge_id = $2 and model = $3) as complete`,
    },
    [accountId, knowledgeId, model, query.length],
  )
  if (!counted!.complete) return undefined
  return db.query(
    {
      text: `select source_id, position from knowledge.near
        where account_id = $1 and knowledge_id = $2 and model = $3 and vector <=> $4::text::real[]::vector < 1
        order by vector <=> $4::text::real[]::vector, source_id, position limit $5`,
    },
    [accountId, knowledgeId, model, `{${query.join(',')}}`, limit],
  )
}
