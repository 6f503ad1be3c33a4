import type { ReactNode } from 'react'
import { Chart } from '../../pieces/chart.tsx'
import type { Day } from '../../spending/usage.ts'
import { formatDay } from '../../words/dates.ts'
import { formatMicrocredits } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { homeWords } from './home.words.ts'

/** What each of these days has cost, the last of which is today. */
export function DaysChart({ days }: { days: readonly Day[] }): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  const dayOf = ({ day }: Day): string =>
    formatDay(locale, new Date(`${day}T12:00:00Z`), new Date(), { timeZone: 'UTC' })
  const [first] = days
  return (
    <Chart
      caption={words.chart}
      columns={{ title: words.chartDay, value: words.chartCredits }}
      bars={days.map((day) => ({ key: day.day, title: dayOf(day), value: day.microcredits }))}
      format={(value) => `${formatMicrocredits(locale, value)} ${words.unit}`}
      marked={days.at(-1)?.day}
      ends={[first && dayOf(first), words.todayShort]}
    />
  )
}
