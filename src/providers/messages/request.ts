import { type TextCall, UpstreamError } from '#core/spec'
import type { OutputFormat, Reasoning, Tool, ToolChoice, Turn } from '#core/turn'
import { isRecord, type ReasoningMark, sameWireBody } from '#providers/kit'
import { conversation } from './conversation.ts'
import { vendorMessages } from './history.ts'
import { withoutLastBlanks } from './last-text.ts'
import { endsWithResult, isBegunElsewhere, lacksThinking, withoutThinking } from './open-turn.ts'

/** Fields that are passed on unchanged. */
const standardFields = [
  'system',
  'messages',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'context_management',
  'cache_control',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
] as const

/**
 * Top-level fields of a Messages body that have an effect here: passed on, or set by this provider. Other fields are not forwarded: they
 * could change the price (`service_tier`, `speed`, `inference_geo`) or depend on data stored at the upstream (`container`, `diagnostics`).
 */
export const forwardedFields: ReadonlySet<string> = new Set([
  ...standardFields,
  'metadata',
  'anthropic_beta',
  'model',
  'stream',
  'max_tokens',
])

export interface MessagesRequest {
  body: Record<string, unknown>
  /** The call asks for thinking and goes without, because thinking of the open turn has not come back. */
  skipsThinking: boolean
}

/** The request. Throws `UpstreamError` invalid_request, before anything is sent, for a turn that this wire cannot carry. */
export function requestOf({ turn, upstreamModel }: TextCall, mark: ReasoningMark): MessagesRequest {
  const body = sameWireBody(turn, 'messages')
  const fields = body ? passedOn(body, turn.maxOutputTokens, mark) : translated(turn, mark)
  const skipsThinking = mustSkipThinking(fields, turn, body?.['messages'], mark)
  return {
    body: {
      model: upstreamModel,
      max_tokens: turn.maxOutputTokens,
      ...(skipsThinking ? withoutThinkingFields(fields, mark) : fields),
      stream: turn.stream,
    },
    skipsThinking,
  }
}

/**
 * Whether the vendor would refuse the request because its open turn begins without thinking. What a caller of this wire sends is his own, unless another
 * vendor began the turn: its thinking was left out here, or it gave none. Where the model decides whether it thinks (adaptive), vendors take a turn
 * without, but a caller of another wire who sends only results goes without thinking either way (docs/decisions/text/reasoning.md).
 */
function mustSkipThinking(
  { thinking, messages }: Record<string, unknown>,
  { hosted, source }: Turn,
  own: unknown,
  mark: ReasoningMark,
): boolean {
  if (!isRecord(thinking) || thinking['type'] === 'disabled') return false
  if (!Array.isArray(messages) || !lacksThinking(messages)) return false
  const isManual = thinking['type'] === 'enabled'
  if (Array.isArray(own)) return !lacksThinking(own) || (isManual && isBegunElsewhere(own, mark))
  return isManual || (source.wire !== 'messages' && hosted === undefined && endsWithResult(messages))
}

/** The fields without thinking. Claude's newest models refuse that it is switched off, others think unless it is. */
function withoutThinkingFields(
  { thinking: _, context_management: management, ...fields }: Record<string, unknown>,
  mark: ReasoningMark,
): Record<string, unknown> {
  const edits = isRecord(management) && Array.isArray(management['edits']) ? management['edits'] : []
  // These edits are refused without thinking.
  const kept = edits.filter(
    (edit: unknown) => !(isRecord(edit) && String(edit['type']).startsWith('clear_thinking')),
  )
  return {
    ...fields,
    messages: withoutThinking(fields['messages'] as unknown[]),
    ...(!mark.isOfOwner && { thinking: { type: 'disabled' } }),
    ...(isRecord(management) && kept.length > 0 && { context_management: { ...management, edits: kept } }),
  }
}

/** Beta features that the caller requested by name; the operator's are set by configured headers. */
export function betasOf(turn: Turn): string[] {
  const betas = sameWireBody(turn, 'messages')?.['anthropic_beta']
  const sane = (beta: unknown) => typeof beta === 'string' && /^[\w.:-]{1,100}$/.test(beta)
  return Array.isArray(betas) && betas.every(sane) ? betas : []
}

function passedOn(
  body: Record<string, unknown>,
  maxOutputTokens: number,
  mark: ReasoningMark,
): Record<string, unknown> {
  const fields = Object.fromEntries(
    standardFields.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  )
  const { messages, metadata, thinking, max_tokens: asked } = body
  if (Array.isArray(messages)) fields['messages'] = withoutLastBlanks(vendorMessages(messages, mark))
  // Gateways read directives for themselves from the other members of `metadata`.
  if (isRecord(metadata) && typeof metadata['user_id'] === 'string')
    fields['metadata'] = { user_id: metadata['user_id'] }
  // If the output limit was reduced, the thinking budget within it is reduced too.
  if (isRecord(thinking) && typeof thinking['budget_tokens'] === 'number' && Number(asked) > maxOutputTokens)
    fields['thinking'] = { ...thinking, budget_tokens: fitting(thinking['budget_tokens'], maxOutputTokens) }
  return fields
}

/** Seed, penalties, verbosity, names and image detail are hints that have no counterpart on this wire; they are not sent. */
function translated(turn: Turn, mark: ReasoningMark): Record<string, unknown> {
  if (turn.temperature !== undefined && turn.temperature > 1)
    refuse('temperature', 'this model takes a temperature of 0 to 1')
  const { system, messages } = conversation(turn.messages, mark)
  if (turn.output.type === 'json_object') system.push({ type: 'text', text: jsonOnly })
  const { thinking, effort } = thinkingOf(turn)
  const output = outputConfig(turn.output, effort)
  const choice = toolChoice(turn.toolChoice, turn.parallelToolCalls)
  return {
    ...(system.length > 0 && { system }),
    messages: withoutLastBlanks(isThinkingOff(thinking, mark) ? withoutThinking(messages) : messages),
    ...(turn.tools.length > 0 && {
      tools: turn.tools.map(tool),
      ...(choice && { tool_choice: choice }),
    }),
    ...(thinking && { thinking }),
    ...(output && { output_config: output }),
    ...(turn.stop.length > 0 && { stop_sequences: turn.stop }),
    ...(turn.temperature !== undefined && { temperature: turn.temperature }),
    ...(turn.topP !== undefined && { top_p: turn.topP }),
    ...(turn.topK !== undefined && { top_k: turn.topK }),
  }
}

/**
 * Whether the model answers without thinking, by which the vendor refuses thinking in an open turn. Claude thinks where that is requested, other models
 * unless it is switched off.
 */
const isThinkingOff = (thinking: ThinkingFields['thinking'], mark: ReasoningMark): boolean =>
  thinking ? thinking['type'] === 'disabled' : mark.isOfOwner

/** This wire supports JSON only with a schema, and a schema that allows every object is useless: the model is instructed instead. */
const jsonOnly =
  'Answer with exactly one JSON object and nothing else: no text before or after it, no code fence.'

function outputConfig(output: OutputFormat, effort: string | undefined): Record<string, unknown> | undefined {
  if (output.type !== 'json_schema' && effort === undefined) return undefined
  return {
    ...(effort !== undefined && { effort }),
    ...(output.type === 'json_schema' && { format: { type: 'json_schema', schema: output.schema } }),
  }
}

interface ThinkingFields {
  thinking?: Record<string, unknown>
  effort?: string | undefined
}

/** A number of tokens is a budget; any other value lets the model decide how much to think, within the effort. */
function thinkingOf({ reasoning, maxOutputTokens, tools, toolChoice }: Turn): ThinkingFields {
  if (!reasoning) return {}
  const effort = effortOf(reasoning)
  if (!reasoning.enabled || effort === 'none') return { thinking: { type: 'disabled' } }
  // This wire refuses thinking together with a forced tool call; other wires leave that to the model.
  if (tools.length > 0 && (toolChoice.type === 'required' || toolChoice.type === 'tool')) return { effort }
  if (reasoning.maxTokens !== undefined) {
    const budget = fitting(reasoning.maxTokens, maxOutputTokens)
    return { thinking: { type: 'enabled', budget_tokens: budget }, effort }
  }
  // Newer models return their thinking only on request.
  return { thinking: { type: 'adaptive', display: 'summarized' }, effort }
}

/** OpenAI's lowest effort has no counterpart on this wire. */
const effortOf = ({ effort }: Reasoning): string | undefined => (effort === 'minimal' ? 'low' : effort)

const smallestBudget = 1_024

/** A budget that the wire accepts: at least 1,024 tokens, and some of the limit left for the answer. */
function fitting(budget: number, maxOutputTokens: number): number {
  if (maxOutputTokens <= smallestBudget)
    refuse('max_tokens', `this model thinks only within a limit of more than ${smallestBudget} output tokens`)
  return Math.min(Math.max(budget, smallestBudget), maxOutputTokens - 1)
}

function tool({ name, description, parameters, strict }: Tool) {
  return {
    name,
    ...(description !== undefined && { description }),
    // On other wires a tool without parameters may have an empty schema; here it must be an object schema.
    input_schema: { type: 'object', ...parameters },
    ...(strict !== undefined && { strict }),
  }
}

/** Undefined for `auto`, which is what no choice means, unless it has to say that calls come one by one. */
function toolChoice(choice: ToolChoice, parallel: boolean | undefined): Record<string, unknown> | undefined {
  if (choice.type === 'none') return { type: 'none' }
  const single = parallel === false && { disable_parallel_tool_use: true }
  if (choice.type === 'tool') return { type: 'tool', name: choice.name, ...single }
  if (choice.type === 'required') return { type: 'any', ...single }
  return single ? { type: 'auto', ...single } : undefined
}

function refuse(param: string, detail: string): never {
  throw new UpstreamError('invalid_request', { executed: false, param, detail })
}
