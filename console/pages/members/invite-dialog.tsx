import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import type { Account } from '../../api/use-account.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { useIntent } from '../../api/use-intent.ts'
import { Button } from '../../pieces/button.tsx'
import { Choices } from '../../pieces/choices.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { TextField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { languageNames } from '../../pieces/pieces.words.ts'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { type Grant, GrantFields, isWhole, projectsToSend } from './grant-fields.tsx'
import { HandOver } from './link-dialog.tsx'
import styles from './members.module.css'
import { membersWords } from './members.words.ts'

interface InviteDialogProps {
  own: Account
  onClose(): void
}

/** Invites somebody. Where no mail carries the invitation, the dialog goes on with its link. */
export function InviteDialog({ own, onClose }: InviteDialogProps): ReactNode {
  const words = useWords(membersWords)
  const [unsent, setUnsent] = useState<string>()
  return (
    <Dialog title={unsent === undefined ? words.inviteTitle : words.made} isOpen onClose={onClose}>
      {unsent === undefined ? (
        <InviteForm own={own} onClose={onClose} onUnsent={setUnsent} />
      ) : (
        <HandOver email={unsent} onClose={onClose} />
      )}
    </Dialog>
  )
}

function InviteForm({
  own,
  onClose,
  onUnsent,
}: InviteDialogProps & { onUnsent(email: string): void }): ReactNode {
  const words = useWords(membersWords)
  const queries = useQueryClient()
  const ownLocale = useLocale()
  const [email, setEmail] = useState('')
  const [locale, setLocale] = useState(ownLocale)
  const [grant, setGrant] = useState<Grant>({
    role: 'developer',
    projectIds: own.is_limited ? own.projects.map(({ id }) => id) : null,
  })
  const intentOf = useIntent()
  const invite = useAction(async () => {
    const body = { email, role: grant.role, project_ids: projectsToSend(grant), locale }
    const sent = await call('POST /v1/invitations', { body, idempotencyKey: intentOf(body) })
    await queries.invalidateQueries({ queryKey: ['invitations'] })
    if (sent.delivery !== 'mail') return onUnsent(sent.email)
    showToast(words.sent(`\u2068${sent.email}\u2069`))
    onClose()
  })
  const refusals = {
    email: refusalOf(invite.error, 'email', ['ALREADY_MEMBER']),
    role: refusalOf(invite.error, 'role', ['ROLE_TOO_HIGH']),
    projects: refusalOf(invite.error, 'project_ids'),
  }
  const sentence = useSentence(invite.error)
  const isOfField = Object.values(refusals).some((one) => one !== undefined)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isWhole(grant)) invite.run()
  }
  return (
    <Form className={styles['form']} onSubmit={submit}>
      {invite.error !== undefined && !isOfField && <Notice kind="failure">{sentence}</Notice>}
      <TextField
        label={words.email}
        hint={words.emailHint}
        error={refusals.email}
        isLtr
        type="email"
        autoComplete="off"
        data-autofocus
        required
        value={email}
        onChange={setEmail}
      />
      <GrantFields own={own} value={grant} onChange={setGrant} refusals={refusals} />
      <Choices<'fa' | 'en'>
        label={words.language}
        hasLabel
        choices={(['fa', 'en'] as const).map((value) => ({ value, label: languageNames[value] }))}
        value={locale}
        onChoose={setLocale}
      />
      <DialogActions note={words.inviteNote}>
        <Button kind="primary" type="submit" isBusy={invite.isBusy} disabled={!isWhole(grant)}>
          {words.send}
        </Button>
      </DialogActions>
    </Form>
  )
}
