import type { ReactNode } from 'react'
import { download } from '../../api/download.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import type { RequestQuery } from './queries.ts'
import styles from './requests.module.css'
import { requestsWords } from './requests.words.ts'

/** The list as a file, with the filters that it has. */
export function ExportButtons({ query }: { query: RequestQuery }): ReactNode {
  const words = useWords(requestsWords)
  const locale = useLocale()
  const action = useAction((format: 'xlsx' | 'csv') =>
    download('/v1/requests/export', { ...query, format, language: locale }, `requests.${format}`),
  )
  const sentence = useSentence(action.error)
  return (
    <>
      <div className={styles['export']} role="group" aria-label={words.export}>
        {(['xlsx', 'csv'] as const).map((format) => (
          <Button
            key={format}
            isBusy={action.isBusy}
            title={words.exportHint}
            onClick={() => action.run(format)}
          >
            {words[format]}
          </Button>
        ))}
      </div>
      {action.error !== undefined && <Notice kind="failure">{sentence}</Notice>}
    </>
  )
}
