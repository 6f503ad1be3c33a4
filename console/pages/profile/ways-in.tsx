/** The first factors of the person: address, password, accounts of providers. */
import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { identitiesQuery, meQuery, methodsQuery } from '../../api/queries.ts'
import { Grid } from '../../pieces/card.tsx'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { AddressCard } from './address.tsx'
import { IdentitiesCard } from './identities.tsx'
import { PasswordCard } from './password.tsx'
import { PhoneCard } from './phone.tsx'

export function WaysIn(): ReactNode {
  const [me, methods, identities] = useQueries({ queries: [meQuery, methodsQuery, identitiesQuery] })
  const error = me.error ?? methods.error ?? identities.error
  const again = (): void => {
    for (const query of [me, methods, identities]) void query.refetch()
  }
  if (!me.data || !methods.data || !identities.data)
    return error ? <ErrorState error={error} onAgain={again} /> : <Skeleton lines={6} onAgain={again} />
  const providers = methods.data.openid
  const linked = identities.data.data
  return (
    <Grid>
      <AddressCard me={me.data} hasMail={methods.data.mail} />
      {(methods.data.sms || me.data.phone !== null) && (
        <PhoneCard phone={me.data.phone} hasGateway={methods.data.sms} />
      )}
      <PasswordCard hasPassword={me.data.has_password} email={me.data.email} />
      {providers.length + linked.length > 0 && <IdentitiesCard linked={linked} providers={providers} />}
    </Grid>
  )
}
