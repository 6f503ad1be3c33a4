/**
 * Fields that this wire lacks, and what happens to them in a turn of another wire:
 * - `stop`: applied on this side (stop.ts), and sent to servers that know the field.
 * - `seed`, `top_k` and the penalties: sent, except to servers that are known to refuse unknown fields.
 * - Audio and video: refused before anything is sent (input.ts).
 * - The name of a message: left out.
 */

import type { TextCall } from '#core/spec'
import type { OutputFormat, Tool, ToolChoice, Turn } from '#core/turn'
import { isRecord, type ReasoningMark, sameWireBody, withinLimit } from '#providers/kit'
import { vendorItems } from './history.ts'
import { inputItems } from './input.ts'

/** OpenAI's own fields that are passed on unchanged. */
const standardFields = [
  'input',
  'instructions',
  'include',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_tool_calls',
  'text',
  'temperature',
  'top_p',
  'top_logprobs',
  'truncation',
  'metadata',
  'prompt_cache_key',
  'safety_identifier',
  'stream_options',
  'user',
] as const
/** Fields of vLLM, OpenRouter and other open servers. */
const openFields = [
  'top_k',
  'min_p',
  'repetition_penalty',
  'frequency_penalty',
  'presence_penalty',
  'seed',
  'stop',
] as const

/**
 * Top-level fields of a responses body that have an effect here: passed on, or set by this provider. The rest could change the price
 * (`service_tier`, `prompt_cache_retention`), store data at the upstream (`background`, `conversation`) or depend on data that is stored
 * nowhere (`previous_response_id`, `prompt`).
 */
export const forwardedFields: ReadonlySet<string> = new Set([
  ...standardFields,
  ...openFields,
  'reasoning',
  'reasoning_effort',
  'include_reasoning',
  'model',
  'stream',
  'store',
  'max_output_tokens',
])

const toolFields: ReadonlySet<string> = new Set([
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'max_tool_calls',
])

/** Vendors that answer an unknown field with 400. */
const strictHosts =
  /(^|\.)(openai\.com|azure\.com|api\.groq\.com|api\.mistral\.ai|generativelanguage\.googleapis\.com)$/

const openAi = /(^|\.)(openai\.com|azure\.com)$/

/** The JSON request body. Some field names depend on the vendor, which is recognised by `host`. */
export function requestBody(host: string, call: TextCall, mark: ReasoningMark): Record<string, unknown> {
  const { turn } = call
  const body = sameWireBody(turn, 'responses')
  const reasoning = body ? passedReasoning(body, turn) : reasoningOf(turn)
  return {
    model: call.upstreamModel,
    ...(body ? passedOn(host, turn.stream, body, mark) : translated(host, turn, mark)),
    ...(reasoning && { reasoning }),
    max_output_tokens: turn.maxOutputTokens,
    stream: turn.stream,
    store: false,
  }
}

function passedOn(
  host: string,
  stream: boolean,
  body: Record<string, unknown>,
  mark: ReasoningMark,
): Record<string, unknown> {
  const names = strictHosts.test(host) ? standardFields : [...standardFields, ...openFields]
  const fields: Record<string, unknown> = {}
  for (const name of names) if (body[name] != null) fields[name] = body[name]
  if (Array.isArray(fields['input'])) fields['input'] = vendorItems(fields['input'], mark)
  if (!stream) delete fields['stream_options']
  // Of the tools that run at the upstream, only its search has a cost with a bound, which the hold includes; other ones are not sent.
  const tools = Array.isArray(body['tools']) ? body['tools'].filter(isPassedOn) : []
  if (tools.length > 0) fields['tools'] = tools
  else for (const name of toolFields) delete fields[name]
  if (!isChoiceAmong(tools, fields['tool_choice'])) delete fields['tool_choice']
  return fields
}

const isPassedOn = (tool: unknown): boolean =>
  isRecord(tool) && (tool['type'] === 'function' || String(tool['type']).startsWith('web_search'))

const isChoiceAmong = (tools: readonly unknown[], choice: unknown): boolean =>
  !isRecord(choice) ||
  choice['type'] === 'allowed_tools' ||
  tools.some((tool) => isRecord(tool) && tool['type'] === choice['type'])

/**
 * The caller's `reasoning` object; the top-level `reasoning_effort` is the default of its field. A budget is sent only to models that
 * accept one (`core/routing`).
 */
function passedReasoning(
  body: Record<string, unknown>,
  { reasoning, maxOutputTokens }: Turn,
): Record<string, unknown> | undefined {
  const { max_tokens: _budget, ...own } = isRecord(body['reasoning']) ? body['reasoning'] : {}
  const budget = withinLimit(reasoning, maxOutputTokens)
  if (budget !== undefined) return { ...own, max_tokens: budget }
  const effort = own['effort'] ?? body['reasoning_effort'] ?? reasoning?.effort
  const wish = effort == null ? own : { ...own, effort }
  return Object.keys(wish).length > 0 ? wish : undefined
}

function reasoningOf({ reasoning, maxOutputTokens }: Turn): Record<string, unknown> | undefined {
  if (!reasoning) return undefined
  const { enabled, effort } = reasoning
  if (!enabled) return { effort: effort ?? 'none' }
  const budget = withinLimit(reasoning, maxOutputTokens)
  if (budget !== undefined) return { max_tokens: budget, summary: 'auto' }
  return { ...(effort !== undefined && { effort }), summary: 'auto' }
}

function translated(host: string, turn: Turn, mark: ReasoningMark): Record<string, unknown> {
  const open = !strictHosts.test(host)
  const fields: Record<string, unknown> = {
    input: inputItems(turn.messages, host, mark),
    temperature: turn.temperature,
    top_p: turn.topP,
    text: textOf(turn, open || openAi.test(host)),
    // Vendors that store nothing return reasoning only encrypted; models without reasoning refuse the field.
    include: turn.reasoning?.enabled ? ['reasoning.encrypted_content'] : undefined,
    ...(open && {
      top_k: turn.topK,
      seed: turn.seed,
      frequency_penalty: turn.frequencyPenalty,
      presence_penalty: turn.presencePenalty,
      repetition_penalty: turn.repetitionPenalty,
      stop: turn.stop.length > 0 ? turn.stop : undefined,
    }),
    // Upstreams refuse `tool_choice` and its related fields when there are no tools; `auto` is what no choice means.
    ...(turn.tools.length > 0 && {
      tools: turn.tools.map(toolOf),
      tool_choice: turn.toolChoice.type === 'auto' ? undefined : choiceOf(turn.toolChoice),
      parallel_tool_calls: turn.parallelToolCalls,
    }),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function textOf({ output, verbosity }: Turn, knowsVerbosity: boolean): Record<string, unknown> | undefined {
  const text = {
    ...(output.type !== 'text' && { format: formatOf(output) }),
    ...(verbosity !== undefined && knowsVerbosity && { verbosity }),
  }
  return Object.keys(text).length > 0 ? text : undefined
}

/** `strict` is true by default on this wire, and false on the others. */
const toolOf = ({ name, description, parameters, strict }: Tool) => ({
  type: 'function',
  name,
  ...(description !== undefined && { description }),
  parameters,
  strict: strict ?? false,
})

const choiceOf = (choice: ToolChoice): unknown =>
  choice.type === 'tool' ? { type: 'function', name: choice.name } : choice.type

function formatOf(output: OutputFormat): Record<string, unknown> {
  if (output.type !== 'json_schema') return { type: output.type }
  const { type, name, schema, strict } = output
  return { type, name, schema, strict }
}
