/** Deliveries on request: a test of a connection, and the redelivery of an event. */

import { acceptOnce } from '#core/calls'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { JsonText } from '#platform/http'
import { connectionKeyOf, type IdContext, notFound } from './connect.ts'
import { toDelivery } from './connection.ts'
import { maxAttempts } from './delivery/retry.ts'
import { ping } from './schema.ts'
import * as store from './store.ts'

/** The most tests of one connection in a minute, so that nobody floods a foreign address through this server. */
const maxTests = 10
const minuteMs = 60_000

/** Sends the event `ping` to the connection, once: the answer to a test should not come hours later. */
export async function testConnection(context: IdContext): Promise<JsonText> {
  const connectionKey = connectionKeyOf(context)
  const nowMs = context.app.clock.nowMs()
  return deliverManually(context, '/v1/webhooks/test', async (tx, now) => {
    const connection = await store.lockConnection(tx, connectionKey)
    if (!connection) return notFound()
    if (!connection.enabled) fail('WEBHOOK_DISABLED', {})
    const since = new Date(nowMs - minuteMs)
    if ((await store.countSince(tx, connectionKey, ping, since)) >= maxTests)
      fail('TOO_MANY_TESTS', { max: maxTests }, { retryAfterMs: minuteMs })
    const id = await store.insertEvent(tx, connectionKey, ping, { webhook_id: connection.connection_id }, now)
    return store.insertDelivery(tx, connectionKey, { id, type: ping, maxAttempts: 1 }, now)
  })
}

/** Sends the event of an ended delivery once more, under the same event id, as a delivery of its own. */
export async function redeliver(context: IdContext): Promise<JsonText> {
  const { caller, params } = context
  return deliverManually(context, '/v1/webhooks/deliveries/redeliver', async (tx, now) => {
    const earlier = await store.findDelivery(tx, caller, params.id)
    if (!earlier) return notFound()
    const connectionKey = { ...connectionKeyOf(context), connectionId: earlier.connection_id }
    const connection = await store.lockConnection(tx, connectionKey)
    if (!connection?.enabled) fail('WEBHOOK_DISABLED', {})
    if (await store.isPending(tx, earlier)) fail('DELIVERY_PENDING', {})
    const event = { id: earlier.event_id, type: earlier.type }
    const max = earlier.type === ping ? 1 : maxAttempts
    return store.insertDelivery(tx, connectionKey, { ...event, maxAttempts: max }, now)
  })
}

function deliverManually(
  context: IdContext,
  endpoint: string,
  make: (tx: Tx, now: Date) => Promise<store.DeliveryRow>,
): Promise<JsonText> {
  const now = new Date(context.app.clock.nowMs())
  return acceptOnce(context, { endpoint, statusCode: 202, now }, async (tx) =>
    toDelivery(await make(tx, now)),
  )
}
