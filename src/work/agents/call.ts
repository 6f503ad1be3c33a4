/** An agent that answers in voice calls: for the whole call the model gets what a direct run of the agent gives it. */
import type { CallAgent } from '#core/call-agent'
import { reference } from '#core/calls'
import { textModel } from '#core/text'
import { type Caller, requireScope } from '#platform/auth'
import { type FailureCode, fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { recall, requireKnowledge } from '#work/knowledge'
import type { AgentCallApp } from './app.ts'
import { reasons } from './phrases.ts'
import { type AgentRow, findAgent } from './store.ts'
import { AgentEvents } from './tools/agent-events.ts'
import { agentTools, agentToolUses } from './tools/agent-tools.ts'
import { quotedPassages } from './turn.ts'

/** Errors of naming an agent for a call, in addition to those of naming a model. */
export const callAgentFailures: FailureCode[] = ['NOT_FOUND', 'KNOWLEDGE_NOT_FOUND']

/** A request that begins a call, or creates a client secret for calls. */
type CallRequest = Pick<RequestContext<AgentCallApp>, 'app' | 'caller' | 'requestId' | 'headers'>

const maxPassages = 8
const spokenInstruction = 'Say what they say in your own words, without numbers or addresses of theirs.'

/**
 * An agent of the caller's project, with its model, instructions, tools and knowledge. Throws NOT_FOUND for an agent of another project,
 * INSUFFICIENT_SCOPE for a key that may not run agents, INVALID_REQUEST for an agent whose runs are durable work, KNOWLEDGE_NOT_FOUND, and what
 * `textModel` throws. A call that has begun is not affected if the agent is changed or deleted later.
 */
export async function agentOfCall(request: CallRequest, agentId: string): Promise<CallAgent> {
  const { app, caller } = request
  // The scope for a client secret was checked when the secret was created.
  if (caller.kind !== 'client') requireScope(caller, 'agents:write')
  const row = await findAgent(app.db, caller, agentId)
  if (!row) return fail('NOT_FOUND', {}, { param: 'agent_id' })
  if (row.kind !== 'chat') fail('INVALID_REQUEST', { why: reasons.noCallOfWork }, { param: 'agent_id' })
  const model = textModel(app, caller, row.model)
  const { about, recall } = await knowledgeOf(app.knowledge, caller, row)
  return {
    agentId: row.agent_id,
    model,
    instructions: [row.instructions, about].filter((text) => text.trim() !== '').join('\n\n'),
    hosted: model.features.includes('tools') ? agentToolUses : [],
    tools: agentTools(eventsOf(request, row)),
    ...(recall && { recall }),
  }
}

async function knowledgeOf(
  knowledge: AgentCallApp['knowledge'],
  { accountId, projectId }: Caller,
  { knowledge_id: knowledgeId }: AgentRow,
): Promise<Pick<CallAgent, 'recall'> & { about: string }> {
  if (knowledgeId === null) return { about: '' }
  const projectKey = { accountId, projectId, knowledgeId }
  const { instructions } = await requireKnowledge(knowledge, projectKey)
  return {
    about: instructions ?? '',
    async recall(question, payer) {
      const passages = await recall(knowledge, projectKey, question, maxPassages, payer)
      return passages.length === 0 ? undefined : quotedPassages(passages, spokenInstruction)
    },
  }
}

const eventsOf = (request: CallRequest, agent: AgentRow): AgentEvents =>
  new AgentEvents(request.app, {
    accountId: agent.account_id,
    projectId: agent.project_id,
    agentId: agent.agent_id,
    agentName: agent.name,
    runId: request.requestId,
    customerId: reference(request, 'X-Customer-ID'),
    referenceId: reference(request, 'X-Reference-ID'),
  })
