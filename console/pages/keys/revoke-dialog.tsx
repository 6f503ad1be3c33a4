import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../../api/client.ts'
import { project } from '../../api/project.ts'
import { useAction } from '../../api/use-action.ts'
import { ConfirmDialog } from '../../pieces/confirm-dialog.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { cleanName } from '../../words/clean-name.ts'
import { useWords } from '../../words/use-words.ts'
import { keysWords } from './keys.words.ts'
import { noteKey } from './queries.ts'
import type { Key } from './settings.ts'

/** Asks for the name of a key before it is revoked for good. */
export function RevokeDialog({ of, onClose }: { of: Key; onClose(): void }): ReactNode {
  const words = useWords(keysWords)
  const queries = useQueryClient()
  const action = useAction(async () => {
    noteKey(queries, project(), await call('DELETE /v1/keys/{id}', { params: { id: of.id } }))
    showToast(words.revoked(`\u2068${cleanName(of.name)}\u2069`))
    onClose()
  })
  return (
    <ConfirmDialog
      title={words.revokeTitle}
      name={of.name}
      verb={words.revoke}
      action={action}
      onClose={onClose}
    >
      {words.revokeWhy}
    </ConfirmDialog>
  )
}
