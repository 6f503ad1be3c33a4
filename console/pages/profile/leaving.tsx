/** The ways out: of an account, and of this server. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call, type Reply } from '../../api/client.ts'
import { accountsQuery, meQuery, queries } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Badge } from '../../pieces/badge.tsx'
import { Button } from '../../pieces/button.tsx'
import { Card, Grid } from '../../pieces/card.tsx'
import { ConfirmDialog } from '../../pieces/confirm-dialog.tsx'
import { Row, Rows } from '../../pieces/rows.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { shellWords } from '../../shell/shell.words.ts'
import { formatNumber } from '../../words/digits.ts'
import { Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { EndingKeys } from '../management-keys/ending-keys.tsx'
import { DeleteCard } from './delete-card.tsx'
import styles from './profile.module.css'
import { profileWords } from './profile.words.ts'

type Account = Reply<'GET /v1/me/accounts'>['data'][number]

export function Leaving(): ReactNode {
  const me = useQuery(meQuery)
  const accounts = useQuery(accountsQuery)
  const error = me.error ?? accounts.error
  const again = (): void => {
    void me.refetch()
    void accounts.refetch()
  }
  if (!me.data || !accounts.data)
    return error ? <ErrorState error={error} onAgain={again} /> : <Skeleton lines={5} onAgain={again} />
  return (
    <Grid>
      <AccountsCard accounts={accounts.data.data} personId={me.data.id} />
      <DeleteCard name={me.data.display_name} />
    </Grid>
  )
}

interface AccountsCardProps {
  accounts: readonly Account[]
  personId: string
}

function AccountsCard({ accounts, personId }: AccountsCardProps): ReactNode {
  const words = useWords(profileWords)
  const { roles } = useWords(shellWords)
  const locale = useLocale()
  const [leaving, setLeaving] = useState<Account>()
  return (
    <Card title={words.accounts}>
      <p className={styles['soft']}>{accounts.length === 0 ? words.noAccounts : words.accountsWhy}</p>
      {accounts.length > 0 && (
        <Rows label={words.accounts}>
          {accounts.map((account) => (
            <Row
              key={account.id}
              title={<Name>{account.name}</Name>}
              badges={<Badge>{roles[account.role]}</Badge>}
              note={words.projects(formatNumber(locale, account.projects.length))}
              actions={<Button onClick={() => setLeaving(account)}>{words.leave}</Button>}
            />
          ))}
        </Rows>
      )}
      {leaving && <LeaveDialog account={leaving} personId={personId} onClose={() => setLeaving(undefined)} />}
    </Card>
  )
}

interface LeaveDialogProps {
  account: Account
  personId: string
  onClose(): void
}

function LeaveDialog({ account, personId, onClose }: LeaveDialogProps): ReactNode {
  const words = useWords(profileWords)
  const leave = useAction(async () => {
    await call('DELETE /v1/me/accounts/{account_id}', { params: { account_id: account.id } })
    await queries.invalidateQueries({ queryKey: accountsQuery.queryKey })
    // What is deleted with the person are accounts that they still own.
    void queries.invalidateQueries({ queryKey: ['deletion'] })
    showToast(words.left)
    onClose()
  })
  return (
    <ConfirmDialog
      title={words.leaveTitle(account.name)}
      name={account.name}
      of="account"
      more={<EndingKeys account={account} personId={personId} why="you" />}
      verb={words.leave}
      action={leave}
      onClose={onClose}
    >
      {words.leaveWhy}
    </ConfirmDialog>
  )
}
