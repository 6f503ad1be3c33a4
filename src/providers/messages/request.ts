import type { OutputFormat, Reasoning, Tool, ToolChoice, Turn } from '#engine/turn'
import { isRecord, sameWireBody } from '#providers/kit'
import { type TextCall, UpstreamError } from '#providers/spec'
import { conversation } from './conversation.ts'

/** Fields of the wire that are passed on as the caller wrote them. */
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
 * Top-level fields of a Messages body that have an effect here: passed on, or set by this provider. Everything else that a
 * caller sends is not forwarded: it could change the price (`service_tier`, `speed`, `inference_geo`) or rests on what the upstream
 * keeps (`container`, `diagnostics`).
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

/** Features that the caller has asked for by name; the operator's are set by configured headers. */
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
  // Gateways read orders to themselves in the other members of `metadata`.
  if (isRecord(metadata) && typeof metadata['user_id'] === 'string')
    fields['metadata'] = { user_id: metadata['user_id'] }
  // Where the limit had to come down, the part of it that is for thinking comes down with it.
  if (isRecord(thinking) && typeof thinking['budget_tokens'] === 'number' && Number(asked) > maxOutputTokens)
    fields['thinking'] = { ...thinking, budget_tokens: fitting(thinking['budget_tokens'], maxOutputTokens) }
  return fields
}

/** Seed and penalties, verbosity, names and the detail of images have no counterpart on this wire: hints that do not reach it. */
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

/** This wire knows JSON only by a schema, and one that allows every object is of no use: the model is instructed instead. */
const jsonOnly =
  'Answer with exactly one JSON object and nothing else: no text before or after it, no code fence.'

function outputConfig(output: OutputFormat, effort: string | undefined): Record<string, unknown> | undefined {
  if (output.type !== 'json_schema' && effort === undefined) return undefined
  return {
    ...(effort !== undefined && { effort }),
    ...(output.type === 'json_schema' && { format: { type: 'json_schema', schema: output.schema } }),
  }
}

interface Thinking {
  thinking?: Record<string, unknown>
  effort?: string | undefined
}

/** A number of tokens is a budget; anything else leaves to the model how much it thinks, within the effort. */
function thinkingOf({ reasoning, maxOutputTokens, tools, toolChoice }: Turn): Thinking {
  if (!reasoning) return {}
  const effort = effortOf(reasoning)
  if (!reasoning.enabled || effort === 'none') return { thinking: { type: 'disabled' } }
  // This wire refuses to think before a call that it is made to make, where the others leave that to the model.
  if (tools.length > 0 && (toolChoice.type === 'required' || toolChoice.type === 'tool')) return { effort }
  if (reasoning.maxTokens !== undefined) {
    const budget = fitting(reasoning.maxTokens, maxOutputTokens)
    return { thinking: { type: 'enabled', budget_tokens: budget }, effort }
  }
  // Newer models keep their thinking to themselves unless it is asked for.
  return { thinking: { type: 'adaptive', display: 'summarized' }, effort }
}

/** OpenAI's lowest effort has no name here. */
const effortOf = ({ effort }: Reasoning): string | undefined => (effort === 'minimal' ? 'low' : effort)

const smallestBudget = 1_024

/** A budget that the wire takes: at least 1,024 tokens, and some of the limit left for the answer. */
function fitting(budget: number, maxOutputTokens: number): number {
  if (maxOutputTokens <= smallestBudget)
    refuse('max_tokens', `this model thinks only within a limit of more than ${smallestBudget} output tokens`)
  return Math.min(Math.max(budget, smallestBudget), maxOutputTokens - 1)
}

function tool({ name, description, parameters, strict }: Tool) {
  return {
    name,
    ...(description !== undefined && { description }),
    // A tool without parameters is written as an empty schema elsewhere; here it must be one of an object.
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
