/** The address of the person: proven by a code, changed to another one. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { call, type Reply } from '../../api/client.ts'
import { meQuery, queries } from '../../api/queries.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Badge } from '../../pieces/badge.tsx'
import { Button } from '../../pieces/button.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { TextField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { pieceWords } from '../../pieces/pieces.words.ts'
import { Notice } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { CodeForm } from '../../sign-in/code-step.tsx'
import { Failure } from '../../sign-in/failure.tsx'
import { Ltr } from '../../words/personal.tsx'
import { useWords } from '../../words/use-words.ts'
import styles from './profile.module.css'
import { profileWords } from './profile.words.ts'

type Me = Reply<'GET /v1/me'>

export function AddressCard({ me, hasMail }: { me: Me; hasMail: boolean }): ReactNode {
  const words = useWords(profileWords)
  const [asked, setAsked] = useState<{ sentTo: string | undefined }>()
  const prove = useAction(async (email: string) => {
    await call('POST /v1/me/email', { body: { email } })
    setAsked({ sentTo: email })
  })
  const { email, email_proven: isProven } = me
  return (
    <Card title={words.address}>
      {email === null ? (
        <p className={styles['soft']}>{words.noAddress}</p>
      ) : (
        <div className={styles['current']}>
          <Ltr>{email}</Ltr>
          <Badge kind={isProven ? 'good' : 'attention'}>{isProven ? words.proven : words.unproven}</Badge>
        </div>
      )}
      {email !== null && !isProven && hasMail && <p className={styles['soft']}>{words.proveWhy}</p>}
      <Failure error={prove.error} />
      {hasMail ? (
        <div className={styles['actions']}>
          {email !== null && !isProven && (
            <Button kind="primary" isBusy={prove.isBusy} onClick={() => prove.run(email)}>
              {words.prove}
            </Button>
          )}
          <Button onClick={() => setAsked({ sentTo: undefined })}>
            {email === null ? words.addAddress : words.changeAddress}
          </Button>
        </div>
      ) : (
        <Note>{words.noMail}</Note>
      )}
      {asked && <AddressDialog me={me} sentTo={asked.sentTo} onClose={() => setAsked(undefined)} />}
    </Card>
  )
}

interface AddressDialogProps {
  me: Me
  /** Where the code went already; undefined while the person has still to name the address. */
  sentTo: string | undefined
  onClose(): void
}

function AddressDialog({ me, sentTo, onClose }: AddressDialogProps): ReactNode {
  const words = useWords(profileWords)
  const { cancel } = useWords(pieceWords)
  const [email, setEmail] = useState('')
  const [place, setPlace] = useState(sentTo)
  const send = async (to: string): Promise<void> => {
    await call('POST /v1/me/email', { body: { email: to } })
    setPlace(to)
  }
  const first = useAction(() => send(email))
  const refusal = refusalOf(first.error, 'email', ['EMAIL_INVALID'])
  const title =
    me.email === null ? words.addAddress : sentTo === undefined ? words.changeAddress : words.proveTitle
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    first.run()
  }
  const confirm = async (to: string, code: string): Promise<void> => {
    const changed = await call('POST /v1/me/email/confirm', { body: { email: to, code } })
    void queries.invalidateQueries({ queryKey: meQuery.queryKey })
    if (changed.email !== null) showToast(words.addressSaved)
    onClose()
  }
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {place !== undefined ? (
        <CodeForm
          lead={sentTo === undefined ? words.codeSent : words.codeSentOwn}
          email={place}
          onConfirm={(code) => confirm(place, code)}
          onAgain={() => send(place)}
          {...(sentTo === undefined && { onOther: () => setPlace(undefined) })}
        />
      ) : (
        <Form className={styles['form']} onSubmit={submit}>
          <TextField
            label={words.newAddress}
            type="email"
            autoComplete="email"
            isLtr
            autoFocus
            required
            value={email}
            onChange={setEmail}
            error={refusal}
          />
          {me.email !== null && <Notice>{me.email_proven ? words.undoNote : words.dropNote}</Notice>}
          {refusal === undefined && <Failure error={first.error} />}
          <DialogActions>
            <Button onClick={onClose}>{cancel}</Button>
            <Button kind="primary" type="submit" isBusy={first.isBusy}>
              {words.sendCode}
            </Button>
          </DialogActions>
        </Form>
      )}
    </Dialog>
  )
}
