import type { ReactNode } from 'react'
import { Figure, Grid } from '../../pieces/card.tsx'
import { monthAround, reachedAt } from '../../spending/pace.ts'
import { useAccountPace } from '../../spending/use-pace.ts'
import { formatDay } from '../../words/dates.ts'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { accountWords } from './account.words.ts'
import type { Account } from './queries.ts'

const timeZone = 'Asia/Tehran'

/** What can be spent, and what was spent in this month and in all. */
export function Figures({ of }: { of: Account }): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  const number = (value: number): string => formatNumber(locale, value)
  const now = new Date()
  const day = (moment: Date): string => formatDay(locale, moment, now, { timeZone })
  const { pace } = useAccountPace()
  const ends = reachedAt(BigInt(of.balance_microcredits), pace, now)
  const notes = [
    of.reserved_credits > 0 && words.reserved(number(of.reserved_credits)),
    of.balance_credits > 0 && ends !== undefined && words.lasts(day(ends)),
  ].filter((note) => note !== false)
  return (
    <Grid columns="figures">
      <Figure
        label={words.spendable}
        value={number(of.balance_credits)}
        exact={words.exact(formatMicrocredits(locale, BigInt(of.balance_microcredits)))}
        unit={words.unit}
        {...(notes.length > 0 && { note: notes.join(' · ') })}
      />
      <Figure
        label={words.spentMonth}
        value={number(of.month_spent_credits)}
        unit={words.unit}
        note={words.monthNote(day(new Date(monthAround(now).endsMs - 1)))}
      />
      <Figure
        label={words.spentAll}
        value={number(of.spent_credits)}
        unit={words.unit}
        note={words.allNote(day(new Date(of.created_at)))}
      />
    </Grid>
  )
}
