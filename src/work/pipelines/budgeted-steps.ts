import type { CitableSource } from '#core/turn'
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
export interface QuestionBudget {
  count: number
  promptBytes: number
  maxOutputTokens: number
}

export interface StepBudget<Name extends string> {
  asks: Readonly<Record<Name, QuestionBudget>>
  searches: number
  reads: number
}

export const planOf = ({ asks, searches, reads }: StepBudget<string>): Plan => ({
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
export class BudgetedSteps<Name extends string> {
  readonly gaps: Gap[] = []
  readonly #context: StepContext
  readonly #asks: StepBudget<Name>['asks']
  /** Questions that may still be asked, by their kind. */
  readonly #asksLeft: Map<string, number>
  #searchesLeft: number
  #readsLeft: number
  #firstError: Error | undefined
  #isOutOfCredits = false
  #wasAnswered = false

  constructor(context: StepContext, { asks, searches, reads }: StepBudget<Name>) {
    this.#context = context
    this.#asks = asks
    this.#asksLeft = new Map(Object.entries<QuestionBudget>(asks).map(([name, { count }]) => [name, count]))
    this.#searchesLeft = searches
    this.#readsLeft = reads
  }

  /** The error of the first paid step that failed; thrown by a run that has nothing to save. */
  get firstError(): Error | undefined {
    return this.#firstError
  }

  get isOutOfCredits(): boolean {
    return this.#isOutOfCredits
  }

  /** Whether the model has answered anything. */
  get wasAnswered(): boolean {
    return this.#wasAnswered
  }

  /** Returns the answer, or undefined if there is none; the gap is then recorded under the name `what`. */
  async ask(name: Name, step: string, prompt: Prompt, what: Localized): Promise<ModelAnswer | undefined> {
    const left = this.#asksLeft.get(name)!
    if (this.#isOutOfCredits || left === 0) {
      this.gaps.push({ what, reason: 'credits' })
      return undefined
    }
    this.#asksLeft.set(name, left - 1)
    try {
      const question = questionOf(prompt, this.#asks[name], this.#context.task)
      const answer = await this.#context.ask(step, question)
      this.#wasAnswered = true
      if (answer.text.trim() !== '') return answer
      this.gaps.push({ what, reason: 'empty' })
    } catch (error) {
      this.#recordGap(error, what)
    }
    return undefined
  }

  async search(step: string, query: string): Promise<readonly CitableSource[]> {
    if (this.#isOutOfCredits || this.#searchesLeft === 0) return []
    this.#searchesLeft -= 1
    try {
      return await this.#context.search(step, query)
    } catch (error) {
      this.#recordGap(error, { fa: 'یک جست‌وجو', en: 'a search' })
      return []
    }
  }

  async read(step: string, url: string): Promise<CitableSource | undefined> {
    if (!this.#takeRead()) return undefined
    try {
      return await this.#context.read(step, url)
    } catch (error) {
      this.#recordGap(error, { fa: `خواندن ${url}`, en: `reading ${url}` })
      return undefined
    }
  }

  /** Downloads a file of the web; `refused` holds the reason if there is no file. */
  async fetch(step: string, url: string, maxBytes: number): Promise<FetchedFile | { refused: Localized }> {
    if (!this.#takeRead()) return { refused: budgetPhrases.noReads }
    try {
      return await this.#context.fetch(step, url, maxBytes)
    } catch (error) {
      this.#recordGap(error, undefined)
      return { refused: budgetPhrases.lost }
    }
  }

  /** Takes a read of a page or file from the budget; false if none is left. */
  #takeRead(): boolean {
    if (this.#isOutOfCredits || this.#readsLeft === 0) return false
    this.#readsLeft -= 1
    return true
  }

  /** Records a failed step. Rethrows every other error: the signal's reason and defects. */
  #recordGap(error: unknown, what: Localized | undefined): void {
    if (!(error instanceof LostStep || error instanceof FailedStep || error instanceof OutOfCredits))
      throw error
    this.#firstError ??= error
    if (error instanceof OutOfCredits) this.#isOutOfCredits = true
    const reason = error instanceof OutOfCredits ? 'credits' : error instanceof LostStep ? 'lost' : 'failed'
    if (what) this.gaps.push({ what, reason })
  }
}
