/** How a call has ended, for its badge. */
import type { BadgeKind } from '../pieces/badge.tsx'
import { formatNumber, persianDigits } from '../words/digits.ts'
import type { Locale } from '../words/locale.ts'
import type { resultWords } from './result.words.ts'

export interface Ended {
  state: 'running' | 'completed' | 'failed'
  status_code: number | null
  ambiguous: boolean
  tokens: { cached_input: number } | null
  /** How many attempts it took, and how many of them failed. */
  attempts: number | null
  failed_attempts: number | null
  /** How many steps it had, where it is made of steps. */
  steps: number | null
}

/** A code of three digits, which has no separators. */
export const formatCode = (locale: Locale, code: number): string =>
  locale === 'fa' ? persianDigits(code) : String(code)

/** Amber where an attempt failed and another took its place: several attempts alone may be those of several steps. */
export function resultOf(
  { state, status_code: code, ambiguous, tokens, attempts, failed_attempts: failed, steps }: Ended,
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
  const hasSteps = steps !== null && steps > 1
  if (attempts !== null && attempts > 1 && (failed ?? 0) > 0) {
    const tried = formatNumber(locale, attempts)
    return [
      'attention',
      hasSteps ? words.retriedSteps(formatNumber(locale, steps), tried) : words.retried(tried),
    ]
  }
  if (hasSteps) return ['good', words.completedSteps(formatNumber(locale, steps))]
  return ['good', (tokens?.cached_input ?? 0) > 0 ? words.cached : words.completed]
}
