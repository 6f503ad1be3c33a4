/** Members: who works in the account, who is invited, and what people who left have left behind. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { Button, buttonClass } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { TextField } from '../../pieces/field.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { useTyped } from '../../shell/use-typed.ts'
import { cleanName } from '../../words/clean-name.ts'
import { useWords } from '../../words/use-words.ts'
import { Invitations } from './invitations.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { LeftKeys } from './left-keys.tsx'
import { MemberTable } from './member-table.tsx'
import styles from './members.module.css'
import { membersWords } from './members.words.ts'
import { invitationsQuery, membersQuery } from './queries.ts'

interface Search {
  q?: unknown
  after?: unknown
  gone?: unknown
  open?: unknown
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

export default function Members(): ReactNode {
  const words = useWords(membersWords)
  const navigate = useNavigate()
  const given: Search = useSearch({ strict: false })
  const { account, projectId, may } = useAccount()
  const mayInvite = may('members:write')
  const gone = textOf(given.gone)
  const openInvite = useOpenInvite()
  return (
    <>
      <PageHead
        title={words.title}
        lead={words.lead(`\u2068${cleanName(account?.name ?? '')}\u2069`)}
        actions={
          mayInvite && (
            <Button kind="primary" onClick={openInvite}>
              {words.invite}
            </Button>
          )
        }
      />
      <div className={styles['list']}>
        {gone !== undefined && <LeftKeys personId={gone} />}
        <List
          key={projectId}
          q={(textOf(given.q) ?? '').trim()}
          after={textOf(given.after)}
          mayInvite={mayInvite}
        />
        <Invitations mayChange={mayInvite} />
      </div>
      {mayInvite && account && given.open === 'invite' && (
        <InviteDialog own={account} onClose={() => void navigate({ to: '/members' })} />
      )}
    </>
  )
}

interface ListProps {
  q: string
  after: string | undefined
  mayInvite: boolean
}

function List({ q, after, mayInvite }: ListProps): ReactNode {
  const words = useWords(membersWords)
  const { projectId } = useAccount()
  const list = useQuery(membersQuery(projectId, q, after))
  if (list.error && !list.data) return <ErrorState error={list.error} onAgain={() => void list.refetch()} />
  if (!list.data) return <Skeleton lines={6} onAgain={() => void list.refetch()} />
  const { data: members, has_more: hasMore } = list.data
  const isAlone = members.length === 1 && members[0]!.is_you && q === '' && after === undefined
  const hasSearch = q !== '' || after !== undefined || hasMore || members.length > 8
  return (
    <>
      {hasSearch && <SearchMembers mayFindAddresses={mayInvite} />}
      {members.length === 0 ? (
        <EmptyState title={words.noneFound} action={<FromStart label={words.clear} />}>
          {words.noneFoundWhy}
        </EmptyState>
      ) : (
        <Card>
          <MemberTable members={members} />
        </Card>
      )}
      {isAlone && mayInvite && <Alone />}
      {(hasMore || after !== undefined) && (
        <nav className={styles['pages']} aria-label={words.list}>
          {after !== undefined && <FromStart label={words.first} q={q} />}
          {hasMore && (
            <Link
              to="/members"
              search={{ ...(q !== '' && { q }), after: members.at(-1)!.person_id }}
              className={buttonClass('plain')}
            >
              {words.next}
            </Link>
          )}
        </nav>
      )}
    </>
  )
}

const FromStart = ({ label, q = '' }: { label: string; q?: string }): ReactNode => (
  <Link to="/members" search={q === '' ? {} : { q }} className={buttonClass('plain')}>
    {label}
  </Link>
)

/** Opens the dialog by the address, so that Back closes it. */
function useOpenInvite(): () => void {
  const navigate = useNavigate()
  return () => void navigate({ to: '/members', search: { open: 'invite' } })
}

/** Offers the first invitation, unless one waits for its answer already. */
function Alone(): ReactNode {
  const words = useWords(membersWords)
  const openInvite = useOpenInvite()
  const { projectId } = useAccount()
  const waiting = useQuery(invitationsQuery(projectId, 'open'))
  if (waiting.data?.data.length !== 0) return null
  return (
    <EmptyState title={words.alone} action={<Button onClick={openInvite}>{words.inviteFirst}</Button>}>
      {words.aloneWhy}
    </EmptyState>
  )
}

function SearchMembers({ mayFindAddresses }: { mayFindAddresses: boolean }): ReactNode {
  const words = useWords(membersWords)
  const [typed, setTyped] = useTyped('q', { after: undefined })
  return (
    <div className={styles['search']}>
      <TextField
        label={words.search}
        placeholder={mayFindAddresses ? words.searchHint : words.searchName}
        type="search"
        dir="auto"
        maxLength={100}
        value={typed}
        onChange={setTyped}
      />
    </div>
  )
}
