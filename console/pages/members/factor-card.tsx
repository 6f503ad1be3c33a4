import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import type { Account } from '../../api/use-account.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { Moment } from '../../words/personal.tsx'
import { useWords } from '../../words/use-words.ts'
import styles from './members.module.css'
import { oneMemberWords } from './one-member.words.ts'
import type { Member } from './queries.ts'

/** Whether the member has a second factor; owners remove a lost one, after three days in which everybody concerned can stop it. */
export function FactorCard({ of, own }: { of: Member; own: Account }): ReactNode {
  const words = useWords(oneMemberWords)
  const [isOpen, setOpen] = useState(false)
  const queries = useQueryClient()
  const dueAt = of.factor_reset_due_at
  const again = (): void => void queries.invalidateQueries({ queryKey: ['member'] })
  const params = { person_id: of.person_id }
  const stop = useAction(async () => {
    await call('DELETE /v1/members/{person_id}/factor-reset', { params })
    again()
    showToast(words.stopped)
  })
  const sentence = useSentence(stop.error)
  if (of.has_second_factor === null) return null
  return (
    <Card title={words.factor}>
      {stop.error !== undefined && <Notice kind="failure">{sentence}</Notice>}
      {dueAt !== null && (
        <Notice kind="attention">
          {words.due} <Moment at={dueAt} />
        </Notice>
      )}
      <div className={styles['line']}>
        <div className={styles['about']}>{of.has_second_factor ? words.hasFactor : words.hasNoFactor}</div>
        {of.has_second_factor && own.role === 'owner' && !of.is_you && (
          <Button isBusy={stop.isBusy} onClick={() => (dueAt === null ? setOpen(true) : stop.run())}>
            {dueAt === null ? words.lost : words.stop}
          </Button>
        )}
      </div>
      {isOpen && <LostDialog personId={of.person_id} onAsked={again} onClose={() => setOpen(false)} />}
    </Card>
  )
}

interface LostDialogProps {
  personId: string
  onAsked(): void
  onClose(): void
}

function LostDialog({ personId, onAsked, onClose }: LostDialogProps): ReactNode {
  const words = useWords(oneMemberWords)
  const request = useAction(async () => {
    await call('POST /v1/members/{person_id}/factor-reset', { params: { person_id: personId } })
    onAsked()
    onClose()
  })
  const sentence = useSentence(request.error)
  return (
    <Dialog title={words.lostTitle} isOpen onClose={onClose}>
      <p>{words.lostWhy}</p>
      {request.error !== undefined && <Notice kind="failure">{sentence}</Notice>}
      <DialogActions>
        <Button kind="danger" isBusy={request.isBusy} onClick={() => request.run()}>
          {words.lostVerb}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
