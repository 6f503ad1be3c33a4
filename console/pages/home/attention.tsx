import type { ReactNode } from 'react'
import { Badge, type BadgeKind } from '../../pieces/badge.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { formatPercent } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { type Balance, tightestOf } from './figures.tsx'
import styles from './home.module.css'
import { homeWords } from './home.words.ts'

export type Need = { name: 'creditGone' | 'creditLow' | 'capReached' } | { name: 'capNear'; part: number }

/** What a person should know now: credit and caps that end, the worst first. */
export function needsOf(balance: Balance, daysLeft: number | undefined): Need[] {
  const needs: Need[] = []
  if (balance.balance_credits <= 0) needs.push({ name: 'creditGone' })
  else if (daysLeft !== undefined && daysLeft < 3) needs.push({ name: 'creditLow' })
  const budget = tightestOf(balance)
  if (!budget) return needs
  const part = budget.cap_credits === 0 ? 1 : budget.spent_credits / budget.cap_credits
  if (part >= 1) needs.push({ name: 'capReached' })
  else if (part >= 0.8) needs.push({ name: 'capNear', part })
  return needs
}

const kinds: Record<Need['name'], BadgeKind> = {
  creditGone: 'failure',
  creditLow: 'attention',
  capReached: 'failure',
  capNear: 'attention',
}

export function Attention({ needs }: { needs: readonly Need[] }): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  const sentenceOf = (need: Need): string =>
    need.name === 'capNear' ? words.capNear(formatPercent(locale, need.part)) : words[need.name]
  return (
    <Card title={words.attention}>
      {needs.length === 0 && <Note>{words.nothingNeeded}</Note>}
      <ul className={styles['needs']}>
        {needs.map((need) => (
          <li key={need.name}>
            <Badge kind={kinds[need.name]}>
              {need.name.startsWith('cap') ? words.capBadge : words.creditBadge}
            </Badge>{' '}
            {sentenceOf(need)}
          </li>
        ))}
      </ul>
    </Card>
  )
}
