/** A run of an agent: answered at once, or accepted as durable work. */

import { payment, reference, requireUnclaimed } from '#core/calls'
import type { Model } from '#core/models'
import { effortOf, textModel } from '#core/text'
import { joinTools } from '#core/tools'
import { fail } from '#platform/errors'
import type { EventStream, HttpAnswer, JsonText } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { TraceContext } from '#platform/trace'
import { answerTurn, defaultOutputTokens } from '#text/responses'
import { recall, requireKnowledge } from '#work/knowledge'
import { type AgentContext, requireAgent } from './agent.ts'
import { isDurable, startDurableRun } from './durable.ts'
import { reasons } from './phrases.ts'
import type { RunBody } from './schema.ts'
import type { AgentRow } from './store.ts'
import { AgentEvents } from './tools/agent-events.ts'
import { agentTools } from './tools/agent-tools.ts'
import { turnOf } from './turn.ts'

/**
 * Runs an agent. First the request is checked, then the worst case is held, then the model is called. A repeated request is answered even after the
 * agent was deleted.
 */
export async function runAgent(context: AgentContext<RunBody>): Promise<HttpAnswer | JsonText | EventStream> {
  await requireUnclaimed(context)
  const { app, body, caller } = context
  const agent = await requireAgent(context)
  const model = textModel(app, caller, agent.model)
  const effort = effortOf(model, body.reasoning_effort, body.reasoning?.effort)
  if (!isDurable(context, agent) && body.file_ids?.length)
    fail('INVALID_REQUEST', { why: reasons.filesOfWork }, { param: 'file_ids' })
  return isDurable(context, agent)
    ? startDurableRun(context, agent, model)
    : answer(context, agent, model, effort)
}

async function answer(
  context: AgentContext<RunBody>,
  agent: AgentRow,
  model: Model,
  effort: string | undefined,
): Promise<JsonText | EventStream> {
  const { app, body } = context
  const { input, stream = false, include_reasoning: includesReasoning = false } = body
  const { passages, about } = await knowledgeOf(context, agent)
  const instructions = [agent.instructions, about ?? ''].filter((text) => text.trim() !== '').join('\n\n')
  const events = eventsOf(context, agent)
  return answerTurn(context, {
    model,
    turn: turnOf(model, {
      instructions,
      input,
      passages,
      effort,
      stream,
      defaultOutputTokens: defaultOutputTokens(context),
    }),
    tools: joinTools(app.tools, agentTools(events)),
    endpoint: '/v1/agents/runs',
    includesReasoning,
    // The agent's instructions are private, and an answer may be published.
    overrides: () => ({ instructions: null, agent_id: agent.agent_id, agent_events: [...events.types] }),
  })
}

const maxPassages = 8

/** The passages and instructions of the agent's knowledge. Throws KNOWLEDGE_NOT_FOUND if it was deleted, instead of answering without it. */
async function knowledgeOf(context: AgentContext<RunBody>, agent: AgentRow) {
  const { app, body } = context
  const { account_id: accountId, project_id: projectId, knowledge_id: knowledgeId } = agent
  if (knowledgeId === null) return { passages: [], about: undefined }
  const projectKey = { accountId, projectId, knowledgeId }
  const { instructions } = await requireKnowledge(app.knowledge, projectKey)
  const passages = await recall(app.knowledge, projectKey, body.input, maxPassages, payerOf(context))
  return { passages, about: instructions ?? undefined }
}

/**
 * Who pays for the vector of the question, needed if the passages have vectors: it has its own receipt; the log line stays that of the answer. Two
 * requests under one idempotency key at the same moment may each pay for it; the answer is paid once.
 */
const payerOf = (context: AgentContext) => ({
  ...payment(context),
  requestId: uuidv7(),
  endpoint: '/v1/agents/runs',
  trace: new TraceContext(context.trace.span),
})

const eventsOf = (context: AgentContext, agent: AgentRow): AgentEvents =>
  new AgentEvents(context.app, {
    accountId: agent.account_id,
    projectId: agent.project_id,
    agentId: agent.agent_id,
    agentName: agent.name,
    runId: context.requestId,
    customerId: reference(context, 'X-Customer-ID'),
    referenceId: reference(context, 'X-Reference-ID'),
  })
