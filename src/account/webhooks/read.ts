/** Reading connections and deliveries. */
import type { RequestContext } from '#platform/http'
import { bareList, plainList } from '#platform/lists'
import type { WebhooksApp } from './app.ts'
import { connectionKeyOf, type IdContext, notFound } from './connect.ts'
import { toConnection, toDelivery } from './connection.ts'
import type { DeliveryQuery } from './schema.ts'
import * as store from './store.ts'

export async function listConnections({ app, caller }: RequestContext<WebhooksApp>) {
  const rows = await store.listConnections(app.db, caller)
  return bareList.answer(rows, (row) => toConnection(row, app.clock.nowMs()))
}

export async function readConnection(context: IdContext) {
  const { app } = context
  const row = await store.findConnection(app.db, connectionKeyOf(context))
  return row ? toConnection(row, app.clock.nowMs()) : notFound()
}

export async function listDeliveries({
  app,
  caller,
  query,
}: RequestContext<WebhooksApp, unknown, DeliveryQuery>) {
  const { webhook_id: connectionId, event_id: eventId, status: state, event: type } = query
  const filter = { connectionId, eventId, state, type }
  return plainList.answer(await store.listDeliveries(app.db, caller, filter, query), toDelivery)
}
