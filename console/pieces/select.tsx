import { Select as MantineSelect } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { useWords } from '../words/use-words.ts'
import { describedBy, type FieldProps, FieldShape } from './field.tsx'
import { pieceWords } from './pieces.words.ts'
import styles from './select.module.css'

export interface Choice<Value extends string> {
  value: Value
  label: string
}

interface SelectProps<Value extends string> extends FieldProps {
  choices: readonly Choice<Value>[]
  value: Value | null
  onChange(value: Value): void
  /** With a field to search in, for lists of more than about ten. */
  isSearchable?: boolean
  placeholder?: string
}

export function Select<Value extends string>({
  label,
  hint,
  error,
  aside,
  choices,
  value,
  onChange,
  isSearchable,
  placeholder,
}: SelectProps<Value>): ReactNode {
  const id = useId()
  const words = useWords(pieceWords)
  return (
    <FieldShape id={id} label={label} hint={hint} error={error} aside={aside}>
      <MantineSelect
        id={id}
        data={choices.map((choice) => ({ ...choice }))}
        value={value}
        allowDeselect={false}
        searchable={isSearchable ?? false}
        {...(placeholder !== undefined && { placeholder })}
        nothingFoundMessage={words.nothingFound}
        error={error !== undefined}
        checkIconPosition="right"
        aria-describedby={describedBy(id, { hint, error })}
        comboboxProps={{ transitionProps: { duration: 80, transition: 'fade' }, offset: 4 }}
        classNames={{ input: styles['input']!, dropdown: styles['dropdown']!, option: styles['option']! }}
        onChange={(chosen) => chosen !== null && onChange(chosen as Value)}
      />
    </FieldShape>
  )
}
