import type { Reasoning } from '#engine/turn'

/** The reasoning budget that leaves some of the output limit for the answer; undefined where none is asked for. */
export const withinLimit = (reasoning: Reasoning | undefined, maxOutputTokens: number): number | undefined =>
  reasoning?.enabled && reasoning.maxTokens !== undefined
    ? Math.max(1, Math.min(reasoning.maxTokens, maxOutputTokens - 1))
    : undefined
