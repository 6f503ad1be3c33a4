/** One member: role and projects, spending and caps, the second factor, and the end of the membership. */
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isMissing } from '../../api/api-error.ts'
import { useAccount } from '../../api/use-account.ts'
import { buttonClass } from '../../pieces/button.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { shellWords } from '../../shell/shell.words.ts'
import { formatDay } from '../../words/dates.ts'
import { Ltr, Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { AccessCard } from './access-card.tsx'
import { CapsCard } from './caps-card.tsx'
import { EndCard } from './end-card.tsx'
import { FactorCard } from './factor-card.tsx'
import styles from './members.module.css'
import { oneMemberWords } from './one-member.words.ts'
import { memberQuery } from './queries.ts'

export default function OneMember(): ReactNode {
  const words = useWords(oneMemberWords)
  const { roles } = useWords(shellWords)
  const locale = useLocale()
  const { id = '' }: { id?: string } = useParams({ strict: false })
  const { projectId, account } = useAccount()
  const member = useQuery(memberQuery(projectId, id))
  if (isMissing(member.error)) return <NotThere />
  if (member.error && !member.data)
    return <ErrorState error={member.error} onAgain={() => void member.refetch()} />
  if (!member.data || !account) return <Skeleton lines={8} onAgain={() => void member.refetch()} />
  const of = member.data
  const joined = words.joined(formatDay(locale, new Date(of.joined_at), new Date()))
  return (
    <>
      <PageHead
        title={<Name>{of.display_name}</Name>}
        lead={
          <>
            {of.email !== null && (
              <>
                <Ltr>{of.email}</Ltr> ·{' '}
              </>
            )}
            {roles[of.role]} · {joined}
          </>
        }
        actions={<BackLink />}
      />
      <div className={styles['list']}>
        <AccessCard key={`${of.role} ${of.project_ids}`} of={of} own={account} />
        <CapsCard of={of} own={account} />
        <FactorCard of={of} own={account} />
        <EndCard of={of} own={account} />
      </div>
    </>
  )
}

function BackLink(): ReactNode {
  const words = useWords(oneMemberWords)
  return (
    <Link to="/members" className={buttonClass('plain')}>
      {words.back}
    </Link>
  )
}

function NotThere(): ReactNode {
  const words = useWords(oneMemberWords)
  return (
    <EmptyState isPage title={words.notFound} action={<BackLink />}>
      {words.notFoundWhy}
    </EmptyState>
  )
}
