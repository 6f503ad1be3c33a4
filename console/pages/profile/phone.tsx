/** The phone number of the person: proven by a code of an SMS, changed, removed. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { meQuery, queries } from '../../api/queries.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Badge } from '../../pieces/badge.tsx'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { TextField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { pieceWords } from '../../pieces/pieces.words.ts'
import { Notice } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { CodeForm } from '../../sign-in/code-step.tsx'
import { Failure } from '../../sign-in/failure.tsx'
import { Ltr } from '../../words/personal.tsx'
import { showPhone } from '../../words/phone.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { phoneWords } from './phone.words.ts'
import styles from './profile.module.css'

interface PhoneCardProps {
  /** In E.164. */
  phone: string | null
  /** Whether this server sends text messages now. */
  hasGateway: boolean
}

export function PhoneCard({ phone, hasGateway }: PhoneCardProps): ReactNode {
  const words = useWords(phoneWords)
  const locale = useLocale()
  const [open, setOpen] = useState<'number' | 'removal'>()
  const close = (): void => setOpen(undefined)
  return (
    <Card title={words.phone}>
      {phone === null ? (
        <p className={styles['soft']}>{words.none}</p>
      ) : (
        <div className={styles['current']}>
          <Ltr>{showPhone(phone, locale)}</Ltr>
          <Badge kind="good">{words.proven}</Badge>
        </div>
      )}
      {phone !== null && <p className={styles['soft']}>{hasGateway ? words.limits : words.noGateway}</p>}
      <div className={styles['actions']}>
        {hasGateway && (
          <Button onClick={() => setOpen('number')}>{phone === null ? words.add : words.change}</Button>
        )}
        {phone !== null && <Button onClick={() => setOpen('removal')}>{words.remove}</Button>}
      </div>
      {open === 'number' && <NumberDialog phone={phone} onClose={close} />}
      {open === 'removal' && <RemovalDialog onClose={close} />}
    </Card>
  )
}

const readAgain = (): void => void queries.invalidateQueries({ queryKey: meQuery.queryKey })

function NumberDialog({ phone, onClose }: { phone: string | null; onClose(): void }): ReactNode {
  const words = useWords(phoneWords)
  const [sentTo, setSentTo] = useState<string>()
  const send = async (to: string): Promise<void> => {
    await call('POST /v1/me/phone', { body: { phone: to } })
    setSentTo(to)
  }
  const confirm = async (to: string, code: string): Promise<void> => {
    await call('POST /v1/me/phone/confirm', { body: { phone: to, code } })
    readAgain()
    showToast(words.saved)
    onClose()
  }
  return (
    <Dialog title={phone === null ? words.add : words.change} isOpen onClose={onClose}>
      {sentTo === undefined ? (
        <NumberForm isChange={phone !== null} onSend={send} onClose={onClose} />
      ) : (
        <CodeForm
          isMessage
          lead={words.codeSent}
          email={sentTo}
          onConfirm={(code) => confirm(sentTo, code)}
          onAgain={() => send(sentTo)}
          onOther={() => setSentTo(undefined)}
        />
      )}
    </Dialog>
  )
}

interface NumberFormProps {
  isChange: boolean
  onSend(number: string): Promise<void>
  onClose(): void
}

function NumberForm({ isChange, onSend, onClose }: NumberFormProps): ReactNode {
  const words = useWords(phoneWords)
  const { cancel } = useWords(pieceWords)
  const [number, setNumber] = useState('')
  const send = useAction(() => onSend(number))
  const refusal = refusalOf(send.error, 'phone', ['PHONE_INVALID'])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    send.run()
  }
  return (
    <Form className={styles['form']} onSubmit={submit}>
      <TextField
        label={words.number}
        hint={words.numberHint}
        type="tel"
        autoComplete="tel"
        isLtr
        autoFocus
        required
        maxLength={40}
        value={number}
        onChange={setNumber}
        error={refusal}
      />
      {isChange && <Notice>{words.told}</Notice>}
      {refusal === undefined && <Failure error={send.error} />}
      <DialogActions>
        <Button onClick={onClose}>{cancel}</Button>
        <Button kind="primary" type="submit" isBusy={send.isBusy}>
          {words.sendCode}
        </Button>
      </DialogActions>
    </Form>
  )
}

function RemovalDialog({ onClose }: { onClose(): void }): ReactNode {
  const words = useWords(phoneWords)
  const { cancel } = useWords(pieceWords)
  const remove = useAction(async () => {
    await call('DELETE /v1/me/phone')
    readAgain()
    showToast(words.removed)
    onClose()
  })
  return (
    <Dialog title={words.removeTitle} isOpen onClose={onClose}>
      <p>{words.removeWhy}</p>
      <Failure error={remove.error} />
      <DialogActions>
        <Button onClick={onClose}>{cancel}</Button>
        <Button kind="danger" isBusy={remove.isBusy} onClick={() => remove.run()}>
          {words.remove}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
