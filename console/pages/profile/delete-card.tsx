/** The deletion of the person: what goes, what stays, and the accounts that nobody else owns. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call, type Reply } from '../../api/client.ts'
import { leaveSession } from '../../api/leave.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { CheckList } from '../../pieces/check-list.tsx'
import { ConfirmDialog } from '../../pieces/confirm-dialog.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { formatFull } from '../../words/dates.ts'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { ownDataWords } from './own-data.words.ts'
import styles from './profile.module.css'

type Owned = Reply<'GET /v1/me/deletion'>['accounts'][number]

const regretMs = 30 * 24 * 60 * 60 * 1000

export function DeleteCard({ name }: { name: string }): ReactNode {
  const deletion = useQuery({ queryKey: ['deletion'], queryFn: () => call('GET /v1/me/deletion') })
  const again = (): void => void deletion.refetch()
  if (!deletion.data)
    return deletion.error ? (
      <ErrorState error={deletion.error} onAgain={again} />
    ) : (
      <Skeleton lines={3} onAgain={again} />
    )
  const sole = deletion.data.accounts.filter((one) => one.is_last_owner)
  return <Shown name={name} sole={sole} />
}

function Shown({ name, sole }: { name: string; sole: readonly Owned[] }): ReactNode {
  const words = useWords(ownDataWords)
  const locale = useLocale()
  const [isAsked, setAsked] = useState(false)
  const [chosen, setChosen] = useState<string[]>([])
  const ids = sole.map(({ id }) => id).filter((id) => chosen.includes(id))
  const isDecided = ids.length === sole.length
  const remove = useAction(async () => {
    await call('DELETE /v1/me', { body: { confirm: name, delete_accounts: ids } })
    leaveSession()
  })
  const labelOf = (one: Owned): string =>
    words.withMe(
      one.name,
      formatMicrocredits(locale, BigInt(one.balance_microcredits)),
      one.other_members === 0 ? '' : formatNumber(locale, one.other_members),
    )
  return (
    <Card title={words.deleteTitle}>
      <p className={styles['soft']}>{words.deleteWhy}</p>
      {sole.length > 0 && (
        <CheckList
          label={words.soleTitle}
          hint={words.soleWhy}
          groups={[{ items: sole.map((one) => ({ value: one.id, label: labelOf(one) })) }]}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
      <div className={styles['actions']}>
        <Button kind="danger" disabled={!isDecided} onClick={() => setAsked(true)}>
          {words.deleteVerb}
        </Button>
        {!isDecided && <small>{words.soleLeft}</small>}
      </div>
      {isAsked && (
        <ConfirmDialog
          title={words.deleteTitle}
          name={name}
          of="you"
          verb={words.deleteVerb}
          action={remove}
          onClose={() => setAsked(false)}
        >
          {words.dialogWhy(formatFull(locale, new Date(Date.now() + regretMs)))}
        </ConfirmDialog>
      )}
    </Card>
  )
}
