import { costOf } from '#capabilities/calls'
import type { Bill, Usage } from '#engine/turn'

export type Raw = Record<string, unknown>

export const rawOf = (value: unknown): Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : {}

/** What was charged, in the fields that clients read. This wire counts what a cache gave or took beside `input_tokens`. */
const charged = (usage: Usage, raw: Raw): Raw => ({
  input_tokens: Math.max(0, usage.input - usage.cachedInput - usage.cacheWriteInput),
  output_tokens: usage.output,
  cache_creation_input_tokens: usage.cacheWriteInput,
  cache_read_input_tokens: usage.cachedInput,
  output_tokens_details: { ...rawOf(raw['output_tokens_details']), thinking_tokens: usage.reasoning },
})

/** What the operator pays upstream is not the caller's to see; that is told in credits by our like. */
function shown(raw: Raw): Raw {
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

/** The usage of a whole answer: every field of the wire, those of the upstream that are no figures of ours unchanged. */
export const usageOf = ({ usage, microcredits }: Bill, upstream: unknown): Raw => ({
  ...tokensOf(usage, upstream),
  ...costOf(microcredits),
})

function tokensOf(usage: Usage, upstream: unknown): Raw {
  const raw = shown(rawOf(upstream))
  const hour = usage.cacheWriteHourInput ?? 0
  return {
    ...unknown,
    ...raw,
    ...charged(usage, raw),
    cache_creation: {
      ...rawOf(raw['cache_creation']),
      ephemeral_5m_input_tokens: Math.max(0, usage.cacheWriteInput - hour),
      ephemeral_1h_input_tokens: hour,
    },
  }
}

/** The usage at the end of a stream: all that was used since its beginning. */
export function lastUsageOf({ usage, microcredits }: Bill, upstream: unknown): Raw {
  const raw = shown(rawOf(upstream))
  return { server_tool_use: null, ...raw, ...charged(usage, raw), ...costOf(microcredits) }
}

/** The usage at the beginning of a stream: what the upstream says of the prompt already, else a fair guess. */
export function firstUsageOf(guess: Usage, upstream: unknown): Raw {
  const none = { ...guess, output: 0, reasoning: 0 }
  const raw = shown(rawOf(upstream))
  if (typeof raw['input_tokens'] !== 'number') return tokensOf(none, raw)
  return { ...tokensOf({ ...none, input: 0 }, undefined), ...raw }
}
