import { useQueryClient } from '@tanstack/react-query'
import { call } from '../api/client.ts'
import { type Action, useAction } from '../api/use-action.ts'
import { showToast } from '../pieces/toasts.ts'
import { useWords } from '../words/use-words.ts'
import { closingWords } from './closing.words.ts'

/** Takes the deletion of the account back, and reads everything anew; owners may. */
export function useClosingUndo(): Action<[]> {
  const words = useWords(closingWords)
  const queries = useQueryClient()
  return useAction(async () => {
    await call('DELETE /v1/account/deletion')
    showToast(words.undone)
    await queries.invalidateQueries()
  })
}
