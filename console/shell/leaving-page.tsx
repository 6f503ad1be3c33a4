/** What somebody sees who has asked to be deleted: until when it can be taken back, and nothing else. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call, type Reply } from '../api/client.ts'
import { useAction } from '../api/use-action.ts'
import { Button } from '../pieces/button.tsx'
import { Card } from '../pieces/card.tsx'
import { Notice, useSentence } from '../pieces/states.tsx'
import { formatFull } from '../words/dates.ts'
import { formatNumber } from '../words/digits.ts'
import { Name } from '../words/personal.tsx'
import { useLocale, useWords } from '../words/use-words.ts'
import { closingWords } from './closing.words.ts'
import styles from './leaving-page.module.css'

const dayMs = 24 * 60 * 60 * 1000

export function LeavingPage({
  me,
  dueAt,
  onSignOut,
}: {
  me: Reply<'GET /v1/me'>
  dueAt: string
  onSignOut(): void
}): ReactNode {
  const words = useWords(closingWords)
  const locale = useLocale()
  const deletion = useQuery({ queryKey: ['deletion'], queryFn: () => call('GET /v1/me/deletion') })
  const undo = useAction(async () => {
    await call('POST /v1/me/deletion/undo')
    location.assign('/')
  })
  const sentence = useSentence(undo.error)
  const closing = deletion.data?.accounts.filter(({ state }) => state === 'closing') ?? []
  const days = Math.max(0, Math.ceil((Date.parse(dueAt) - Date.now()) / dayMs))
  return (
    <main className={styles['page']} id="page">
      <h1>{words.leavingTitle}</h1>
      <Card title={<Name>{me.display_name}</Name>}>
        <p>{words.leavingWhy(formatFull(locale, new Date(dueAt)), formatNumber(locale, days))}</p>
        {closing.length > 0 && (
          <div>
            <p>{words.leavingWith}</p>
            <ul>
              {closing.map(({ id, name }) => (
                <li key={id}>
                  <Name>{name}</Name>
                </li>
              ))}
            </ul>
          </div>
        )}
        {undo.error !== undefined && <Notice kind="failure">{sentence}</Notice>}
        <div className={styles['actions']}>
          <Button kind="primary" isBusy={undo.isBusy} onClick={() => undo.run()}>
            {words.leavingUndo}
          </Button>
          <Button onClick={onSignOut}>{words.signOut}</Button>
        </div>
      </Card>
    </main>
  )
}
