import type { Db } from '#platform/db'
import { lapseIntervalSql } from '#platform/processes'
import { type ConnectionRow, cancelPending } from '../store.ts'

export type TakenConnection = Pick<
  ConnectionRow,
  'account_id' | 'connection_id' | 'url' | 'secret' | 'old_secret' | 'old_secret_until' | 'strikes'
>

/** A delivery that is due; `data` is JSON as text. */
export interface DueDelivery {
  account_id: string
  delivery_id: string
  attempts: number
  most_attempts: number
  event_id: string
  type: string
  project_id: string | null
  created_at: Date
  data: string
}

/** How an attempt ended; see `webhooks.settle` in migrations/0010-webhooks.sql. */
export interface DeliveryUpdate {
  account_id: string
  delivery_id: string
  state: 'delivered' | 'pending' | 'failed'
  attempts: number
  status_code: number | null
  error: string | null
  duration_ms: number
  attempted_at: Date
  due_at: Date | null
}

const columns = 'account_id, connection_id, url, secret, old_secret, old_secret_until, strikes'

export interface TakeOptions {
  processId: string
  busy: readonly string[]
  perAccount: number
  max: number
  now: Date
  lapseMs: number
  /** The time of the last heartbeat, as in `Judge`. */
  beatAt: Date
}

/** Takes connections that have something due and no sender; from now on only this process sends to them. */
export const takeConnections = (
  db: Db,
  { processId, busy, perAccount, max, now, lapseMs, beatAt }: TakeOptions,
): Promise<TakenConnection[]> =>
  db.query(
    {
      name: 'webhooks.take',
      text: `select ${columns} from webhooks.take($1, $2, $3, $4, $5, ${lapseIntervalSql('$6', '$1', '$7')})`,
    },
    [processId, busy, perAccount, max, now, lapseMs, beatAt],
  )

/** When the next delivery falls due for a connection without a sender; null when nothing waits. */
export async function nextDueAt(db: Db): Promise<Date | null> {
  const [row] = await db.query<{ at: Date | null }>(
    {
      name: 'webhooks.next_due',
      text: `select min(greatest(w.due_at, c.parked_until)) as at
        from webhooks.waiting w join webhooks.connections c using (account_id, connection_id)
        where c.enabled and c.process_id is null`,
    },
    [],
  )
  return row!.at
}

/** The taken connection as it is now; undefined when this process no longer has it, or it is switched off or parked. */
export async function refreshConnection(
  db: Db,
  { account_id, connection_id }: TakenConnection,
  { processId, now }: { processId: string; now: Date },
): Promise<TakenConnection | undefined> {
  const [row] = await db.query<TakenConnection>(
    {
      name: 'webhooks.refresh',
      text: `select ${columns} from webhooks.connections
        where account_id = $1 and connection_id = $2 and process_id = $3 and enabled
          and coalesce(parked_until <= $4, true)`,
    },
    [account_id, connection_id, processId, now],
  )
  return row
}

/** Deliveries that are due for a connection, oldest first, except those under way. */
export const dueDeliveries = (
  db: Db,
  { account_id, connection_id }: TakenConnection,
  busy: readonly string[],
  now: Date,
  limit: number,
): Promise<DueDelivery[]> =>
  db.query(
    {
      name: 'webhooks.due',
      text: `select d.account_id, d.delivery_id, d.attempts, d.most_attempts, d.event_id, e.type, e.project_id, e.created_at, e.data::text
        from webhooks.deliveries d join events.outbox e using (account_id, event_id)
        where d.account_id = $1 and d.connection_id = $2 and d.state = 'pending' and d.due_at <= $3 and d.delivery_id <> all($4)
        order by d.due_at, d.delivery_id limit $5`,
    },
    [account_id, connection_id, now, busy, limit],
  )

export const settleDeliveries = (db: Db, results: readonly DeliveryUpdate[]): Promise<unknown> =>
  db.query({ name: 'webhooks.settle', text: 'select webhooks.settle($1)' }, [JSON.stringify(results)])

/** Releases the connection, so that other processes may send to it. One that was parked meanwhile, as by the deletion of its account, stays so. */
export const releaseConnection = (
  db: Db,
  { account_id, connection_id }: TakenConnection,
  processId: string,
  strikes: number,
  parkedUntil: Date | null,
): Promise<unknown> =>
  db.query(
    {
      name: 'webhooks.release',
      text: `update webhooks.connections set process_id = null, strikes = $4, parked_until = greatest(parked_until, $5)
        where account_id = $1 and connection_id = $2 and process_id = $3`,
    },
    [account_id, connection_id, processId, strikes, parkedUntil],
  )

/** Switches off a connection whose target answered 410, unless its address was changed meanwhile. */
export const switchOff = (db: Db, connection: TakenConnection, now: Date): Promise<void> =>
  db.tx(async (tx) => {
    const { account_id: accountId, connection_id: connectionId, url } = connection
    const { numUpdatedRows } = await tx
      .updateTable('webhooks.connections')
      .set({ enabled: false, disabled_reason: 'gone', updated_at: now })
      .where('account_id', '=', accountId)
      .where('connection_id', '=', connectionId)
      .where('url', '=', url)
      .executeTakeFirst()
    if (numUpdatedRows === 1n) await cancelPending(tx, { accountId, connectionId }, 'gone', now)
  })

/** Ends deliveries that cannot be made any more: they waited too long, or their connection is switched off or gone. */
export const endUndeliverable = (db: Db, madeBefore: Date, now: Date): Promise<unknown> =>
  db.query(
    {
      text: `update webhooks.deliveries d set due_at = null, ended_at = $2,
          state = case when s.usable then 'failed' else 'cancelled' end, error = case when s.usable then 'expired' else 'disabled' end
        from (
          select d.account_id, d.delivery_id, coalesce(c.enabled, false) as usable
          from webhooks.deliveries d left join webhooks.connections c using (account_id, connection_id)
          where d.state = 'pending' and (d.created_at < $1 or not coalesce(c.enabled, false))
        ) s
        where d.account_id = s.account_id and d.delivery_id = s.delivery_id and d.state = 'pending'`,
    },
    [madeBefore, now],
  )

/** Deletes callbacks older than `before` that have nothing left to send. Returns how many. */
export async function deleteCallbacks(db: Db, before: Date, limit: number): Promise<number> {
  const gone = await db.query(
    {
      text: `delete from webhooks.connections where (account_id, connection_id) in (
          select c.account_id, c.connection_id from webhooks.connections c
          where c.events = '{}' and c.created_at < $1
            and not exists (select from webhooks.deliveries d
              where d.account_id = c.account_id and d.connection_id = c.connection_id and d.state = 'pending')
          limit $2)
        returning 1`,
    },
    [before, limit],
  )
  return gone.length
}

/** Deletes deliveries that ended before `before`. Returns how many. */
export async function deleteDeliveries(db: Db, before: Date, limit: number): Promise<number> {
  const gone = await db.query(
    {
      text: `delete from webhooks.deliveries where (account_id, delivery_id) in (
          select account_id, delivery_id from webhooks.deliveries where ended_at < $1 order by ended_at limit $2)
        returning 1`,
    },
    [before, limit],
  )
  return gone.length
}

/** Deletes events older than `before` that have no deliveries. Events with a once-key keep their row without data. Returns how many. */
export async function deleteEvents(db: Db, before: Date, limit: number): Promise<number> {
  const [row] = await db.query<{ gone: bigint }>(
    {
      text: `with old as (
          select account_id, event_id, once_key from events.outbox e
          where created_at < $1 and (once_key is null or data <> '{}')
            and not exists (select from webhooks.deliveries d where d.account_id = e.account_id and d.event_id = e.event_id)
          order by created_at limit $2
        ), emptied as (
          update events.outbox e set data = '{}' from old o
          where o.once_key is not null and e.account_id = o.account_id and e.event_id = o.event_id
        ), deleted as (
          delete from events.outbox e using old o where o.once_key is null and e.account_id = o.account_id and e.event_id = o.event_id
        )
        select count(*) as gone from old`,
    },
    [before, limit],
  )
  return Number(row!.gone)
}
