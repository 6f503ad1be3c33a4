import { costOf } from '#core/calls'
import type { Bill, Usage } from '#core/turn'

export type MessageJson = Record<string, unknown>

export const rawOf = (value: unknown): MessageJson =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as MessageJson) : {}

/** The charged usage, in the fields that clients read. On this wire `input_tokens` does not include tokens read from or written to a cache. */
const chargedUsage = (usage: Usage, raw: MessageJson): MessageJson => ({
  input_tokens: Math.max(0, usage.input - usage.cachedInput - usage.cacheWriteInput),
  output_tokens: usage.output,
  cache_creation_input_tokens: usage.cacheWriteInput,
  cache_read_input_tokens: usage.cachedInput,
  output_tokens_details: { ...rawOf(raw['output_tokens_details']), thinking_tokens: usage.reasoning },
})

/** The upstream's usage without its cost, which is not shown to the caller; an upstream that is itself a gateway like this one reports it in credits. */
function withoutCosts(raw: MessageJson): MessageJson {
  const { cost: _cost, cost_details: _details, is_byok: _byok, credits: _credits, ...rest } = raw
  const { microcredits: _microcredits, ...others } = rest
  return others
}

const unknown = {
  server_tool_use: null,
  service_tier: 'standard',
  inference_geo: null,
  speed: null,
}

/** The usage of a JSON answer: every field of the wire. Fields of the upstream that we do not set are unchanged. */
export const usageOf = ({ usage, microcredits }: Bill, upstream: unknown): MessageJson => ({
  ...tokensOf(usage, upstream),
  ...costOf(microcredits),
})

function tokensOf(usage: Usage, upstream: unknown): MessageJson {
  const raw = withoutCosts(rawOf(upstream))
  const hour = usage.cacheWriteHourInput ?? 0
  return {
    ...unknown,
    ...raw,
    ...chargedUsage(usage, raw),
    cache_creation: {
      ...rawOf(raw['cache_creation']),
      ephemeral_5m_input_tokens: Math.max(0, usage.cacheWriteInput - hour),
      ephemeral_1h_input_tokens: hour,
    },
  }
}

/** The usage at the end of a stream: that of the complete answer. */
export function lastUsageOf({ usage, microcredits }: Bill, upstream: unknown): MessageJson {
  const raw = withoutCosts(rawOf(upstream))
  return { server_tool_use: null, ...raw, ...chargedUsage(usage, raw), ...costOf(microcredits) }
}

/** The usage at the beginning of a stream: the upstream's figures for the prompt, else an estimate. */
export function firstUsageOf(estimate: Usage, upstream: unknown): MessageJson {
  const none = { ...estimate, output: 0, reasoning: 0 }
  const raw = withoutCosts(rawOf(upstream))
  if (typeof raw['input_tokens'] !== 'number') return tokensOf(none, raw)
  return { ...tokensOf({ ...none, input: 0 }, undefined), ...raw }
}
