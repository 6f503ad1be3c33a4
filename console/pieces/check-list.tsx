import { type ReactNode, useId, useState } from 'react'
import { comparable } from '../words/comparable.ts'
import { useWords } from '../words/use-words.ts'
import styles from './check-list.module.css'
import { CheckField, type FieldProps, TextField } from './field.tsx'
import { Icon } from './icons.tsx'
import { pieceWords } from './pieces.words.ts'

export interface CheckItem {
  value: string
  label: string
  hint?: string
  /** The technical name, beside which people's words stand. */
  note?: string
  /** The label itself is a technical name. */
  isCode?: boolean
}

interface CheckListProps extends Pick<FieldProps, 'label' | 'hint' | 'error'> {
  /** Groups with a title each; one group without a title is a plain list. */
  groups: readonly { title?: string; items: readonly CheckItem[] }[]
  chosen: readonly string[]
  onChange(chosen: string[]): void
  /** With a field to search in; the list then scrolls in a box of its own. */
  isSearchable?: boolean
}

const matches = ({ label, value, hint = '' }: CheckItem, wanted: string): boolean =>
  comparable(`${label} ${value} ${hint}`).includes(comparable(wanted))

/** Several of many. What is chosen stays in the list while another is searched for. */
export function CheckList({
  label,
  hint,
  error,
  groups,
  chosen,
  onChange,
  isSearchable,
}: CheckListProps): ReactNode {
  const words = useWords(pieceWords)
  const id = useId()
  const [wanted, setWanted] = useState('')
  const shown = groups
    .map(({ title, items }) => ({
      title,
      items: items.filter((item) => chosen.includes(item.value) || matches(item, wanted)),
    }))
    .filter(({ items }) => items.length > 0)
  const toggle = (value: string, isChosen: boolean): void =>
    onChange(isChosen ? [...chosen, value] : chosen.filter((one) => one !== value))
  return (
    <fieldset className={styles['list']} aria-describedby={hint === undefined ? undefined : `${id}-hint`}>
      <legend>{label}</legend>
      {hint !== undefined && (
        <div className={styles['hint']} id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {isSearchable && (
        <TextField
          label={words.search}
          value={wanted}
          onChange={setWanted}
          type="search"
          // Enter would send the form in which the list stands.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
      )}
      <div className={styles['groups']} {...(isSearchable && { 'data-scrolls': true })}>
        {shown.length === 0 && <div className={styles['hint']}>{words.nothingFound}</div>}
        {shown.map(({ title, items }) => (
          <div key={title ?? ''} className={styles['group']} role="group" aria-label={title}>
            {title !== undefined && <h3>{title}</h3>}
            {items.map(({ value, label: name, hint: about, note, isCode }) => (
              <CheckField
                key={value}
                label={isCode ? <code>{name}</code> : name}
                {...(about !== undefined && { hint: about })}
                {...(note !== undefined && { hint: <code>{note}</code> })}
                isChecked={chosen.includes(value)}
                onChange={(isChecked) => toggle(value, isChecked)}
              />
            ))}
          </div>
        ))}
      </div>
      <div role="alert">
        {error !== undefined && (
          <div className={styles['error']}>
            <Icon name="alert" size={14} />
            <span>{error}</span>
          </div>
        )}
      </div>
    </fieldset>
  )
}
