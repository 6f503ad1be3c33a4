import { isRecord } from '#platform/json'
import { claimedCount } from './json.ts'

/** Tokens as an upstream claims them; a figure that is no count (missing, negative, a word) is absent. */
export interface MediaTokens {
  input?: number
  mediaInput?: number
  output?: number
}

/** Tokens of an answer of media: OpenAI's pictures count input and output, chat completions and OpenRouter prompt and completion. */
export function mediaTokens(usage: unknown): MediaTokens | undefined {
  if (!isRecord(usage)) return undefined
  const count = (...names: string[]): number | undefined =>
    names.map((name) => claimedCount(usage[name])).find((value) => value !== undefined)
  const details = usage['input_tokens_details'] ?? usage['prompt_tokens_details']
  return claimedTokens({
    input: count('input_tokens', 'prompt_tokens'),
    mediaInput: isRecord(details) ? claimedCount(details['image_tokens']) : undefined,
    output: count('output_tokens', 'completion_tokens'),
  })
}

/** The figures that were claimed; undefined where neither input nor output was. */
export function claimedTokens(
  claimed: { [Figure in keyof MediaTokens]: number | undefined },
): MediaTokens | undefined {
  const { input, mediaInput, output } = claimed
  if (input === undefined && output === undefined) return undefined
  return {
    ...(input !== undefined && { input }),
    ...(mediaInput !== undefined && { mediaInput }),
    ...(output !== undefined && { output }),
  }
}
