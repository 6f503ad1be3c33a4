import type { Usage } from '#core/turn'
import { claimedCount, isRecord } from '#providers/kit'

/** Tokens by kind from the `usage` of a response. Undefined when all counts are zero: no answer uses zero tokens, so that is no report. */
export function readUsage(raw: Record<string, unknown>, webSearches = 0): Usage | undefined {
  const inputDetails = isRecord(raw['input_tokens_details']) ? raw['input_tokens_details'] : {}
  const outputDetails = isRecord(raw['output_tokens_details']) ? raw['output_tokens_details'] : {}
  const cacheWriteDetails = isRecord(inputDetails['cache_write_tokens_details'])
    ? inputDetails['cache_write_tokens_details']
    : {}
  const input = count(raw['input_tokens'])
  const output = count(raw['output_tokens'])
  if (input + output === 0) return undefined
  const cachedInput = Math.min(count(inputDetails['cached_tokens']), input)
  const cacheWriteInput = Math.min(count(inputDetails['cache_write_tokens']), input - cachedInput)
  // OpenAI caches a prefix for half an hour or for half a day; the latter is priced as the longer of our two cache durations.
  const cacheWriteHourInput = Math.min(count(cacheWriteDetails['ttl_12h_tokens']), cacheWriteInput)
  return {
    input,
    cachedInput,
    cacheWriteInput,
    ...(cacheWriteHourInput > 0 && { cacheWriteHourInput }),
    mediaInput: 0,
    output,
    reasoning: Math.min(output, count(outputDetails['reasoning_tokens'])),
    ...(webSearches > 0 && { webSearches }),
  }
}

/** Search calls among the output items; opening a result page is not billed. */
export const searchesIn = (output: unknown): number =>
  Array.isArray(output) ? output.filter((item) => isRecord(item) && isSearch(item)).length : 0

const isSearch = ({ type, action, status }: Record<string, unknown>): boolean =>
  type === 'web_search_call' && status !== 'failed' && (!isRecord(action) || action['type'] === 'search')

const count = (value: unknown): number => claimedCount(value) ?? 0
