/**
 * The outbox: events are written in the transaction in which they happen, and delivered later. The ledger's SQL functions write their events
 * themselves, beside their rows.
 */
import { sql } from 'kysely'
import type { Tx } from '#platform/db'

export { eventsHolding } from './holding.ts'

/**
 * The kinds of events. The room that writes a kind declares it by declaration merging, with the shape of its data: `declare module '#platform/events'
 * { interface Events { 'budget.threshold': Threshold } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: rooms add their events by declaration merging.
export interface Events {}

export type EventType = keyof Events & string

export interface Event {
  accountId: string
  projectId: string
  type: EventType
  /** The data, as JSON. It is delivered to outside receivers, so it must not contain secrets. */
  data: Record<string, unknown>
  /** A key for events that may occur only once per account. */
  onceKey?: string
}

export async function writeEvent(
  tx: Tx,
  { accountId, projectId, type, data, onceKey }: Event,
  now: Date,
): Promise<void> {
  await sql`insert into events.outbox (account_id, project_id, type, data, once_key, created_at)
    values (${accountId}, ${projectId}, ${type}, ${JSON.stringify(data)}, ${onceKey ?? null}, ${now})
    on conflict do nothing`.execute(tx)
}
