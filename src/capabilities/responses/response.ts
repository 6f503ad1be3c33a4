/** The response object: every key that the field's readers require, with what was asked and what came of it. */
import { costOf } from '#capabilities/calls'
import type { Bill, FinishReason } from '#engine/turn'
import type { HostedTools } from './hosted.ts'
import { type Json, recordsIn } from './item.ts'
import type { ResponsesBody } from './schema.ts'
import { standing } from './standing.ts'
import type { Toolbox } from './tools.ts'
import type { Telling } from './web-item.ts'

/** Of one request: what an answer to it repeats and obeys. */
export interface Terms {
  body: ResponsesBody
  tools: Toolbox
  hosted: HostedTools
  /** What is told of tools that run meanwhile. */
  tells: Telling
  /** The request's id in 32 hexadecimal digits, of which all ids of the answer are made. */
  hex: string
  /** Unix seconds. */
  createdAt: number
  maxOutputTokens: number
  /** The model that answers. */
  model(): string
  /** Unix seconds. */
  now(): number
  /** `include_reasoning`, the contract's own switch. */
  includesReasoning: boolean
  /** By that switch, or by the wire's own wish for a summary. */
  showsReasoning: boolean
  /** `encrypted_content` is wished for. */
  seals: boolean
  /** What stands in the response in place of the wire's own words, where another door answers in them. */
  own?: (() => Json) | undefined
}

export type Outcome =
  | { status: 'in_progress' }
  | { status: 'completed' | 'incomplete'; reason?: string; output: Json[]; usage: Json; reasoning: Thoughts }
  | { status: 'failed'; error: { code: string; message: string }; output: Json[]; reasoning: Thoughts }

export interface Thoughts {
  text: string
  format: 'summary' | 'text'
}

/** The 31 keys of Open Responses and `output_text`. */
export function responseOf(terms: Terms, outcome: Outcome): Json {
  const { body } = terms
  const { output, usage, error, reason, reasoning } = {
    output: [] as Json[],
    usage: null,
    error: null,
    reason: undefined,
    reasoning: undefined,
    ...outcome,
  }
  return {
    id: `resp_${terms.hex}`,
    object: 'response',
    created_at: terms.createdAt,
    completed_at: outcome.status === 'completed' ? terms.now() : null,
    status: outcome.status,
    error,
    incomplete_details: reason === undefined ? null : { reason },
    model: terms.model(),
    output,
    output_text: textOf(output),
    reasoning: reasoningOf(terms, reasoning),
    usage,
    instructions: body.instructions ?? null,
    max_output_tokens: terms.maxOutputTokens,
    max_tool_calls: body.max_tool_calls ?? null,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: null,
    tool_choice: body.tool_choice ?? 'auto',
    tools: toolsOf(terms),
    text: { format: formatOf(body), ...(body.text?.verbosity != null && { verbosity: body.text.verbosity }) },
    temperature: body.temperature ?? 1,
    top_p: body.top_p ?? 1,
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    ...standing(body),
    ...terms.own?.(),
  }
}

const toolsOf = ({ tools, hosted }: Terms): Json[] => [
  ...tools.functions.map(({ type, name, description, parameters, strict }) => ({
    type,
    name,
    description: description ?? null,
    parameters: parameters ?? null,
    strict: strict ?? null,
  })),
  ...hosted.told,
]

function formatOf({ text }: ResponsesBody): Json {
  const format = text?.format
  if (format?.type !== 'json_schema') return { type: format?.type ?? 'text' }
  const { type, name, description, schema, strict } = format
  return { type, name, description: description ?? null, schema, strict: strict ?? true }
}

/** All text of all messages. */
export const textOf = (output: readonly Json[]): string =>
  output
    .flatMap((item) => (item['type'] === 'message' ? recordsIn(item['content']) : []))
    .map((part) => (part['type'] === 'output_text' ? String(part['text']) : ''))
    .join('')

/** The contract's block, where it was asked for; else null, as the field's readers want the key. */
export function reasoningOf({ body, includesReasoning }: Terms, thoughts: Thoughts | undefined): Json | null {
  if (!includesReasoning) return null
  const { text, format } = thoughts ?? { text: '', format: 'text' }
  return {
    effort: body.reasoning?.effort ?? body.reasoning_effort ?? null,
    summary: body.reasoning?.summary ?? null,
    status: text === '' ? 'unavailable' : 'available',
    text,
    format,
    source: 'provider',
  }
}

/** The figures that were charged, in the upstream's own report where that is of this wire; what the operator pays is not the caller's to see. */
export function usageOf({ usage, microcredits }: Bill, raw: Json = {}): Json {
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

/** Why an answer is incomplete; a refusal in the model's own words is whole. */
export function shortfall(finish: FinishReason, refused: boolean): string | undefined {
  if (finish === 'length') return 'max_output_tokens'
  if (finish === 'content_filter' && !refused) return 'content_filter'
  return finish === 'pause' ? 'max_tool_calls' : undefined
}
