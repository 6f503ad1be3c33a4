import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { deletionQuery, type MyAccount } from '../api/queries.ts'
import { LinkButton } from '../pieces/button.tsx'
import { Notice, useSentence } from '../pieces/states.tsx'
import { formatFull } from '../words/dates.ts'
import { useLocale, useWords } from '../words/use-words.ts'
import { closingWords } from './closing.words.ts'
import { useClosingUndo } from './use-closing-undo.ts'

/** Stands above every page while the account is to be deleted; owners take it back here. */
export function ClosingNotice({
  account,
  projectId,
}: {
  account: MyAccount
  projectId: string | undefined
}): ReactNode {
  const words = useWords(closingWords)
  const locale = useLocale()
  const deletion = useQuery(deletionQuery(projectId))
  const undo = useClosingUndo()
  const sentence = useSentence(undo.error)
  const dueAt = deletion.data?.deletion?.due_at
  if (dueAt === undefined) return null
  return (
    <>
      <Notice kind="attention">
        {words.closing(account.name, formatFull(locale, new Date(dueAt)))}{' '}
        {account.role === 'owner' ? (
          <LinkButton aria-busy={undo.isBusy} onClick={() => undo.run()}>
            {words.undo}
          </LinkButton>
        ) : (
          words.askOwner
        )}
      </Notice>
      {undo.error !== undefined && <Notice kind="failure">{sentence}</Notice>}
    </>
  )
}
