import type { ReactNode } from 'react'
import { Choices } from '../../pieces/choices.tsx'
import { SearchField } from '../../pieces/search-field.tsx'
import { useAddress } from '../../shell/use-address.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { type FindableModel, kindsOf } from './find.ts'
import { wordOf } from './labels.ts'
import styles from './models.module.css'
import { modelsWords } from './models.words.ts'

interface FiltersProps {
  models: readonly FindableModel[]
  text: string
  onText(text: string): void
}

/** The search and the two filters; what is chosen stands in the address. */
export function Filters({ models, text, onText }: FiltersProps): ReactNode {
  const words = useWords(modelsWords)
  const locale = useLocale()
  const address = useAddress()
  const kinds = kindsOf(models)
  const reads = (['image', 'audio', 'video', 'file'] as const).filter((one) =>
    models.some(({ model }) => model.input_modalities.includes(one)),
  )
  return (
    <div className={styles['filters']}>
      <SearchField label={words.search} placeholder={words.searchHint} value={text} onChange={onText} />
      {kinds.length > 1 && (
        <div className={styles['filter']}>
          <span>{words.kind}</span>
          <Choices<string>
            label={words.kind}
            choices={[
              { value: '', label: words.all },
              ...kinds.map(({ kind, count }) => ({
                value: kind,
                label: `${wordOf(words.kinds, kind)} ${formatNumber(locale, count)}`,
              })),
            ]}
            value={address.read('kind')}
            onChoose={(kind) => address.go({ kind })}
          />
        </div>
      )}
      {reads.length > 0 && (
        <div className={styles['filter']}>
          <span>{words.reads}</span>
          <Choices<string>
            label={words.reads}
            choices={[
              { value: '', label: words.anything },
              ...reads.map((one) => ({ value: one, label: words.modalities[one] })),
            ]}
            value={address.read('reads')}
            onChoose={(chosen) => address.go({ reads: chosen })}
          />
        </div>
      )}
    </div>
  )
}
