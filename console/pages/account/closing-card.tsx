/** The end of the account: asked for with its name, and undone by any owner for thirty days. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { deletionQuery } from '../../api/queries.ts'
import { useAccount } from '../../api/use-account.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { ConfirmDialog } from '../../pieces/confirm-dialog.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { useClosingUndo } from '../../shell/use-closing-undo.ts'
import { formatFull } from '../../words/dates.ts'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import { Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './account.module.css'
import { closingCardWords } from './closing-card.words.ts'
import type { Account } from './queries.ts'

const regretMs = 30 * 24 * 60 * 60 * 1000

export function ClosingCard({ of, projects }: { of: Account; projects: number }): ReactNode {
  const words = useWords(closingCardWords)
  const locale = useLocale()
  const queries = useQueryClient()
  const { projectId } = useAccount()
  const [isAsked, setAsked] = useState(false)
  const deletion = useQuery(deletionQuery(projectId))
  const close = useAction(async () => {
    await call('POST /v1/account/deletion', { body: { confirm: of.name } })
    setAsked(false)
    showToast(words.begun)
    await queries.invalidateQueries()
  })
  const undo = useClosingUndo()
  const sentence = useSentence(undo.error)
  const pending = deletion.data?.deletion
  if (pending)
    return (
      <Card title={words.pendingTitle}>
        <p>{words.pendingWhy(formatFull(locale, new Date(pending.due_at)))}</p>
        <p className={styles['soft']}>
          {words.by} {pending.requested_by ? <Name>{pending.requested_by.name}</Name> : words.operator}
        </p>
        {undo.error !== undefined && <Notice kind="failure">{sentence}</Notice>}
        <div>
          <Button kind="primary" isBusy={undo.isBusy} onClick={() => undo.run()}>
            {words.undo}
          </Button>
        </div>
      </Card>
    )
  const lost = words.lost(
    formatMicrocredits(locale, BigInt(of.balance_microcredits)),
    formatNumber(locale, projects),
  )
  return (
    <Card title={words.title}>
      <p className={styles['soft']}>
        {words.why} {lost}
      </p>
      <div>
        <Button kind="danger" onClick={() => setAsked(true)}>
          {words.verb}
        </Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title={words.title}
          name={of.name}
          of="account"
          verb={words.verb}
          action={close}
          onClose={() => setAsked(false)}
        >
          {words.dialogWhy(formatFull(locale, new Date(Date.now() + regretMs)))} {lost}
        </ConfirmDialog>
      )}
    </Card>
  )
}
