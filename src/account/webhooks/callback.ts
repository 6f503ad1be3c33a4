/**
 * Callbacks: an address that one order brought along is notified of how that order ended, and of nothing else. For the sending side a callback is a
 * connection like any other, with retries, signatures and a report; it listens to no event and is in no list.
 */
import type { WebhooksApp } from './app.ts'
import { requireReachable } from './connect.ts'
import { maxAttempts } from './delivery/retry.ts'
import { sealedFor, secretOf } from './secret.ts'
import * as store from './store.ts'

export { requireReachable }

const purpose = 'secrets of callbacks'

/** The secret that signs what is sent to the callback of this order, as that of a connection does. Throws SECRETS_SEALED. */
export async function callbackSecret({ secrets }: Pick<WebhooksApp, 'secrets'>, id: string): Promise<string> {
  const sign = await secrets.signer(purpose)
  return secretOf(sign(Buffer.from(id)))
}

export interface EndedOrder {
  accountId: string
  projectId: string
  /** The id of the order, a UUID. */
  id: string
  url: string
  /** The once-key of the event that says how the order ended. */
  onceKey: string
}

/** Sends the event to the address, once, however often this is called. Throws SECRETS_SEALED. */
export async function deliverCallback(
  app: Pick<WebhooksApp, 'clock' | 'db' | 'secrets'>,
  { accountId, projectId, id, url, onceKey }: EndedOrder,
): Promise<void> {
  const now = new Date(app.clock.nowMs())
  const owner = { accountId, projectId, connectionId: id }
  const secret = await app.secrets.seal(await callbackSecret(app, id), sealedFor(id))
  await app.db.tx(async (tx) => {
    const event = await store.findOnce(tx, accountId, onceKey)
    if (!event) return
    const row = { ...store.newConnection(owner, id, now), url, secret }
    if (!(await store.insertCallback(tx, row))) return
    await store.insertDelivery(tx, owner, { id: event.event_id, type: event.type, maxAttempts }, now)
  })
}
