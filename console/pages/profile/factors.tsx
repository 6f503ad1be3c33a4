/** The second factors of the person: why there should be one, what there is, and what is about to happen to it. */
import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { hasPasskeys } from '../../api/passkey.ts'
import { factorsQuery, meQuery, methodsQuery } from '../../api/queries.ts'
import { Button } from '../../pieces/button.tsx'
import { Card, Grid, Note } from '../../pieces/card.tsx'
import { ErrorState, Notice, Skeleton } from '../../pieces/states.tsx'
import { useWords } from '../../words/use-words.ts'
import { AddPasskey } from './add-passkey.tsx'
import { AddTotp } from './add-totp.tsx'
import { FactorList, type Overview } from './factor-list.tsx'
import { factorWords } from './factors.words.ts'
import { PendingReset } from './pending-reset.tsx'
import styles from './profile.module.css'
import { CodesLeft, FreshCodes } from './recovery-codes.tsx'

export function Factors(): ReactNode {
  const words = useWords(factorWords)
  const [me, factors, methods] = useQueries({ queries: [meQuery, factorsQuery, methodsQuery] })
  const [codes, setCodes] = useState<readonly string[]>()
  const error = me.error ?? factors.error ?? methods.error
  const again = (): void => {
    for (const query of [me, factors, methods]) void query.refetch()
  }
  if (!me.data || !factors.data || !methods.data)
    return error ? <ErrorState error={error} onAgain={again} /> : <Skeleton lines={6} onAgain={again} />
  const overview = factors.data
  const isOff = overview.data.length === 0
  const mustProve = isOff && methods.data.mail && me.data.email !== null && !me.data.email_proven
  return (
    <Grid>
      {overview.reset && <PendingReset reset={overview.reset} />}
      {codes && <FreshCodes codes={codes} onKept={() => setCodes(undefined)} />}
      <Card title={isOff ? words.offTitle : words.onTitle}>
        <p className={styles['soft']}>{isOff ? words.offWhy : words.onWhy}</p>
        {mustProve && (
          <Notice kind="attention">
            {words.proveFirst} <a href="/profile?tab=sign-in">{words.toAddress}</a>
          </Notice>
        )}
        {!isOff && <FactorList overview={overview} />}
      </Card>
      <Grid columns="two">
        <NewPasskey overview={overview} canAdd={!mustProve} onCodes={setCodes} />
        <NewTotp canAdd={!mustProve} onCodes={setCodes} />
      </Grid>
      {!isOff && !codes && <CodesLeft remaining={overview.recovery_codes_left} onCodes={setCodes} />}
    </Grid>
  )
}

interface NewFactorProps {
  canAdd: boolean
  /** Is given the recovery codes that come with the first factor. */
  onCodes(codes: readonly string[]): void
}

function NewTotp({ canAdd, onCodes }: NewFactorProps): ReactNode {
  const words = useWords(factorWords)
  const [isAdding, setAdding] = useState(false)
  return (
    <Card title={words.totp}>
      <p className={styles['soft']}>{words.totpWhy}</p>
      <div className={styles['push']}>
        <Button disabled={!canAdd} onClick={() => setAdding(true)}>
          {words.addTotp}
        </Button>
      </div>
      {isAdding && <AddTotp onCodes={onCodes} onClose={() => setAdding(false)} />}
    </Card>
  )
}

function NewPasskey({ overview, canAdd, onCodes }: NewFactorProps & { overview: Overview }): ReactNode {
  const words = useWords(factorWords)
  const [isAdding, setAdding] = useState(false)
  const { available, why } = overview.passkeys
  const canMake = available && hasPasskeys()
  return (
    <Card title={words.passkey}>
      <p className={styles['soft']}>{words.passkeyWhy}</p>
      <div className={styles['push']}>
        {canMake ? (
          <Button
            kind={overview.data.length === 0 && canAdd ? 'primary' : 'plain'}
            disabled={!canAdd}
            onClick={() => setAdding(true)}
          >
            {words.addPasskey}
          </Button>
        ) : (
          <Note>{why === null ? words.oldBrowser : words.noPasskeys(why)}</Note>
        )}
      </div>
      {isAdding && <AddPasskey onCodes={onCodes} onClose={() => setAdding(false)} />}
    </Card>
  )
}
