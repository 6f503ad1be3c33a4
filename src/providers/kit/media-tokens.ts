import { claimedCount, isRecord } from './json.ts'

/** Tokens of an answer of media: OpenAI's pictures count input and output, chat completions and OpenRouter prompt and completion. */
export function mediaTokens(
  usage: unknown,
): { input: number; mediaInput?: number; output: number } | undefined {
  if (!isRecord(usage)) return undefined
  const count = (...names: string[]): number =>
    names.map((name) => claimedCount(usage[name])).find((value) => value !== undefined) ?? 0
  const details = usage['input_tokens_details'] ?? usage['prompt_tokens_details']
  const mediaInput = isRecord(details) ? claimedCount(details['image_tokens']) : undefined
  return {
    input: count('input_tokens', 'prompt_tokens'),
    output: count('output_tokens', 'completion_tokens'),
    ...(mediaInput !== undefined && { mediaInput }),
  }
}
