import type { Task } from '../agent.ts'
import type { Budget } from '../pen.ts'
import { ownWordsBytes, taskBytes } from '../prompts.ts'

export type Step = 'questions' | 'notes' | 'outline' | 'draft' | 'check'

export const most = {
  questions: 5,
  queries: 8,
  /** Addresses that the task itself names. */
  named: 4,
  reads: 12,
  pages: 8,
  /** Passages of a knowledge project. */
  known: 4,
  sources: 10,
  sourceCharacters: 100_000,
  sections: 6,
  /** Sentences of one section that are checked. */
  claims: 48,
}

/** Bytes of what each question is about. */
export const material = { page: 24_000, notes: 28_000, sources: 30_000, claims: 18_000 }

/** Worst case of one run: a summary is a section like the others. */
export function budgetOf(task: Task): Budget<Step> {
  const whole = ownWordsBytes + taskBytes(task, 'whole')
  const short = ownWordsBytes + taskBytes(task, 'short')
  return {
    asks: {
      questions: { count: 1, promptBytes: whole, maxOutputTokens: 2_000 },
      notes: { count: most.sources, promptBytes: short + material.page, maxOutputTokens: 1_600 },
      outline: { count: 1, promptBytes: whole + material.notes, maxOutputTokens: 2_000 },
      draft: { count: most.sections + 1, promptBytes: whole + material.notes, maxOutputTokens: 3_000 },
      check: {
        count: most.sections + 1,
        promptBytes: short + material.sources + material.claims,
        maxOutputTokens: 5_000,
      },
    },
    searches: most.queries,
    reads: most.reads,
  }
}
