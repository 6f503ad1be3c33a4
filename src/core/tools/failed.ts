import type { ToolError, ToolFailure } from '#core/turn'

/** A failure as the model reads it: the code, then what may help. */
export const toolFailure = (error: ToolError, sentence: string): ToolFailure => ({
  content: `Error (${error}): ${sentence}`,
  results: [],
  error,
})
