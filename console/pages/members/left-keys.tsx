/** The keys of somebody who was removed a moment ago: each is kept, or revoked. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAccount } from '../../api/use-account.ts'
import { LinkButton } from '../../pieces/button.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { Id, Name } from '../../words/personal.tsx'
import { useWords } from '../../words/use-words.ts'
import { LastUse } from '../keys/key-words.tsx'
import { keysWords } from '../keys/keys.words.ts'
import { RevokeDialog } from '../keys/revoke-dialog.tsx'
import type { Key } from '../keys/settings.ts'
import styles from './members.module.css'
import { membersWords } from './members.words.ts'
import { leftKeysQuery } from './queries.ts'

export function LeftKeys({ personId }: { personId: string }): ReactNode {
  const words = useWords(membersWords)
  const ofKeys = useWords(keysWords)
  const { projectId, may } = useAccount()
  const keys = useQuery(leftKeysQuery(projectId, personId))
  const [revoked, setRevoked] = useState<Key>()
  const again = (): void => void keys.refetch()
  if (keys.error && !keys.data) return <ErrorState error={keys.error} onAgain={again} />
  if (!keys.data) return <Skeleton lines={2} onAgain={again} />
  const { data } = keys.data
  return (
    <Card title={words.leftTitle} action={<Link to="/members">{words.hideLeft}</Link>}>
      <Note>{data.length === 0 ? words.leftNone : words.leftLead}</Note>
      <ul className={styles['rows']} aria-label={words.leftTitle}>
        {data.map((key) => (
          <li key={key.id} className={styles['row']}>
            <div className={styles['about']}>
              <Link to="/keys/$id" params={{ id: key.id }}>
                <Name>{key.name}</Name>
              </Link>
              <Note>
                <Id>{`…${key.hint}`}</Id> · {ofKeys.columns.used}: <LastUse of={key} />
              </Note>
            </div>
            {may('keys:write') && (
              <LinkButton aria-label={`${ofKeys.revoke}: ${key.name}`} onClick={() => setRevoked(key)}>
                {ofKeys.revoke}
              </LinkButton>
            )}
          </li>
        ))}
      </ul>
      <Note>
        <Link to="/keys" search={{ show: 'left' }}>
          {words.allLeft}
        </Link>
      </Note>
      {revoked && <RevokeDialog of={revoked} onClose={() => setRevoked(undefined)} />}
    </Card>
  )
}
