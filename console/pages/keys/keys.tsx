/** Keys: those of the project, what each may do and has spent, and who made it. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { buttonClass } from '../../pieces/button.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../pieces/states.tsx'
import { Tabs } from '../../pieces/tabs.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { useWords } from '../../words/use-words.ts'
import { KeyTable } from './key-table.tsx'
import styles from './keys.module.css'
import { keysWords } from './keys.words.ts'
import { keysQuery, type Show } from './queries.ts'
import { RevokeDialog } from './revoke-dialog.tsx'
import type { Key } from './settings.ts'

interface Search {
  show?: unknown
  after?: unknown
}

const isShow = (value: unknown): value is Show => value === 'active' || value === 'ended' || value === 'left'

export default function Keys(): ReactNode {
  const words = useWords(keysWords)
  const navigate = useNavigate()
  const { show: given, after: from }: Search = useSearch({ strict: false })
  const show = isShow(given) ? given : 'active'
  const { projectId, account, may } = useAccount()
  const projectName = account?.projects.find(({ id }) => id === projectId)?.name ?? ''
  // Developers see their own keys alone, so nobody who left has made one of them.
  const shows: Show[] = account?.role === 'developer' ? ['active', 'ended'] : ['active', 'ended', 'left']
  return (
    <>
      <PageHead
        title={words.title}
        lead={words.lead(`\u2068${cleanName(projectName)}\u2069`)}
        actions={may('keys:write') && <MakeLink />}
      />
      <Tabs
        label={words.tabs}
        tabs={shows.map((name) => ({ name, title: words[name] }))}
        shown={show}
        onShow={(name) => void navigate({ to: '/keys', search: name === 'active' ? {} : { show: name } })}
      >
        <Shown
          key={`${projectId} ${show}`}
          show={show}
          after={typeof from === 'string' ? from : undefined}
          mayWrite={may('keys:write')}
        />
      </Tabs>
    </>
  )
}

function MakeLink(): ReactNode {
  const words = useWords(keysWords)
  return (
    <Link to="/keys/new" className={buttonClass('primary')}>
      {words.make}
    </Link>
  )
}

interface ShownProps {
  show: Show
  after: string | undefined
  mayWrite: boolean
}

function Shown({ show, after, mayWrite }: ShownProps): ReactNode {
  const words = useWords(keysWords)
  const { projectId } = useAccount()
  const list = useQuery(keysQuery(projectId, show, after))
  const [revoked, setRevoked] = useState<Key>()
  if (list.error && !list.data) return <ErrorState error={list.error} onAgain={() => void list.refetch()} />
  if (!list.data) return <Skeleton lines={6} onAgain={() => void list.refetch()} />
  const { data: keys, has_more: hasMore } = list.data
  if (keys.length === 0 && after === undefined) return <Empty show={show} mayWrite={mayWrite} />
  const search = show === 'active' ? {} : { show }
  return (
    <div className={styles['list']}>
      {show === 'left' && <Note>{words.leftNote}</Note>}
      <Card>
        <KeyTable keys={keys} show={show} onRevoke={mayWrite ? setRevoked : undefined} />
      </Card>
      {(hasMore || after !== undefined) && (
        <nav className={styles['pages']} aria-label={words.table}>
          {after !== undefined && (
            <Link to="/keys" search={search} className={buttonClass('plain')}>
              {words.newest}
            </Link>
          )}
          {hasMore && (
            <Link to="/keys" search={{ ...search, after: keys.at(-1)!.id }} className={buttonClass('plain')}>
              {words.older}
            </Link>
          )}
        </nav>
      )}
      {revoked && <RevokeDialog of={revoked} onClose={() => setRevoked(undefined)} />}
    </div>
  )
}

function Empty({ show, mayWrite }: Pick<ShownProps, 'show' | 'mayWrite'>): ReactNode {
  const words = useWords(keysWords)
  if (show === 'ended') return <EmptyState title={words.emptyEnded}>{words.emptyEndedWhy}</EmptyState>
  if (show === 'left') return <EmptyState title={words.emptyLeft}>{words.emptyLeftWhy}</EmptyState>
  return (
    <EmptyState title={words.empty} action={mayWrite && <MakeLink />}>
      {mayWrite ? words.emptyWhy : words.emptyReader}
    </EmptyState>
  )
}
