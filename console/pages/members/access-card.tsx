import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { project } from '../../api/project.ts'
import type { Account } from '../../api/use-account.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { Form } from '../../pieces/form.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { shellWords } from '../../shell/shell.words.ts'
import { cleanName } from '../../words/clean-name.ts'
import { useWords } from '../../words/use-words.ts'
import { EndingKeys } from '../management-keys/ending-keys.tsx'
import { type Grant, GrantFields, isWhole, projectsToSend } from './grant-fields.tsx'
import styles from './members.module.css'
import { membersWords } from './members.words.ts'
import { oneMemberWords } from './one-member.words.ts'
import { type Member, noteMember } from './queries.ts'
import { mayChangeMembers, projectsOf, reaches } from './reach.ts'

interface AccessCardProps {
  of: Member
  own: Account
}

/** The role and the projects: fields for whoever may change them, words with the reason for everybody else. */
export function AccessCard({ of, own }: AccessCardProps): ReactNode {
  const words = useWords(oneMemberWords)
  const mayChange = reaches(own, of) && of.provider_id === null
  return (
    <Card title={words.access}>
      {mayChange ? <AccessForm {...{ of, own }} /> : <Access {...{ of, own }} />}
    </Card>
  )
}

function Access({ of, own }: AccessCardProps): ReactNode {
  const { allProjects, roleTells } = useWords(membersWords)
  const { roles } = useWords(shellWords)
  const names = projectsOf(of, own.projects).map(({ name }) => `\u2068${cleanName(name)}\u2069`)
  return (
    <>
      <div>
        <strong>{roles[of.role]}</strong>
        <Note>{roleTells[of.role]}</Note>
      </div>
      <div>{of.project_ids === null ? allProjects : names.join(' · ')}</div>
      <WhyNot of={of} own={own} />
    </>
  )
}

/** Why somebody who may change members may not change this one. */
function WhyNot({ of, own }: AccessCardProps): ReactNode {
  const words = useWords(oneMemberWords)
  if (!mayChangeMembers(own)) return null
  if (of.provider_id !== null) return <Note>{words.byProvider}</Note>
  return <Note>{of.role === 'owner' ? words.onlyOwners : words.beyond}</Note>
}

function AccessForm({ of, own }: AccessCardProps): ReactNode {
  const words = useWords(oneMemberWords)
  const queries = useQueryClient()
  const before: Grant = { role: of.role, projectIds: of.project_ids }
  const [grant, setGrant] = useState(before)
  const save = useAction(async () => {
    const changed = await call('PATCH /v1/members/{person_id}', {
      params: { person_id: of.person_id },
      body: { role: grant.role, project_ids: projectsToSend(grant) },
    })
    noteMember(queries, project(), changed)
    showToast(words.saved)
  })
  const refusals = {
    role: refusalOf(save.error, 'role', ['LAST_OWNER', 'ROLE_TOO_HIGH']),
    projects: refusalOf(save.error, 'project_ids'),
  }
  const sentence = useSentence(save.error)
  const isOfField = refusals.role !== undefined || refusals.projects !== undefined
  const isChanged = textOf(grant) !== textOf(before)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isWhole(grant)) save.run()
  }
  return (
    <Form className={styles['form']} onSubmit={submit}>
      {save.error !== undefined && !isOfField && <Notice kind="failure">{sentence}</Notice>}
      <div className={styles['narrow']}>
        <div className={styles['form']}>
          <GrantFields own={own} value={grant} onChange={setGrant} refusals={refusals} />
        </div>
      </div>
      {losesManagement(before, grant) && <EndingKeys account={own} personId={of.person_id} why="role" />}
      <div className={styles['line']}>
        <div className={styles['about']}>
          <Note>{words.accessNote}</Note>
        </div>
        <Button type="submit" isBusy={save.isBusy} disabled={!isChanged || !isWhole(grant)}>
          {words.save}
        </Button>
      </div>
    </Form>
  )
}

/** Whether the member is owner or admin of the whole account before and not after, which ends the management keys that they made. */
const losesManagement = (before: Grant, after: Grant): boolean => mayManage(before) && !mayManage(after)

const mayManage = (grant: Grant): boolean =>
  (grant.role === 'owner' || grant.role === 'admin') && projectsToSend(grant) === null

const textOf = (grant: Grant): string =>
  `${grant.role} ${projectsToSend(grant)?.toSorted().join(' ') ?? 'all'}`
