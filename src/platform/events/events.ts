/**
 * The outbox: what happened, written in the transaction in which it happened, and told later to whoever listens.
 * What the ledger's own functions tell they write beside their rows, in SQL.
 */
import { sql } from 'kysely'
import type { Tx } from '#platform/db'

/**
 * The kinds of events. The room that writes one declares it by declaration merging, with what its data has:
 * `declare module '#platform/events' { interface Events { 'budget.threshold': Threshold } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: rooms add their events by declaration merging.
export interface Events {}

export type EventType = keyof Events & string

export interface Event {
  accountId: string
  projectId: string
  type: EventType
  /** JSON; what people outside are told, so nothing secret. */
  data: Record<string, unknown>
  /** What may be told only once in the life of the account names itself here. */
  onceKey?: string
}

export async function tell(
  tx: Tx,
  { accountId, projectId, type, data, onceKey }: Event,
  now: Date,
): Promise<void> {
  await sql`insert into events.outbox (account_id, project_id, type, data, once_key, created_at)
    values (${accountId}, ${projectId}, ${type}, ${JSON.stringify(data)}, ${onceKey ?? null}, ${now})
    on conflict do nothing`.execute(tx)
}
