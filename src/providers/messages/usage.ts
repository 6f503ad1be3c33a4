import type { Usage } from '#core/turn'
import { claimedCount, isRecord } from '#providers/kit'

/** Token counts of the prompt. */
const promptFields = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'cache_creation',
]

/**
 * The usage of one answer from its reports: `message_start` counts the prompt, and every `message_delta` is cumulative. The newest value of
 * a field counts, except that gateways that report the prompt only once send nothing, null or zero the other time.
 */
export function mergeUsage(
  raw: Record<string, unknown> | undefined,
  report: unknown,
): Record<string, unknown> | undefined {
  if (!isRecord(report)) return raw
  const countsPrompt = promptFields.some((name) => count(report[name]) > 0)
  const merged = { ...raw }
  for (const name in report) {
    const isOlder = report[name] === null || (!countsPrompt && promptFields.includes(name))
    if (!(isOlder && name in merged)) merged[name] = report[name]
  }
  return merged
}

/**
 * Tokens by kind. On this wire `input_tokens` excludes cache reads and cache writes, and the top-level counts exclude a compaction.
 * Undefined when all counts are zero: no answer uses zero tokens, so that is no report. `searches` are those whose results were seen, for
 * upstreams that do not count them.
 */
export function readUsage(raw: Record<string, unknown> | undefined, searches = 0): Usage | undefined {
  if (!raw) return undefined
  const usage = tokensOf(raw)
  for (const iteration of Array.isArray(raw['iterations']) ? raw['iterations'] : []) {
    if (isRecord(iteration) && iteration['type'] === 'compaction') add(usage, tokensOf(iteration))
  }
  if (usage.input + usage.output === 0) return undefined
  const tools = isRecord(raw['server_tool_use']) ? raw['server_tool_use'] : {}
  const webSearches = count(tools['web_search_requests']) || searches
  return webSearches > 0 ? { ...usage, webSearches } : usage
}

function tokensOf(raw: Record<string, unknown>) {
  const creation = isRecord(raw['cache_creation']) ? raw['cache_creation'] : {}
  const details = isRecord(raw['output_tokens_details']) ? raw['output_tokens_details'] : {}
  const hour = count(creation['ephemeral_1h_input_tokens'])
  const split = hour + count(creation['ephemeral_5m_input_tokens'])
  const cacheWriteInput = count(raw['cache_creation_input_tokens']) || split
  const cachedInput = count(raw['cache_read_input_tokens'])
  const output = count(raw['output_tokens'])
  return {
    input: count(raw['input_tokens']) + cachedInput + cacheWriteInput,
    cachedInput,
    cacheWriteInput,
    cacheWriteHourInput: Math.min(hour, cacheWriteInput),
    mediaInput: 0,
    output,
    reasoning: Math.min(count(details['thinking_tokens']), output),
  }
}

type Tokens = ReturnType<typeof tokensOf>

function add(sum: Tokens, more: Tokens): void {
  for (const kind in sum) sum[kind as keyof Tokens] += more[kind as keyof Tokens]
}

const count = (value: unknown): number => claimedCount(value) ?? 0
