import { type ReactNode, useState } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { CheckList } from '../../pieces/check-list.tsx'
import { Choices } from '../../pieces/choices.tsx'
import { useWords } from '../../words/use-words.ts'
import type { PartFieldProps } from './part-field.tsx'
import { partWords } from './parts.words.ts'
import { type PresetName, presets, scopeGroups } from './scope-groups.ts'
import { allowedOf, presetOf } from './scopes.ts'
import { scopeWords } from './scopes.words.ts'

const presetNames = Object.keys(presets) as PresetName[]

/** Ready choices, and the list of all that the role may give. What a key has already stays in the list for whoever may not give it. */
export function ScopesField({ draft, error, onChange }: PartFieldProps): ReactNode {
  const words = useWords(partWords)
  const { presets: names, groups, scopes: sentences } = useWords(scopeWords)
  const { account } = useAccount()
  const rights = account?.rights ?? []
  const preset = presetOf(draft.scopes)
  const [isExact, setExact] = useState(preset === undefined && draft.scopes.length > 0)
  const shown = preset === undefined || isExact ? 'custom' : preset
  const choose = (value: PresetName | 'custom'): void => {
    setExact(value === 'custom')
    if (value !== 'custom') onChange({ scopes: allowedOf(presets[value], rights) })
  }
  const choices = [...presetNames, 'custom' as const].map((value) => ({ value, label: names[value] }))
  return (
    <>
      <Choices
        label={words.preset}
        hasLabel
        choices={choices}
        value={draft.scopes.length === 0 && !isExact ? undefined : shown}
        onChoose={choose}
        note={
          shown !== 'custom' && draft.scopes.length > 0
            ? draft.scopes.map((scope) => sentences[scope as keyof typeof sentences].long).join('؛ ')
            : words.scopesHint
        }
        error={isExact ? undefined : error}
      />
      {isExact && (
        <CheckList
          label={words.exact}
          error={error}
          chosen={draft.scopes}
          onChange={(scopes) => onChange({ scopes })}
          groups={scopeGroups
            .map(({ name, scopes }) => ({
              title: groups[name],
              items: scopes
                .filter((scope) => rights.includes(scope) || draft.scopes.includes(scope))
                .map((scope) => ({ value: scope, label: sentences[scope].long, note: scope })),
            }))
            .filter(({ items }) => items.length > 0)}
        />
      )}
    </>
  )
}
