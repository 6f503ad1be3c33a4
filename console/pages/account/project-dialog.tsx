import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { type Body, call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { useIntent } from '../../api/use-intent.ts'
import { Button } from '../../pieces/button.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { TextField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { NumberField } from '../../pieces/number-field.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { useUndo } from '../../pieces/use-undo.ts'
import { isolatedName } from '../../words/clean-name.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './account.module.css'
import { accountWords } from './account.words.ts'
import {
  changedLimits,
  type LimitPart,
  type Limits,
  limitParts,
  noLimits,
  readLimit,
  textsOf,
  unreadable,
} from './limits.ts'
import { noteProjects, type Project } from './queries.ts'

const nothing: Limits = {
  month_cap_credits: null,
  cap_credits: null,
  rate_per_minute: null,
  concurrency: null,
  keep_days: null,
}

/** Makes a project, or changes the name, caps and limits of one; what was before can be brought back. */
export function ProjectDialog({ of, onClose }: { of: Project | undefined; onClose(): void }): ReactNode {
  const words = useWords(accountWords)
  const locale = useLocale()
  const form = useProject(of, onClose)
  const { before, name, texts, action } = form
  const sentence = useSentence(action.error)
  const isTaken = form.nameError !== undefined || limitParts.some((part) => form.errorOf(part) !== undefined)
  const field = (part: LimitPart): ReactNode => (
    <NumberField
      key={part}
      label={words.labels[part]}
      hint={words.hints[part]}
      unit={words.units[part]}
      error={form.errorOf(part)}
      value={texts[part]}
      onChange={(typed) => form.setText(part, typed)}
    />
  )
  const spent = before && passedSpending(texts, before)
  return (
    <Dialog
      title={before ? words.changeOf(isolatedName(before.name)) : words.newProject}
      isOpen
      onClose={onClose}
    >
      <Form className={styles['form']} onSubmit={form.submit}>
        <TextField
          label={words.name}
          hint={words.projectHint}
          error={form.nameError}
          dir="auto"
          autoComplete="off"
          maxLength={120}
          data-autofocus
          value={name}
          onChange={form.setName}
        />
        <div className={styles['pair']}>{[field('month_cap_credits'), field('cap_credits')]}</div>
        {spent !== undefined && (
          <Notice kind="attention">{words.capBelowProject(formatNumber(locale, spent))}</Notice>
        )}
        <div className={styles['pair']}>{[field('rate_per_minute'), field('concurrency')]}</div>
        {field('keep_days')}
        {action.error !== undefined && !isTaken && <Notice kind="failure">{sentence}</Notice>}
        <DialogActions {...(before && { note: words.capNow })}>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button kind="primary" type="submit" isBusy={action.isBusy}>
            {before ? words.save : words.make}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}

/** What is spent already of a cap that is typed and not above it; undefined where there is no such cap. */
function passedSpending(texts: Record<LimitPart, string>, project: Project): number | undefined {
  const changed = changedLimits(texts, project)
  const isBelow = (cap: number | null | undefined, spent: number): boolean =>
    typeof cap === 'number' && cap <= spent
  if (isBelow(changed.month_cap_credits, project.month_spent_credits)) return project.month_spent_credits
  return isBelow(changed.cap_credits, project.spent_credits) ? project.spent_credits : undefined
}

function useProject(of: Project | undefined, onClose: () => void) {
  const words = useWords(accountWords)
  const locale = useLocale()
  const { projectId } = useAccount()
  const queries = useQueryClient()
  const showSaved = useUndo()
  const intentOf = useIntent()
  // The form keeps the project as it was when it opened, whatever is read again meanwhile.
  const [before] = useState(of)
  const [name, setName] = useState(before?.name ?? '')
  const [texts, setTexts] = useState(
    before ? textsOf(before, (value) => formatNumber(locale, value)) : noLimits,
  )
  const [isTried, setTried] = useState(false)
  const limits = changedLimits(texts, before ?? nothing)
  const change = async (id: string, body: Body<'PATCH /v1/projects/{id}'>): Promise<void> => {
    await call('PATCH /v1/projects/{id}', { params: { id }, body })
    await noteProjects(queries, projectId)
  }
  const action = useAction(async () => {
    const given = { ...limits, ...(name.trim() !== before?.name && { name: name.trim() }) }
    if (!before) {
      const body = { ...limits, name: name.trim() }
      const made = await call('POST /v1/projects', { body, idempotencyKey: intentOf(body) })
      await noteProjects(queries, projectId)
      showToast(words.made(isolatedName(made.name)))
    } else if (Object.keys(given).length > 0) {
      await change(before.id, given)
      const former = Object.keys(given).map((part) => [part, before[part as keyof typeof given]])
      showSaved(isolatedName(before.name), () => change(before.id, Object.fromEntries(former)))
    }
    onClose()
  })
  const faults = unreadable(texts)
  return {
    before,
    name,
    setName,
    texts,
    setText: (part: LimitPart, typed: string) => setTexts({ ...texts, [part]: typed }),
    action,
    nameError:
      isTried && name.trim() === '' ? words.needName : refusalOf(action.error, 'name', ['TOO_MANY_PROJECTS']),
    errorOf: (part: LimitPart): string | undefined =>
      isTried && readLimit(texts[part]) === undefined ? words.notNumber : refusalOf(action.error, part),
    submit: (event: FormEvent): void => {
      event.preventDefault()
      setTried(true)
      if (name.trim() !== '' && faults.length === 0) action.run()
    },
  }
}
