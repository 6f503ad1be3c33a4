import type { ReactNode } from 'react'
import type { Reply } from '../../api/client.ts'
import { Figure, Grid } from '../../pieces/card.tsx'
import { formatDay } from '../../words/dates.ts'
import { formatNumber, formatPercent } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { homeWords } from './home.words.ts'
import { tightestOf } from './needs.ts'
import { creditsOf, type Day } from './spending.ts'

export type Balance = Reply<'GET /v1/balance'>
export type Budget = Balance['budgets'][number]

const dayMs = 24 * 60 * 60 * 1000

interface FiguresProps {
  balance: Balance
  today: Day | undefined
  daysLeft: number | undefined
}

export function Figures({ balance, today, daysLeft }: FiguresProps): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  const number = (value: number): string => formatNumber(locale, value)
  const now = new Date()
  const notes = [
    balance.reserved_credits > 0 && words.reserved(number(balance.reserved_credits)),
    daysLeft !== undefined && words.lasts(formatDay(locale, new Date(now.getTime() + daysLeft * dayMs), now)),
  ].filter((note) => note !== false)
  const calls = today?.requests ?? 0
  const failures = today?.failures ?? 0
  return (
    <Grid columns="figures">
      <Figure
        label={words.spendable}
        value={number(balance.balance_credits)}
        unit={words.unit}
        {...(notes.length > 0 && { note: notes.join(' · ') })}
      />
      <Figure
        label={words.today}
        value={number(creditsOf(today?.microcredits ?? 0n))}
        unit={words.unit}
        note={[
          calls === 0 ? words.noCalls : words.calls(number(calls)),
          failures > 0 && words.failures(number(failures)),
        ]
          .filter((note) => note !== false)
          .join(' · ')}
      />
      <Cap budget={tightestOf(balance)} />
    </Grid>
  )
}

function Cap({ budget }: { budget: Budget | undefined }): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  if (!budget) return <Figure label={words.monthCap} value={words.noCap} note={words.noCapNote} />
  const { period, cap_credits: cap, spent_credits: spent } = budget
  const part = cap === 0 ? 1 : spent / cap
  return (
    <Figure
      label={period === 'month' ? words.monthCap : words.totalCap}
      value={formatPercent(locale, part)}
      part={part}
      note={words.ofCap(formatNumber(locale, spent), formatNumber(locale, cap))}
    />
  )
}
