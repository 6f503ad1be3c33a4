import type { ReactNode } from 'react'
import { download } from '../../api/download.ts'
import { useAccount } from '../../api/use-account.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { calendarOf } from '../../words/ranges.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { queryOf } from './filters.ts'
import styles from './usage.module.css'
import { usageWords } from './usage.words.ts'
import type { Shown } from './use-usage.ts'

/** The table as a file: all of its lines, however many are shown. */
export function Exports({ of: { view, asked, today } }: { of: Shown }): ReactNode {
  const words = useWords(usageWords)
  const locale = useLocale()
  const { projectId } = useAccount()
  const action = useAction((format: 'csv' | 'xlsx') => {
    const { from, to } = asked.range
    const split = view.split === 'time' ? undefined : view.split
    const query = {
      ...{ format, from, to, language: locale, calendar: calendarOf(locale), time_zone: today.timeZone },
      ...queryOf(view, projectId!, split),
      ...(split ? { group_by: split, order: 'cost' } : { interval: asked.interval }),
    }
    return download('/v1/account/usage/export', query, `usage-${from}-${to}.${format}`)
  })
  const sentence = useSentence(action.error)
  return (
    <>
      <div className={styles['exports']} role="group" aria-label={words.export}>
        {(['xlsx', 'csv'] as const).map((format) => (
          <Button key={format} isBusy={action.isBusy} onClick={() => action.run(format)}>
            {words[format]}
          </Button>
        ))}
      </div>
      {action.error !== undefined && <Notice kind="failure">{sentence}</Notice>}
    </>
  )
}
