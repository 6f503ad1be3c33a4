import { sql } from 'kysely'
import type { Tx } from '#platform/db'
import { lockBalance } from './store.ts'

declare module '#platform/events' {
  interface Events {
    /** A threshold of a cap was passed; written by the functions of the schema `ledger` and by `setCaps`. */
    'budget.threshold': unknown
  }
}

/** The limits of an account, a project or a key; null means no limit. */
export interface Caps {
  /** The caps of all spending and of a month's, in micro-credits. */
  cap?: bigint | null
  monthCap?: bigint | null
  /** The maximum of paid calls started within any 60 seconds. */
  ratePerMinute?: number | null
  /** The maximum of concurrent paid calls. */
  concurrency?: number | null
}

/** The limits of a meter as they stand, until the transaction ends; undefined if there is no such meter. */
export async function lockCaps(
  tx: Tx,
  accountId: string,
  scope: MeterScope,
  scopeId: string,
): Promise<Required<Caps> | undefined> {
  await lockBalance(tx, accountId)
  const { rows } = await sql<Required<Caps>>`
    select cap, month_cap as "monthCap", rate_per_minute as "ratePerMinute", concurrency from ledger.meters
      where account_id = ${accountId} and scope = ${scope} and scope_id = ${scopeId}`.execute(tx)
  return rows[0]
}

export type MeterScope = 'account' | 'project' | 'key'

/** Creates the meter of a new account, which holds its balance, zero. */
export async function openAccountMeter(tx: Tx, accountId: string, caps: Caps = {}): Promise<void> {
  await openMeter(tx, accountId, 'account', accountId, caps)
}

/** Creates the meter that counts the spending of an account, project or key. Each has exactly one. */
export async function openMeter(
  tx: Tx,
  accountId: string,
  scope: MeterScope,
  scopeId: string,
  caps: Caps = {},
): Promise<void> {
  await sql`insert into ledger.meters (account_id, scope, scope_id, balance, cap, month_cap, rate_per_minute, concurrency)
    values (${accountId}, ${scope}, ${scopeId}, ${scope === 'account' ? 0 : null}, ${caps.cap ?? null}, ${caps.monthCap ?? null},
      ${caps.ratePerMinute ?? null}, ${caps.concurrency ?? null})`.execute(tx)
}

/** The time at which a cap is set, and the thresholds in percent at which events are written. */
export interface CapChangeOptions {
  now?: Date
  thresholdsPercent?: readonly number[]
}

/**
 * Sets caps; undefined leaves a cap as it is. A cap below the amount already spent only stops later calls. Once the change is committed, no process
 * takes a hold by the old cap. A threshold that is passed under the new cap and was not under the old one is notified at once (`budget.threshold`),
 * as if the amount had been spent then. Returns false if there is no such meter.
 */
export async function setCaps(
  tx: Tx,
  accountId: string,
  scope: MeterScope,
  scopeId: string,
  caps: Caps,
  { now = new Date(), thresholdsPercent = [50, 80, 100] }: CapChangeOptions = {},
): Promise<boolean> {
  await lockBalance(tx, accountId)
  // All parts of a statement see the same snapshot: `was` is the meter with its old caps.
  const done = await sql`with meter as (
      update ledger.meters set
        cap = case when ${caps.cap !== undefined} then ${caps.cap ?? null}::bigint else cap end,
        month_cap = case when ${caps.monthCap !== undefined} then ${caps.monthCap ?? null}::bigint else month_cap end,
        rate_per_minute = case when ${caps.ratePerMinute !== undefined} then ${caps.ratePerMinute ?? null}::int else rate_per_minute end,
        concurrency = case when ${caps.concurrency !== undefined} then ${caps.concurrency ?? null}::int else concurrency end
      where account_id = ${accountId} and scope = ${scope} and scope_id = ${scopeId}
      returning account_id, scope, scope_id, cap, month_cap
    ), told as (
      insert into events.outbox (account_id, project_id, type, data, once_key, created_at)
      select m.account_id, case m.scope when 'project' then m.scope_id when 'key' then
          (select u.project_id from ledger.usage_days u where u.account_id = m.account_id and u.key_id = m.scope_id limit 1) end,
        'budget.threshold',
        json_build_object('scope', m.scope, 'scope_id', m.scope_id, 'period', p.period, 'threshold_percent', t.percent,
          'cap_credits', p.cap / 1000000, 'spent_credits', (p.spent + 999999) / 1000000),
        concat_ws(':', 'budget.threshold', m.scope, m.scope_id, p.period, p.cap, t.percent), ${now}
      from meter m join ledger.meters was using (account_id, scope, scope_id)
      cross join lateral (values
        ('total', m.cap, was.cap, was.spent),
        (to_char(was.month, 'YYYY-MM'), case when was.month >= ledger.month_of(${now}) then m.month_cap end, was.month_cap, was.month_spent)
      ) p(period, cap, old_cap, spent)
      cross join unnest(${thresholdsPercent}::smallint[]) t(percent)
      where p.cap > 0
        and p.spent::numeric * 100 >= p.cap::numeric * t.percent
        and (coalesce(p.old_cap, 0) = 0 or p.spent::numeric * 100 < p.old_cap::numeric * t.percent)
      on conflict do nothing
    )
    select from meter`.execute(tx)
  return done.rows.length === 1
}

export interface Grant {
  accountId: string
  /** The id of the grant, a UUID: repeating the grant changes nothing. */
  transferId: string
  /** The amount. A negative amount takes credits back, but not more than are free (then the transaction fails). */
  microcredits: bigint
  reason: string
}

/** Adds credits to an account. Returns its balance, holds included. */
export async function grant(tx: Tx, options: Grant, now: Date): Promise<bigint> {
  const { rows } = await sql<{ balance: bigint }>`
    select ledger.grant(${options.accountId}, ${options.transferId}, ${options.microcredits}, ${options.reason}, ${now}) as balance`.execute(
    tx,
  )
  return rows[0]!.balance
}
