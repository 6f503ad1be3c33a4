import type { StepBudget } from '../budgeted-steps.ts'
import type { Task } from '../pipelines.ts'
import { fixedTextBytes, taskBytes } from '../prompts.ts'

export type ResearchStep = 'questions' | 'notes' | 'outline' | 'draft' | 'check'

/** Limits of one research run. */
export interface DepthLimits {
  questions: number
  queries: number
  reads: number
  pages: number
  /** Passages of a knowledge project. */
  known: number
  sources: number
  sections: number
}

/** The limits of every depth, from the default to the deepest; the budget of a run decides its depth. */
const depths: readonly DepthLimits[] = [
  { questions: 5, queries: 8, reads: 12, pages: 8, known: 4, sources: 10, sections: 6 },
  { questions: 8, queries: 14, reads: 28, pages: 20, known: 6, sources: 20, sections: 12 },
  { questions: 12, queries: 24, reads: 56, pages: 40, known: 8, sources: 40, sections: 20 },
]

export const maxResearchDepth = depths.length

export const limitsOfDepth = ({ depth = 1 }: Pick<Task, 'depth'>): DepthLimits =>
  depths[Math.min(maxResearchDepth, Math.max(1, depth)) - 1]!

export const limits = {
  sourceCharacters: 100_000,
  /** Sentences of one section that are checked. */
  claims: 48,
}

/** Bytes of the input material of each question. */
export const materialBytes = { page: 24_000, claims: 18_000 }

/** Bytes of all notes in one prompt, and of all sources; both grow with the number of sources. */
export const materialBytesOf = (task: Pick<Task, 'depth'>): { notes: number; sources: number } => {
  const { sources } = limitsOfDepth(task)
  return { notes: 2_800 * sources, sources: 30_000 + 1_600 * (sources - 10) }
}

/** Worst case of one run. The summary counts as one more section. */
export function budgetOf(task: Task): StepBudget<ResearchStep> {
  const { sources, sections, queries, reads } = limitsOfDepth(task)
  const shared = materialBytesOf(task)
  const reportPrompt = fixedTextBytes + taskBytes(task, 'whole')
  const short = fixedTextBytes + taskBytes(task, 'short')
  return {
    asks: {
      questions: { count: 1, promptBytes: reportPrompt, maxOutputTokens: 2_000 },
      notes: { count: sources, promptBytes: short + materialBytes.page, maxOutputTokens: 1_600 },
      outline: { count: 1, promptBytes: reportPrompt + shared.notes, maxOutputTokens: 2_000 },
      draft: { count: sections + 1, promptBytes: reportPrompt + shared.notes, maxOutputTokens: 3_000 },
      check: {
        count: sections + 1,
        promptBytes: short + shared.sources + materialBytes.claims,
        maxOutputTokens: 5_000,
      },
    },
    searches: queries,
    reads,
  }
}
