import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { deletionQuery, type MyAccount } from '../api/queries.ts'
import { LinkButton } from '../pieces/button.tsx'
import { Notice } from '../pieces/states.tsx'
import { formatFull } from '../words/dates.ts'
import { useLocale, useWords } from '../words/use-words.ts'
import { closingWords } from './closing.words.ts'

/** Stands above every page while the account is to be deleted. */
export function ClosingNotice({
  account,
  projectId,
  onGo,
}: {
  account: MyAccount
  projectId: string | undefined
  onGo(path: string): void
}): ReactNode {
  const words = useWords(closingWords)
  const locale = useLocale()
  const deletion = useQuery(deletionQuery(projectId))
  const dueAt = deletion.data?.deletion?.due_at
  if (dueAt === undefined) return null
  return (
    <Notice kind="attention">
      {words.closing(account.name, formatFull(locale, new Date(dueAt)))}{' '}
      {account.role === 'owner' ? (
        <LinkButton onClick={() => onGo('/account')}>{words.undoLink}</LinkButton>
      ) : (
        words.askOwner
      )}
    </Notice>
  )
}
