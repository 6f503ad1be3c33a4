/** Runs as durable work: those of agents of other kinds than chat, and those for which the caller prefers it (RFC 7240). */
import { reference, setIgnoredFields } from '#core/calls'
import type { Model } from '#core/models'
import { fail } from '#platform/errors'
import { baseUrlOf, HttpAnswer, type RequestContext } from '#platform/http'
import type { WorkKind } from '#work/pipelines'
import type { AgentContext } from './agent.ts'
import { reasons } from './phrases.ts'
import type { RunBody } from './schema.ts'
import { startWork } from './start-work.ts'
import type { AgentRow } from './store.ts'

/** The fewest characters of an input for durable work (contract section 8). */
const minInputCharacters = 10

export const isDurable = (
  { headers }: Pick<RequestContext<unknown>, 'headers'>,
  { kind }: AgentRow,
): boolean => kind !== 'chat' || prefersAsync(headers)

/** Whether `respond-async` is one of the preferences, which may have parameters: `Prefer: wait=5, Respond-Async; x=y`. */
function prefersAsync(headers: RequestContext<unknown>['headers']): boolean {
  const prefer = [headers['prefer'] ?? []].flat().join(',')
  return prefer.split(',').some((one) => one.split(';')[0]!.trim().toLowerCase() === 'respond-async')
}

/** Answers 202 with the URL of the run. Fields that only a direct answer supports are reported as ignored. */
export async function startDurableRun(
  context: AgentContext<RunBody>,
  agent: AgentRow,
  model: Model,
): Promise<HttpAnswer> {
  const { app, body, caller, claim, requestId, language } = context
  if (body.stream) fail('INVALID_REQUEST', { why: reasons.noStreamOfWork }, { param: 'stream' })
  if ([...body.input].length < minInputCharacters)
    fail('INVALID_REQUEST', { why: reasons.shortWork(minInputCharacters) }, { param: 'input' })
  const accepted = await startWork(app.runs, {
    caller,
    requestId,
    claim,
    endpoint: '/v1/agents/runs',
    baseUrl: baseUrlOf(context),
    language,
    kind: workKindOf(agent),
    input: body.input,
    instructions: agent.instructions || undefined,
    model,
    agentId: agent.agent_id,
    knowledgeId: agent.knowledge_id ?? undefined,
    fileIds: body.file_ids,
    customerId: reference(context, 'X-Customer-ID'),
    referenceId: reference(context, 'X-Reference-ID'),
  })
  setIgnoredFields(
    context,
    answerOnlyFields.filter((field) => body[field] !== undefined),
  )
  if (prefersAsync(context.headers)) context.setHeader('preference-applied', 'respond-async')
  return new HttpAnswer(202, accepted)
}

/** A chat agent produces a document when it runs as durable work. */
const workKindOf = ({ kind }: AgentRow): WorkKind => (kind === 'chat' ? 'document' : kind)

const answerOnlyFields = ['include_reasoning', 'reasoning_effort', 'reasoning'] as const
