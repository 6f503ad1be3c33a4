import { type FormEvent, type ReactNode, useState } from 'react'
import { formatDay } from '../words/dates.ts'
import { formatNumber } from '../words/digits.ts'
import {
  calendarDay,
  calendarOf,
  type DayRange,
  type RangeName,
  rangeNameOf,
  rangeNames,
  rangeOf,
  readRange,
} from '../words/ranges.ts'
import { type CalendarDay, type IsoDay, readDay, writeDay } from '../words/tehran-days.ts'
import { useLocale, useWords } from '../words/use-words.ts'
import { Button } from './button.tsx'
import { DateField } from './date-field.tsx'
import { Form } from './form.tsx'
import { pieceWords } from './pieces.words.ts'
import styles from './range-field.module.css'
import { Select } from './select.tsx'

type Chosen = RangeName | 'days' | 'all'

const keyOf = (range: DayRange | undefined): string =>
  range === undefined ? 'all' : `${range.from} ${range.to}`

interface RangeFieldProps {
  /** Undefined where all time is meant. */
  value: DayRange | undefined
  /** The day from which names such as "this month" are told, in the zone whose days are meant. */
  today: IsoDay
  /** Gets undefined for all time, which can be chosen only with `hasAll`. */
  onChange(range: DayRange | undefined): void
  hasAll?: boolean
}

/** A range of time: a name that people know, or two days, Jalali or Gregorian. Months are those of the language's calendar. */
export function RangeField({ value, today, onChange, hasAll }: RangeFieldProps): ReactNode {
  const words = useWords(pieceWords)
  const locale = useLocale()
  const calendar = calendarOf(locale)
  const key = keyOf(value)
  // What was chosen holds as long as its range stands there: two names may mean the same days.
  const [chosen, setChosen] = useState<{ name: Chosen; key: string }>()
  const named = value === undefined ? 'all' : (rangeNameOf(value, today, calendar) ?? 'days')
  const shown: Chosen = chosen?.key === key ? chosen.name : named
  const choices: readonly Chosen[] = [...(hasAll ? (['all'] as const) : []), ...rangeNames, 'days']
  const choose = (name: Chosen): void => {
    const range = name === 'all' ? undefined : name === 'days' ? value : rangeOf(name, today, calendar)
    setChosen({ name, key: keyOf(range) })
    if (name !== 'days') onChange(range)
  }
  return (
    <div className={styles['range']} {...(shown === 'days' && { 'data-days': true })}>
      <Select<Chosen>
        label={words.range}
        choices={choices.map((name) => ({ value: name, label: words.ranges[name] }))}
        value={shown}
        onChange={choose}
      />
      {shown === 'days' && <Days key={`${key} ${locale}`} value={value} onChange={onChange} />}
    </div>
  )
}

function Days({ value, onChange }: Pick<RangeFieldProps, 'value' | 'onChange'>): ReactNode {
  const words = useWords(pieceWords)
  const locale = useLocale()
  const written = (day: IsoDay | undefined): string => (day === undefined ? '' : writeDay(locale, day))
  const [typed, setTyped] = useState({ from: written(value?.from), to: written(value?.to) })
  const [isTried, setTried] = useState(false)
  const days = { from: readDay(typed.from), to: readDay(typed.to) }
  const isReversed = days.from !== undefined && days.to !== undefined && days.from > days.to
  const missing = (side: 'from' | 'to'): string | undefined =>
    isTried && typed[side].trim() === '' ? words.notDay : undefined
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    const range = readRange(days.from ?? '', days.to ?? '')
    if (range) onChange(range)
  }
  return (
    <Form className={styles['days']} onSubmit={submit}>
      <DateField
        label={words.fromDay}
        error={missing('from')}
        value={typed.from}
        onChange={(text) => setTyped({ ...typed, from: text })}
      />
      <DateField
        label={words.toDay}
        error={missing('to') ?? (isTried && isReversed ? words.reversedDays : undefined)}
        value={typed.to}
        onChange={(text) => setTyped({ ...typed, to: text })}
      />
      <div className={styles['go']}>
        <Button type="submit">{words.showRange}</Button>
      </div>
    </Form>
  )
}

/** The days of a range in words, such as `۱ تا ۳۰ آذر`; month and year are said once where they are the same, the year only where it is not this one. */
export function useRangeWords(): (range: DayRange, today: IsoDay) => string {
  const words = useWords(pieceWords)
  const locale = useLocale()
  return ({ from, to }, today) => {
    const noon = (day: IsoDay): Date => new Date(`${day}T12:00:00Z`)
    const day = (one: IsoDay): string => formatDay(locale, noon(one), noon(today), { timeZone: 'UTC' })
    if (from === to) return day(from)
    const [first, last] = [from, to].map((one) => calendarDay(calendarOf(locale), one)) as [
      CalendarDay,
      CalendarDay,
    ]
    const isOneMonth = first.year === last.year && first.month === last.month
    return words.fromTo(isOneMonth ? formatNumber(locale, first.day) : day(from), day(to))
  }
}
