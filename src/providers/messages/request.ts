import { type TextCall, UpstreamError } from '#core/spec'
import type { OutputFormat, Reasoning, Tool, ToolChoice, Turn } from '#core/turn'
import { isRecord, sameWireBody } from '#providers/kit'
import { conversation } from './conversation.ts'

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

/** The JSON body. Throws `UpstreamError` invalid_request, before anything is sent, for a turn that this wire cannot carry. */
export function requestBody({ turn, upstreamModel }: TextCall): Record<string, unknown> {
  const body = sameWireBody(turn, 'messages')
  return {
    model: upstreamModel,
    max_tokens: turn.maxOutputTokens,
    ...(body ? passedOn(body, turn.maxOutputTokens) : translated(turn)),
    stream: turn.stream,
  }
}

/** Beta features that the caller requested by name; the operator's are set by configured headers. */
export function betasOf(turn: Turn): string[] {
  const betas = sameWireBody(turn, 'messages')?.['anthropic_beta']
  const sane = (beta: unknown) => typeof beta === 'string' && /^[\w.:-]{1,100}$/.test(beta)
  return Array.isArray(betas) && betas.every(sane) ? betas : []
}

function passedOn(body: Record<string, unknown>, maxOutputTokens: number): Record<string, unknown> {
  const fields = Object.fromEntries(
    standardFields.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  )
  const { metadata, thinking, max_tokens: asked } = body
  // Gateways read directives for themselves from the other members of `metadata`.
  if (isRecord(metadata) && typeof metadata['user_id'] === 'string')
    fields['metadata'] = { user_id: metadata['user_id'] }
  // If the output limit was reduced, the thinking budget within it is reduced too.
  if (isRecord(thinking) && typeof thinking['budget_tokens'] === 'number' && Number(asked) > maxOutputTokens)
    fields['thinking'] = { ...thinking, budget_tokens: fitting(thinking['budget_tokens'], maxOutputTokens) }
  return fields
}

/** Seed, penalties, verbosity, names and image detail are hints that have no counterpart on this wire; they are not sent. */
function translated(turn: Turn): Record<string, unknown> {
  if (turn.temperature !== undefined && turn.temperature > 1)
    refuse('temperature', 'this model takes a temperature of 0 to 1')
  const { system, messages } = conversation(turn.messages)
  if (turn.output.type === 'json_object') system.push({ type: 'text', text: jsonOnly })
  const { thinking, effort } = thinkingOf(turn)
  const output = outputConfig(turn.output, effort)
  return {
    ...(system.length > 0 && { system }),
    messages,
    ...(turn.tools.length > 0 && {
      tools: turn.tools.map(tool),
      tool_choice: toolChoice(turn.toolChoice, turn.parallelToolCalls),
    }),
    ...(thinking && { thinking }),
    ...(output && { output_config: output }),
    ...(turn.stop.length > 0 && { stop_sequences: turn.stop }),
    ...(turn.temperature !== undefined && { temperature: turn.temperature }),
    ...(turn.topP !== undefined && { top_p: turn.topP }),
    ...(turn.topK !== undefined && { top_k: turn.topK }),
  }
}

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

function toolChoice(choice: ToolChoice, parallel: boolean): Record<string, unknown> {
  if (choice.type === 'none') return { type: 'none' }
  const single = parallel ? {} : { disable_parallel_tool_use: true }
  if (choice.type === 'tool') return { type: 'tool', name: choice.name, ...single }
  return { type: choice.type === 'required' ? 'any' : 'auto', ...single }
}

function refuse(param: string, detail: string): never {
  throw new UpstreamError('invalid_request', { executed: false, param, detail })
}
