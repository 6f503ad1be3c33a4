/** The field of each setting of a key, in the form of a new one and in the dialogs of changes. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { modelsQuery } from '../../api/queries.ts'
import { useAccount } from '../../api/use-account.ts'
import { CheckList } from '../../pieces/check-list.tsx'
import { Choices } from '../../pieces/choices.tsx'
import { DateField } from '../../pieces/date-field.tsx'
import { TextArea, TextField } from '../../pieces/field.tsx'
import { NumberField } from '../../pieces/number-field.tsx'
import { Notice } from '../../pieces/states.tsx'
import { dayInTehran } from '../../words/tehran-days.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { inLanguage } from '../models/find.ts'
import { useDayInWords } from './key-words.tsx'
import { partWords } from './parts.words.ts'
import { ScopesField } from './scopes-field.tsx'
import { type Draft, type EndChoice, endOf, type numbers, type Part } from './settings.ts'

export interface PartFieldProps {
  draft: Draft
  /** Why the value was refused, by the form or by the API. */
  error?: string | undefined
  onChange(change: Partial<Draft>): void
}

export function PartField({ part, ...rest }: PartFieldProps & { part: Part }): ReactNode {
  switch (part) {
    case 'name':
      return <NameField {...rest} />
    case 'scopes':
      return <ScopesField {...rest} />
    case 'expires_at':
      return <EndField {...rest} />
    case 'models':
      return <ModelsField {...rest} />
    case 'origins':
      return <OriginsField {...rest} />
    default:
      return <AmountField part={part} {...rest} />
  }
}

function NameField({ draft, error, onChange }: PartFieldProps): ReactNode {
  const words = useWords(partWords)
  return (
    <TextField
      label={words.labels.name}
      hint={words.nameHint}
      error={error}
      dir="auto"
      autoComplete="off"
      maxLength={120}
      value={draft.name}
      onChange={(name) => onChange({ name })}
    />
  )
}

function AmountField({
  part,
  draft,
  error,
  onChange,
}: PartFieldProps & { part: (typeof numbers)[number] }): ReactNode {
  const words = useWords(partWords)
  return (
    <NumberField
      label={words.labels[part]}
      hint={words.hints[part]}
      unit={words.units[part]}
      error={error}
      value={draft[part]}
      onChange={(typed) => onChange({ [part]: typed })}
    />
  )
}

const endChoices: readonly EndChoice[] = ['30', '90', '365', 'never', 'day']

function EndField({ draft, error, onChange }: PartFieldProps): ReactNode {
  const words = useWords(partWords)
  const inWords = useDayInWords()
  const day = endOf(draft, new Date())
  return (
    <>
      <Choices
        label={words.labels.expires_at}
        hasLabel
        choices={endChoices.map((value) => ({ value, label: words.ends[value] }))}
        value={draft.end}
        onChoose={(end) => onChange({ end })}
        note={day === null ? words.neverEnds : day !== undefined && words.endsAt(inWords(day))}
      />
      {draft.end === 'day' ? (
        <DateField
          label={words.day}
          hint={words.dayHint}
          error={error}
          earliest={dayInTehran(new Date())}
          value={draft.endDay}
          onChange={(endDay) => onChange({ endDay })}
        />
      ) : (
        error !== undefined && <Notice kind="failure">{error}</Notice>
      )}
    </>
  )
}

function ModelsField({ draft, error, onChange }: PartFieldProps): ReactNode {
  const words = useWords(partWords)
  const locale = useLocale()
  const { projectId } = useAccount()
  const models = useQuery(modelsQuery(projectId))
  const known = models.data?.data ?? []
  // An alias that was given by a program stays one, so that the key follows the model to which it leads.
  const others = draft.models.filter((name) => !known.some(({ id }) => id === name))
  return (
    <CheckList
      label={words.labels.models}
      hint={words.modelsHint}
      error={error}
      isSearchable
      chosen={draft.models}
      onChange={(chosen) => onChange({ models: chosen })}
      groups={[
        {
          items: [
            ...others.map((name) => ({ value: name, label: name, isCode: true })),
            ...known.map(({ id, display_name }) => ({
              value: id,
              label: id,
              isCode: true,
              hint: inLanguage(display_name, ' · ', locale),
            })),
          ],
        },
      ]}
    />
  )
}

const originExample = 'https://app.example.com'

function OriginsField({ draft, error, onChange }: PartFieldProps): ReactNode {
  const words = useWords(partWords)
  return (
    <TextArea
      label={words.labels.origins}
      hint={words.originsHint}
      error={error}
      rows={3}
      spellCheck={false}
      placeholder={originExample}
      value={draft.origins}
      onChange={(origins) => onChange({ origins })}
    />
  )
}
