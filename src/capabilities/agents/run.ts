/** A run of an agent: answered at once, or taken up as work that takes longer. */

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
import { type AgentOptions, ownAgent } from './agent.ts'
import { isDurable, workOn } from './durable.ts'
import { reasons } from './phrases.ts'
import type { RunBody } from './schema.ts'
import type { AgentRow } from './store.ts'
import { agentTools } from './tools/agent-tools.ts'
import { Raised } from './tools/raise.ts'
import { turnOf } from './turn.ts'

/** Everything wrong is refused first, then the worst case is held, then the model is asked. A repeat outlives its agent. */
export async function runAgent(options: AgentOptions<RunBody>): Promise<Answer | JsonText | EventStream> {
  await requireUnclaimed(options)
  const { app, body, caller } = options
  const agent = await ownAgent(options)
  const model = textModel(app, caller, agent.model)
  const effort = effortOf(model, body.reasoning_effort, body.reasoning?.effort)
  if (!isDurable(options, agent) && body.file_ids?.length)
    fail('INVALID_REQUEST', { why: reasons.filesOfWork }, { param: 'file_ids' })
  return isDurable(options, agent) ? workOn(options, agent, model) : answer(options, agent, model, effort)
}

async function answer(
  options: AgentOptions<RunBody>,
  agent: AgentRow,
  model: Model,
  effort: string | undefined,
): Promise<JsonText | EventStream> {
  const { app, body } = options
  const { input, stream = false, include_reasoning: includesReasoning = false } = body
  const { passages, about } = await knownTo(options, agent)
  const instructions = [agent.instructions, about ?? ''].filter((text) => text.trim() !== '').join('\n\n')
  const raised = raisedBy(options, agent)
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
    tools: joinTools(app.tools, agentTools(raised)),
    endpoint: '/v1/agents/runs',
    includesReasoning,
    // The instructions are the agent's own, and an answer may be shown to anybody.
    own: () => ({ instructions: null, agent_id: agent.agent_id, agent_events: [...raised.types] }),
  })
}

const maxPassages = 8

/** Its knowledge may have been deleted since: then it says so (KNOWLEDGE_NOT_FOUND), and does not answer from nothing. */
async function knownTo(options: AgentOptions<RunBody>, agent: AgentRow) {
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

const raisedBy = (options: AgentOptions, agent: AgentRow): Raised =>
  new Raised(options.app, {
    accountId: agent.account_id,
    projectId: agent.project_id,
    agentId: agent.agent_id,
    agentName: agent.name,
    runId: options.requestId,
    customerId: reference(options, 'X-Customer-ID'),
    referenceId: reference(options, 'X-Reference-ID'),
  })
