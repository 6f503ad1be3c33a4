/** The accounts of providers of OpenID Connect with which the person signs in. */
import { type ReactNode, useState } from 'react'
import { call, type Reply } from '../../api/client.ts'
import { accountsQuery, identitiesQuery, queries } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Badge } from '../../pieces/badge.tsx'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { ConfirmDialog } from '../../pieces/confirm-dialog.tsx'
import { Row, Rows } from '../../pieces/rows.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { Failure } from '../../sign-in/failure.tsx'
import { formatMoment } from '../../words/dates.ts'
import { Ltr, Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './profile.module.css'
import { profileWords } from './profile.words.ts'

type Identity = Reply<'GET /v1/me/identities'>['data'][number]
type Provider = Reply<'GET /v1/sign-in/methods'>['openid'][number]

interface IdentitiesCardProps {
  linked: readonly Identity[]
  providers: readonly Provider[]
}

export function IdentitiesCard({ linked, providers }: IdentitiesCardProps): ReactNode {
  const words = useWords(profileWords)
  const [unlinking, setUnlinking] = useState<Identity>()
  const link = useAction(async (provider: string) => {
    const { url } = await call('POST /v1/me/identities/{provider}', {
      params: { provider },
      body: { return_to: '/profile?tab=sign-in' },
    })
    location.assign(url)
  })
  const others = providers.filter(({ id }) => !linked.some(({ provider }) => provider === id))
  return (
    <Card title={words.identities}>
      <p className={styles['soft']}>{words.identitiesWhy}</p>
      {linked.length > 0 && (
        <Rows label={words.identities}>
          {linked.map((identity) => (
            <IdentityRow
              key={identity.provider}
              identity={identity}
              onUnlink={() => setUnlinking(identity)}
            />
          ))}
        </Rows>
      )}
      <Failure error={link.error} />
      {others.length > 0 && (
        <div className={styles['actions']}>
          {others.map(({ id, name }) => (
            <Button key={id} isBusy={link.isBusy} onClick={() => link.run(id)}>
              {words.link(name)}
            </Button>
          ))}
          <small>{words.linkNote}</small>
        </div>
      )}
      {unlinking && <UnlinkDialog identity={unlinking} onClose={() => setUnlinking(undefined)} />}
    </Card>
  )
}

function IdentityRow({ identity, onUnlink }: { identity: Identity; onUnlink(): void }): ReactNode {
  const words = useWords(profileWords)
  const locale = useLocale()
  const now = new Date()
  const day = (at: string): string => formatMoment(locale, new Date(at), now)
  return (
    <Row
      title={<Name>{identity.name}</Name>}
      badges={!identity.available && <Badge kind="attention">{words.gone}</Badge>}
      note={
        identity.available ? (
          <>
            {identity.email !== null && (
              <>
                <Ltr>{identity.email}</Ltr>
                {' · '}
              </>
            )}
            {words.linked(day(identity.linked_at))} · {words.used(day(identity.last_used_at))}
          </>
        ) : (
          words.goneNote
        )
      }
      actions={<Button onClick={onUnlink}>{words.unlink}</Button>}
    />
  )
}

function UnlinkDialog({ identity, onClose }: { identity: Identity; onClose(): void }): ReactNode {
  const words = useWords(profileWords)
  const unlink = useAction(async () => {
    await call('DELETE /v1/me/identities/{provider}', { params: { provider: identity.provider } })
    void queries.invalidateQueries({ queryKey: identitiesQuery.queryKey })
    void queries.invalidateQueries({ queryKey: accountsQuery.queryKey })
    showToast(words.unlinked)
    onClose()
  })
  return (
    <ConfirmDialog
      title={words.unlinkTitle(identity.name)}
      name={identity.name}
      verb={words.unlink}
      action={unlink}
      onClose={onClose}
    >
      {words.unlinkWhy}
    </ConfirmDialog>
  )
}
