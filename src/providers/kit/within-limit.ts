import type { Reasoning } from '#core/turn'

/** The reasoning budget, reduced so that some of the output limit is left for the answer; undefined if none is requested. */
export const withinLimit = (reasoning: Reasoning | undefined, maxOutputTokens: number): number | undefined =>
  reasoning?.enabled && reasoning.maxTokens !== undefined
    ? Math.max(1, Math.min(reasoning.maxTokens, maxOutputTokens - 1))
    : undefined
