/** The second factors that the person has, to be renamed and removed. */
import { type ReactNode, useState } from 'react'
import { call, type Reply } from '../../api/client.ts'
import { factorsQuery, queries } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Badge } from '../../pieces/badge.tsx'
import { Button } from '../../pieces/button.tsx'
import { ConfirmDialog } from '../../pieces/confirm-dialog.tsx'
import { NameDialog } from '../../pieces/name-dialog.tsx'
import { Row, Rows } from '../../pieces/rows.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { Moment, Name } from '../../words/personal.tsx'
import { useWords } from '../../words/use-words.ts'
import { factorWords } from './factors.words.ts'

export type Overview = Reply<'GET /v1/me/factors'>
type Factor = Overview['data'][number]

const reread = () => queries.invalidateQueries({ queryKey: factorsQuery.queryKey })

export function FactorList({ overview }: { overview: Overview }): ReactNode {
  const words = useWords(factorWords)
  const [open, setOpen] = useState<{ factor: Factor; to: 'rename' | 'remove' }>()
  const close = (): void => setOpen(undefined)
  return (
    <>
      <Rows label={words.factors}>
        {overview.data.map((factor) => (
          <Row
            key={factor.id}
            title={<Name>{factor.name}</Name>}
            badges={
              <>
                <Badge>{words.kinds[factor.kind]}</Badge>
                {factor.backed_up && <Badge>{words.synced}</Badge>}
              </>
            }
            note={
              <>
                {words.added} <Moment at={factor.created_at} /> ·{' '}
                {factor.last_used_at === null ? (
                  words.neverUsed
                ) : (
                  <>
                    {words.lastUsed} <Moment at={factor.last_used_at} />
                  </>
                )}
              </>
            }
            actions={
              <>
                <Button onClick={() => setOpen({ factor, to: 'rename' })}>{words.rename}</Button>
                <Button onClick={() => setOpen({ factor, to: 'remove' })}>{words.remove}</Button>
              </>
            }
          />
        ))}
      </Rows>
      {open?.to === 'rename' && <RenameDialog factor={open.factor} onClose={close} />}
      {open?.to === 'remove' && (
        <RemoveDialog factor={open.factor} isLast={overview.data.length === 1} onClose={close} />
      )}
    </>
  )
}

function RenameDialog({ factor, onClose }: { factor: Factor; onClose(): void }): ReactNode {
  const words = useWords(factorWords)
  const rename = async (name: string): Promise<void> => {
    await call('PATCH /v1/me/factors/{id}', { params: { id: factor.id }, body: { name } })
    await reread()
  }
  return (
    <NameDialog
      title={words.rename}
      label={words.name}
      name={factor.name}
      rename={rename}
      onClose={onClose}
    />
  )
}

interface RemoveDialogProps {
  factor: Factor
  isLast: boolean
  onClose(): void
}

function RemoveDialog({ factor, isLast, onClose }: RemoveDialogProps): ReactNode {
  const words = useWords(factorWords)
  const remove = useAction(async () => {
    await call('DELETE /v1/me/factors/{id}', { params: { id: factor.id } })
    await reread()
    showToast(words.removed)
    onClose()
  })
  return (
    <ConfirmDialog
      title={words.removeTitle(factor.name)}
      name={factor.name}
      verb={words.remove}
      action={remove}
      onClose={onClose}
    >
      {isLast ? words.removeLast : words.removeWhy}
    </ConfirmDialog>
  )
}
