import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { cutPage, type Page, type PageOptions, pageClause, readPage } from '#platform/lists'

declare module '#platform/db' {
  interface Tables {
    'knowledge.projects': ProjectRow
    'knowledge.sources': SourceRow
  }
}

export interface ProjectRow {
  account_id: string
  knowledge_id: string
  project_id: string
  name: string
  instructions: string | null
  created_at: Date
  updated_at: Date
}

export interface CountedProject extends ProjectRow {
  sources: bigint
  passages: bigint
}

export interface SourceRow {
  account_id: string
  knowledge_id: string
  source_id: string
  kind: 'text' | 'pdf' | 'docx' | 'url'
  title: string | null
  url: string | null
  state: 'queued' | 'ready' | 'failed'
  problem: string | null
  attempts: number
  bytes: bigint | null
  characters: number | null
  words: number | null
  passages: number | null
  cut: boolean
  created_at: Date
  indexed_at: Date | null
  key_id: string
  vectors: 'queued' | 'ready' | 'partial' | 'failed' | null
  vectors_model: string | null
  vectors_problem: string | null
  vectors_tries: number
}

/** The account and project that own a knowledge project. */
export interface KnowledgeOwner {
  accountId: string
  projectId: string
}

export interface ProjectKey extends KnowledgeOwner {
  knowledgeId: string
}

const counted = sql`(select count(*) as sources, coalesce(sum(s.passages), 0) as passages from knowledge.sources s
  where s.account_id = p.account_id and s.knowledge_id = p.knowledge_id)`

export const insertProject = (tx: Tx, project: ProjectRow) =>
  tx.insertInto('knowledge.projects').values(project).execute()

/** Blocks other creations in the project until the transaction ends, so that the limit is exact. */
export async function lockProjects(tx: Tx, { projectId }: KnowledgeOwner): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('knowledge.projects'), hashtext(${projectId}))`.execute(tx)
}

export async function countProjects(tx: Tx, { accountId, projectId }: KnowledgeOwner): Promise<number> {
  const { many } = await tx
    .selectFrom('knowledge.projects')
    .select((of) => of.fn.countAll<bigint>().as('many'))
    .where('account_id', '=', accountId)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return Number(many)
}

export async function findProject(db: Db, projectKey: ProjectKey): Promise<CountedProject | undefined> {
  const { rows } =
    await sql<CountedProject>`select p.*, c.sources, c.passages::int8 from knowledge.projects p, lateral ${counted} c
    where p.account_id = ${projectKey.accountId} and p.knowledge_id = ${projectKey.knowledgeId}
      and p.project_id = ${projectKey.projectId}`.execute(db.kysely)
  return rows[0]
}

/** The knowledge projects of a project, newest first. */
export async function listProjects(
  db: Db,
  owner: KnowledgeOwner,
  options: PageOptions,
): Promise<Page<CountedProject>> {
  const { rows } =
    await sql<CountedProject>`select p.*, c.sources, c.passages::int8 from knowledge.projects p, lateral ${counted} c
    where p.account_id = ${owner.accountId} and p.project_id = ${owner.projectId} ${pageClause('p.knowledge_id', options)}`.execute(
      db.kysely,
    )
  return cutPage(rows, options.limit)
}

export async function changeProject(
  db: Db,
  projectKey: ProjectKey,
  change: { name?: string; instructions?: string | null },
  now: Date,
): Promise<boolean> {
  const done = await db.kysely
    .updateTable('knowledge.projects')
    .set({ ...change, updated_at: now })
    .where('account_id', '=', projectKey.accountId)
    .where('knowledge_id', '=', projectKey.knowledgeId)
    .where('project_id', '=', projectKey.projectId)
    .executeTakeFirst()
  return done.numUpdatedRows === 1n
}

/** Locks the knowledge project against other changes of its contents. Returns false if it does not exist. */
export async function lockProject(
  tx: Tx,
  accountId: string,
  knowledgeId: string,
  projectId?: string,
): Promise<boolean> {
  const row = await tx
    .selectFrom('knowledge.projects')
    .select('knowledge_id')
    .where('account_id', '=', accountId)
    .where('knowledge_id', '=', knowledgeId)
    .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId!))
    .forUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes a knowledge project with its sources and passages. */
export const deleteProject = (tx: Tx, projectKey: ProjectKey) =>
  tx
    .deleteFrom('knowledge.projects')
    .where('account_id', '=', projectKey.accountId)
    .where('knowledge_id', '=', projectKey.knowledgeId)
    .execute()

export const insertSource = (tx: Tx, source: SourceRow) =>
  tx.insertInto('knowledge.sources').values(source).execute()

export async function countSources(tx: Tx, { accountId, knowledgeId }: ProjectKey): Promise<number> {
  const { many } = await tx
    .selectFrom('knowledge.sources')
    .select((of) => of.fn.countAll<bigint>().as('many'))
    .where('account_id', '=', accountId)
    .where('knowledge_id', '=', knowledgeId)
    .executeTakeFirstOrThrow()
  return Number(many)
}

const sourcesOf = (db: Db, { accountId, knowledgeId }: ProjectKey) =>
  db.kysely
    .selectFrom('knowledge.sources')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('knowledge_id', '=', knowledgeId)

export const findSource = (
  db: Db,
  projectKey: ProjectKey,
  sourceId: string,
): Promise<SourceRow | undefined> =>
  sourcesOf(db, projectKey).where('source_id', '=', sourceId).executeTakeFirst()

/** The sources of a knowledge project, newest first. */
export const listSources = (db: Db, projectKey: ProjectKey, options: PageOptions): Promise<Page<SourceRow>> =>
  readPage(sourcesOf(db, projectKey), 'source_id', options)

/** Deletes a source with its passages. Returns the state and kind of the source. */
export const deleteSource = (tx: Tx, { accountId, knowledgeId }: ProjectKey, sourceId: string) =>
  tx
    .deleteFrom('knowledge.sources')
    .where('account_id', '=', accountId)
    .where('knowledge_id', '=', knowledgeId)
    .where('source_id', '=', sourceId)
    .returning(['state', 'kind'])
    .executeTakeFirst()

/** Sources whose bytes are still stored. */
export async function unindexedSources(tx: Tx, { accountId, knowledgeId }: ProjectKey): Promise<string[]> {
  const rows = await tx
    .selectFrom('knowledge.sources')
    .select('source_id')
    .where('account_id', '=', accountId)
    .where('knowledge_id', '=', knowledgeId)
    .where('state', '=', 'queued')
    .where('kind', '<>', 'url')
    .execute()
  return rows.map(({ source_id }) => source_id)
}
