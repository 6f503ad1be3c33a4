import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { Form } from '../../pieces/form.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { TimeZoneField } from '../../pieces/time-zone-field.tsx'
import { useUndo } from '../../pieces/use-undo.ts'
import { useWords } from '../../words/use-words.ts'
import { accountWords } from './account.words.ts'
import { type Account, noteAccount } from './queries.ts'

/** The zone in which days of usage begin and end. */
export function ZoneDialog({ of, onClose }: { of: Account; onClose(): void }): ReactNode {
  const words = useWords(accountWords)
  const { projectId } = useAccount()
  const queries = useQueryClient()
  const showSaved = useUndo()
  const [before] = useState(of.time_zone)
  const [zone, setZone] = useState(before)
  const set = async (to: string): Promise<void> =>
    noteAccount(queries, projectId, await call('PATCH /v1/account', { body: { time_zone: to } }))
  const action = useAction(async () => {
    await set(zone)
    showSaved(words.timeZone, () => set(before))
    onClose()
  })
  const sentence = useSentence(action.error)
  const error = refusalOf(action.error, 'time_zone')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    action.run()
  }
  return (
    <Dialog title={words.changeOf(words.timeZone)} isOpen onClose={onClose}>
      <Form onSubmit={submit}>
        <TimeZoneField
          label={words.timeZone}
          hint={words.timeZoneNote}
          value={zone}
          onChange={setZone}
          error={error}
        />
        {action.error !== undefined && error === undefined && <Notice kind="failure">{sentence}</Notice>}
        <DialogActions>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={action.isBusy}>
            {words.save}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
