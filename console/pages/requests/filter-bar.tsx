import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { modelsQuery } from '../../api/queries.ts'
import { useAccount } from '../../api/use-account.ts'
import { Button, LinkButton } from '../../pieces/button.tsx'
import { Chips } from '../../pieces/chips.tsx'
import { RangeField } from '../../pieces/range-field.tsx'
import { Select } from '../../pieces/select.tsx'
import { useAddress } from '../../shell/use-address.ts'
import type { useRange } from '../../shell/use-range.ts'
import { formatCode } from '../../spending/result.ts'
import { cleanName, isolatedName } from '../../words/clean-name.ts'
import { formatMicrocredits } from '../../words/digits.ts'
import type { Locale } from '../../words/locale.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { readDecimal, unitsAt } from './decimal.ts'
import { type Filters, isFiltered, names, noFilters, states } from './filters.ts'
import { MoreFilters } from './more-filters.tsx'
import type { RequestRow } from './queries.ts'
import styles from './requests.module.css'
import { requestsWords } from './requests.words.ts'

interface FilterBarProps {
  filters: Filters
  days: ReturnType<typeof useRange>
  rows: readonly RequestRow[]
  keyNames: ReadonlyMap<string, string>
}

export function FilterBar({ filters, days, rows, keyNames }: FilterBarProps): ReactNode {
  const words = useWords(requestsWords)
  const { projectId } = useAccount()
  const address = useAddress()
  const [isOpen, setOpen] = useState(false)
  const models = useQuery(modelsQuery(projectId))
  // What was called once may be gone from the catalogue.
  const called = [...rows.map(({ model }) => model), filters.model].filter((one) => one != null)
  const all = [...new Set([...(models.data?.data ?? []).map(({ id }) => id), ...called])]
  const { model, state } = filters
  return (
    <>
      <search className={styles['filters']} aria-label={words.filters}>
        <RangeField
          hasAll
          value={days.range}
          today={days.today}
          onChange={(range) => address.go(days.changeFor(range))}
        />
        <Select
          label={words.model}
          isSearchable
          choices={[
            { value: 'all', label: words.allModels },
            ...all.map((id) => ({ value: `m ${id}`, label: cleanName(id) })),
          ]}
          value={model === undefined ? 'all' : `m ${model}`}
          onChange={(value) => address.go({ model: value === 'all' ? '' : value.slice(2) })}
        />
        <Select
          label={words.result}
          choices={(['all', ...states] as const).map((value) => ({ value, label: words.results[value] }))}
          value={state ?? 'all'}
          onChange={(value) => address.go({ state: value === 'all' ? '' : value })}
        />
        <div className={styles['more']}>
          <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? words.fewer : words.more}
          </Button>
        </div>
      </search>
      {isOpen && (
        <MoreFilters
          key={JSON.stringify(filters)}
          filters={filters}
          keyNames={keyNames}
          onDone={() => setOpen(false)}
        />
      )}
      <Chosen filters={filters} rows={rows} keyNames={keyNames} hasRange={days.range !== undefined} />
    </>
  )
}

interface ChosenProps extends Pick<FilterBarProps, 'filters' | 'rows' | 'keyNames'> {
  hasRange: boolean
}

/** The filters that have no field in the bar, each of which can be taken away. */
function Chosen({ filters, rows, keyNames, hasRange }: ChosenProps): ReactNode {
  const words = useWords(requestsWords)
  const locale = useLocale()
  const address = useAddress()
  const { account } = useAccount()
  const { keyId, personId, project } = filters
  const person = rows.find((row) => row.person?.id === personId)?.person?.name
  const shown: Record<'key' | 'person' | 'project', string | undefined> = {
    key: keyId && (keyNames.get(keyId) ?? keyId.slice(0, 8)),
    person: personId && (person ?? personId.slice(0, 8)),
    project: project && (account?.projects.find(({ id }) => id === project)?.name ?? project.slice(0, 8)),
  }
  const named = (name: 'key' | 'person') => shown[name] && words.only[name](isolatedName(shown[name]))
  const items: [string, string | undefined][] = [
    [
      names.project,
      project === 'all'
        ? words.allProjects
        : shown.project && words.only.project(isolatedName(shown.project)),
    ],
    [names.keyId, named('key')],
    [names.personId, named('person')],
    ...(['customerId', 'referenceId', 'endpoint', 'idempotencyKey'] as const).map(
      (name): [string, string | undefined] => {
        const value = filters[name]
        return [names[name], value && words.only[names[name]](isolatedName(value))]
      },
    ),
    [
      names.statusCode,
      filters.statusCode === undefined
        ? undefined
        : words.only.status(formatCode(locale, filters.statusCode)),
    ],
    [names.min, filters.min && words.only.min(amountOf(locale, filters.min))],
    [names.max, filters.max && words.only.max(amountOf(locale, filters.max))],
  ]
  const chips = items.flatMap(([value, label]) => (label === undefined ? [] : [{ value, label }]))
  if (chips.length === 0 && !isFiltered(filters) && !hasRange) return null
  return (
    <div className={styles['chosen']}>
      {chips.length > 0 && (
        <Chips label={words.filters} items={chips} onRemove={(name) => address.go({ [name]: '' })} />
      )}
      <LinkButton onClick={() => address.go(noFilters)}>{words.clear}</LinkButton>
    </div>
  )
}

const amountOf = (locale: Locale, credits: string): string =>
  formatMicrocredits(locale, unitsAt(readDecimal(credits)!, 6))
