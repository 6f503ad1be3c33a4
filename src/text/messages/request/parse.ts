/** The messages wire → a neutral turn. Everything that can be refused is refused here, before any credits are held. */

import type { Model } from '#core/models'
import { requireFeatures } from '#core/text'
import type { OutputFormat, Turn } from '#core/turn'
import { fail } from '#platform/errors'
import { reasons } from '../phrases.ts'
import { type Dialect, requireVersion } from '../versions.ts'
import { mayCompact } from './context-edits.ts'
import { conversationOf } from './conversation.ts'
import { hostedOf } from './hosted-tools.ts'
import { withTypesOfBytes } from './links.ts'
import { ParseContext } from './parse-context.ts'
import { reasoningOf } from './reasoning.ts'
import type { MessagesBody } from './schema.ts'
import { requireResults } from './tool-results.ts'
import { toolChoiceOf, toolsOf } from './tools.ts'
import { upstreamMessages } from './upstream-messages.ts'
import { boundedTools, resultBytes, roundsOf, searchesOf } from './upstream-tools.ts'

export function turnOf(body: MessagesBody, model: Model, dialect: Dialect): Turn {
  refuseThread(body)
  requireVersion(body, dialect)
  requireResults(body.messages)
  requireFeatures(model, {
    tools: body.tools && body.tools.length > 0 ? 'tools' : undefined,
    json_schema: body.output_config?.format ? 'output_config.format' : undefined,
  })
  const context = new ParseContext(model)
  const hosted = hostedOf(body.tools ?? [], context)
  const tools = toolsOf(body, hosted, dialect, context)
  const messages = conversationOf(body, context)
  const reasoning = reasoningOf(body, model)
  const turn: Turn = {
    messages,
    tools,
    ...(hosted && { hosted }),
    toolChoice: toolChoiceOf(body),
    ...parallelOf(body),
    output: outputOf(body),
    requestedOutputTokens: body.max_tokens,
    maxOutputTokens: 0,
    stop: body.stop_sequences ?? [],
    ...(body.temperature !== undefined && { temperature: body.temperature }),
    ...(body.top_p !== undefined && { topP: body.top_p }),
    ...(body.top_k !== undefined && { topK: body.top_k }),
    ...(reasoning && { reasoning }),
    stream: body.stream === true,
    ...(context.sourceWireOnly && { sourceWireOnly: context.sourceWireOnly }),
    passthroughBytes: context.passthroughBytes,
    source: { wire: 'messages', ...(!hosted && { body: sourceOf(body, dialect) }) },
  }
  if (hosted) return turn
  const { tools: upstreams = [] } = body
  const managed = body.context_management
  if (managed && speaksOwnWire(model)) context.addPassthroughBytes(managed)
  const passthroughBytes = context.passthroughBytes + resultBytes(upstreams, turn)
  const compacts = mayCompact(managed) && speaksOwnWire(model)
  return {
    ...turn,
    passthroughBytes,
    upstreamSearches: searchesOf(upstreams),
    upstreamRounds: roundsOf(upstreams),
    ...(compacts && { compacts }),
  }
}

/** True if an upstream of the model speaks this wire; other upstreams get no context edits. */
const speaksOwnWire = ({ deployments }: Model): boolean =>
  deployments.some(({ wires }) => wires?.includes('messages'))

/** The tool runner of the official client first requests a thread, and continues without one if the refusal has these details. */
function refuseThread({ thread }: MessagesBody): void {
  if (thread == null) return
  const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
  fail('INVALID_REQUEST', { why: reasons.noThreads }, { param: 'thread', details })
}

const sourceOf = (body: MessagesBody, { betas }: Dialect): Record<string, unknown> => ({
  ...body,
  messages: upstreamMessages(withTypesOfBytes(body.messages)),
  ...(body.tools && { tools: boundedTools(body.tools) }),
  ...(betas.length > 0 && { anthropic_beta: betas }),
})

function parallelOf({ tool_choice: choice }: MessagesBody): Pick<Turn, 'parallelToolCalls'> {
  const serial =
    choice && 'disable_parallel_tool_use' in choice ? choice.disable_parallel_tool_use : undefined
  return serial == null ? {} : { parallelToolCalls: !serial }
}

const outputOf = ({ output_config: config }: MessagesBody): OutputFormat =>
  config?.format
    ? { type: 'json_schema', name: 'answer', schema: config.format.schema, strict: true }
    : { type: 'text' }
