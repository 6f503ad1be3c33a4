import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Button, LinkButton } from '../../pieces/button.tsx'
import { Chips } from '../../pieces/chips.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { TextField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { useUndo } from '../../pieces/use-undo.ts'
import { formatPercent } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './account.module.css'
import { accountWords } from './account.words.ts'
import { joinThresholds, maxThresholds, readThresholds } from './limits.ts'
import { type Account, noteAccount } from './queries.ts'

/** The thresholds of the account as chips, with a field that takes several at once. */
export function ThresholdsDialog({ of, onClose }: { of: Account; onClose(): void }): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  const { projectId } = useAccount()
  const queries = useQueryClient()
  const showSaved = useUndo()
  const [before] = useState(of.has_own_thresholds ? of.thresholds_percent : null)
  const [percents, setPercents] = useState<readonly number[]>(of.thresholds_percent)
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<string>()
  const set = async (to: readonly number[] | null): Promise<void> =>
    noteAccount(
      queries,
      projectId,
      await call('PATCH /v1/account/caps', { body: { thresholds_percent: to && [...to] } }),
    )
  const action = useAction(async (to: readonly number[] | null) => {
    await set(to)
    showSaved(words.thresholds, () => set(before))
    onClose()
  })
  const sentence = useSentence(action.error)
  /** The chips with what is typed; undefined where it cannot be taken, and the field says why. */
  const joined = (): readonly number[] | undefined => {
    const read = readThresholds(typed)
    const all = read && joinThresholds(percents, read)
    const why =
      read === undefined
        ? words.badThreshold
        : all && all.length > maxThresholds
          ? words.tooManyThresholds
          : undefined
    setFault(why)
    return why === undefined ? all : undefined
  }
  const add = (): void => {
    const all = joined()
    if (!all) return
    setPercents(all)
    setTyped('')
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const all = joined()
    if (all?.length === 0) setFault(words.needThreshold)
    else if (all) action.run(all)
  }
  const error = fault ?? refusalOf(action.error, 'thresholds_percent')
  return (
    <Dialog title={words.changeOf(words.thresholds)} isOpen onClose={onClose}>
      <Form className={styles['form']} onSubmit={submit}>
        <Chips
          label={words.thresholds}
          items={percents.map((percent) => ({ value: percent, label: formatPercent(locale, percent / 100) }))}
          onRemove={(percent) => setPercents(percents.filter((one) => one !== percent))}
        />
        <TextField
          label={words.addThreshold}
          {...(before !== null && {
            aside: <LinkButton onClick={() => action.run(null)}>{words.toServer}</LinkButton>,
          })}
          hint={words.thresholdHint}
          error={error}
          isLtr
          autoComplete="off"
          data-autofocus
          value={typed}
          onChange={(text) => {
            setFault(undefined)
            setTyped(text)
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || typed.trim() === '') return
            event.preventDefault()
            add()
          }}
          end={
            <Button kind="quiet" onClick={add} disabled={typed.trim() === ''}>
              {words.add}
            </Button>
          }
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
