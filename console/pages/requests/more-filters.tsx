import { type FormEvent, type ReactNode, useState } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { TextField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { NumberField } from '../../pieces/number-field.tsx'
import { type Choice, Select } from '../../pieces/select.tsx'
import { useAddress } from '../../shell/use-address.ts'
import { formatCode } from '../../spending/result.ts'
import { cleanName } from '../../words/clean-name.ts'
import { persianDigits, readNumber } from '../../words/digits.ts'
import type { Locale } from '../../words/locale.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { endpoints } from './endpoints.ts'
import { creditsIn, type Filters } from './filters.ts'
import styles from './requests.module.css'
import { requestsWords } from './requests.words.ts'
import { usePeople } from './use-names.ts'

interface MoreFiltersProps {
  filters: Filters
  keyNames: ReadonlyMap<string, string>
  onDone(): void
}

type Draft = Record<
  'project' | 'key' | 'person' | 'endpoint' | 'customer' | 'reference' | 'status' | 'min' | 'max',
  string
>

/** The filters that are needed seldom, applied together. */
export function MoreFilters({ filters, keyNames, onDone }: MoreFiltersProps): ReactNode {
  const words = useWords(requestsWords)
  const locale = useLocale()
  const address = useAddress()
  const [draft, setDraft] = useState<Draft>({
    project: filters.project ?? '',
    key: filters.keyId ?? '',
    person: filters.personId ?? '',
    endpoint: filters.endpoint ?? '',
    customer: filters.customerId ?? '',
    reference: filters.referenceId ?? '',
    status: filters.statusCode === undefined ? '' : formatCode(locale, filters.statusCode),
    min: typedOf(locale, filters.min),
    max: typedOf(locale, filters.max),
  })
  const [isTried, setTried] = useState(false)
  const read = { status: readText(draft.status), min: readText(draft.min), max: readText(draft.max) }
  const faults = {
    status: read.status === '' || /^[1-5]\d\d$/.test(read.status) ? undefined : words.badStatus,
    min: faultOf(read.min, words.badCredits),
    max: faultOf(read.max, words.badCredits),
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    if (Object.values(faults).some((fault) => fault !== undefined)) return
    const texts = { customer: draft.customer.trim(), reference: draft.reference.trim() }
    address.go({ ...draft, ...texts, ...read })
    onDone()
  }
  const fields = { draft, onChange: setDraft }
  return (
    <Card>
      <Form className={styles['form']} onSubmit={submit}>
        <Choosers {...fields} keyNames={keyNames} />
        <Typed {...fields} faults={isTried ? faults : {}} />
        <div className={styles['apply']}>
          <Button type="submit" kind="primary">
            {words.apply}
          </Button>
        </div>
      </Form>
    </Card>
  )
}

/** A decimal of the address as people of the language type it. */
const typedOf = (locale: Locale, decimal = ''): string =>
  locale === 'fa' ? persianDigits(decimal).replace('.', '٫') : decimal

/** What was typed as a decimal in Latin digits; `x` where it is no number. */
const readText = (text: string): string => (text.trim() === '' ? '' : (readNumber(text) ?? 'x'))

interface FieldsProps {
  draft: Draft
  onChange(draft: Draft): void
}

function Choosers({
  draft,
  onChange,
  keyNames,
}: FieldsProps & Pick<MoreFiltersProps, 'keyNames'>): ReactNode {
  const words = useWords(requestsWords)
  const { account } = useAccount()
  const people = usePeople()
  const choosers = [
    {
      name: 'project',
      first: words.thisProject,
      choices: [
        { value: 'all', label: words.allProjects },
        ...(account?.projects ?? []).map(({ id, name }) => ({ value: id, label: cleanName(name) })),
      ],
    },
    {
      name: 'key',
      first: words.allKeys,
      choices: [...keyNames].map(([value, name]) => ({ value, label: cleanName(name) })),
    },
    {
      name: 'person',
      first: words.allPeople,
      choices: people.map(({ id, name }) => ({ value: id, label: cleanName(name) })),
    },
    {
      name: 'endpoint',
      first: words.allEndpoints,
      choices: endpoints.map((value) => ({ value, label: value })),
    },
  ] as const
  return choosers.map(({ name, ...rest }) => (
    <Chooser
      key={name}
      {...rest}
      label={words[name]}
      value={draft[name]}
      onChange={(value) => onChange({ ...draft, [name]: value })}
    />
  ))
}

function Typed({
  draft,
  onChange,
  faults,
}: FieldsProps & {
  faults: { status?: string | undefined; min?: string | undefined; max?: string | undefined }
}): ReactNode {
  const words = useWords(requestsWords)
  return (
    <>
      {(['customer', 'reference'] as const).map((name) => (
        <TextField
          key={name}
          label={words[name]}
          maxLength={120}
          autoComplete="off"
          value={draft[name]}
          onChange={(value) => onChange({ ...draft, [name]: value })}
        />
      ))}
      {(['status', 'min', 'max'] as const).map((name) => (
        <NumberField
          key={name}
          label={words[name]}
          {...(name !== 'status' && { unit: words.unit })}
          value={draft[name]}
          error={faults[name]}
          onChange={(value) => onChange({ ...draft, [name]: value })}
        />
      ))}
    </>
  )
}

const faultOf = (amount: string, sentence: string): string | undefined =>
  amount === '' || creditsIn(amount) !== undefined ? undefined : sentence

interface ChooserProps {
  label: string
  /** What is chosen where nothing is. */
  first: string
  choices: readonly Choice<string>[]
  value: string
  onChange(value: string): void
}

/** A choice of one or none; what is chosen stands in the list though it was not found. */
function Chooser({ label, first, choices, value, onChange }: ChooserProps): ReactNode {
  const isMissing = value !== '' && choices.every((choice) => choice.value !== value)
  const all = [...choices, ...(isMissing ? [{ value, label: cleanName(value) }] : [])]
  return (
    <Select
      label={label}
      isSearchable={all.length > 10}
      choices={[{ value: 'none', label: first }, ...all]}
      value={value === '' ? 'none' : value}
      onChange={(chosen) => onChange(chosen === 'none' ? '' : chosen)}
    />
  )
}
