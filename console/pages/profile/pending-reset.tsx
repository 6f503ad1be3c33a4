import type { ReactNode } from 'react'
import { stepUp } from '../../api/ask.ts'
import { factorsQuery, queries } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { Notice } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { Failure } from '../../sign-in/failure.tsx'
import { formatFull } from '../../words/dates.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import type { Overview } from './factor-list.tsx'
import { factorWords } from './factors.words.ts'
import styles from './profile.module.css'

/** A removal of all factors that is due. Whoever gives a factor has not lost it, and the API cancels the removal by that. */
export function PendingReset({ reset }: { reset: NonNullable<Overview['reset']> }): ReactNode {
  const words = useWords(factorWords)
  const locale = useLocale()
  const keep = useAction(async () => {
    await stepUp()
    await queries.invalidateQueries({ queryKey: factorsQuery.queryKey })
    showToast(words.keeps)
  })
  const full = (at: string): string => formatFull(locale, new Date(at))
  return (
    <Card title={words.resetTitle} isMarked>
      <Notice kind="attention">{words.resetWhy(full(reset.requested_at), full(reset.due_at))}</Notice>
      <Failure error={keep.error} />
      <div className={styles['actions']}>
        <Button kind="primary" isBusy={keep.isBusy} onClick={() => keep.run()}>
          {words.keep}
        </Button>
      </div>
    </Card>
  )
}
