/** The invitations that wait for an answer, and those that have ended without one. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { stepUp } from '../../api/ask.ts'
import { call } from '../../api/client.ts'
import { meQuery, methodsQuery } from '../../api/queries.ts'
import { useAccount } from '../../api/use-account.ts'
import { useAction } from '../../api/use-action.ts'
import { LinkButton } from '../../pieces/button.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { ErrorState, Notice, Skeleton, useSentence } from '../../pieces/states.tsx'
import { showToast, undoMs } from '../../pieces/toasts.ts'
import { shellWords } from '../../shell/shell.words.ts'
import { cleanName } from '../../words/clean-name.ts'
import { Ltr, Moment } from '../../words/personal.tsx'
import { useWords } from '../../words/use-words.ts'
import { LinkDialog } from './link-dialog.tsx'
import { Projects } from './member-table.tsx'
import styles from './members.module.css'
import { membersWords } from './members.words.ts'
import { type Invitation, invitationsQuery } from './queries.ts'
import { reaches } from './reach.ts'

export function Invitations({ mayChange }: { mayChange: boolean }): ReactNode {
  const words = useWords(membersWords)
  const { projectId } = useAccount()
  const open = useQuery(invitationsQuery(projectId, 'open'))
  const expired = useQuery(invitationsQuery(projectId, 'expired'))
  const methods = useQuery({ ...methodsQuery, enabled: mayChange })
  const [hidden, setHidden] = useState<readonly string[]>([])
  const again = (): void => {
    void open.refetch()
    void expired.refetch()
  }
  const error = open.error ?? expired.error
  if (error && !(open.data && expired.data)) return <ErrorState error={error} onAgain={again} />
  if (!open.data || !expired.data) return <Skeleton lines={3} onAgain={again} />
  const left = ({ data }: { data: readonly Invitation[] }): Invitation[] =>
    data.filter(({ id }) => !hidden.includes(id))
  const hide = (id: string, isHidden: boolean): void =>
    setHidden((all) => (isHidden ? [...all, id] : all.filter((one) => one !== id)))
  const hasMail = methods.data?.mail !== false
  return [
    { title: words.invitations, rows: left(open.data) },
    { title: words.expired, rows: left(expired.data) },
  ].map(
    ({ title, rows }) =>
      rows.length > 0 && (
        <Card key={title} title={title}>
          {!hasMail && title === words.invitations && <Notice kind="attention">{words.noMail}</Notice>}
          <ul className={styles['rows']} aria-label={title}>
            {rows.map((row) => (
              <InvitationRow key={row.id} of={row} {...{ mayChange, hasMail }} onHide={hide} />
            ))}
          </ul>
        </Card>
      ),
  )
}

interface RowProps {
  of: Invitation
  mayChange: boolean
  hasMail: boolean
  onHide(id: string, isHidden: boolean): void
}

function InvitationRow({ of, mayChange, hasMail, onHide }: RowProps): ReactNode {
  const words = useWords(membersWords)
  const { roles } = useWords(shellWords)
  const { account } = useAccount()
  const isMine = mayChange && account !== undefined && reaches(account, of)
  return (
    <li className={styles['row']}>
      <div className={styles['about']}>
        <strong>
          <Ltr>{of.email}</Ltr>
        </strong>
        <Note>
          {roles[of.role]} · <Projects of={of} /> ·{' '}
          {of.invited_by === null
            ? words.byOperator
            : words.by(`\u2068${cleanName(of.invited_by.display_name)}\u2069`)}{' '}
          · {of.state === 'open' ? words.until : words.ended} <Moment at={of.expires_at} />
        </Note>
      </div>
      {isMine && <Acts {...{ of, hasMail, onHide }} />}
    </li>
  )
}

function Acts({ of, hasMail, onHide }: Omit<RowProps, 'mayChange'>): ReactNode {
  const words = useWords(membersWords)
  const queries = useQueryClient()
  const me = useQuery(meQuery)
  const [isLinkShown, setLinkShown] = useState(false)
  const readAgain = (): Promise<void> => queries.invalidateQueries({ queryKey: ['invitations'] })
  const email = `\u2068${of.email}\u2069`
  const resend = useAction(async () => {
    const { delivery } = await call('POST /v1/invitations/{id}/resend', { params: { id: of.id }, body: {} })
    showToast(delivery === 'mail' ? words.resent(email) : words.renewed(email))
    await readAgain()
  })
  const revoke = useAction(async () => {
    if (!isSteppedUp(me.data?.session.stepped_up_until ?? null)) await stepUp()
    onHide(of.id, true)
    showToast(words.revoked(email), {
      undo: () => onHide(of.id, false),
      onEnd: () => {
        call('DELETE /v1/invitations/{id}', { params: { id: of.id }, keepalive: true })
          .then(readAgain)
          .catch(() => {
            onHide(of.id, false)
            showToast(words.notRevoked(email), { kind: 'failure' })
          })
      },
    })
  })
  return (
    <div>
      <div className={styles['acts']}>
        {!hasMail && me.data?.is_operator && of.state === 'open' && (
          <LinkButton aria-label={words.linkOf(of.email)} onClick={() => setLinkShown(true)}>
            {words.link}
          </LinkButton>
        )}
        <LinkButton
          aria-label={hasMail ? words.resendOf(of.email) : words.renewOf(of.email)}
          aria-disabled={resend.isBusy}
          onClick={() => resend.run()}
        >
          {hasMail ? words.resend : words.renew}
        </LinkButton>
        <LinkButton aria-label={words.revokeOf(of.email)} onClick={() => revoke.run()}>
          {words.revoke}
        </LinkButton>
      </div>
      <Refusal error={resend.error ?? revoke.error} />
      {isLinkShown && <LinkDialog email={of.email} onClose={() => setLinkShown(false)} />}
    </div>
  )
}

/** Whether a factor that was given still counts when the time to undo is over; the page may be left by then, where nobody can be asked for one. */
const isSteppedUp = (until: string | null): boolean =>
  until !== null && Date.parse(until) > Date.now() + 2 * undoMs

function Refusal({ error }: { error: unknown }): ReactNode {
  const sentence = useSentence(error)
  return error !== undefined && <Notice kind="failure">{sentence}</Notice>
}
