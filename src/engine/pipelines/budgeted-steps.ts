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

/** Of one kind of question. */
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

/** Why something is missing; words of its own where none of these says it. */
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

/** Something that the deliverable should have had. */
export interface Gap {
  what: Localized
  why: GapReason | Localized
}

/**
 * A desk that never asks for more than its budget, and for which a step that came to nothing is a gap and no end. Once the credits are
 * used up nothing more is asked for.
 */
export interface BudgetedSteps<Name extends string> {
  readonly gaps: Gap[]
  /** What the first paid step threw that came to nothing: for a run that has nothing to hand over. */
  trouble(): Error | undefined
  isOut(): boolean
  /** The answer; undefined where there is none. `what` names what is missing then. */
  ask(name: Name, step: string, prompt: Prompt, what: Localized): Promise<ModelAnswer | undefined>
  search(step: string, query: string): Promise<readonly Source[]>
  read(step: string, url: string): Promise<Source | undefined>
  /** A whole file of the web, or why there is none. */
  fetch(step: string, url: string, maxBytes: number): Promise<FetchedFile | { refused: Localized }>
  /** Whether the model has answered anything. */
  wasAnswered(): boolean
}

export function openBudgetedSteps<Name extends string>(
  desk: StepContext,
  budget: Budget<Name>,
): BudgetedSteps<Name> {
  const left = new Map(Object.entries<AskBudget>(budget.asks).map(([name, { count }]) => [name, count]))
  const others = { searches: budget.searches, reads: budget.reads }
  const gaps: Gap[] = []
  let trouble: Error | undefined
  let isOut = false
  let answered = false

  /** Throws what is no matter of this step: the signal's reason, and defects. */
  const noted = (error: unknown, what: Localized | undefined): void => {
    if (!(error instanceof LostStep || error instanceof FailedStep || error instanceof OutOfCredits))
      throw error
    trouble ??= error
    if (error instanceof OutOfCredits) isOut = true
    const why = error instanceof OutOfCredits ? 'credits' : error instanceof LostStep ? 'lost' : 'failed'
    if (what) gaps.push({ what, why })
  }

  return {
    gaps,
    trouble: () => trouble,
    isOut: () => isOut,
    wasAnswered: () => answered,
    async ask(name, step, prompt, what) {
      const count = left.get(name)!
      if (isOut || count === 0) {
        gaps.push({ what, why: 'credits' })
        return undefined
      }
      left.set(name, count - 1)
      try {
        const said = await desk.ask(step, questionOf(prompt, budget.asks[name], desk.task))
        answered = true
        if (said.text.trim() !== '') return said
        gaps.push({ what, why: 'empty' })
      } catch (error) {
        noted(error, what)
      }
      return undefined
    },
    async search(step, query) {
      if (isOut || others.searches === 0) return []
      others.searches -= 1
      try {
        return await desk.search(step, query)
      } catch (error) {
        noted(error, { fa: 'یک جست‌وجو', en: 'a search' })
        return []
      }
    },
    async read(step, url) {
      if (isOut || others.reads === 0) return undefined
      others.reads -= 1
      try {
        return await desk.read(step, url)
      } catch (error) {
        noted(error, { fa: `خواندن ${url}`, en: `reading ${url}` })
        return undefined
      }
    },
    async fetch(step, url, maxBytes) {
      if (isOut || others.reads === 0) return { refused: budgetPhrases.noReads }
      others.reads -= 1
      try {
        return await desk.fetch(step, url, maxBytes)
      } catch (error) {
        noted(error, undefined)
        return { refused: budgetPhrases.lost }
      }
    },
  }
}
