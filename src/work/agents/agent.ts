/** Creates, reads, lists, changes and deletes agents. */
import { acceptOnce } from '#core/calls'
import { textModel } from '#core/text'
import { fail } from '#platform/errors'
import type { JsonText, RequestContext } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { typedList } from '#platform/lists'
import { requireKnowledge } from '#work/knowledge'
import type { AgentsApp } from './app.ts'
import {
  type Agent,
  type AgentBody,
  type AgentChange,
  type AgentListQuery,
  type AgentParams,
  maxAgents,
} from './schema.ts'
import * as store from './store.ts'

export type AgentContext<Body = unknown> = RequestContext<AgentsApp, Body, unknown, AgentParams>

export function toAgent(row: store.AgentRow): Agent {
  const { agent_id: id, project_id, name, instructions, model, kind, knowledge_id } = row
  return {
    id,
    project_id,
    name,
    instructions,
    model,
    kind,
    ...(knowledge_id !== null && { knowledge_id }),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}

/** An agent of the caller's project; another project's agent is answered as a missing one. */
export async function requireAgent({ app, caller, params }: AgentContext): Promise<store.AgentRow> {
  return (await store.findAgent(app.db, caller, params.id)) ?? notFound()
}

const notFound = (): never => fail('NOT_FOUND', {}, { param: 'id' })

export async function createAgent(context: RequestContext<AgentsApp, AgentBody>): Promise<JsonText> {
  const { app, body, caller } = context
  const agent = newAgent(context)
  if (body.knowledge_id !== undefined)
    await requireKnowledge(app.knowledge, { ...caller, knowledgeId: body.knowledge_id })
  const accept = { endpoint: '/v1/agents', statusCode: 201, now: agent.created_at }
  return acceptOnce(context, accept, async (tx) => {
    if (!(await store.reserveSlot(tx, caller, maxAgents))) fail('TOO_MANY_AGENTS', { max: maxAgents })
    await store.insertAgent(tx, agent)
    return toAgent(agent)
  })
}

/** The row of a new agent. Throws what `textModel` throws. */
function newAgent({ app, body, caller }: RequestContext<AgentsApp, AgentBody>): store.AgentRow {
  const nowMs = app.clock.nowMs()
  return {
    account_id: caller.accountId,
    agent_id: uuidv7(nowMs),
    project_id: caller.projectId,
    name: body.name.toWellFormed(),
    instructions: (body.instructions ?? '').toWellFormed(),
    model: textModel(app, caller, body.model).id,
    kind: body.kind ?? 'chat',
    knowledge_id: body.knowledge_id?.toLowerCase() ?? null,
    created_at: new Date(nowMs),
    updated_at: new Date(nowMs),
  }
}

export const listAgents = async ({
  app,
  caller,
  query,
}: RequestContext<AgentsApp, unknown, AgentListQuery>) =>
  typedList.answer(await store.listAgents(app.db, caller, query), toAgent)

/** Changes an agent. Runs that have begun keep the settings with which they began. */
export async function changeAgent(context: AgentContext<AgentChange>): Promise<Agent> {
  const { app, body, caller, params } = context
  const { name, instructions, model } = body
  if (Object.keys(body).length === 0) return toAgent(await requireAgent(context))
  const change = {
    ...(name !== undefined && { name: name.toWellFormed() }),
    ...(instructions !== undefined && { instructions: instructions.toWellFormed() }),
    ...(model !== undefined && { model: textModel(app, caller, model).id }),
    updated_at: new Date(app.clock.nowMs()),
  }
  return toAgent((await store.changeAgent(app.db, caller, params.id, change)) ?? notFound())
}

/** Deletes an agent. Durable work that it has begun continues, and receipts stay. */
export async function deleteAgent({ app, caller, params }: AgentContext) {
  const id = params.id.toLowerCase()
  if (!(await app.db.tx((tx) => store.deleteAgent(tx, caller, id)))) notFound()
  return { id, object: 'agent.deleted' as const, deleted: true as const }
}
