import type { ReactNode } from 'react'
import type { Reply } from '../../api/client.ts'
import { Figure, Grid } from '../../pieces/card.tsx'
import { capStateOf, type Pace } from '../../spending/pace.ts'
import type { Day } from '../../spending/usage.ts'
import { formatDay } from '../../words/dates.ts'
import { formatMicrocredits, formatNumber, formatPercent } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { homeWords } from './home.words.ts'
import { tightestOf } from './needs.ts'

export type Balance = Reply<'GET /v1/balance'>
export type Budget = Balance['budgets'][number]

interface FiguresProps {
  balance: Balance
  today: Pick<Day, 'requests' | 'failures' | 'microcredits'>
  /** When the credit is spent at the pace of the account; undefined where that is far away or not known. */
  ends: Date | undefined
  paces: Paces
}

/** How fast the account and the project spend; a cap of a key or a member has none. */
type Paces = Partial<Record<Budget['scope'], Pace | undefined>>

export function Figures({ balance, today, ends, paces }: FiguresProps): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  const number = (value: number): string => formatNumber(locale, value)
  const now = new Date()
  const notes = [
    balance.reserved_credits > 0 && words.reserved(number(balance.reserved_credits)),
    ends !== undefined && balance.balance_credits > 0 && words.lasts(formatDay(locale, ends, now)),
  ].filter((note) => note !== false)
  const { requests: calls, failures } = today
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
        value={formatMicrocredits(locale, today.microcredits, { most: 3 })}
        unit={words.unit}
        note={[
          calls === 0 ? words.noCalls : words.calls(number(calls)),
          failures > 0 && words.failures(number(failures)),
        ]
          .filter((note) => note !== false)
          .join(' · ')}
      />
      <Cap budget={tightestOf(balance)} paces={paces} />
    </Grid>
  )
}

function Cap({ budget, paces }: { budget: Budget | undefined; paces: Paces }): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  if (!budget) return <Figure label={words.monthCap} value={words.noCap} note={words.noCapNote} />
  const { period, cap_credits: cap, spent_credits: spent } = budget
  const part = cap === 0 ? 1 : spent / cap
  const now = new Date()
  const state = capStateOf({ cap, spent, period }, paces[budget.scope], now)
  return (
    <Figure
      label={period === 'month' ? words.monthCap : words.totalCap}
      value={formatPercent(locale, part)}
      part={part}
      note={[
        words.ofCap(formatNumber(locale, spent), formatNumber(locale, cap)),
        state.name === 'reaches' && words.capReaches(formatDay(locale, state.at, now)),
        state.name === 'lasts' && words.capLasts[period],
      ]
        .filter((note) => note !== false)
        .join(' · ')}
    />
  )
}
