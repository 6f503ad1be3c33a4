import { type ReactNode, useState } from 'react'
import { formatWeekday } from '../words/dates.ts'
import { latinDigits } from '../words/digits.ts'
import { type IsoDay, readDay } from '../words/tehran-days.ts'
import { useLocale, useWords } from '../words/use-words.ts'
import { TextField, type TextFieldProps } from './field.tsx'
import { pieceWords } from './pieces.words.ts'

interface DateFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'type' | 'end'> {
  /** What the person has typed, as it stands. */
  value: string
  /** Gets the text as typed, and the day that it means as `2027-02-27`; undefined where it is none. */
  onChange(typed: string, day: IsoDay | undefined): void
  /** Days before it are refused as past. */
  earliest?: IsoDay | undefined
}

/** Why what is typed is not a day that may be chosen; undefined where it is one. */
export function dayFault(
  words: (typeof pieceWords)['fa'],
  typed: string,
  earliest?: IsoDay,
): string | undefined {
  const day = readDay(typed)
  if (day !== undefined) return earliest !== undefined && day < earliest ? words.pastDay : undefined
  return latinDigits(typed).match(/\d+/g)?.length === 3 ? words.noSuchDay : words.notDay
}

/** A day, Jalali or Gregorian, in digits of any of the three alphabets. Below stands the day that was understood, in words. */
export function DateField({ value, onChange, error, hint, earliest, ...rest }: DateFieldProps): ReactNode {
  const words = useWords(pieceWords)
  const locale = useLocale()
  const [isLeft, setLeft] = useState(false)
  const day = readDay(value)
  const fault = isLeft && value.trim() !== '' ? dayFault(words, value, earliest) : undefined
  return (
    <TextField
      {...rest}
      isLtr
      autoComplete="off"
      value={value}
      error={error ?? fault}
      hint={
        day === undefined ? hint : formatWeekday(locale, new Date(`${day}T12:00:00Z`), { timeZone: 'UTC' })
      }
      onBlur={() => setLeft(true)}
      onChange={(typed) => onChange(typed, readDay(typed))}
    />
  )
}
