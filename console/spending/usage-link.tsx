/** A link from what was spent, in whole credits, to the same sum on the page of usage, which has it to the micro-credit. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useAccount } from '../api/use-account.ts'
import { useToday } from '../api/use-today.ts'
import { Unseen } from '../pieces/unseen.tsx'
import { useWords } from '../words/use-words.ts'
import { daysSince } from './pace.ts'
import styles from './usage-link.module.css'
import { usageLinkWords } from './usage-link.words.ts'

interface UsageLinkProps {
  /** The month of caps, or all time since this moment. */
  since: 'month' | string
  /** A project by its id, or all; that of the page if absent. */
  project?: string
  keyId?: string
  personId?: string
  children: ReactNode
}

/** Only the words for whoever may not see usage, or not all usage of the account that was summed up. */
export function UsageLink({ since, project, keyId, personId, children }: UsageLinkProps): ReactNode {
  const words = useWords(usageLinkWords)
  const { account, may } = useAccount()
  const timeZone = useToday().data?.timeZone ?? 'Asia/Tehran'
  const isOfAccount = project === 'all' && personId === undefined
  if (!may('usage:read') || (isOfAccount && account?.is_limited === true)) return children
  const search = {
    ...daysSince(since === 'month' ? since : new Date(since), new Date(), timeZone),
    ...(project !== undefined && { project }),
    ...(keyId !== undefined && { key: keyId }),
    ...(personId !== undefined && { person: personId }),
    compare: 'none',
  }
  return (
    <Link to="/usage" search={search} title={words.exactly} className={styles['link']}>
      {children}
      <Unseen> · {words.exactly}</Unseen>
    </Link>
  )
}
