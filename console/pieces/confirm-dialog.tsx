import { type FormEvent, type ReactNode, useState } from 'react'
import type { Action } from '../api/use-action.ts'
import { Name } from '../words/personal.tsx'
import { sameName } from '../words/same-name.ts'
import { useWords } from '../words/use-words.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Form } from './form.tsx'
import { pieceWords } from './pieces.words.ts'
import { Notice, useSentence } from './states.tsx'

interface ConfirmDialogProps {
  title: string
  /** What is lost for good, in a sentence. */
  children: ReactNode
  /** What else is lost or chosen, below the sentence. */
  more?: ReactNode
  /** The name that must be typed. */
  name: string
  /** Whose name it is: by this it is asked for. */
  of?: keyof typeof pieceWords.fa.typeName
  /** The word on the button, such as «باطل کردن». */
  verb: string
  action: Action<[]>
  onClose(): void
}

/** Asks for the name of what cannot be brought back. Persian and Arabic letters of the same shape are one. */
export function ConfirmDialog({
  title,
  children,
  more,
  name,
  of = 'thing',
  verb,
  action,
  onClose,
}: ConfirmDialogProps): ReactNode {
  const words = useWords(pieceWords)
  const [typed, setTyped] = useState('')
  const sentence = useSentence(action.error)
  const isSame = sameName(typed, name)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isSame) action.run()
  }
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        <p>{children}</p>
        {more}
        {action.error !== undefined && <Notice kind="failure">{sentence}</Notice>}
        <TextField
          label={words.typeName[of]}
          hint={<Name>{name}</Name>}
          autoFocus
          autoComplete="off"
          dir="auto"
          value={typed}
          onChange={setTyped}
        />
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="danger" type="submit" disabled={!isSame} isBusy={action.isBusy}>
            {verb}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
