import type { ReactNode } from 'react'
import styles from './chart.module.css'
import { maxOf, shareOf } from './shares.ts'
import { UnseenBlock } from './unseen.tsx'

export interface ChartBar {
  key: string
  /** What the bar is of, such as a day, in words. */
  title: string
  /** Undefined of what is still to come. */
  value: bigint | undefined
  /** How much of the value is of what is picked; drawn in full colour, above it the rest. */
  part?: bigint | undefined
  /** The value of a range before, drawn as a line. */
  before?: bigint | undefined
}

/** The titles of the columns of the table that screen readers read. */
interface ChartColumns {
  title: string
  value: string
  part?: string | undefined
  before?: string | undefined
}

interface ChartProps {
  /** What the chart shows, for screen readers. */
  caption: string
  columns: ChartColumns
  bars: readonly ChartBar[]
  /** A value with its unit, in the digits of the language. */
  format(value: bigint): string
  /** The bar in full colour, such as that of today, by its key; of no use where bars have parts. */
  marked?: string | undefined
  /** What stands below the first and the last bar. */
  ends: readonly [ReactNode, ReactNode]
}

/** More bars than these stand close to each other. */
const roomyBars = 35

/** Bars in the direction of reading, the newest last; a table of the same figures for who does not see them. */
export function Chart({ caption, columns, bars, format, marked, ends }: ChartProps): ReactNode {
  const highest = bars.reduce((most, { value = 0n, before = 0n }) => maxOf(most, maxOf(value, before)), 0n)
  const hasParts = bars.some(({ part }) => part !== undefined)
  return (
    <div className={styles['chart']}>
      <div
        className={styles['bars']}
        aria-hidden="true"
        {...(hasParts && { 'data-parts': true })}
        // A third of the width is between the bars, however many they are.
        style={{ gap: `${Math.min(3.5, 33 / bars.length)}%` }}
        {...(bars.length > roomyBars && { 'data-dense': true })}
      >
        {bars.map((bar) => (
          <div
            key={bar.key}
            className={styles['bar']}
            title={sentenceOf(bar, columns, format)}
            {...(bar.key === marked && !hasParts && { 'data-marked': true })}
          >
            {bar.value !== undefined && (
              <div className={styles['whole']} style={{ blockSize: shareOf(bar.value, highest) }} />
            )}
            {bar.part !== undefined && (
              <div className={styles['part']} style={{ blockSize: shareOf(bar.part, highest) }} />
            )}
            {bar.before !== undefined && bar.before > 0n && (
              <div className={styles['before']} style={{ insetBlockEnd: shareOf(bar.before, highest) }} />
            )}
          </div>
        ))}
      </div>
      <div className={styles['ends']} aria-hidden="true">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </div>
      <UnseenBlock>
        <ChartTable caption={caption} columns={columns} bars={bars} format={format} />
      </UnseenBlock>
    </div>
  )
}

const sentenceOf = (
  { title, value, part, before }: ChartBar,
  columns: ChartColumns,
  format: ChartProps['format'],
): string =>
  [
    value === undefined ? title : `${title}: ${format(value)}`,
    part !== undefined && `${columns.part ?? ''}: ${format(part)}`,
    before !== undefined && `${columns.before ?? ''}: ${format(before)}`,
  ]
    .filter((line) => line !== false)
    .join('\n')

const isPast = (bar: ChartBar): bar is ChartBar & { value: bigint } => bar.value !== undefined

function ChartTable({
  caption,
  columns,
  bars,
  format,
}: Pick<ChartProps, 'caption' | 'columns' | 'bars' | 'format'>): ReactNode {
  const hasParts = bars.some(({ part }) => part !== undefined)
  const hasBefore = bars.some(({ before }) => before !== undefined)
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{columns.title}</th>
          <th scope="col">{columns.value}</th>
          {hasParts && <th scope="col">{columns.part}</th>}
          {hasBefore && <th scope="col">{columns.before}</th>}
        </tr>
      </thead>
      <tbody>
        {bars.filter(isPast).map(({ key, title, value, part, before }) => (
          <tr key={key}>
            <th scope="row">{title}</th>
            <td>{format(value)}</td>
            {hasParts && <td>{part !== undefined && format(part)}</td>}
            {hasBefore && <td>{before !== undefined && format(before)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
