import type { ReactNode } from 'react'
import { Badge, type BadgeKind } from '../pieces/badge.tsx'
import { formatNumber, persianDigits } from '../words/digits.ts'
import type { Locale } from '../words/locale.ts'
import { useLocale, useWords } from '../words/use-words.ts'
import { resultWords } from './result.words.ts'

interface Ended {
  state: 'running' | 'completed' | 'failed'
  status_code: number | null
  ambiguous: boolean
  tokens: { cached_input: number } | null
  /** How many attempts it took. */
  attempts: number | null
}

/** A code of three digits, which has no separators. */
export const formatCode = (locale: Locale, code: number): string =>
  locale === 'fa' ? persianDigits(code) : String(code)

/** How a call has ended, in a word. */
export function ResultBadge({ of }: { of: Ended }): ReactNode {
  const words = useWords(resultWords)
  const locale = useLocale()
  const [kind, text] = resultOf(of, words, locale)
  return <Badge kind={kind}>{text}</Badge>
}

function resultOf(
  { state, status_code: code, ambiguous, tokens, attempts }: Ended,
  words: (typeof resultWords)['fa'],
  locale: Locale,
): [BadgeKind, string] {
  if (state === 'running') return ['teal', words.running]
  if (ambiguous) return ['attention', words.ambiguous]
  if (code === 499) return ['attention', words.left]
  if (state === 'failed')
    return [
      'failure',
      code === null || code < 400 ? words.failed : words.failedCode(formatCode(locale, code)),
    ]
  if (attempts !== null && attempts > 1) return ['attention', words.retried(formatNumber(locale, attempts))]
  return ['good', (tokens?.cached_input ?? 0) > 0 ? words.cached : words.completed]
}
