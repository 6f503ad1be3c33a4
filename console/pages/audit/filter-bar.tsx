import { type FormEvent, type ReactNode, useState } from 'react'
import { Button, LinkButton } from '../../pieces/button.tsx'
import { Chips } from '../../pieces/chips.tsx'
import { DateField } from '../../pieces/date-field.tsx'
import { Form } from '../../pieces/form.tsx'
import { Select } from '../../pieces/select.tsx'
import { type AddressChange, useAddress } from '../../shell/use-address.ts'
import { cleanName } from '../../words/clean-name.ts'
import { type IsoDay, readDay, writeDay } from '../../words/tehran-days.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './audit.module.css'
import { auditWords } from './audit.words.ts'
import { type Entry, shortened, useActorName } from './entry.tsx'
import { actorKinds, areas, type Filters, isFiltered, spans } from './filters.ts'

/** The address without any filter. */
export const noFilters: AddressChange = {
  what: '',
  who: '',
  actor: '',
  target: '',
  when: '',
  from: '',
  to: '',
  after: '',
  open: '',
}

interface FilterBarProps {
  filters: Filters
  /** What is shown, where the names of the chosen actor and target stand. */
  entries: readonly Entry[]
  /** Whoever sees money alone has nothing to choose from of areas. */
  isMoneyOnly: boolean
}

export function FilterBar({ filters, entries, isMoneyOnly }: FilterBarProps): ReactNode {
  const words = useWords(auditWords)
  const address = useAddress()
  /** Another filter begins at the newest entry. */
  const set = (change: AddressChange): void => address.go({ ...change, after: '', open: '' })
  const chosen = (value: string): string => (value === 'all' ? '' : value)
  return (
    <>
      <search className={styles['filters']} aria-label={words.filters}>
        {!isMoneyOnly && (
          <Select
            label={words.what}
            choices={(['all', ...areas] as const).map((value) => ({ value, label: words.areas[value] }))}
            value={filters.area ?? 'all'}
            onChange={(value) => set({ what: chosen(value) })}
          />
        )}
        <Select
          label={words.who}
          choices={(['all', ...actorKinds] as const).map((value) => ({ value, label: words.actors[value] }))}
          value={filters.actorKind ?? 'all'}
          onChange={(value) => set({ who: chosen(value) })}
        />
        <Select
          label={words.when}
          choices={(['all', ...spans] as const).map((value) => ({ value, label: words.spans[value] }))}
          value={filters.span ?? 'all'}
          onChange={(value) => set({ when: chosen(value), from: '', to: '' })}
        />
      </search>
      {filters.span === 'days' && <Days from={filters.from} to={filters.to} onSet={set} />}
      {isFiltered(filters) && (
        <div className={styles['chosen']}>
          <Chosen filters={filters} entries={entries} onSet={set} />
          <LinkButton onClick={() => set(noFilters)}>{words.clear}</LinkButton>
        </div>
      )}
    </>
  )
}

interface SetProps {
  onSet(change: AddressChange): void
}

/** The person or key and the thing to which the list is cut, each of which can be taken away. */
function Chosen({ filters, entries, onSet }: Omit<FilterBarProps, 'isMoneyOnly'> & SetProps): ReactNode {
  const words = useWords(auditWords)
  const actorName = useActorName()
  const { actorId, targetId } = filters
  const actor = entries.find((entry) => entry.actor.id === actorId)?.actor
  const name = entries.find(({ target }) => target?.id === targetId)?.target?.name ?? null
  const items = [
    actorId !== undefined && {
      value: 'actor',
      label: words.onlyActor(actor ? actorName(actor) : shortened(actorId)),
    },
    targetId !== undefined && {
      value: 'target',
      label: words.onlyTarget(`\u2068${name === null ? shortened(targetId) : cleanName(name)}\u2069`),
    },
  ].filter((item) => item !== false)
  if (items.length === 0) return null
  return <Chips label={words.filters} items={items} onRemove={(which) => onSet({ [which]: '' })} />
}

interface DaysProps extends SetProps {
  from: IsoDay | undefined
  to: IsoDay | undefined
}

/** Two days, Jalali or Gregorian, both included; either may be left out. */
function Days({ from, to, onSet }: DaysProps): ReactNode {
  const words = useWords(auditWords)
  const locale = useLocale()
  const written = (day: IsoDay | undefined): string => (day === undefined ? '' : writeDay(locale, day))
  const [typed, setTyped] = useState({ from: written(from), to: written(to) })
  const [seen, setSeen] = useState({ from, to })
  // Back and Forward change the address from outside.
  if (seen.from !== from || seen.to !== to) {
    setSeen({ from, to })
    setTyped({ from: written(from), to: written(to) })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const days = { from: readDay(typed.from), to: readDay(typed.to) }
    const isRead = (['from', 'to'] as const).every(
      (side) => typed[side].trim() === '' || days[side] !== undefined,
    )
    if (isRead) onSet({ from: days.from ?? '', to: days.to ?? '' })
  }
  return (
    <Form className={styles['days']} onSubmit={submit}>
      <DateField
        label={words.fromDay}
        hint={words.dayHint}
        value={typed.from}
        onChange={(text) => setTyped({ ...typed, from: text })}
      />
      <DateField
        label={words.toDay}
        hint={words.dayHint}
        value={typed.to}
        onChange={(text) => setTyped({ ...typed, to: text })}
      />
      <div className={styles['go']}>
        <Button type="submit">{words.show}</Button>
      </div>
    </Form>
  )
}
