import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Reply } from '../api/client.ts'
import { Button } from '../pieces/button.tsx'
import { EmptyState } from '../pieces/states.tsx'
import { useWords } from '../words/use-words.ts'
import { shellWords } from './shell.words.ts'

/** What somebody sees who is a member of no account, as after a sign-in by a provider, or once they have left the only one. */
export function NoAccount({ me }: { me: Reply<'GET /v1/me'> }): ReactNode {
  const words = useWords(shellWords)
  const queries = useQueryClient()
  const ask = me.email === null ? words.noAccountNoAddress : words.noAccountAsk(`\u2066${me.email}\u2069`)
  return (
    <EmptyState
      isPage
      title={words.noAccount}
      action={
        <Button onClick={() => void queries.invalidateQueries({ queryKey: ['accounts'] })}>
          {words.noAccountAgain}
        </Button>
      }
    >
      {ask}
      {me.is_operator && ` ${words.noAccountOperator}`}
    </EmptyState>
  )
}
