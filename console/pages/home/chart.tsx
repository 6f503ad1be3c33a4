import type { ReactNode } from 'react'
import { UnseenBlock } from '../../pieces/unseen.tsx'
import { formatDay } from '../../words/dates.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './chart.module.css'
import { homeWords } from './home.words.ts'
import { creditsOf, type Day } from './spending.ts'

/** The moment in the middle of a day in Tehran, whatever the browser's zone. */
const noonOf = (day: string): Date => new Date(`${day}T08:30:00Z`)
const tehran = { timeZone: 'Asia/Tehran' }

/** Bars of days in the direction of reading, the newest last; a table of the same figures for who does not see them. */
export function Chart({ days }: { days: readonly Day[] }): ReactNode {
  const words = useWords(homeWords)
  const locale = useLocale()
  const highest = days.reduce((most, { microcredits }) => (microcredits > most ? microcredits : most), 1n)
  const dayOf = (day: string): string => formatDay(locale, noonOf(day), new Date(), tehran)
  const creditsIn = (day: Day): string => `${formatNumber(locale, creditsOf(day.microcredits))} ${words.unit}`
  return (
    <div className={styles['chart']}>
      <div className={styles['bars']} aria-hidden="true">
        {days.map((day) => (
          <div
            key={day.day}
            className={styles['bar']}
            title={`${dayOf(day.day)}: ${creditsIn(day)}`}
            style={{ blockSize: `${Number((day.microcredits * 100n) / highest)}%` }}
          />
        ))}
      </div>
      <div className={styles['ends']} aria-hidden="true">
        <span>{days[0] && dayOf(days[0].day)}</span>
        <span>{words.todayShort}</span>
      </div>
      <UnseenBlock>
        <table>
          <caption>{words.chart}</caption>
          <thead>
            <tr>
              <th scope="col">{words.chartDay}</th>
              <th scope="col">{words.chartCredits}</th>
            </tr>
          </thead>
          <tbody>
            {days.map((day) => (
              <tr key={day.day}>
                <td>{dayOf(day.day)}</td>
                <td>{creditsIn(day)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </UnseenBlock>
    </div>
  )
}
