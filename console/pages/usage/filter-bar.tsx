import type { ReactNode } from 'react'
import { useAccount } from '../../api/use-account.ts'
import type { Today } from '../../api/use-today.ts'
import { LinkButton } from '../../pieces/button.tsx'
import { Chips } from '../../pieces/chips.tsx'
import { RangeField } from '../../pieces/range-field.tsx'
import { Select } from '../../pieces/select.tsx'
import { useAddress } from '../../shell/use-address.ts'
import { useRange } from '../../shell/use-range.ts'
import { comparisonOf } from '../../spending/periods.ts'
import { cleanName } from '../../words/clean-name.ts'
import { calendarOf, type DayRange } from '../../words/ranges.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { isFiltered, noFilters, type View } from './filters.ts'
import styles from './usage.module.css'
import { usageWords } from './usage.words.ts'
import { usePickedNames } from './use-names.ts'
import type { Asked } from './use-usage.ts'

interface FilterBarProps {
  view: View
  range: DayRange
  asked: Asked
  today: Today
}

export function FilterBar({ view, range, asked, today }: FilterBarProps): ReactNode {
  const words = useWords(usageWords)
  const { go } = useAddress()
  const { changeFor } = useRange('month', today.timeZone)
  const calendar = calendarOf(useLocale())
  const { kind } = comparisonOf(range, today.day, calendar)
  return (
    <>
      <search className={styles['filters']} aria-label={words.filters}>
        <RangeField value={range} today={today.day} onChange={(chosen) => go(changeFor(chosen))} />
        <Scope view={view} />
        <Select
          label={words.compare}
          choices={[
            { value: 'before', label: words.comparisons[kind] },
            { value: 'none', label: words.noComparison },
          ]}
          value={view.isCompared ? 'before' : 'none'}
          onChange={(value) => go({ compare: value === 'none' ? value : '' })}
        />
      </search>
      {isFiltered(view) && <Picked view={view} asked={asked} today={today} />}
    </>
  )
}

/** This project, another one, or all that the person may see. */
function Scope({ view }: { view: View }): ReactNode {
  const words = useWords(usageWords)
  const { go } = useAddress()
  const { account, projectId } = useAccount()
  const others = (account?.projects ?? []).filter(({ id }) => id !== projectId)
  return (
    <Select
      label={words.scope}
      isSearchable={others.length > 9}
      choices={[
        { value: '', label: words.thisProject },
        { value: 'all', label: words.allProjects },
        ...others.map(({ id, name }) => ({ value: id, label: cleanName(name) })),
      ]}
      value={view.project === projectId ? '' : (view.project ?? '')}
      onChange={(value) => go({ project: value })}
    />
  )
}

/** The groups to which the page is narrowed, each of which can be taken away. */
function Picked({ view, asked, today }: Omit<FilterBarProps, 'range'>): ReactNode {
  const words = useWords(usageWords)
  const { go } = useAddress()
  const names = usePickedNames(view, asked.range, today)
  return (
    <div className={styles['chosen']}>
      <Chips
        label={words.filters}
        items={names.map(({ dimension, name }) => ({
          value: dimension,
          label: `${words.dimensions[dimension]}: \u2068${cleanName(name)}\u2069`,
        }))}
        onRemove={(dimension) => go({ [dimension]: '' })}
      />
      <LinkButton onClick={() => go(noFilters)}>{words.clear}</LinkButton>
    </div>
  )
}
