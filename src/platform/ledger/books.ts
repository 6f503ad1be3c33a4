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

/** The time at which a cap is set, and the thresholds of the installation in percent, at which events are written unless the account has its own. */
export interface CapChangeOptions {
  now?: Date
  thresholdsPercent?: readonly number[]
}

/** New limits of an account, or of a project or a key of it; undefined leaves one as it is. */
export interface MeterChange {
  scope: MeterScope
  scopeId: string
  caps: Caps
  /** The thresholds of all caps in an account, which only its own meter has, ascending, each once; null: those of the installation. */
  thresholdsPercent?: readonly number[] | null | undefined
}

export interface MeterLimits extends Required<Caps> {
  /** Null: those of the installation; null of projects and keys, too. */
  thresholdsPercent: number[] | null
}

/** What a change found, and what stands there now. */
export interface ChangedMeter {
  scopeId: string
  before: MeterLimits
  after: MeterLimits
}

/** Sets the caps of one meter, as `changeMeters` does. Returns false if there is no such meter. */
export async function setCaps(
  tx: Tx,
  accountId: string,
  scope: MeterScope,
  scopeId: string,
  caps: Caps,
  options: CapChangeOptions = {},
): Promise<boolean> {
  return (await changeMeters(tx, accountId, [{ scope, scopeId, caps }], options)).length === 1
}

/**
 * Sets limits of meters of one account, each at most once. A cap below the amount already spent only stops later calls. Once the change is committed, no
 * process takes a hold by the old cap. A threshold that is passed under the new cap and was not under the old one is notified at once
 * (`budget.threshold`), as if the amount had been spent then; new thresholds alone notify of nothing that is spent already. Returns what changed, without
 * meters that there are not.
 *
 * From here to the end of the transaction no call of the account is paid: what a change reads, it reads before.
 */
export async function changeMeters(
  tx: Tx,
  accountId: string,
  changes: readonly MeterChange[],
  { now = new Date(), thresholdsPercent = [50, 80, 100] }: CapChangeOptions = {},
): Promise<ChangedMeter[]> {
  await lockBalance(tx, accountId)
  // All parts of a statement see the same snapshot: `was` is the meter with its old caps.
  const { rows } = await sql<Pick<ChangedMeter, 'scopeId'> & OldAndNew>`with given as (
      select * from json_to_recordset(${JSON.stringify(changes.map(sentChange))}::json) g(scope text, scope_id uuid, sets_cap bool, cap bigint,
        sets_month_cap bool, month_cap bigint, sets_rate bool, rate_per_minute int, sets_concurrency bool, concurrency int,
        sets_thresholds bool, thresholds_percent smallint[])
    ), meter as (
      update ledger.meters m set
        cap = case when g.sets_cap then g.cap else m.cap end,
        month_cap = case when g.sets_month_cap then g.month_cap else m.month_cap end,
        rate_per_minute = case when g.sets_rate then g.rate_per_minute else m.rate_per_minute end,
        concurrency = case when g.sets_concurrency then g.concurrency else m.concurrency end,
        thresholds_percent = case when g.sets_thresholds and m.scope = 'account' then g.thresholds_percent else m.thresholds_percent end
      from given g
      where m.account_id = ${accountId} and m.scope = g.scope and m.scope_id = g.scope_id
      returning m.account_id, m.scope, m.scope_id, m.cap, m.month_cap, m.rate_per_minute, m.concurrency, m.thresholds_percent
    ), threshold as (
      select unnest(coalesce(
        (select case when m.scope_id is null then a.thresholds_percent else m.thresholds_percent end
          from ledger.meters a left join meter m using (account_id, scope, scope_id)
          where a.account_id = ${accountId} and a.scope = 'account' and a.scope_id = a.account_id),
        ${thresholdsPercent}::smallint[])) as percent
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
      cross join threshold t
      where p.cap > 0
        and p.spent::numeric * 100 >= p.cap::numeric * t.percent
        and (coalesce(p.old_cap, 0) = 0 or p.spent::numeric * 100 < p.old_cap::numeric * t.percent)
      on conflict do nothing
    )
    select m.scope_id as "scopeId", was.cap as old_cap, was.month_cap as old_month_cap, was.rate_per_minute as old_rate,
      was.concurrency as old_concurrency, was.thresholds_percent as old_thresholds, m.cap, m.month_cap, m.rate_per_minute as rate,
      m.concurrency, m.thresholds_percent as thresholds
    from meter m join ledger.meters was using (account_id, scope, scope_id)`.execute(tx)
  return rows.map(shownChange)
}

interface OldAndNew {
  old_cap: bigint | null
  old_month_cap: bigint | null
  old_rate: number | null
  old_concurrency: number | null
  old_thresholds: number[] | null
  cap: bigint | null
  month_cap: bigint | null
  rate: number | null
  concurrency: number | null
  thresholds: number[] | null
}

const shownChange = (row: Pick<ChangedMeter, 'scopeId'> & OldAndNew): ChangedMeter => ({
  scopeId: row.scopeId,
  before: {
    cap: row.old_cap,
    monthCap: row.old_month_cap,
    ratePerMinute: row.old_rate,
    concurrency: row.old_concurrency,
    thresholdsPercent: row.old_thresholds,
  },
  after: {
    cap: row.cap,
    monthCap: row.month_cap,
    ratePerMinute: row.rate,
    concurrency: row.concurrency,
    thresholdsPercent: row.thresholds,
  },
})

/** A change as the statement reads it; micro-credits are texts, because JSON numbers are not exact. */
const sentChange = ({ scope, scopeId, caps, thresholdsPercent }: MeterChange) => ({
  scope,
  scope_id: scopeId,
  sets_cap: caps.cap !== undefined,
  cap: caps.cap == null ? null : String(caps.cap),
  sets_month_cap: caps.monthCap !== undefined,
  month_cap: caps.monthCap == null ? null : String(caps.monthCap),
  sets_rate: caps.ratePerMinute !== undefined,
  rate_per_minute: caps.ratePerMinute ?? null,
  sets_concurrency: caps.concurrency !== undefined,
  concurrency: caps.concurrency ?? null,
  sets_thresholds: thresholdsPercent !== undefined,
  thresholds_percent: thresholdsPercent ?? null,
})

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
