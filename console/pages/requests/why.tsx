import type { ReactNode } from 'react'
import { isolatedName } from '../../words/clean-name.ts'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import type { Locale } from '../../words/locale.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { chargeWords } from './charge.words.ts'
import type { Details } from './details.ts'
import type { Report } from './queries.ts'
import { type Reason, reasonsOf } from './reasons.ts'
import styles from './requests.module.css'

/** Why the call cost what it cost, in one sentence or a few; below them what was held and what came back. */
export function Why({ report, details }: { report: Report; details: Details }): ReactNode {
  const words = useWords(chargeWords)
  const locale = useLocale()
  const [held, charged] = [BigInt(report.reserved_microcredits), BigInt(report.microcredits)]
  const credits = (amount: bigint): string => formatMicrocredits(locale, amount)
  const sentences = reasonsOf(report, details).map((reason) =>
    sentenceOf(reason, words.reasons, locale, held),
  )
  const hasReturned = !report.pending && held > charged
  return (
    <p className={styles['why']}>
      {sentences.join(' ')}
      {hasReturned && (
        <span className={styles['held']}>
          {charged === 0n
            ? words.heldAll(credits(held))
            : words.heldReturned(credits(held), credits(held - charged))}
        </span>
      )}
    </p>
  )
}

type Words = (typeof chargeWords)['fa']['reasons']

export function sentenceOf(reason: Reason, words: Words, locale: Locale, held: bigint): string {
  const number = (value: number): string => formatNumber(locale, value, { most: 3 })
  const credits = (amount: bigint): string => formatMicrocredits(locale, amount)
  switch (reason.kind) {
    case 'running':
    case 'ambiguous':
      return words[reason.kind](credits(held))
    case 'failed':
      return reason.attempts === 1 ? words.failedOne : words.failed(number(reason.attempts))
    case 'otherModel':
      return words.otherModel(isolatedName(reason.asked), isolatedName(reason.answered))
    case 'retried':
      return reason.failed === 1 ? words.retriedOne : words.retried(number(reason.failed))
    case 'claim':
      return words.claims[reason.what](number(reason.claimed), number(reason.believed))
    case 'within_hold':
    case 'raised':
      return words[reason.kind](credits(reason.microcredits))
    case 'cached':
      return words.cached(number(reason.cached), number(reason.input))
    case 'tools':
      return words.tools(number(reason.turns), number(reason.uses))
    case 'steps':
      return words.steps(number(reason.count))
    case 'tokens':
      return words.tokens(number(reason.input), number(reason.output))
    default:
      return words[reason.kind]
  }
}
