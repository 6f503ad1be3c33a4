import { sql } from 'kysely'
import type { Tx } from '#platform/db'
import { lockBalance } from './store.ts'

/** What binds an account, a project or a key; null is no bound. */
export interface Caps {
  /** In micro-credits. */
  cap?: bigint | null
  monthCap?: bigint | null
  /** Paid calls begun in any 60 seconds. */
  ratePerMinute?: number | null
  /** Paid calls under way. */
  concurrency?: number | null
}

export type MeterScope = 'account' | 'project' | 'key'

/** The books of a new account: a balance of zero and its meter. */
export async function openBooks(tx: Tx, accountId: string, caps: Caps = {}): Promise<void> {
  await sql`insert into ledger.balances (account_id) values (${accountId})`.execute(tx)
  await openMeter(tx, accountId, 'account', accountId, caps)
}

/** Begins to count what a project, a key or an account spends. Each has exactly one meter, made with it. */
export async function openMeter(
  tx: Tx,
  accountId: string,
  scope: MeterScope,
  scopeId: string,
  caps: Caps = {},
): Promise<void> {
  await sql`insert into ledger.meters (account_id, scope, scope_id, cap, month_cap, rate_per_minute, concurrency)
    values (${accountId}, ${scope}, ${scopeId}, ${caps.cap ?? null}, ${caps.monthCap ?? null},
      ${caps.ratePerMinute ?? null}, ${caps.concurrency ?? null})`.execute(tx)
}

/**
 * Sets caps; undefined leaves one as it is. A cap below what is spent already only stops what comes. Once it is committed
 * no hold is made by the cap before it, wherever. Answers false when there is no such meter.
 */
export async function setCaps(
  tx: Tx,
  accountId: string,
  scope: MeterScope,
  scopeId: string,
  caps: Caps,
): Promise<boolean> {
  await lockBalance(tx, accountId)
  const done = await sql`update ledger.meters set
      cap = case when ${caps.cap !== undefined} then ${caps.cap ?? null}::bigint else cap end,
      month_cap = case when ${caps.monthCap !== undefined} then ${caps.monthCap ?? null}::bigint else month_cap end,
      rate_per_minute = case when ${caps.ratePerMinute !== undefined} then ${caps.ratePerMinute ?? null}::int else rate_per_minute end,
      concurrency = case when ${caps.concurrency !== undefined} then ${caps.concurrency ?? null}::int else concurrency end
    where account_id = ${accountId} and scope = ${scope} and scope_id = ${scopeId}`.execute(tx)
  return done.numAffectedRows === 1n
}

export interface Grant {
  accountId: string
  /** Of the grant: a repeated one changes nothing. UUID. */
  transferId: string
  /** Negative takes back, never below what is free (the transaction then fails). */
  microcredits: bigint
  reason: string
}

/** Puts credits on an account. Answers its balance, holds included. */
export async function grant(tx: Tx, ask: Grant, now: Date): Promise<bigint> {
  const { rows } = await sql<{ balance: bigint }>`
    select ledger.grant(${ask.accountId}, ${ask.transferId}, ${ask.microcredits}, ${ask.reason}, ${now}) as balance`.execute(
    tx,
  )
  return rows[0]!.balance
}
