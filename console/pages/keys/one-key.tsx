/** A key: its secret once after it was made, with the first call; then all that it may do and has spent, each part with its change. */
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { isMissing } from '../../api/api-error.ts'
import { useAccount } from '../../api/use-account.ts'
import { Button, buttonClass } from '../../pieces/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { Name } from '../../words/personal.tsx'
import { dayInTehran } from '../../words/tehran-days.ts'
import { useWords } from '../../words/use-words.ts'
import { ChangeDialog } from './change-dialog.tsx'
import { FirstCallCard } from './first-call-card.tsx'
import { FreshKey } from './fresh-key.tsx'
import { forgetSecret, secretOf } from './fresh-secret.ts'
import { KeyNotices } from './key-notices.tsx'
import { KeyParts } from './key-parts.tsx'
import { KeySpending } from './key-spending.tsx'
import { useDayInWords } from './key-words.tsx'
import { oneKeyWords } from './one-key.words.ts'
import { keyQuery } from './queries.ts'
import { RevokeDialog } from './revoke-dialog.tsx'
import { type Key, type Part, parts } from './settings.ts'

export default function OneKeyPage(): ReactNode {
  const { id = '' }: { id?: string } = useParams({ strict: false })
  return <OneKey key={id} id={id} />
}

/** Keeps the secret until the page is left, also while the key is read again. */
function OneKey({ id }: { id: string }): ReactNode {
  const [secret] = useState(() => secretOf(id))
  useEffect(() => forgetSecret, [])
  const { projectId } = useAccount()
  const found = useQuery(keyQuery(projectId, id))
  if (isMissing(found.error)) return <NotThere />
  if (found.error && !found.data)
    return <ErrorState error={found.error} onAgain={() => void found.refetch()} />
  if (!found.data) return <Skeleton lines={8} onAgain={() => void found.refetch()} />
  return <Shown of={found.data} secret={secret} />
}

const isPart = (value: unknown): value is Part => (parts as readonly unknown[]).includes(value)

function Shown({ of, secret }: { of: Key; secret: string | undefined }): ReactNode {
  const { may } = useAccount()
  const navigate = useNavigate()
  const { change }: { change?: unknown } = useSearch({ strict: false })
  const [isRevoking, setRevoking] = useState(false)
  const mayWrite = may('keys:write') && of.state !== 'revoked'
  const open = (part: Part | undefined): void =>
    void navigate({
      to: '/keys/$id',
      params: { id: of.id },
      search: part === undefined ? {} : { change: part },
      replace: part === undefined,
    })
  return (
    <>
      {secret === undefined ? (
        <Head of={of} mayWrite={mayWrite} onRename={() => open('name')} onRevoke={() => setRevoking(true)} />
      ) : (
        <Fresh of={of} secret={secret} />
      )}
      <KeyNotices
        of={of}
        mayWrite={mayWrite}
        onRenew={() => open('expires_at')}
        onRevoke={() => setRevoking(true)}
      />
      <KeyParts of={of} onChange={mayWrite ? open : undefined} />
      {secret === undefined && may('usage:read') && <KeySpending of={of} />}
      {mayWrite && isPart(change) && (
        <ChangeDialog key={change} of={of} part={change} onClose={() => open(undefined)} />
      )}
      {isRevoking && <RevokeDialog of={of} onClose={() => setRevoking(false)} />}
    </>
  )
}

interface HeadProps {
  of: Key
  mayWrite: boolean
  onRename(): void
  onRevoke(): void
}

function Head({ of, mayWrite, onRename, onRevoke }: HeadProps): ReactNode {
  const words = useWords(oneKeyWords)
  const dayInWords = useDayInWords()
  return (
    <PageHead
      title={<Name>{of.name}</Name>}
      lead={words.lead(`\u2066${cleanName(of.hint)}\u2069`, dayInWords(dayInTehran(new Date(of.created_at))))}
      actions={
        mayWrite && (
          <>
            <Button onClick={onRename}>{words.rename}</Button>
            <Button onClick={onRevoke}>{words.revoke}</Button>
          </>
        )
      }
    />
  )
}

function NotThere(): ReactNode {
  const words = useWords(oneKeyWords)
  return (
    <EmptyState isPage title={words.notFound} action={<ToKeys />}>
      {words.notFoundWhy}
    </EmptyState>
  )
}

function Fresh({ of, secret }: { of: Key; secret: string }): ReactNode {
  const words = useWords(oneKeyWords)
  return (
    <FreshKey secret={secret} words={words} back={<ToKeys />}>
      {(onCopied) => <FirstCallCard of={of} secret={secret} onCopied={onCopied} />}
    </FreshKey>
  )
}

function ToKeys(): ReactNode {
  return (
    <Link to="/keys" className={buttonClass('plain')}>
      {useWords(oneKeyWords).toKeys}
    </Link>
  )
}
