/** SQL of realtime calls: the rows, and who may change them when. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { type Page, readPage } from '#platform/lists'
import { type Judge, lapseIntervalSql } from '#platform/processes'
import type { EndReason, Transport } from './parts.ts'

declare module '#platform/db' {
  interface Tables {
    'realtime.calls': CallRow
  }
}

export type CallStatus = 'starting' | 'active' | 'ended'
export type EngineName = 'pipeline' | 'relay' | 'passthrough' | 'transcription'

export interface CallRow {
  account_id: string
  call_id: string
  project_id: string
  key_id: string
  receipt_id: string
  process_id: string
  transport: Transport['kind']
  engine: EngineName
  model: string
  agent_id: string | null
  customer_id: string | null
  status: CallStatus
  reason: EndReason | null
  turns: number
  tick_at: Date
  end_asked_at: Date | null
  created_at: Date
  connected_at: Date | null
  expires_at: Date
  ended_at: Date | null
  charged: bigint | null
  file_id: string | null
  secret_hash: Buffer | null
  store: boolean
  sound: SoundState | null
  /** The id of a passthrough call at its provider; null once it was hung up there. */
  upstream_call: string | null
  upstream_provider: string | null
}

/** The state of the sound of a call that keeps it. */
export type SoundState = 'recording' | 'stored' | 'lost'

export interface CallKey {
  accountId: string
  callId: string
}

export const insertCall = (tx: Tx, row: CallRow): Promise<unknown> =>
  tx.insertInto('realtime.calls').values(row).execute()

/** Locks the key until the transaction ends: meanwhile no other call of it begins. */
export async function lockKey(tx: Tx, keyId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('realtime ' || ${keyId}, 0))`.execute(tx)
}

/** The number of calls of a key that have not ended, including those that are connecting. */
export async function runningCallCount(
  db: Db['kysely'] | Tx,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<number> {
  const { rows } = await sql<{ running: bigint }>`select count(*) as running from realtime.calls
    where account_id = ${accountId} and key_id = ${keyId} and ended_at is null`.execute(db)
  return Number(rows[0]!.running)
}

/** Records the connection of a call. Returns false where the call has ended. */
export async function writeConnected(db: Db, { accountId, callId }: CallKey, now: Date): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'realtime.connected',
      text: `update realtime.calls set status = 'active', connected_at = coalesce(connected_at, $3), tick_at = $3
        where account_id = $1 and call_id = $2 and ended_at is null returning 1`,
    },
    [accountId, callId, now],
  )
  return rows.length > 0
}

export const readCall = (db: Db, { accountId, callId }: CallKey): Promise<CallRow | undefined> =>
  db.kysely
    .selectFrom('realtime.calls')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('call_id', '=', callId)
    .executeTakeFirst()

/** The calls of an account, newest first. */
export const listCalls = (
  db: Db,
  accountId: string,
  { status, ...page }: { status?: CallStatus | undefined; limit: number; after_id?: string | undefined },
): Promise<Page<CallRow>> => {
  const calls = db.kysely.selectFrom('realtime.calls').selectAll().where('account_id', '=', accountId)
  return readPage(status === undefined ? calls : calls.where('status', '=', status), 'call_id', page)
}

/** Requests the end of a call; its process ends it within a tick. */
export const requestCallEnd = (db: Db, { accountId, callId }: CallKey, now: Date): Promise<unknown> =>
  db.query(
    {
      name: 'realtime.ask_end',
      text: `update realtime.calls set end_asked_at = coalesce(end_asked_at, $3)
        where account_id = $1 and call_id = $2 and ended_at is null`,
    },
    [accountId, callId, now],
  )

/** Locks the row if the call has not ended. No step of it begins from here on. */
export const lockRunning = (tx: Tx, { accountId, callId }: CallKey): Promise<CallRow | undefined> =>
  tx
    .selectFrom('realtime.calls')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('call_id', '=', callId)
    .where('ended_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()

/** Locks the row, whether or not the call has ended. */
export const lockCall = (tx: Tx, { accountId, callId }: CallKey): Promise<CallRow | undefined> =>
  tx
    .selectFrom('realtime.calls')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('call_id', '=', callId)
    .forUpdate()
    .executeTakeFirst()

export async function writeEnded(
  tx: Tx,
  { accountId, callId }: CallKey,
  end: Pick<CallRow, 'reason' | 'turns' | 'charged' | 'connected_at' | 'ended_at' | 'file_id' | 'sound'>,
): Promise<void> {
  await tx
    .updateTable('realtime.calls')
    .set({
      status: 'ended',
      reason: end.reason,
      turns: end.turns,
      charged: end.charged,
      connected_at: end.connected_at,
      ended_at: end.ended_at,
      file_id: end.file_id,
      sound: end.sound,
    })
    .where('account_id', '=', accountId)
    .where('call_id', '=', callId)
    .execute()
}

/** The facts that the process of a call writes at a tick. */
export interface Tick {
  call_id: string
  turns: number
  connected_at: Date | null
}

/** A call of this process, as the database has it. */
export interface TickedCall {
  account_id: string
  call_id: string
  end_asked_at: Date | null
  created_at: Date
  connected_at: Date | null
  expires_at: Date
}

/** Writes the facts that this process knows of its calls; returns all calls that belong to it in the database. */
export const writeTicks = (
  db: Db,
  {
    processId,
    ticks,
    now,
    timeoutMs,
  }: { processId: string; ticks: readonly Tick[]; now: Date; timeoutMs: number },
): Promise<TickedCall[]> =>
  db.query(
    {
      name: 'realtime.tick',
      text: `update realtime.calls c set tick_at = $3, turns = coalesce(r.turns, c.turns), connected_at = coalesce(c.connected_at, r.connected_at),
          status = case when coalesce(c.connected_at, r.connected_at) is null then 'starting' else 'active' end
        from realtime.calls o left join json_to_recordset($2::json) as r(call_id uuid, turns int, connected_at timestamptz) on r.call_id = o.call_id
        where o.process_id = $1 and o.ended_at is null and c.account_id = o.account_id and c.call_id = o.call_id and c.ended_at is null
        returning c.account_id, c.call_id, c.end_asked_at, c.created_at, c.connected_at, c.expires_at`,
      timeoutMs,
    },
    [processId, JSON.stringify(ticks), now],
  )

/** Calls whose process is dead, and those that were not ended in time. */
export const abandonedCalls = (
  db: Db,
  { id, leaseMs, beatAt }: Judge,
  { before, most }: { before: Date; most: number },
): Promise<Pick<CallRow, 'account_id' | 'call_id'>[]> =>
  db.query(
    {
      name: 'realtime.abandoned',
      text: `select account_id, call_id from realtime.calls where ended_at is null
        and (not ledger.lives(process_id, ${lapseIntervalSql('$1', '$4', '$5')}) or expires_at < $2) limit $3`,
    },
    [leaseMs, before, most, id, beatAt],
  )

/** Records that a call was hung up at its provider. */
export const writeHungUp = (db: Db, { accountId, callId }: CallKey): Promise<unknown> =>
  db.query(
    {
      name: 'realtime.hung_up',
      text: 'update realtime.calls set upstream_call = null, upstream_provider = null where account_id = $1 and call_id = $2',
    },
    [accountId, callId],
  )

/**
 * Calls that ended after `since` and may go on at their providers. Those that ended after `until` are included only where their process is dead,
 * since a living process hangs up itself.
 */
export const callsToHangUp = (
  db: Db,
  { id, leaseMs, beatAt }: Judge,
  { since, until, most }: { since: Date; until: Date; most: number },
): Promise<
  (Pick<CallRow, 'account_id' | 'call_id' | 'receipt_id'> & {
    upstream_call: string
    upstream_provider: string
  })[]
> =>
  db.query(
    {
      name: 'realtime.not_hung_up',
      text: `select account_id, call_id, receipt_id, upstream_call, upstream_provider from realtime.calls
        where upstream_call is not null and ended_at > $1
          and (ended_at < $2 or not ledger.lives(process_id, ${lapseIntervalSql('$3', '$5', '$6')}))
        order by ended_at limit $4`,
    },
    [since, until, leaseMs, most, id, beatAt],
  )
