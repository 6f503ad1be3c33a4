import type { Source } from '#engine/turn'
import { budgetPhrases, type Localized } from './phrases.ts'
import {
  FailedStep,
  type FetchedFile,
  LostStep,
  type ModelAnswer,
  OutOfCredits,
  type Plan,
  type StepContext,
} from './pipelines.ts'
import { type Prompt, questionOf } from './prompts.ts'

/** Budget of one kind of question. */
export interface AskBudget {
  count: number
  promptBytes: number
  maxOutputTokens: number
}

export interface Budget<Name extends string> {
  asks: Readonly<Record<Name, AskBudget>>
  searches: number
  reads: number
}

export const planOf = ({ asks, searches, reads }: Budget<string>): Plan => ({
  asks: Object.values(asks),
  searches,
  reads,
})

/** Why a part of the result is missing. */
export type GapReason =
  | 'credits'
  | 'lost'
  | 'failed'
  | 'empty'
  | 'cut'
  | 'render'
  | 'none'
  | 'unfounded'
  | 'fault'

/** A part that is missing from the result. */
export interface Gap {
  what: Localized
  reason: GapReason | Localized
}

/**
 * Steps that never exceed the budget. A step that fails is recorded as a gap and does not end the run. Once the credits are used up, no
 * further step is started.
 */
export interface BudgetedSteps<Name extends string> {
  readonly gaps: Gap[]
  /** The error of the first paid step that failed; thrown by a run that has nothing to save. */
  firstError(): Error | undefined
  isOutOfCredits(): boolean
  /** Returns the answer, or undefined if there is none; the gap is then recorded under the name `what`. */
  ask(name: Name, step: string, prompt: Prompt, what: Localized): Promise<ModelAnswer | undefined>
  search(step: string, query: string): Promise<readonly Source[]>
  read(step: string, url: string): Promise<Source | undefined>
  /** Downloads a file of the web; `refused` holds the reason if there is no file. */
  fetch(step: string, url: string, maxBytes: number): Promise<FetchedFile | { refused: Localized }>
  /** Whether the model has answered anything. */
  wasAnswered(): boolean
}

export function openBudgetedSteps<Name extends string>(
  context: StepContext,
  budget: Budget<Name>,
): BudgetedSteps<Name> {
  const left = new Map(Object.entries<AskBudget>(budget.asks).map(([name, { count }]) => [name, count]))
  const others = { searches: budget.searches, reads: budget.reads }
  const gaps: Gap[] = []
  let trouble: Error | undefined
  let isOut = false
  let answered = false

  /** Records a failed step. Rethrows every other error: the signal's reason and defects. */
  const recordGap = (error: unknown, what: Localized | undefined): void => {
    if (!(error instanceof LostStep || error instanceof FailedStep || error instanceof OutOfCredits))
      throw error
    trouble ??= error
    if (error instanceof OutOfCredits) isOut = true
    const reason = error instanceof OutOfCredits ? 'credits' : error instanceof LostStep ? 'lost' : 'failed'
    if (what) gaps.push({ what, reason })
  }

  return {
    gaps,
    firstError: () => trouble,
    isOutOfCredits: () => isOut,
    wasAnswered: () => answered,
    async ask(name, step, prompt, what) {
      const count = left.get(name)!
      if (isOut || count === 0) {
        gaps.push({ what, reason: 'credits' })
        return undefined
      }
      left.set(name, count - 1)
      try {
        const answer = await context.ask(step, questionOf(prompt, budget.asks[name], context.task))
        answered = true
        if (answer.text.trim() !== '') return answer
        gaps.push({ what, reason: 'empty' })
      } catch (error) {
        recordGap(error, what)
      }
      return undefined
    },
    async search(step, query) {
      if (isOut || others.searches === 0) return []
      others.searches -= 1
      try {
        return await context.search(step, query)
      } catch (error) {
        recordGap(error, { fa: 'یک جست‌وجو', en: 'a search' })
        return []
      }
    },
    async read(step, url) {
      if (isOut || others.reads === 0) return undefined
      others.reads -= 1
      try {
        return await context.read(step, url)
      } catch (error) {
        recordGap(error, { fa: `خواندن ${url}`, en: `reading ${url}` })
        return undefined
      }
    },
    async fetch(step, url, maxBytes) {
      if (isOut || others.reads === 0) return { refused: budgetPhrases.noReads }
      others.reads -= 1
      try {
        return await context.fetch(step, url, maxBytes)
      } catch (error) {
        recordGap(error, undefined)
        return { refused: budgetPhrases.lost }
      }
    },
  }
}
