/** The fields of a role and of the projects in which it counts. */
import type { ReactNode } from 'react'
import type { Account } from '../../api/use-account.ts'
import { Note } from '../../pieces/card.tsx'
import { CheckList } from '../../pieces/check-list.tsx'
import { Choices } from '../../pieces/choices.tsx'
import { Select } from '../../pieces/select.tsx'
import { shellWords } from '../../shell/shell.words.ts'
import { cleanName } from '../../words/clean-name.ts'
import { useWords } from '../../words/use-words.ts'
import styles from './members.module.css'
import { membersWords } from './members.words.ts'
import type { Role } from './queries.ts'
import { rolesToGive } from './reach.ts'

export interface Grant {
  role: Role
  /** Null: all projects. */
  projectIds: readonly string[] | null
}

interface GrantFieldsProps {
  own: Account
  value: Grant
  onChange(value: Grant): void
  refusals?: { role?: string | undefined; projects?: string | undefined }
}

/** Whether this can be sent: with named projects there must be one. */
export const isWhole = ({ role, projectIds }: Grant): boolean =>
  role === 'owner' || projectIds === null || projectIds.length > 0

/** As the API takes it: an owner is never limited. */
export const projectsToSend = ({ role, projectIds }: Grant): string[] | null =>
  role === 'owner' || projectIds === null ? null : [...projectIds]

export function GrantFields({ own, value, onChange, refusals = {} }: GrantFieldsProps): ReactNode {
  const words = useWords(membersWords)
  const { roles } = useWords(shellWords)
  return (
    <>
      <Select<Role>
        label={words.role}
        hint={words.roleTells[value.role]}
        error={refusals.role}
        choices={rolesToGive(own).map((role) => ({ value: role, label: roles[role] }))}
        value={value.role}
        onChange={(role) => onChange({ ...value, role })}
      />
      {value.role === 'owner' ? (
        <Note>{words.ownerAll}</Note>
      ) : (
        <ProjectsField {...{ own, value, onChange, refusals }} />
      )}
    </>
  )
}

function ProjectsField({ own, value, onChange, refusals = {} }: GrantFieldsProps): ReactNode {
  const words = useWords(membersWords)
  const { projectIds } = value
  return (
    <div className={styles['part']}>
      {/* Who is limited to projects gives no more than these. */}
      {!own.is_limited && (
        <Choices
          label={words.reach}
          hasLabel
          choices={[
            { value: 'all', label: words.reachAll },
            { value: 'some', label: words.reachSome },
          ]}
          value={projectIds === null ? 'all' : 'some'}
          onChoose={(reach) => onChange({ ...value, projectIds: reach === 'all' ? null : [] })}
        />
      )}
      {projectIds !== null && (
        <CheckList
          label={words.which}
          {...(projectIds.length === 0 && { hint: words.chooseProject })}
          error={refusals.projects}
          groups={[{ items: own.projects.map(({ id, name }) => ({ value: id, label: cleanName(name) })) }]}
          chosen={projectIds}
          onChange={(chosen) => onChange({ ...value, projectIds: chosen })}
          isSearchable={own.projects.length > 8}
        />
      )}
    </div>
  )
}
