import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { type Body, call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { Form } from '../../pieces/form.tsx'
import { pieceWords } from '../../pieces/pieces.words.ts'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { useUndo } from '../../pieces/use-undo.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { oneKeyWords } from './one-key.words.ts'
import { PartField } from './part-field.tsx'
import { partWords } from './parts.words.ts'
import { noteKey } from './queries.ts'
import { budgetParts, draftOf, isRaised, type Key, type Part, partValue } from './settings.ts'
import { useDraft } from './use-draft.ts'

interface ChangeDialogProps {
  of: Key
  part: Part
  onClose(): void
}

/** Changes one part of a key at once, because programs run on it; what it was before comes back by the message that says so. */
export function ChangeDialog({ of, part, onClose }: ChangeDialogProps): ReactNode {
  const words = useWords(oneKeyWords)
  const { labels, onlyLower } = useWords(partWords)
  const { saved } = useWords(pieceWords)
  const showSaved = useUndo()
  const locale = useLocale()
  const { projectId, may } = useAccount()
  const queries = useQueryClient()
  // The dialog keeps the key as it was when it opened: a list that is read again meanwhile changes nothing of what one types.
  const [before] = useState(of)
  const form = useDraft(
    draftOf(before, locale, (value) => formatNumber(locale, value)),
    [part],
  )
  const [isTooHigh, setTooHigh] = useState(false)
  const isBound = budgetParts.includes(part) && !may('account:write')
  const patch = async (value: unknown): Promise<void> => {
    const body = { [part]: value } as unknown as Body<'PATCH /v1/keys/{id}'>
    noteKey(queries, projectId, await call('PATCH /v1/keys/{id}', { params: { id: of.id }, body }))
  }
  const action = useAction(async () => {
    await patch(partValue(form.draft, part, new Date()))
    // An end that has passed cannot be set again, and whoever may only lower a limit cannot bring the former one back.
    const canUndo = !isBound && !(part === 'expires_at' && before.state === 'expired')
    if (canUndo) showSaved(labels[part], () => patch(before[part]))
    else showToast(saved(labels[part]))
    onClose()
  })
  const sentence = useSentence(action.error)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!form.check()) return
    const isHigher =
      isBound && isRaised(before[part] as number | null, partValue(form.draft, part, new Date()))
    setTooHigh(isHigher)
    if (!isHigher) action.run()
  }
  const error = isTooHigh ? onlyLower : form.errorOf(part, action.error)
  return (
    <Dialog title={words.changeOf(labels[part])} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        <PartField
          part={part}
          draft={form.draft}
          error={error}
          onChange={(change) => {
            setTooHigh(false)
            form.onChange(change)
          }}
        />
        {action.error !== undefined && error === undefined && <Notice kind="failure">{sentence}</Notice>}
        <DialogActions note={words.isHere}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={action.isBusy}>
            {words.save}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
