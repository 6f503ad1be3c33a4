/** What there is to read of connections and deliveries. */
import type { Ask } from '#platform/http'
import { type IdAsk, notFound, placeOf } from './connect.ts'
import { shownConnection, shownDelivery } from './connection.ts'
import type { DeliveryQuery } from './schema.ts'
import * as store from './store.ts'

export async function listConnections({ app, caller }: Ask) {
  const rows = await store.listConnections(app.db, caller)
  return { data: rows.map((row) => shownConnection(row, app.clock.nowMs())) }
}

export async function readConnection(ask: IdAsk) {
  const { app } = ask
  const row = await store.findConnection(app.db, placeOf(ask))
  return row ? shownConnection(row, app.clock.nowMs()) : notFound()
}

export async function listDeliveries({ app, caller, query }: Ask<unknown, DeliveryQuery>) {
  const { limit, after_id: after, webhook_id: connectionId, event_id: eventId, status: state, event } = query
  const filter = { after, connectionId, eventId, state, type: event }
  const found = await store.listDeliveries(app.db, caller, { ...filter, limit: limit + 1 })
  const data = found.slice(0, limit).map(shownDelivery)
  return { data, has_more: found.length > limit, last_id: data.at(-1)?.id ?? null }
}
