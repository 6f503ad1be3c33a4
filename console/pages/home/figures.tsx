import type { ReactNode } from 'react'
import type { Reply } from '../../api/client.ts'
import { Figure, Grid } from '../../pieces/card.tsx'
import { capStateOf, type Pace } from '../../spending/pace.ts'
import type { Day } from '../../spending/usage.ts'
import { UsageLink } from '../../spending/usage-link.tsx'
import { capitalized } from '../../words/capitalized.ts'
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
  const exactly = (microcredits: bigint | string): string => formatMicrocredits(locale, BigInt(microcredits))
  const now = new Date()
  const notes = [
    balance.reserved_credits > 0 && words.reserved(exactly(balance.reserved_microcredits)),
    ends !== undefined && balance.balance_credits > 0 && words.lasts(formatDay(locale, ends, now)),
  ].filter((note) => note !== false)
  const { requests: calls, failures } = today
  return (
    <Grid columns="figures">
      <Figure
        label={words.spendable}
        value={number(balance.balance_credits)}
        exact={exactly(balance.balance_microcredits)}
        unit={words.unit}
        {...(notes.length > 0 && { note: capitalized(notes.join(' · ')) })}
      />
      <Figure
        label={words.today}
        value={formatMicrocredits(locale, today.microcredits, { most: 3 })}
        exact={exactly(today.microcredits)}
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
  const label = period === 'month' ? words.monthCap : words.totalCap
  if (spent === null)
    return (
      <Figure label={label} value={formatNumber(locale, cap)} unit={words.unit} note={words.capOfAccount} />
    )
  const part = cap === 0 ? 1 : spent / cap
  const now = new Date()
  const state = capStateOf({ cap, spent, period }, paces[budget.scope], now)
  return (
    <Figure
      label={label}
      value={formatPercent(locale, part)}
      part={part}
      note={
        <>
          <SpentOf budget={budget}>
            {words.ofCap(formatNumber(locale, spent), formatNumber(locale, cap))}
          </SpentOf>
          {state.name === 'reaches' && ` · ${words.capReaches(formatDay(locale, state.at, now))}`}
          {state.name === 'lasts' && ` · ${words.capLasts[period]}`}
        </>
      }
    />
  )
}

/** What was spent under a cap of this month. Of the other caps this page does not know since when they count, or for whom. */
function SpentOf({ budget: { period, scope }, children }: { budget: Budget; children: string }): ReactNode {
  if (period !== 'month' || (scope !== 'account' && scope !== 'project')) return children
  return (
    <UsageLink since="month" {...(scope === 'account' && { project: 'all' })}>
      {children}
    </UsageLink>
  )
}
