/** Management keys: those of the account, what each may do, from where and until when. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { Badge } from '../../pieces/badge.tsx'
import { buttonClass } from '../../pieces/button.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../pieces/states.tsx'
import { type Column, Table } from '../../pieces/table.tsx'
import { Tabs } from '../../pieces/tabs.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { Id, Name } from '../../words/personal.tsx'
import { useWords } from '../../words/use-words.ts'
import { End } from '../keys/key-words.tsx'
import styles from '../keys/keys.module.css'
import { Closed } from './closed.tsx'
import { From, LastUse, useRightsInWords } from './key-words.tsx'
import { managementWords } from './management-keys.words.ts'
import { type ManagementKey, managementKeysQuery, type Show } from './queries.ts'

interface Search {
  show?: unknown
  after?: unknown
}

export default function ManagementKeys(): ReactNode {
  const words = useWords(managementWords)
  const navigate = useNavigate()
  const { show: given, after }: Search = useSearch({ strict: false })
  const show: Show = given === 'ended' ? 'ended' : 'active'
  const { projectId, account, may } = useAccount()
  if (account?.is_limited === true)
    return (
      <EmptyState isPage title={words.limited}>
        {words.limitedWhy}
      </EmptyState>
    )
  const name = cleanName(account?.name ?? '')
  return (
    <>
      <PageHead
        title={words.title}
        lead={words.lead(`\u2068${name}\u2069`)}
        actions={may('management_keys:write') && <MakeLink />}
      />
      <Tabs
        label={words.tabs}
        tabs={(['active', 'ended'] as const).map((tab) => ({ name: tab, title: words[tab] }))}
        shown={show}
        onShow={(tab) =>
          void navigate({ to: '/management-keys', search: tab === 'active' ? {} : { show: tab } })
        }
      >
        <Shown
          key={`${projectId} ${show}`}
          show={show}
          after={typeof after === 'string' ? after : undefined}
        />
      </Tabs>
    </>
  )
}

function MakeLink(): ReactNode {
  const words = useWords(managementWords)
  return (
    <Link to="/management-keys/new" className={buttonClass('primary')}>
      {words.make}
    </Link>
  )
}

function Shown({ show, after }: { show: Show; after: string | undefined }): ReactNode {
  const words = useWords(managementWords)
  const { projectId, may } = useAccount()
  const list = useQuery(managementKeysQuery(projectId, show, after))
  const columns = useColumns(show)
  if (list.error && !list.data) return <ErrorState error={list.error} onAgain={() => void list.refetch()} />
  if (!list.data) return <Skeleton lines={6} onAgain={() => void list.refetch()} />
  const { data: keys, has_more: hasMore } = list.data
  if (keys.length === 0 && after === undefined)
    return show === 'ended' ? (
      <EmptyState title={words.emptyEnded}>{words.emptyEndedWhy}</EmptyState>
    ) : (
      <EmptyState title={words.empty} action={may('management_keys:write') && <MakeLink />}>
        {words.emptyWhy}
      </EmptyState>
    )
  const search = show === 'active' ? {} : { show }
  return (
    <div className={styles['list']}>
      <Card>
        <Table<ManagementKey>
          label={words.table}
          rows={keys}
          keyOf={({ id }) => id}
          hasCards
          columns={columns}
        />
      </Card>
      {(hasMore || after !== undefined) && (
        <nav className={styles['pages']} aria-label={words.table}>
          {after !== undefined && (
            <Link to="/management-keys" search={search} className={buttonClass('plain')}>
              {words.newest}
            </Link>
          )}
          {hasMore && (
            <Link
              to="/management-keys"
              search={{ ...search, after: keys.at(-1)!.id }}
              className={buttonClass('plain')}
            >
              {words.older}
            </Link>
          )}
        </nav>
      )}
      {show === 'active' && <Closed />}
    </div>
  )
}

function useColumns(show: Show): Column<ManagementKey>[] {
  const words = useWords(managementWords)
  const inWords = useRightsInWords()
  const state: Column<ManagementKey> = {
    name: 'state',
    title: words.columns.state,
    cell: ({ state: is, ended_with_maker: withMaker }) => (
      <Badge kind={is === 'revoked' ? 'failure' : 'plain'}>
        {withMaker ? words.endedWithMaker : words.states[is]}
      </Badge>
    ),
  }
  return [
    {
      name: 'name',
      title: words.columns.name,
      cell: ({ id, name, hint }) => (
        <>
          <Link to="/management-keys/$id" params={{ id }}>
            <Name>{name}</Name>
          </Link>
          <Note>
            <Id>{`khm_…${hint}`}</Id>
          </Note>
        </>
      ),
    },
    { name: 'rights', title: words.columns.rights, cell: ({ permissions }) => inWords(permissions) },
    { name: 'from', title: words.columns.from, cell: (key) => <From of={key} /> },
    { name: 'used', title: words.columns.used, cell: (key) => <LastUse of={key} /> },
    {
      name: 'maker',
      title: words.columns.maker,
      cell: ({ made_by: maker }) => <Name>{maker.display_name}</Name>,
    },
    { name: 'end', title: words.columns.end, cell: (key) => <End expiresAt={key.expires_at} /> },
    ...(show === 'ended' ? [state] : []),
  ]
}
