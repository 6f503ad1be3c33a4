import type { Failed, ToolError } from '#engine/turn'

/** A failure as the model reads it: the code, then what may help. */
export const failed = (error: ToolError, sentence: string): Failed => ({
  content: `Error (${error}): ${sentence}`,
  results: [],
  error,
})
