import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { leaveFor } from '../../api/leave.ts'
import type { Account } from '../../api/use-account.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { ConfirmDialog } from '../../pieces/confirm-dialog.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { cleanName } from '../../words/clean-name.ts'
import { useWords } from '../../words/use-words.ts'
import { EndingKeys } from '../management-keys/ending-keys.tsx'
import styles from './members.module.css'
import { oneMemberWords } from './one-member.words.ts'
import type { Member } from './queries.ts'
import { reaches } from './reach.ts'

/** The end of a membership: one's own, or that of somebody whom one may remove. */
export function EndCard({ of, own }: { of: Member; own: Account }): ReactNode {
  const words = useWords(oneMemberWords)
  const [isOpen, setOpen] = useState(false)
  if (!of.is_you && !reaches(own, of)) return null
  const close = (): void => setOpen(false)
  return (
    <Card title={of.is_you ? words.leave : words.remove}>
      <div className={styles['line']}>
        <div className={styles['about']}>{of.is_you ? words.leaveWhy : words.removeWhy}</div>
        <Button onClick={() => setOpen(true)}>{of.is_you ? words.leave : words.remove}</Button>
      </div>
      {isOpen &&
        (of.is_you ? (
          <Leave of={of} own={own} onClose={close} />
        ) : (
          <Remove of={of} own={own} onClose={close} />
        ))}
    </Card>
  )
}

interface EndProps {
  of: Member
  own: Account
  onClose(): void
}

function Remove({ of, own, onClose }: EndProps): ReactNode {
  const words = useWords(oneMemberWords)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const action = useAction(async () => {
    const { keys } = await call('DELETE /v1/members/{person_id}', { params: { person_id: of.person_id } })
    showToast(words.removed(`\u2068${cleanName(of.display_name)}\u2069`))
    void queries.invalidateQueries({ queryKey: ['members'] })
    void queries.invalidateQueries({ queryKey: ['keys'] })
    void queries.invalidateQueries({ queryKey: ['management-keys'] })
    void queries.invalidateQueries({ queryKey: ['management-key'] })
    // Invitations of somebody who leaves are void.
    void queries.invalidateQueries({ queryKey: ['invitations'] })
    await navigate({ to: '/members', search: keys > 0 ? { gone: of.person_id } : {} })
  })
  return (
    <ConfirmDialog
      title={words.remove}
      name={of.display_name}
      of="member"
      more={<EndingKeys account={own} personId={of.person_id} why="left" />}
      verb={words.removeVerb}
      action={action}
      onClose={onClose}
    >
      {words.removeWhy}
    </ConfirmDialog>
  )
}

function Leave({ of, own, onClose }: EndProps): ReactNode {
  const words = useWords(oneMemberWords)
  const action = useAction(async () => {
    await call('DELETE /v1/me/accounts/{account_id}', { params: { account_id: own.id } })
    // Everything on the page was of the account that was left.
    leaveFor('/')
  })
  return (
    <ConfirmDialog
      title={words.leave}
      name={own.name}
      of="account"
      more={<EndingKeys account={own} personId={of.person_id} why="you" />}
      verb={words.leaveVerb}
      action={action}
      onClose={onClose}
    >
      {words.leaveWhy}
    </ConfirmDialog>
  )
}
