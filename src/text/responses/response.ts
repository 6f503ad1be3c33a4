/** The response object: every key that clients require, with the settings of the request and the outcome. */
import { costOf } from '#core/calls'
import type { Bill, FinishReason } from '#core/turn'
import { commonFields } from './common-fields.ts'
import type { HostedTools } from './hosted.ts'
import { type ResponseJson, recordsIn } from './item.ts'
import type { ResponsesBody } from './schema.ts'
import type { Toolbox } from './tools.ts'
import type { SearchDetails } from './web-item.ts'

/** What the answer needs to know of its request: the settings that it follows and the fields that it repeats. */
export interface ResponseSpec {
  body: ResponsesBody
  tools: Toolbox
  hosted: HostedTools
  /** Which details of web searches are shown. */
  searchDetails: SearchDetails
  /** The request's id in 32 hexadecimal digits, from which all ids of the answer are derived. */
  hex: string
  /** Unix seconds. */
  createdAt: number
  maxOutputTokens: number
  /** The id of the model that answers. */
  model(): string
  /** Unix seconds. */
  now(): number
  /** `include_reasoning`, the contract's own switch. */
  includesReasoning: boolean
  /** True with `include_reasoning`, or if the request asks for a summary by the wire's own field. */
  showsReasoning: boolean
  /** True if the request asks for `encrypted_content`. */
  seals: boolean
  /** Fields that replace those of the response; used by other routes that answer in this format. */
  overrides?: (() => ResponseJson) | undefined
}

export type ResponseOutcome =
  | { status: 'in_progress' }
  | {
      status: 'completed' | 'incomplete'
      reason?: string
      output: ResponseJson[]
      usage: ResponseJson
      reasoning: ReasoningText
    }
  | {
      status: 'failed'
      error: { code: string; message: string }
      output: ResponseJson[]
      reasoning: ReasoningText
    }

export interface ReasoningText {
  text: string
  format: 'summary' | 'text'
}

/** The 31 keys of Open Responses and `output_text`. */
export function responseOf(spec: ResponseSpec, outcome: ResponseOutcome): ResponseJson {
  const { body } = spec
  const { output, usage, error, reason, reasoning } = {
    output: [] as ResponseJson[],
    usage: null,
    error: null,
    reason: undefined,
    reasoning: undefined,
    ...outcome,
  }
  return {
    id: `resp_${spec.hex}`,
    object: 'response',
    created_at: spec.createdAt,
    completed_at: outcome.status === 'completed' ? spec.now() : null,
    status: outcome.status,
    error,
    incomplete_details: reason === undefined ? null : { reason },
    model: spec.model(),
    output,
    output_text: textOf(output),
    reasoning: reasoningOf(spec, reasoning),
    usage,
    instructions: body.instructions ?? null,
    max_output_tokens: spec.maxOutputTokens,
    max_tool_calls: body.max_tool_calls ?? null,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    tool_choice: body.tool_choice ?? 'auto',
    tools: toolsOf(spec),
    text: { format: formatOf(body), ...(body.text?.verbosity != null && { verbosity: body.text.verbosity }) },
    temperature: body.temperature ?? 1,
    top_p: body.top_p ?? 1,
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    ...commonFields(body),
    ...spec.overrides?.(),
  }
}

const toolsOf = ({ tools, hosted }: ResponseSpec): ResponseJson[] => [
  ...tools.functions.map(({ type, name, description, parameters, strict }) => ({
    type,
    name,
    description: description ?? null,
    parameters: parameters ?? null,
    strict: strict ?? null,
  })),
  ...hosted.echoed,
]

function formatOf({ text }: ResponsesBody): ResponseJson {
  const format = text?.format
  if (format?.type !== 'json_schema') return { type: format?.type ?? 'text' }
  const { type, name, description, schema, strict } = format
  return { type, name, description: description ?? null, schema, strict: strict ?? true }
}

/** All text of all messages. */
export const textOf = (output: readonly ResponseJson[]): string =>
  output
    .flatMap((item) => (item['type'] === 'message' ? recordsIn(item['content']) : []))
    .map((part) => (part['type'] === 'output_text' ? String(part['text']) : ''))
    .join('')

/** The contract's `reasoning` block if it was requested, else null, since clients require the key. */
export function reasoningOf(
  { body, includesReasoning }: ResponseSpec,
  reasoning: ReasoningText | undefined,
): ResponseJson | null {
  if (!includesReasoning) return null
  const { text, format } = reasoning ?? { text: '', format: 'text' }
  return {
    effort: body.reasoning?.effort ?? body.reasoning_effort ?? null,
    summary: body.reasoning?.summary ?? null,
    status: text === '' ? 'unavailable' : 'available',
    text,
    format,
    source: 'provider',
  }
}

/** The charged usage, merged into the upstream's report if that is of this wire; what the operator pays is not shown to the caller. */
export function usageOf({ usage, microcredits }: Bill, raw: ResponseJson = {}): ResponseJson {
  const { cost: _cost, cost_details: _details, is_byok: _byok, ...shown } = raw
  return {
    ...shown,
    input_tokens: usage.input,
    input_tokens_details: {
      ...(raw['input_tokens_details'] as object),
      cached_tokens: usage.cachedInput,
      cache_write_tokens: usage.cacheWriteInput,
    },
    output_tokens: usage.output,
    output_tokens_details: {
      ...(raw['output_tokens_details'] as object),
      reasoning_tokens: usage.reasoning,
    },
    total_tokens: usage.input + usage.output,
    ...costOf(microcredits),
  }
}

/** The reason why an answer is incomplete, or undefined if it is complete; a refusal by the model is a complete answer. */
export function incompleteReason(finish: FinishReason, refused: boolean): string | undefined {
  if (finish === 'length') return 'max_output_tokens'
  if (finish === 'content_filter' && !refused) return 'content_filter'
  return finish === 'pause' ? 'max_tool_calls' : undefined
}
