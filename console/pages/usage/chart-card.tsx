import type { ReactNode } from 'react'
import { Card, Note } from '../../pieces/card.tsx'
import { Chart } from '../../pieces/chart.tsx'
import { Choices } from '../../pieces/choices.tsx'
import { useRangeWords } from '../../pieces/range-field.tsx'
import { useAddress } from '../../shell/use-address.ts'
import { intervalsFor, usualInterval } from '../../spending/periods.ts'
import { formatMicrocredits } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { isFiltered } from './filters.ts'
import { usageWords } from './usage.words.ts'
import { usePeriods, useToCome } from './use-periods.ts'
import type { Shown } from './use-usage.ts'

/** What each day, week or month has cost; what is picked in full colour, and without it, what the range before has cost. */
export function ChartCard({ of }: { of: Shown }): ReactNode {
  const { view, asked, today, usage } = of
  const words = useWords(usageWords)
  const locale = useLocale()
  const { go } = useAddress()
  const rangeWords = useRangeWords()
  const periods = usePeriods(of)
  const toCome = useToCome(of)
  const { interval, comparison } = asked
  const hasParts = isFiltered(view)
  const hasBefore = !hasParts && usage.before !== undefined
  const last = periods.at(-1)
  const isNow = last !== undefined && last.to === today.day
  return (
    <Card
      title={words.charts[interval]}
      action={
        <Choices
          label={words.interval}
          choices={intervalsFor(asked.range).map((value) => ({ value, label: words.intervals[value] }))}
          value={interval}
          onChoose={(by) => go({ by: by === usualInterval(asked.range) ? '' : by })}
        />
      }
    >
      <Chart
        caption={words.charts[interval]}
        columns={{
          title: words.dimensions.time,
          value: hasParts ? words.wholeOf : words.credits,
          part: words.picked,
          before: words.beforeColumn,
        }}
        bars={[
          ...periods.map(({ from, title, all, filtered, before }) => ({
            key: from,
            title,
            value: all.microcredits,
            ...(hasParts && { part: filtered.microcredits }),
            ...(hasBefore && { before: before?.microcredits }),
          })),
          ...toCome,
        ]}
        format={(value) => `${formatMicrocredits(locale, value)} ${words.unit}`}
        marked={isNow ? last.from : undefined}
        ends={[
          periods[0]?.title,
          toCome.at(-1)?.title ?? (isNow && interval === 'day' ? words.today : last?.title),
        ]}
      />
      {hasParts && <Note>{words.legendPicked}</Note>}
      {hasBefore && comparison && (
        <Note>{words.legendBefore(words.before[comparison.kind](rangeWords(comparison, today.day)))}</Note>
      )}
    </Card>
  )
}
