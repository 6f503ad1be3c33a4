import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { Figure, Grid } from '../../pieces/card.tsx'
import { useRangeWords } from '../../pieces/range-field.tsx'
import { type FirstEnd, firstEndOf } from '../../spending/ends.ts'
import { perDay, projectedAt } from '../../spending/pace.ts'
import { changeOf } from '../../spending/sums.ts'
import { useAccountPace, useRecent } from '../../spending/use-pace.ts'
import { capitalized } from '../../words/capitalized.ts'
import { formatDay } from '../../words/dates.ts'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import { calendarOf, daysOf, monthOf } from '../../words/ranges.ts'
import { dayInZone } from '../../words/tehran-days.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { projectsQuery } from '../account/queries.ts'
import { usageWords } from './usage.words.ts'
import type { Shown } from './use-usage.ts'

/** What was spent and how that compares, how fast it goes, and until when it lasts. */
export const Figures = ({ of }: { of: Shown }): ReactNode => (
  <Grid columns="three">
    <Spent of={of} />
    <PaceFigure of={of} />
    <End of={of} />
  </Grid>
)

function Spent({ of }: { of: Shown }): ReactNode {
  const { usage, asked, chosen, today } = of
  const words = useWords(usageWords)
  const locale = useLocale()
  const rangeWords = useRangeWords()
  const { requests, failures, microcredits } = usage.filtered.totals
  const spent = BigInt(microcredits)
  const notes = [
    words.calls(formatNumber(locale, requests)),
    failures > 0 && words.failures(formatNumber(locale, failures)),
  ].filter((note) => note !== false)
  const comparison = useComparison(of)
  return (
    <Figure
      label={words.spentIn(rangeWords(asked.range.to < chosen.to ? asked.range : chosen, today.day))}
      value={formatMicrocredits(locale, spent, { most: 3 })}
      exact={formatMicrocredits(locale, spent)}
      unit={words.unit}
      note={
        <>
          {comparison !== undefined && <div>{comparison}</div>}
          <div>{notes.join(' · ')}</div>
        </>
      }
    />
  )
}

/** How much more or less it is than before, with what makes both hard to compare. */
function useComparison({ usage, asked, today }: Shown): string | undefined {
  const words = useWords(usageWords)
  const locale = useLocale()
  const rangeWords = useRangeWords()
  const { comparison, range } = asked
  if (!comparison || !usage.before) return undefined
  const change = changeOf(
    BigInt(usage.filtered.totals.microcredits),
    BigInt(usage.before.totals.microcredits),
  )
  const before = words.before[comparison.kind](rangeWords(comparison, today.day))
  const sentence = {
    none: () => '',
    nothing: () => words.nothingBefore(before),
    new: () => words.nothingBefore(before),
    same: () => words.same(before),
    more: () => words.more(percentOf(change), before),
    less: () => words.less(percentOf(change), before),
    times: () => words.times(formatNumber(locale, 'times' in change ? change.times : 0n), before),
  }[change.name]()
  function percentOf(one: typeof change): string {
    const percent = 'percent' in one ? formatNumber(locale, one.percent) : ''
    return locale === 'fa' ? `${percent}٪` : `${percent}%`
  }
  const opened = dayInZone(new Date(today.account.created_at), today.timeZone)
  const [now, then] = [daysOf(range), daysOf(comparison)]
  const parts = [
    sentence,
    now !== then && words.lengths(formatNumber(locale, now), formatNumber(locale, then)),
    opened > comparison.from &&
      words.opened(formatDay(locale, noonOf(opened), noonOf(today.day), { timeZone: 'UTC' })),
    range.to === today.day && words.notOver,
  ].filter((part) => part !== false)
  return capitalized(parts.join(locale === 'fa' ? '؛ ' : '; '))
}

/** The project whose pace is told, or all. */
const scopeOf = ({ view }: Shown, projectId: string | undefined): string | undefined =>
  view.project ?? projectId

function PaceFigure({ of }: { of: Shown }): ReactNode {
  const words = useWords(usageWords)
  const locale = useLocale()
  const { projectId } = useAccount()
  const { data } = useRecent(scopeOf(of, projectId))
  const { day } = of.today
  if (!data?.pace) {
    const note = of.today.account.state === 'closing' ? words.closingNote : words.noPaceNote
    return <Figure label={words.pace} value={words.noPace} note={data && note} />
  }
  const month = monthOf(calendarOf(locale), day)
  const inMonth = data.days.filter((one) => one.day >= month.from)
  const projected = projectedAt(month.to, day, {
    spent: inMonth.reduce((sum, { microcredits }) => sum + microcredits, 0n),
    spentToday: inMonth.find((one) => one.day === day)?.microcredits ?? 0n,
    pace: data.pace,
  })
  return (
    <Figure
      label={words.pace}
      value={formatMicrocredits(locale, perDay(data.pace), { most: 3 })}
      exact={formatMicrocredits(locale, perDay(data.pace))}
      unit={words.aDay}
      note={words.paceNote(
        formatDay(locale, noonOf(month.to), noonOf(day), { timeZone: 'UTC' }),
        formatMicrocredits(locale, projected, { most: 0 }),
      )}
    />
  )
}

const noonOf = (day: string): Date => new Date(`${day}T12:00:00Z`)

function End({ of }: { of: Shown }): ReactNode {
  const words = useWords(usageWords)
  const { account, projectId } = useAccount()
  const { pace } = useAccountPace()
  const scope = scopeOf(of, projectId)
  const recent = useRecent(scope)
  const projects = useQuery(projectsQuery(projectId))
  const project = projects.data?.data.find(({ id }) => id === scope)
  const now = new Date()
  const unknownNote =
    account?.state === 'closing'
      ? words.closingNote
      : account?.is_limited
        ? words.limitedEndNote
        : words.unknownEndNote
  const end = firstEndOf(
    {
      account: of.today.account,
      pace,
      project: project && { caps: project, pace: recent.data?.pace },
    },
    now,
  )
  return <EndFigure end={end} now={now} unknown={unknownNote} />
}

function EndFigure({ end, now, unknown }: { end: FirstEnd; now: Date; unknown: string }): ReactNode {
  const words = useWords(usageWords)
  const locale = useLocale()
  if (end.name === 'reached')
    return <Figure label={words.end} value={words.reached} part={1} note={words.limitsReached[end.limit]} />
  if (end.name === 'reaches')
    return (
      <Figure
        label={words.end}
        value={formatDay(locale, end.at, now)}
        note={words.endNote(words.limits[end.limit])}
      />
    )
  if (end.name === 'lasts') return <Figure label={words.end} value={words.lasts} note={words.lastsNote} />
  return <Figure label={words.end} value={words.unknownEnd} note={unknown} />
}
