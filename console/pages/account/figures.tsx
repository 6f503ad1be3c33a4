import type { ReactNode } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { Figure, Grid } from '../../pieces/card.tsx'
import { monthAround, reachedAt } from '../../spending/pace.ts'
import { UsageLink } from '../../spending/usage-link.tsx'
import { useAccountPace } from '../../spending/use-pace.ts'
import { capitalized } from '../../words/capitalized.ts'
import { formatDay } from '../../words/dates.ts'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { accountWords } from './account.words.ts'
import type { Account } from './queries.ts'

const timeZone = 'Asia/Tehran'

/** What can be spent, and what was spent in this month and in all; a member limited to projects sees only the first. */
export function Figures({ of }: { of: Account }): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  const number = (value: number): string => formatNumber(locale, value)
  const exactly = (microcredits: string): string => formatMicrocredits(locale, BigInt(microcredits))
  const now = new Date()
  const day = (moment: Date): string => formatDay(locale, moment, now, { timeZone })
  const { pace } = useAccountPace()
  const ends = reachedAt(BigInt(of.balance_microcredits), pace, now)
  const notes = [
    of.reserved_credits > 0 && words.reserved(exactly(of.reserved_microcredits)),
    of.balance_credits > 0 && ends !== undefined && words.lasts(day(ends)),
  ].filter((note) => note !== false)
  return (
    <Grid columns="figures">
      <Figure
        label={words.spendable}
        value={number(of.balance_credits)}
        exact={exactly(of.balance_microcredits)}
        unit={words.unit}
        {...(notes.length > 0 && { note: capitalized(notes.join(' · ')) })}
      />
      {of.month_spent_credits !== null && (
        <Figure
          label={words.spentMonth}
          value={number(of.month_spent_credits)}
          unit={words.unit}
          note={words.monthNote(day(new Date(monthAround(now).endsMs - 1)))}
          action={<Exactly since="month" />}
        />
      )}
      {of.spent_credits !== null && (
        <Figure
          label={words.spentAll}
          value={number(of.spent_credits)}
          unit={words.unit}
          note={words.allNote(day(new Date(of.created_at)))}
          action={<Exactly since={of.created_at} />}
        />
      )}
    </Grid>
  )
}

/** A sum of spending is given in whole credits; the page of usage has it to the micro-credit, for whoever sees all projects. */
function Exactly({ since }: { since: string }): ReactNode {
  const words = useWords(accountWords)
  const { account, may } = useAccount()
  if (!may('usage:read') || account?.is_limited === true) return null
  return (
    <UsageLink since={since} project="all">
      {words.usage}
    </UsageLink>
  )
}
