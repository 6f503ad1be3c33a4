/** A run of an agent: answered at once, or accepted as durable work. */

import { payment, reference, requireUnclaimed } from '#capabilities/calls'
import { recall, requireKnowledge } from '#capabilities/knowledge'
import { answerTurn, defaultOutputTokens } from '#capabilities/responses'
import { effortOf, textModel } from '#capabilities/text'
import type { Model } from '#engine/models'
import { joinTools } from '#engine/tools'
import { fail } from '#platform/errors'
import type { Answer, EventStream, JsonText } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import { Trail } from '#platform/trace'
import { type AgentOptions, requireAgent } from './agent.ts'
import { isDurable, startDurableRun } from './durable.ts'
import { reasons } from './phrases.ts'
import type { RunBody } from './schema.ts'
import type { AgentRow } from './store.ts'
import { AgentEvents } from './tools/agent-events.ts'
import { agentTools } from './tools/agent-tools.ts'
import { turnOf } from './turn.ts'

/** Everything wrong is refused first, then the worst case is held, then the model is asked. A repeated request is answered even after the agent was deleted. */
export async function runAgent(options: AgentOptions<RunBody>): Promise<Answer | JsonText | EventStream> {
  await requireUnclaimed(options)
  const { app, body, caller } = options
  const agent = await requireAgent(options)
  const model = textModel(app, caller, agent.model)
  const effort = effortOf(model, body.reasoning_effort, body.reasoning?.effort)
  if (!isDurable(options, agent) && body.file_ids?.length)
    fail('INVALID_REQUEST', { why: reasons.filesOfWork }, { param: 'file_ids' })
  return isDurable(options, agent)
    ? startDurableRun(options, agent, model)
    : answer(options, agent, model, effort)
}

async function answer(
  options: AgentOptions<RunBody>,
  agent: AgentRow,
  model: Model,
  effort: string | undefined,
): Promise<JsonText | EventStream> {
  const { app, body } = options
  const { input, stream = false, include_reasoning: includesReasoning = false } = body
  const { passages, about } = await knowledgeOf(options, agent)
  const instructions = [agent.instructions, about ?? ''].filter((text) => text.trim() !== '').join('\n\n')
  const events = eventsOf(options, agent)
  return answerTurn(options, {
    model,
    turn: turnOf(model, {
      instructions,
      input,
      passages,
      effort,
      stream,
      defaultOutputTokens: defaultOutputTokens(options),
    }),
    tools: joinTools(app.tools, agentTools(events)),
    endpoint: '/v1/agents/runs',
    includesReasoning,
    // The agent's instructions are private, and an answer may be published.
    overrides: () => ({ instructions: null, agent_id: agent.agent_id, agent_events: [...events.types] }),
  })
}

const maxPassages = 8

/** Throws KNOWLEDGE_NOT_FOUND if its knowledge was deleted, instead of answering without it. */
async function knowledgeOf(options: AgentOptions<RunBody>, agent: AgentRow) {
  const { app, body } = options
  const { account_id: accountId, project_id: projectId, knowledge_id: knowledgeId } = agent
  if (knowledgeId === null) return { passages: [], about: undefined }
  const place = { accountId, projectId, knowledgeId }
  const { instructions } = await requireKnowledge(app, place)
  const passages = await recall(app, place, body.input, maxPassages, payerOf(options))
  return { passages, about: instructions ?? undefined }
}

/** Where its passages have vectors, that of the question has a receipt of its own; the log line stays that of the answer. */
const payerOf = (options: AgentOptions) => ({
  ...payment(options),
  requestId: uuidv7(),
  endpoint: '/v1/agents/runs',
  trail: new Trail(options.trail.span),
})

const eventsOf = (options: AgentOptions, agent: AgentRow): AgentEvents =>
  new AgentEvents(options.app, {
    accountId: agent.account_id,
    projectId: agent.project_id,
    agentId: agent.agent_id,
    agentName: agent.name,
    runId: options.requestId,
    customerId: reference(options, 'X-Customer-ID'),
    referenceId: reference(options, 'X-Reference-ID'),
  })
