/** Credit and caps: what the account may spend, its caps and thresholds, and its projects. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { accountQuery } from '../../api/account.ts'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { Button, LinkButton } from '../../pieces/button.tsx'
import { Fact, Note } from '../../pieces/card.tsx'
import { NameDialog } from '../../pieces/name-dialog.tsx'
import { EmptyState, ErrorState, Notice, Skeleton } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { Ltr } from '../../words/personal.tsx'
import { useWords } from '../../words/use-words.ts'
import { accountWords } from './account.words.ts'
import { CapDialog, type CapPart } from './cap-dialog.tsx'
import { Caps } from './caps.tsx'
import { ClosingCard } from './closing-card.tsx'
import { Figures } from './figures.tsx'
import { ProjectDialog } from './project-dialog.tsx'
import { Projects } from './projects.tsx'
import { type Account, noteAccount, type Project, projectsQuery } from './queries.ts'
import { ThresholdsDialog } from './thresholds-dialog.tsx'
import { ZoneDialog } from './zone-dialog.tsx'

export default function AccountPage(): ReactNode {
  const words = useWords(accountWords)
  const { projectId } = useAccount()
  const account = useQuery(accountQuery(projectId))
  const projects = useQuery(projectsQuery(projectId))
  const again = (): void => {
    void account.refetch()
    void projects.refetch()
  }
  if (projectId === undefined)
    return (
      <EmptyState isPage title={words.noProject}>
        {words.noProjectWhy}
      </EmptyState>
    )
  const error = account.error ?? projects.error
  if (error && !(account.data && projects.data)) return <ErrorState error={error} onAgain={again} />
  if (!account.data || !projects.data) return <Skeleton lines={8} onAgain={again} />
  return <Shown of={account.data} projects={projects.data.data} />
}

/** What the address says is being changed: a part of the account, or a project by its id. */
interface Search {
  change?: unknown
  project?: unknown
}

function Shown({ of, projects }: { of: Account; projects: readonly Project[] }): ReactNode {
  const words = useWords(accountWords)
  const navigate = useNavigate()
  const search: Search = useSearch({ strict: false })
  const { account, may } = useAccount()
  const isLimited = account?.is_limited === true
  const mayCap = may('account:write') && !isLimited
  const mayRename = mayCap && account?.role !== 'billing'
  const mayMake = may('projects:write') && !isLimited
  const open = (to: { change?: string; project?: string }): void =>
    void navigate({ to: '/account', search: to, replace: Object.keys(to).length === 0 })
  const close = (): void => open({})
  return (
    <>
      <PageHead
        title={words.title}
        lead={words.lead(`\u2068${cleanName(of.name)}\u2069`, `\u2068${cleanName(of.plan)}\u2069`)}
        actions={
          <>
            {mayRename && <Button onClick={() => open({ change: 'name' })}>{words.rename}</Button>}
            {mayMake && (
              <Button kind="primary" onClick={() => open({ project: 'new' })}>
                {words.newProject}
              </Button>
            )}
          </>
        }
      />
      <Notices of={of} />
      {isLimited && may('account:write') && <Note>{words.limited}</Note>}
      {account?.state !== 'closing' && !may('account:write') && !may('projects:write') && (
        <Note>{words.readOnly}</Note>
      )}
      <Figures of={of} />
      <Caps of={of} onChange={mayCap ? (change) => open({ change }) : undefined} />
      <Zone of={of} onChange={mayRename ? () => open({ change: 'time_zone' }) : undefined} />
      <Projects
        projects={projects}
        onEdit={may('projects:write') ? (project) => open({ project: project.id }) : undefined}
      />
      {account?.role === 'owner' && <ClosingCard of={of} projects={projects.length} />}
      <Dialogs
        search={search}
        of={of}
        projects={projects}
        may={{ cap: mayCap, rename: mayRename, make: mayMake, edit: may('projects:write') }}
        onClose={close}
      />
    </>
  )
}

/** Where days of usage begin and end. */
function Zone({ of, onChange }: { of: Account; onChange: (() => void) | undefined }): ReactNode {
  const words = useWords(accountWords)
  return (
    <Fact
      label={words.timeZone}
      below={words.timeZoneNote}
      action={
        onChange && (
          <LinkButton aria-label={words.changeOf(words.timeZone)} onClick={onChange}>
            {words.change}
          </LinkButton>
        )
      }
    >
      <Ltr>{of.time_zone.replaceAll('_', ' ')}</Ltr>
    </Fact>
  )
}

/** What stops paid requests now. */
function Notices({ of }: { of: Account }): ReactNode {
  const words = useWords(accountWords)
  if (of.state === 'suspended') return <Notice kind="failure">{words.suspended}</Notice>
  if (BigInt(of.balance_microcredits) <= 0n) return <Notice kind="failure">{words.noCredit}</Notice>
  return null
}

interface DialogsProps {
  search: Search
  of: Account
  projects: readonly Project[]
  may: { cap: boolean; rename: boolean; make: boolean; edit: boolean }
  onClose(): void
}

const isCap = (change: unknown): change is CapPart =>
  change === 'month_cap_credits' || change === 'cap_credits'

/** The dialog that the address names, if the role may use it. */
function Dialogs({ search: { change, project }, of, projects, may, onClose }: DialogsProps): ReactNode {
  const edited = may.edit ? projects.find(({ id }) => id === project) : undefined
  return (
    <>
      {may.rename && change === 'name' && <RenameDialog of={of} onClose={onClose} />}
      {may.rename && change === 'time_zone' && <ZoneDialog of={of} onClose={onClose} />}
      {may.cap && isCap(change) && <CapDialog key={change} of={of} part={change} onClose={onClose} />}
      {may.cap && change === 'thresholds' && <ThresholdsDialog of={of} onClose={onClose} />}
      {may.make && project === 'new' && <ProjectDialog of={undefined} onClose={onClose} />}
      {edited && <ProjectDialog key={edited.id} of={edited} onClose={onClose} />}
    </>
  )
}

function RenameDialog({ of, onClose }: { of: Account; onClose(): void }): ReactNode {
  const words = useWords(accountWords)
  const queries = useQueryClient()
  const { projectId } = useAccount()
  const rename = async (name: string): Promise<void> =>
    noteAccount(queries, projectId, await call('PATCH /v1/account', { body: { name } }))
  return (
    <NameDialog
      title={words.changeOf(words.accountName)}
      label={words.accountName}
      name={of.name}
      rename={rename}
      onClose={onClose}
    />
  )
}
