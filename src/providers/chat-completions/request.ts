import type { TextCall } from '#core/spec'
import type { OutputFormat, Tool, ToolChoice, Turn } from '#core/turn'
import { isRecord, sameWireBody, withinLimit } from '#providers/kit'
import { vendorMessages } from './history.ts'
import { chatMessages } from './messages.ts'
import { type ChatVendor, openRouter, vendorOf } from './vendors.ts'

/** OpenAI's own fields that are passed on unchanged. */
const standardFields = [
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'temperature',
  'top_p',
  'seed',
  'stop',
  'frequency_penalty',
  'presence_penalty',
  'reasoning_effort',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'verbosity',
  'prompt_cache_key',
  'safety_identifier',
  'user',
] as const
/** Fields of open servers and OpenRouter; not sent to vendors that refuse unknown fields. */
const openFields = ['top_k', 'min_p', 'top_a', 'repetition_penalty', 'chat_template_kwargs'] as const

/**
 * Top-level fields of a chat body that have an effect here: passed on, or set by this provider.
 * Other fields are ignored (and named in `X-Ignored-Fields`): they could change the price (`n`, `service_tier`,
 * `web_search_options`) or store data at the upstream (`store`).
 */
export const forwardedFields: ReadonlySet<string> = new Set([
  ...standardFields,
  ...openFields,
  'reasoning',
  'include_reasoning',
  'model',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
])

const toolFields: ReadonlySet<string> = new Set(['tools', 'tool_choice', 'parallel_tool_calls'])

/** The JSON request body. Some fields depend on the vendor, which is recognised by `host` and by its model. */
export function requestBody(host: string, call: TextCall): Record<string, unknown> {
  const { turn } = call
  const body = sameWireBody(turn, 'chat')
  const vendor = vendorOf(host, call.upstreamModel)
  const fields = body ? passedOn(vendor, body) : translated(vendor, turn)
  const { messages } = fields
  return {
    model: call.upstreamModel,
    ...fields,
    ...(Array.isArray(messages) && { messages: vendorMessages(vendor, messages) }),
    ...reasoningFields(host, turn, body),
    [call.limitName ?? 'max_tokens']: turn.maxOutputTokens,
    stream: turn.stream,
    // Mistral always reports usage and refuses the option.
    ...(turn.stream && host !== 'api.mistral.ai' && { stream_options: { include_usage: true } }),
  }
}

function passedOn({ isStrict }: ChatVendor, body: Record<string, unknown>): Record<string, unknown> {
  const fields = isStrict ? standardFields : [...standardFields, ...openFields]
  // Some clients send an empty list of tools, or a tool choice without tools; upstreams refuse both.
  const toolless = Array.isArray(body['tools']) && body['tools'].length === 0
  return Object.fromEntries(
    fields
      .filter((name) => body[name] !== undefined && !(toolless && toolFields.has(name)))
      .map((name) => [name, body[name]]),
  )
}

function translated(vendor: ChatVendor, turn: Turn): Record<string, unknown> {
  const { host, isStrict } = vendor
  const open = !isStrict
  const fields: Record<string, unknown> = {
    messages: chatMessages(turn.messages, vendor),
    temperature: turn.temperature,
    top_p: turn.topP,
    top_k: open ? turn.topK : undefined,
    seed: turn.seed,
    frequency_penalty: turn.frequencyPenalty,
    presence_penalty: turn.presencePenalty,
    repetition_penalty: open ? turn.repetitionPenalty : undefined,
    stop: turn.stop.length > 0 ? turn.stop : undefined,
    response_format: turn.output.type === 'text' ? undefined : responseFormat(turn.output),
    verbosity: open || host === 'api.openai.com' ? turn.verbosity : undefined,
    // Upstreams refuse `tool_choice` and its related fields when there are no tools, and some do not know `auto`, which is what no choice means.
    ...(turn.tools.length > 0 && {
      tools: turn.tools.map(tool),
      tool_choice: turn.toolChoice.type === 'auto' ? undefined : toolChoice(turn.toolChoice),
      parallel_tool_calls: turn.parallelToolCalls,
    }),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** `reasoning` is OpenRouter's object; the others know only the effort. A budget is present only for models that accept one (`core/routing`). */
function reasoningFields(
  host: string,
  { reasoning, maxOutputTokens }: Turn,
  body: Record<string, unknown> = {},
): Record<string, unknown> {
  const budget = withinLimit(reasoning, maxOutputTokens)
  if (host === openRouter) {
    const object = openRouterReasoning(reasoning, budget, body)
    return {
      ...(object !== undefined && { reasoning: object }),
      ...(body['include_reasoning'] !== undefined && { include_reasoning: body['include_reasoning'] }),
    }
  }
  if (budget !== undefined) return { reasoning: { max_tokens: budget } }
  if (body['reasoning_effort'] != null || !reasoning) return {}
  const effort = reasoning.enabled ? reasoning.effort : (reasoning.effort ?? 'none')
  return effort === undefined ? {} : { reasoning_effort: effort }
}

function openRouterReasoning(
  reasoning: Turn['reasoning'],
  budget: number | undefined,
  { reasoning: own, reasoning_effort: flat }: Record<string, unknown>,
): Record<string, unknown> | undefined {
  if (isRecord(own)) {
    const { max_tokens: _budget, ...wish } = own
    if (budget !== undefined) return { ...wish, max_tokens: budget }
    // A top-level `reasoning_effort` is passed on unchanged.
    return flat == null && reasoning?.effort !== undefined ? { ...wish, effort: reasoning.effort } : wish
  }
  if (!reasoning || flat != null) return undefined
  if (!reasoning.enabled) return { enabled: false }
  if (budget !== undefined) return { max_tokens: budget }
  return reasoning.effort === undefined ? { enabled: true } : { effort: reasoning.effort }
}

function tool({ name, description, parameters, strict }: Tool) {
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters,
      ...(strict !== undefined && { strict }),
    },
  }
}

function toolChoice(choice: ToolChoice): unknown {
  return choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : choice.type
}

function responseFormat(output: OutputFormat): unknown {
  if (output.type !== 'json_schema') return { type: output.type }
  const { name, schema, strict } = output
  return { type: 'json_schema', json_schema: { name, schema, strict } }
}
