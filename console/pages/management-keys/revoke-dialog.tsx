import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { project } from '../../api/project.ts'
import { useAction } from '../../api/use-action.ts'
import { ConfirmDialog } from '../../pieces/confirm-dialog.tsx'
import { CheckField } from '../../pieces/field.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { cleanName } from '../../words/clean-name.ts'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { managementWords } from './management-keys.words.ts'
import { type ManagementKey, noteManagementKey } from './queries.ts'

/** Asks for the name of a management key before it is revoked for good, with the project keys that it made or without. */
export function RevokeDialog({ of, onClose }: { of: ManagementKey; onClose(): void }): ReactNode {
  const words = useWords(managementWords)
  const locale = useLocale()
  const queries = useQueryClient()
  const [isWithMade, setWithMade] = useState(of.state !== 'active')
  const action = useAction(async () => {
    const query = { made_keys: isWithMade ? 'revoke' : 'keep' } as const
    const key = await call('DELETE /v1/management-keys/{id}', { params: { id: of.id }, query })
    noteManagementKey(queries, project(), key)
    void queries.invalidateQueries({ queryKey: ['keys'] })
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
      more={
        of.made_keys > 0 && (
          <CheckField
            label={words.revokeMade(formatNumber(locale, of.made_keys))}
            hint={words.revokeMadeHint}
            isChecked={isWithMade}
            onChange={setWithMade}
          />
        )
      }
    >
      {words.revokeWhy}
    </ConfirmDialog>
  )
}
