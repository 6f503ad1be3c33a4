/** Connections and deliveries in the form in which the API answers with them. */
import type { Delivery, WebhookConnection } from './schema.ts'
import type { ConnectionRow, DeliveryRow } from './store.ts'

export const toConnection = (row: ConnectionRow, nowMs: number): WebhookConnection => ({
  id: row.connection_id,
  url: row.url,
  events: row.events as WebhookConnection['events'],
  enabled: row.enabled,
  disabled_reason: row.disabled_reason,
  paused_until:
    row.parked_until && row.parked_until.getTime() > nowMs ? row.parked_until.toISOString() : null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
})

export const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.delivery_id,
  webhook_id: row.connection_id,
  event_id: row.event_id,
  event: row.type as Delivery['event'],
  status: row.state,
  attempts: row.attempts,
  http_status: row.status_code,
  error: row.error,
  duration_ms: row.duration_ms,
  created_at: row.created_at.toISOString(),
  last_attempt_at: row.attempted_at?.toISOString() ?? null,
  next_attempt_at: row.due_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
})
