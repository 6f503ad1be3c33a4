import type { Usage } from '#core/turn'
import { claimedCount as count, isRecord } from '#providers/kit'

/**
 * Tokens by kind from a chat `usage` object, in the spelling of OpenAI, DeepSeek, OpenRouter, Anthropic's compatible endpoint or xAI.
 * Undefined when neither prompt nor answer has a count: no answer uses zero tokens, so that is no report.
 */
export function readUsage(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined
  const prompt = isRecord(raw['prompt_tokens_details']) ? raw['prompt_tokens_details'] : {}
  const completion = isRecord(raw['completion_tokens_details']) ? raw['completion_tokens_details'] : {}
  const total = count(raw['total_tokens']) ?? 0
  const written = count(raw['completion_tokens']) ?? count(raw['output_tokens']) ?? 0
  // A prompt without a count of its own is the total less the answer; that rest is no hidden reasoning.
  const input =
    (count(raw['prompt_tokens']) ?? count(raw['input_tokens'])) ||
    (written > 0 ? Math.max(0, total - written) : 0)
  // Gemini's compatible endpoint and xAI count reasoning only in the total, not in the completion tokens; it is billed as output.
  const hidden = Math.max(0, total - input - written)
  const output = written + hidden
  if (input + written === 0) return undefined
  const cached = first(
    prompt['cached_tokens'],
    raw['prompt_cache_hit_tokens'],
    raw['cached_tokens'],
    raw['cache_read_input_tokens'],
  )
  const cacheWrite = first(
    prompt['cache_write_tokens'],
    prompt['cache_creation_tokens'],
    raw['cache_creation_input_tokens'],
  )
  const media = first(prompt['audio_tokens']) + first(prompt['video_tokens'])
  const cachedInput = Math.min(cached, input)
  const cacheWriteInput = Math.min(cacheWrite, input - cachedInput)
  return {
    input,
    cachedInput,
    cacheWriteInput,
    mediaInput: Math.min(media, input - cachedInput - cacheWriteInput),
    output,
    reasoning: Math.min(
      output,
      Math.max(hidden, first(completion['reasoning_tokens'], raw['reasoning_tokens'])),
    ),
  }
}

/** llama.cpp reports `timings` when usage was not requested; cached tokens are counted separately. */
export function readTimings(raw: unknown): Usage | undefined {
  if (!isRecord(raw)) return undefined
  const cached = count(raw['cache_n']) ?? 0
  const fresh = count(raw['prompt_n'])
  const output = count(raw['predicted_n'])
  if (fresh === undefined || output === undefined) return undefined
  return {
    input: fresh + cached,
    cachedInput: cached,
    cacheWriteInput: 0,
    mediaInput: 0,
    output,
    reasoning: 0,
  }
}

function first(...values: unknown[]): number {
  for (const value of values) {
    const number = count(value)
    if (number !== undefined) return number
  }
  return 0
}
