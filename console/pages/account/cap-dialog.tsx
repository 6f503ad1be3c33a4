import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { Form } from '../../pieces/form.tsx'
import { NumberField } from '../../pieces/number-field.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { useUndo } from '../../pieces/use-undo.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { accountWords } from './account.words.ts'
import { readLimit } from './limits.ts'
import { type Account, noteAccount } from './queries.ts'

export type CapPart = 'month_cap_credits' | 'cap_credits'

/** Sets a cap of all spending of the account. A cap below what is spent stops calls at once, which stands there before. */
export function CapDialog({ of, part, onClose }: { of: Account; part: CapPart; onClose(): void }): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  const { projectId } = useAccount()
  const queries = useQueryClient()
  const showSaved = useUndo()
  const [before] = useState(of[part])
  const [typed, setTyped] = useState(before === null ? '' : formatNumber(locale, before))
  const [isTried, setTried] = useState(false)
  const value = readLimit(typed)
  const spent = part === 'month_cap_credits' ? of.month_spent_credits : of.spent_credits
  const set = async (cap: number | null): Promise<void> =>
    noteAccount(queries, projectId, await call('PATCH /v1/account/caps', { body: { [part]: cap } }))
  const action = useAction(async () => {
    await set(value ?? null)
    showSaved(words.capLabels[part], () => set(before))
    onClose()
  })
  const sentence = useSentence(action.error)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    if (value !== undefined) action.run()
  }
  const error = isTried && value === undefined ? words.notNumber : refusalOf(action.error, part)
  return (
    <Dialog title={words.changeOf(words.capLabels[part])} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        <NumberField
          label={words.capLabels[part]}
          hint={words.capHints[part]}
          unit={words.unit}
          error={error}
          data-autofocus
          value={typed}
          onChange={setTyped}
        />
        {typeof value === 'number' && spent !== null && value <= spent && (
          <Notice kind="attention">{words.capBelow(formatNumber(locale, spent))}</Notice>
        )}
        {action.error !== undefined && error === undefined && <Notice kind="failure">{sentence}</Notice>}
        <DialogActions note={words.capNow}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={action.isBusy}>
            {words.save}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
