/** A management key: its secret once after it was made; then all that it may do, from where and until when. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { isMissing } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { Button, buttonClass } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { CodeBlock } from '../../pieces/code-block.tsx'
import { NameDialog } from '../../pieces/name-dialog.tsx'
import { EmptyState, ErrorState, Notice, Skeleton } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { formatNumber } from '../../words/digits.ts'
import { Name } from '../../words/personal.tsx'
import { dayInTehran } from '../../words/tehran-days.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { FreshKey } from '../keys/fresh-key.tsx'
import { forgetSecret, secretOf } from '../keys/fresh-secret.ts'
import { useDayInWords } from '../keys/key-words.tsx'
import { daysToEnd, soonDays } from '../keys/last-use.ts'
import { Facts } from './facts.tsx'
import { managementWords } from './management-keys.words.ts'
import { type ManagementKey, managementKeyQuery, noteManagementKey } from './queries.ts'
import { RevokeDialog } from './revoke-dialog.tsx'

export default function OneManagementKey(): ReactNode {
  const { id = '' }: { id?: string } = useParams({ strict: false })
  return <OneKey key={id} id={id} />
}

/** Keeps the secret until the page is left, also while the key is read again. */
function OneKey({ id }: { id: string }): ReactNode {
  const [secret] = useState(() => secretOf(id))
  useEffect(() => forgetSecret, [])
  const { projectId } = useAccount()
  const found = useQuery(managementKeyQuery(projectId, id))
  if (isMissing(found.error)) return <NotThere />
  if (found.error && !found.data)
    return <ErrorState error={found.error} onAgain={() => void found.refetch()} />
  if (!found.data) return <Skeleton lines={8} onAgain={() => void found.refetch()} />
  return (
    <>
      {secret === undefined ? <Head of={found.data} /> : <Fresh secret={secret} />}
      <Ending of={found.data} />
      <Facts of={found.data} />
    </>
  )
}

function Head({ of }: { of: ManagementKey }): ReactNode {
  const words = useWords(managementWords)
  const dayInWords = useDayInWords()
  const queries = useQueryClient()
  const { projectId, may } = useAccount()
  const [asked, setAsked] = useState<'rename' | 'revoke'>()
  const close = (): void => setAsked(undefined)
  const rename = async (to: string): Promise<void> => {
    const change = { params: { id: of.id }, body: { name: to } }
    noteManagementKey(queries, projectId, await call('PATCH /v1/management-keys/{id}', change))
  }
  return (
    <>
      <PageHead
        title={<Name>{of.name}</Name>}
        lead={words.oneLead(
          `\u2066${cleanName(of.hint)}\u2069`,
          dayInWords(dayInTehran(new Date(of.created_at))),
        )}
        actions={
          may('management_keys:write') &&
          (of.state === 'active' || of.made_keys > 0) && (
            <>
              {of.state === 'active' && <Button onClick={() => setAsked('rename')}>{words.rename}</Button>}
              <Button onClick={() => setAsked('revoke')}>{words.revoke}</Button>
            </>
          )
        }
      />
      {asked === 'rename' && (
        <NameDialog
          title={words.rename}
          label={words.renamed}
          name={of.name}
          rename={rename}
          onClose={close}
        />
      )}
      {asked === 'revoke' && <RevokeDialog of={of} onClose={close} />}
    </>
  )
}

function NotThere(): ReactNode {
  const words = useWords(managementWords)
  return (
    <EmptyState isPage title={words.notFound} action={<ToList />}>
      {words.notFoundWhy}
    </EmptyState>
  )
}

/** What is shown this once. Whatever copies the secret counts: the buttons, and a selection that is copied by hand. */
function Fresh({ secret }: { secret: string }): ReactNode {
  const words = useWords(managementWords)
  const { origin } = location
  const samples = [
    {
      language: 'kherad',
      code: `export KHERAD_KEY='${secret}' KHERAD_BASE_URL='${origin}'\nnpx kherad account show`,
    },
    { language: 'curl', code: `curl ${origin}/v1/account \\\n  -H 'Authorization: Bearer ${secret}'` },
  ]
  return (
    <FreshKey secret={secret} words={words} back={<ToList />}>
      {(onCopied) => (
        <Card title={words.tryIt}>
          <CodeBlock samples={samples} label={words.tryIt} onCopied={onCopied} />
        </Card>
      )}
    </FreshKey>
  )
}

function ToList(): ReactNode {
  return (
    <Link to="/management-keys" className={buttonClass('plain')}>
      {useWords(managementWords).toList}
    </Link>
  )
}

/** Why it works no more, or that it soon will not. */
function Ending({ of }: { of: ManagementKey }): ReactNode {
  const words = useWords(managementWords)
  const locale = useLocale()
  if (of.ended_with_maker) return <Notice kind="failure">{words.makerNotice}</Notice>
  if (of.state === 'revoked') return <Notice kind="failure">{words.revokedNotice}</Notice>
  if (of.state === 'expired') return <Notice kind="attention">{words.expiredNotice}</Notice>
  const left = daysToEnd(of.expires_at, new Date())
  if (left === undefined || left > soonDays) return null
  return (
    <Notice kind="attention">
      {left <= 1 ? words.endingToday : words.ending(formatNumber(locale, left))}
    </Notice>
  )
}
