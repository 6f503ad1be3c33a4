import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { project } from '../../api/project.ts'
import type { Account } from '../../api/use-account.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Button, LinkButton } from '../../pieces/button.tsx'
import { Bar, Card, Note } from '../../pieces/card.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { Form } from '../../pieces/form.tsx'
import { NumberField } from '../../pieces/number-field.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { type Column, Table } from '../../pieces/table.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { UsageLink } from '../../spending/usage-link.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { formatNumber } from '../../words/digits.ts'
import { Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './members.module.css'
import { oneMemberWords } from './one-member.words.ts'
import { type Member, noteMember } from './queries.ts'
import { capOf, projectsOf, reaches } from './reach.ts'

interface Line {
  id: string
  name: string
  spent: number
  cap: number | null
}

const linesOf = (of: Member, projects: Account['projects']): Line[] =>
  projectsOf(of, projects).map(({ id, name }) => {
    const found = of.spending.find(({ project_id: projectId }) => projectId === id)
    return { id, name, spent: found?.month_spent_credits ?? 0, cap: found?.month_cap_credits ?? null }
  })

/** What the member has spent in each project this month, and the cap there. */
export function CapsCard({ of, own }: { of: Member; own: Account }): ReactNode {
  const words = useWords(oneMemberWords)
  const locale = useLocale()
  const [changed, setChanged] = useState<Line>()
  const credits = (amount: number): string => words.credits(formatNumber(locale, amount))
  const columns: Column<Line>[] = [
    { name: 'project', title: words.project, cell: ({ name }) => <Name>{name}</Name> },
    {
      name: 'spent',
      title: words.spent,
      cell: ({ id, spent, cap }) => (
        <>
          <UsageLink since="month" project={id} personId={of.person_id}>
            {credits(spent)}
          </UsageLink>
          {cap !== null && (
            <div className={styles['bar']}>
              <Bar part={cap === 0 ? 1 : spent / cap} label={words.spent} />
            </div>
          )}
        </>
      ),
    },
    { name: 'cap', title: words.cap, cell: ({ cap }) => (cap === null ? words.noCap : credits(cap)) },
  ]
  const change: Column<Line> = {
    name: 'change',
    title: words.change,
    cell: (line) => (
      <LinkButton aria-label={words.changeOf(cleanName(line.name))} onClick={() => setChanged(line)}>
        {words.change}
      </LinkButton>
    ),
  }
  return (
    <Card title={words.spending}>
      <Note>{words.spendingNote}</Note>
      <Table<Line>
        label={words.spending}
        rows={linesOf(of, own.projects)}
        keyOf={({ id }) => id}
        hasCards
        columns={reaches(own, of) ? [...columns, change] : columns}
      />
      {changed && <CapDialog of={of} line={changed} onClose={() => setChanged(undefined)} />}
    </Card>
  )
}

function CapDialog({ of, line, onClose }: { of: Member; line: Line; onClose(): void }): ReactNode {
  const words = useWords(oneMemberWords)
  const locale = useLocale()
  const queries = useQueryClient()
  const [typed, setTyped] = useState(line.cap === null ? '' : formatNumber(locale, line.cap))
  const [cap, setCap] = useState<number | null | undefined>(line.cap)
  const save = useAction(async () => {
    const changed = await call('PATCH /v1/members/{person_id}', {
      params: { person_id: of.person_id },
      body: { month_caps: [{ project_id: line.id, month_cap_credits: cap ?? null }] },
    })
    noteMember(queries, project(), changed)
    showToast(words.capSaved)
    onClose()
  })
  const refusal = refusalOf(save.error, 'month_caps')
  const sentence = useSentence(save.error)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (cap !== undefined) save.run()
  }
  return (
    <Dialog title={words.capTitle(`\u2068${cleanName(line.name)}\u2069`)} isOpen onClose={onClose}>
      <Form className={styles['form']} onSubmit={submit}>
        {save.error !== undefined && refusal === undefined && <Notice kind="failure">{sentence}</Notice>}
        <NumberField
          label={words.cap}
          hint={words.capHint}
          unit={words.unit}
          error={refusal ?? (cap === undefined ? words.capInvalid : undefined)}
          data-autofocus
          value={typed}
          onChange={(text, decimal) => {
            setTyped(text)
            setCap(capOf(text, decimal))
          }}
        />
        <DialogActions>
          <Button kind="primary" type="submit" isBusy={save.isBusy} disabled={cap === undefined}>
            {words.save}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
