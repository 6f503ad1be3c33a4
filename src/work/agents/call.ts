/** An agent that answers in voice calls: what a direct run gives to its model, for as long as the call lasts. */
import type { App, Caller } from '#app'
import type { CallAgent } from '#core/call-agent'
import { reference } from '#core/calls'
import { textModel } from '#core/text'
import { requireScope } from '#platform/auth'
import { type FailureCode, fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { recall, requireKnowledge } from '#work/knowledge'
import { reasons } from './phrases.ts'
import { type AgentRow, findAgent } from './store.ts'
import { AgentEvents } from './tools/agent-events.ts'
import { agentTools, agentToolUses } from './tools/agent-tools.ts'
import { quoted } from './turn.ts'

/** What naming an agent for a call may be refused with, beside what naming a model may. */
export const callAgentFailures: FailureCode[] = ['NOT_FOUND', 'KNOWLEDGE_NOT_FOUND']

/** A request that begins a call, or makes a secret for calls. */
type Asking = Pick<RequestContext, 'app' | 'caller' | 'requestId' | 'headers'>

const maxPassages = 8
const spoken = 'Say what they say in your own words, without numbers or addresses of theirs.'

/**
 * An agent of the caller's project with what it answers by. Throws NOT_FOUND for an agent of others, INSUFFICIENT_SCOPE for a key that may not
 * run agents, INVALID_REQUEST for one whose runs are durable work, KNOWLEDGE_NOT_FOUND, and what `textModel` throws. Later changes of the
 * agent, and its end, do not touch a call that has begun.
 */
export async function agentOfCall(asking: Asking, agentId: string): Promise<CallAgent> {
  const { app, caller } = asking
  // What a client secret was made for was checked when it was made.
  if (caller.kind !== 'client') requireScope(caller, 'agents:write')
  const row = await findAgent(app.db, caller, agentId)
  if (!row) return fail('NOT_FOUND', {}, { param: 'agent_id' })
  if (row.kind !== 'chat') fail('INVALID_REQUEST', { why: reasons.noCallOfWork }, { param: 'agent_id' })
  const model = textModel(app, caller, row.model)
  const { about, recall } = await knowledgeOf(app, caller, row)
  return {
    agentId: row.agent_id,
    model,
    instructions: [row.instructions, about].filter((text) => text.trim() !== '').join('\n\n'),
    hosted: model.features.includes('tools') ? agentToolUses : [],
    tools: agentTools(eventsOf(asking, row)),
    ...(recall && { recall }),
  }
}

async function knowledgeOf(
  app: App,
  { accountId, projectId }: Caller,
  { knowledge_id: knowledgeId }: AgentRow,
): Promise<Pick<CallAgent, 'recall'> & { about: string }> {
  if (knowledgeId === null) return { about: '' }
  const projectKey = { accountId, projectId, knowledgeId }
  const { instructions } = await requireKnowledge(app, projectKey)
  return {
    about: instructions ?? '',
    async recall(question, payer) {
      const passages = await recall(app, projectKey, question, maxPassages, payer)
      return passages.length === 0 ? undefined : quoted(passages, spoken)
    },
  }
}

const eventsOf = (asking: Asking, agent: AgentRow): AgentEvents =>
  new AgentEvents(asking.app, {
    accountId: agent.account_id,
    projectId: agent.project_id,
    agentId: agent.agent_id,
    agentName: agent.name,
    runId: asking.requestId,
    customerId: reference(asking, 'X-Customer-ID'),
    referenceId: reference(asking, 'X-Reference-ID'),
  })
