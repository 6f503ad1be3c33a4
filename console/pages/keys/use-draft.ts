import { useState } from 'react'
import { refusalOf } from '../../api/use-action.ts'
import { dayFault } from '../../pieces/date-field.tsx'
import { pieceWords } from '../../pieces/pieces.words.ts'
import { dayInTehran } from '../../words/tehran-days.ts'
import { useWords } from '../../words/use-words.ts'
import { partWords } from './parts.words.ts'
import { type Draft, type Part, unreadable } from './settings.ts'

interface DraftForm {
  draft: Draft
  onChange(change: Partial<Draft>): void
  /** Shows what cannot be read, and says whether all of it can. */
  check(): boolean
  /** Why the value of a part was refused, by the form or by the API. */
  errorOf(part: Part, failure: unknown): string | undefined
}

/** A key in a form: its fields, and beside each why it was refused. A refusal of the form goes as soon as the field is changed. */
export function useDraft(initial: Draft, of: readonly Part[]): DraftForm {
  const words = useWords(partWords)
  const dayWords = useWords(pieceWords)
  const [draft, setDraft] = useState(initial)
  const [isTried, setTried] = useState(false)
  const faults = isTried ? unreadable(draft, new Date(), of) : []
  const sentenceOf = (part: Part): string | undefined =>
    part === 'name'
      ? words.needName
      : part === 'scopes'
        ? words.needScopes
        : part === 'expires_at'
          ? dayFault(dayWords, draft.endDay, dayInTehran(new Date()))
          : words.notNumber
  return {
    draft,
    onChange: (change) => setDraft((before) => ({ ...before, ...change })),
    check: () => {
      setTried(true)
      return unreadable(draft, new Date(), of).length === 0
    },
    errorOf: (part, failure) => (faults.includes(part) ? sentenceOf(part) : refusalOf(failure, part)),
  }
}
