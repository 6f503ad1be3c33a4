import { type ReactNode, useState } from 'react'
import { readNumber } from '../words/digits.ts'
import { useWords } from '../words/use-words.ts'
import { TextField, type TextFieldProps, unitClass } from './field.tsx'
import { pieceWords } from './pieces.words.ts'

interface NumberFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'type' | 'end'> {
  /** What the person has typed, as it stands. */
  value: string
  /** Gets the text as typed, and the decimal in Latin digits that it means; undefined where it is no number. */
  onChange(typed: string, decimal: string | undefined): void
  /** A word such as «اعتبار» at the end of the box. */
  unit?: string
}

/** A number in Persian, Arabic or Latin digits. `input type=number` would throw Persian digits away. */
export function NumberField({ value, onChange, unit, error, ...rest }: NumberFieldProps): ReactNode {
  const words = useWords(pieceWords)
  const [isLeft, setLeft] = useState(false)
  const isRefused = isLeft && value.trim() !== '' && readNumber(value) === undefined
  return (
    <TextField
      {...rest}
      isLtr
      inputMode="decimal"
      autoComplete="off"
      value={value}
      error={error ?? (isRefused ? words.notNumber : undefined)}
      onBlur={() => setLeft(true)}
      onChange={(typed) => onChange(typed, readNumber(typed))}
      end={unit !== undefined && <span className={unitClass}>{unit}</span>}
    />
  )
}
