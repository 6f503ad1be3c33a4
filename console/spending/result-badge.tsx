import type { ReactNode } from 'react'
import { Badge } from '../pieces/badge.tsx'
import { useLocale, useWords } from '../words/use-words.ts'
import { type Ended, resultOf } from './result.ts'
import { resultWords } from './result.words.ts'

/** How a call has ended, in a word. */
export function ResultBadge({ of }: { of: Ended }): ReactNode {
  const words = useWords(resultWords)
  const locale = useLocale()
  const [kind, text] = resultOf(of, words, locale)
  return <Badge kind={kind}>{text}</Badge>
}
