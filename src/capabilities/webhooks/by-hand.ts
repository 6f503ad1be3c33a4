/** Deliveries that somebody asks for: a test of a connection, and an event once more. */

import { acceptOnce } from '#capabilities/calls'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { JsonText } from '#platform/http'
import { type IdAsk, notFound, placeOf } from './connect.ts'
import { shownDelivery } from './connection.ts'
import { mostAttempts } from './delivery/retry.ts'
import { ping } from './schema.ts'
import * as store from './store.ts'

/** Of one connection in a minute: an address of somebody else is not to be flooded from here. */
const mostTests = 10
const minuteMs = 60_000

/** Sends the event `ping` to the connection, once: the answer to a test should not come hours later. */
export async function testConnection(ask: IdAsk): Promise<JsonText> {
  const place = placeOf(ask)
  const nowMs = ask.app.clock.nowMs()
  return byHand(ask, '/v1/webhooks/test', async (tx, now) => {
    const connection = await store.lockConnection(tx, place)
    if (!connection) return notFound()
    if (!connection.enabled) fail('WEBHOOK_DISABLED', {})
    const since = new Date(nowMs - minuteMs)
    if ((await store.countSince(tx, place, ping, since)) >= mostTests)
      fail('TOO_MANY_TESTS', { most: mostTests }, { retryAfterMs: minuteMs })
    const id = await store.insertEvent(tx, place, ping, { webhook_id: connection.connection_id }, now)
    return store.insertDelivery(tx, place, { id, type: ping, mostAttempts: 1 }, now)
  })
}

/** Sends the event of a delivery that has ended once more, under the same event id, as a delivery of its own. */
export async function redeliver(ask: IdAsk): Promise<JsonText> {
  const { caller, params } = ask
  return byHand(ask, '/v1/webhooks/deliveries/redeliver', async (tx, now) => {
    const earlier = await store.findDelivery(tx, caller, params.id)
    if (!earlier) return notFound()
    const place = { ...placeOf(ask), connectionId: earlier.connection_id }
    const connection = await store.lockConnection(tx, place)
    if (!connection?.enabled) fail('WEBHOOK_DISABLED', {})
    if (await store.isPending(tx, earlier)) fail('DELIVERY_PENDING', {})
    const event = { id: earlier.event_id, type: earlier.type }
    const most = earlier.type === ping ? 1 : mostAttempts
    return store.insertDelivery(tx, place, { ...event, mostAttempts: most }, now)
  })
}

function byHand(
  ask: IdAsk,
  endpoint: string,
  make: (tx: Tx, now: Date) => Promise<store.DeliveryRow>,
): Promise<JsonText> {
  const now = new Date(ask.app.clock.nowMs())
  return acceptOnce(ask, { endpoint, statusCode: 202, now }, async (tx) => shownDelivery(await make(tx, now)))
}
