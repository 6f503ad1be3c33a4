/** Whether somebody could still sign in. */
import { mailChannel } from '#account/letters'
import { personById } from '#account/people'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { OpenIdApp } from './app.ts'
import * as store from './store.ts'

type WaysInApp = Pick<OpenIdApp, 'openId' | 'config'>

/**
 * Call it after a way to sign in was taken away, under the lock of the person: whatever takes one away waits there. Throws LAST_WAY_IN where none is
 * left: no passkey, no password with an address, no account of a provider that the configuration names, and no address to which codes are mailed.
 */
export async function requireWayIn(app: WaysInApp, tx: Tx, personId: string): Promise<void> {
  if (await store.hasOwnFactor(tx, personId)) return
  const identities = await store.identitiesOf(tx, personId)
  if (identities.some(({ provider_id: id }) => app.openId.find(id))) return
  const person = await personById(tx, personId)
  if (mailChannel(app) === 'none' || person?.email == null) fail('LAST_WAY_IN', {})
}
