import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../pieces/badge.tsx'
import { LinkButton } from '../../pieces/button.tsx'
import { Note } from '../../pieces/card.tsx'
import { type Column, Table } from '../../pieces/table.tsx'
import { UsageLink } from '../../spending/usage-link.tsx'
import { formatNumber } from '../../words/digits.ts'
import { Id, Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { End, LastUse, Maker, useScopesInWords } from './key-words.tsx'
import { keysWords } from './keys.words.ts'
import type { Show } from './queries.ts'
import type { Key } from './settings.ts'

interface KeyTableProps {
  keys: readonly Key[]
  show: Show
  /** Revokes from the list; undefined where the role may not. */
  onRevoke?: ((key: Key) => void) | undefined
}

export function KeyTable({ keys, show, onRevoke }: KeyTableProps): ReactNode {
  const words = useWords(keysWords)
  const columns = useColumns()
  const state: Column<Key> = {
    name: 'state',
    title: words.columns.state,
    cell: (key) => (
      <Badge kind={key.state === 'revoked' ? 'failure' : 'plain'}>{words.states[key.state]}</Badge>
    ),
  }
  const revoke: Column<Key> = {
    name: 'revoke',
    title: words.revoke,
    cell: (key) => <LinkButton onClick={() => onRevoke?.(key)}>{words.revoke}</LinkButton>,
  }
  return (
    <Table<Key>
      label={words.table}
      rows={keys}
      keyOf={({ id }) => id}
      hasCards
      columns={[
        ...columns,
        ...(show === 'ended' ? [state] : []),
        ...(show === 'left' && onRevoke ? [revoke] : []),
      ]}
    />
  )
}

function useColumns(): Column<Key>[] {
  const words = useWords(keysWords)
  const inWords = useScopesInWords()
  return [
    {
      name: 'name',
      title: words.columns.name,
      cell: ({ id, name, hint }) => (
        <>
          <Link to="/keys/$id" params={{ id }}>
            <Name>{name}</Name>
          </Link>
          <Note>
            <Id>{`…${hint}`}</Id>
          </Note>
        </>
      ),
    },
    { name: 'scopes', title: words.columns.scopes, cell: ({ scopes }) => inWords(scopes) },
    { name: 'spent', title: words.columns.spent, cell: (key) => <Spent of={key} /> },
    { name: 'used', title: words.columns.used, cell: (key) => <LastUse of={key} /> },
    { name: 'maker', title: words.columns.maker, cell: (key) => <Maker of={key} /> },
    { name: 'end', title: words.columns.end, cell: (key) => <End expiresAt={key.expires_at} /> },
  ]
}

/** What was spent this month, of the cap where there is one. */
function Spent({ of }: { of: Key }): ReactNode {
  const words = useWords(keysWords)
  const locale = useLocale()
  const spent = formatNumber(locale, of.month_spent_credits)
  return (
    <UsageLink since="month" keyId={of.id}>
      {of.month_cap_credits === null
        ? words.spent(spent)
        : words.ofCap(spent, formatNumber(locale, of.month_cap_credits))}
    </UsageLink>
  )
}
