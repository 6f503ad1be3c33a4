import type { LetterFact, LetterLine } from '#account/sign-in'
import type { LetterKind, LetterKinds } from './kinds.ts'
import type { Speech } from './speech.ts'

/** One letter in one language, before it is rendered. */
export interface Wording {
  subject: LetterLine
  lines: readonly LetterLine[]
  facts?: readonly LetterFact[]
  button?: { label: string; href: string }
  code?: string
  /** What to do if it was not you, or how long something is valid. */
  note: LetterLine
}

/** The wordings of all kinds in one language. */
export type Wordings = { [Kind in LetterKind]: (data: LetterKinds[Kind], speech: Speech) => Wording }
