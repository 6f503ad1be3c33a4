/** Where the person is signed in. A session ends at once, because whoever ends one wants it to end now. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call, type Reply } from '../../api/client.ts'
import { queries, sessionsQuery } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Badge } from '../../pieces/badge.tsx'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { Row, Rows } from '../../pieces/rows.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { Failure } from '../../sign-in/failure.tsx'
import { formatNumber } from '../../words/digits.ts'
import { Id, Moment, Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './profile.module.css'
import { profileWords } from './profile.words.ts'

type Session = Reply<'GET /v1/me/sessions'>['data'][number]

export function Sessions(): ReactNode {
  const sessions = useQuery(sessionsQuery)
  const again = (): void => void sessions.refetch()
  if (sessions.data) return <SessionsCard sessions={sessions.data.data} />
  return sessions.error ? (
    <ErrorState error={sessions.error} onAgain={again} />
  ) : (
    <Skeleton lines={5} onAgain={again} />
  )
}

function SessionsCard({ sessions }: { sessions: readonly Session[] }): ReactNode {
  const words = useWords(profileWords)
  const locale = useLocale()
  const reread = () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  const endOne = useAction(async (id: string) => {
    await call('DELETE /v1/me/sessions/{id}', { params: { id } })
    showToast(words.ended)
    await reread()
  })
  const endOthers = useAction(async () => {
    const { ended } = await call('DELETE /v1/me/sessions')
    showToast(words.endedOthers(formatNumber(locale, ended)))
    await reread()
  })
  const ordered = [...sessions].sort((one, other) => Number(other.is_current) - Number(one.is_current))
  const hasOthers = sessions.some((one) => !one.is_current)
  return (
    <Card
      title={words.sessions}
      action={
        hasOthers && (
          <Button isBusy={endOthers.isBusy} onClick={() => endOthers.run()}>
            {words.endOthers}
          </Button>
        )
      }
    >
      <p className={styles['soft']}>{hasOthers ? `${words.sessionsWhy} ${words.endNote}` : words.onlyThis}</p>
      <Failure error={endOne.error ?? endOthers.error} />
      <Rows label={words.sessions}>
        {ordered.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            isBusy={endOne.isBusy}
            onEnd={() => endOne.run(session.id)}
          />
        ))}
      </Rows>
    </Card>
  )
}

interface SessionRowProps {
  session: Session
  isBusy: boolean
  onEnd(): void
}

function SessionRow({ session, isBusy, onEnd }: SessionRowProps): ReactNode {
  const words = useWords(profileWords)
  return (
    <Row
      title={session.device === null ? words.unknownDevice : <Name>{session.device}</Name>}
      badges={session.is_current && <Badge kind="teal">{words.thisDevice}</Badge>}
      note={
        <>
          {words.methods[session.method]}
          {session.opened_from !== null && (
            <>
              {' · '}
              {words.from} <Id>{session.opened_from}</Id>
            </>
          )}
          {' · '}
          {words.opened} <Moment at={session.created_at} />
          {' · '}
          {words.lastUsed} <Moment at={session.last_used_at} />
        </>
      }
      actions={
        !session.is_current && (
          <Button isBusy={isBusy} onClick={onEnd}>
            {words.endSession}
          </Button>
        )
      }
    />
  )
}
