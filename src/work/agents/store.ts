import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { type Page, type PageOptions, readPage } from '#platform/lists'
import type { AgentKind } from './schema.ts'

declare module '#platform/db' {
  interface Tables {
    'agents.agents': AgentRow
    'agents.projects': { account_id: string; project_id: string; agents: number }
  }
}

export interface AgentRow {
  account_id: string
  agent_id: string
  project_id: string
  name: string
  instructions: string
  model: string
  kind: AgentKind
  knowledge_id: string | null
  created_at: Date
  updated_at: Date
}

/** The account and project that own an agent. */
export interface AgentOwner {
  accountId: string
  projectId: string
}

/** Reserves one more agent of the project. Returns false if the limit is reached. Locks the count until the transaction ends. */
export async function reserveSlot(
  tx: Tx,
  { accountId, projectId }: AgentOwner,
  max: number,
): Promise<boolean> {
  const { rows } = await sql`insert into agents.projects as p (account_id, project_id, agents)
    values (${accountId}, ${projectId}, 1)
    on conflict (account_id, project_id) do update set agents = p.agents + 1 where p.agents < ${max}
    returning 1`.execute(tx)
  return rows.length === 1
}

export const insertAgent = (tx: Tx, agent: AgentRow) => tx.insertInto('agents.agents').values(agent).execute()

export const findAgent = (db: Db, owner: AgentOwner, agentId: string): Promise<AgentRow | undefined> =>
  db.kysely
    .selectFrom('agents.agents')
    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('agent_id', '=', agentId)
    .where('project_id', '=', owner.projectId)
    .executeTakeFirst()

/** The agents of a project, newest first. */
export function listAgents(db: Db, owner: AgentOwner, options: PageOptions): Promise<Page<AgentRow>> {
  const all = db.kysely
    .selectFrom('agents.agents')
    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('project_id', '=', owner.projectId)
  return readPage(all, 'agent_id', options)
}

export const changeAgent = (
  db: Db,
  owner: AgentOwner,
  agentId: string,
  change: Partial<Pick<AgentRow, 'name' | 'instructions' | 'model'>> & { updated_at: Date },
): Promise<AgentRow | undefined> =>
  db.kysely
    .updateTable('agents.agents')
    .set(change)
    .where('account_id', '=', owner.accountId)
    .where('agent_id', '=', agentId)
    .where('project_id', '=', owner.projectId)
    .returningAll()
    .executeTakeFirst()

/** Deletes an agent and frees its slot. Returns false if there is no such agent. */
export async function deleteAgent(tx: Tx, owner: AgentOwner, agentId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('agents.agents')
    .where('account_id', '=', owner.accountId)
    .where('agent_id', '=', agentId)
    .where('project_id', '=', owner.projectId)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  await tx
    .updateTable('agents.projects')
    .set((of) => ({ agents: of('agents', '-', 1) }))
    .where('account_id', '=', owner.accountId)
    .where('project_id', '=', owner.projectId)
    .execute()
  return true
}
