/** SQL of receipts, replies, balances and meters, and the sweep that ends the holds of dead processes. */
import { sql } from 'kysely'
import type { Db, Tx } from '#platform/db'
import { type Judge, lapseIntervalSql } from '#platform/processes'
import type { MeterScope } from './books.ts'
import type { OpResult } from './commit-ops.ts'
import type { Claim, Payer, Quantities } from './ledger.ts'

export interface Receipt {
  receipt_id: string
  project_id: string
  key_id: string
  endpoint: string
  idempotency_key: string | null
  state: 'running' | 'completed' | 'failed'
  ambiguous: boolean
  status_code: number | null
  held: bigint
  charged: bigint
  model: string | null
  customer_id: string | null
  reference_id: string | null
  detail: Record<string, unknown> | null
  /** Usage in units other than tokens, such as seconds. */
  quantities: Quantities | null
  created_at: Date
  finished_at: Date | null
}

export interface EarlierReceipt extends Receipt {
  /** False once the request failed without any effect: its idempotency key is free. */
  claiming: boolean
  fingerprint: string | null
  reply: string | null
}

/** The meter of an account, project or key, in micro-credits. Months are those of Asia/Tehran. */
export interface Spending {
  spent: bigint
  /** The amount held for calls that are still running. */
  held: bigint
  cap: bigint | null
  month_spent: bigint
  month_cap: bigint | null
  rate_per_minute: number | null
  concurrency: number | null
}

export interface Meter {
  scope: MeterScope
  scope_id: string
  spent: bigint
  held: bigint
  cap: bigint | null
  month: string
  month_spent: bigint
  month_held: bigint
  month_cap: bigint | null
}

const receiptColumns = `receipt_id, project_id, key_id, endpoint, idempotency_key, state, ambiguous, status_code, held, charged,
  model, customer_id, reference_id, detail, quantities, created_at, finished_at`

/** The maximum rows per statement of background work, so that callers never wait long for it. */
export const sweepSize = 500

/** Ends the holds of dead processes, and those past their lifetime. */
export const sweep = (
  db: Db,
  { id, leaseMs, beatAt }: Judge,
  nowMs: number,
  thresholdsPercent: readonly number[],
): Promise<{ receipt_id: string; amount: bigint; started: boolean; free_if_lost: boolean }[]> =>
  db.query(
    {
      text: `select receipt_id, amount, started, free_if_lost from ledger.sweep(${lapseIntervalSql('$1', '$5', '$6')}, $2, $3, $4)`,
    },
    [leaseMs, new Date(nowMs), sweepSize, thresholdsPercent, id, beatAt],
  )

/** Changes the amount of an open hold; see migrations/0005-rehold.sql. */
export async function rehold(
  db: Db,
  accountId: string,
  holdId: string,
  from: bigint,
  to: bigint,
  until: Date,
): Promise<OpResult> {
  const [result] = await db.query<OpResult>(
    { name: 'ledger.rehold', text: 'select * from ledger.rehold($1, $2, $3, $4, $5)' },
    [accountId, holdId, from, to, until],
  )
  return result!
}

/** Extends the lifetime of an open hold to at least `until`; returns false if the hold has ended. */
export async function renew(db: Db, accountId: string, holdId: string, until: Date): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'ledger.renew',
      text: `update ledger.holds set expires_at = greatest(expires_at, $3)
        where account_id = $1 and receipt_id = $2 returning 1`,
    },
    [accountId, holdId, until],
  )
  return rows.length === 1
}

/** How a call settled its own hold; undefined while it is held, and if a sweep ended it. */
export async function settlementOf(
  db: Db,
  accountId: string,
  receiptId: string,
): Promise<{ chargedMicrocredits: bigint; lossMicrocredits: bigint } | undefined> {
  const [row] = await db.query<{ charged: bigint; lost: bigint | null }>(
    {
      text: `select charged, lost from ledger.settlements
        where account_id = $1 and receipt_id = $2 and not ambiguous`,
    },
    [accountId, receiptId],
  )
  return row && { chargedMicrocredits: row.charged, lossMicrocredits: row.lost ?? 0n }
}

/** Deletes stored replies from before that time; returns how many, at most `sweepSize`. */
export async function deleteOldReplies(db: Db, beforeMs: number): Promise<number> {
  const gone = await db.query(
    {
      text: `delete from ledger.replies where (account_id, receipt_id) in
          (select account_id, receipt_id from ledger.replies where created_at < $1 order by created_at limit $2)
        returning 1`,
    },
    [new Date(beforeMs), sweepSize],
  )
  return gone.length
}

/**
 * Writes a receipt without money; returns the id of an existing receipt that conflicts with it, or null. See `ledger.record` in
 * migrations/0006-jobs.sql.
 */
export async function writeRecord(
  tx: Tx,
  options: {
    payer: Payer
    receiptId: string
    endpoint: string
    claim?: Claim | undefined
    state: 'completed' | 'failed'
    statusCode?: number
    reply?: string | undefined
  },
  now: Date,
): Promise<string | null> {
  const { payer, receiptId, endpoint, claim, state, statusCode = null, reply = null } = options
  const { rows } = await sql<{
    earlier: string | null
  }>`select ledger.record(${payer.accountId}, ${receiptId},
    ${payer.projectId}, ${payer.keyId}, ${endpoint}, ${claim?.key ?? null}, ${claim?.fingerprint ?? null},
    ${state}, ${statusCode}::smallint, ${reply}, ${now}) as earlier`.execute(tx)
  return rows[0]!.earlier
}

/** Stores the answer of a receipt that was written without one. */
export async function insertReply(
  db: Db,
  { accountId, receiptId }: { accountId: string; receiptId: string },
  { statusCode, reply }: { statusCode: number; reply: string },
  now: Date,
): Promise<void> {
  const text =
    'insert into ledger.replies (account_id, receipt_id, status_code, body, created_at) values ($1, $2, $3, $4, $5)'
  await db.query({ text }, [accountId, receiptId, statusCode, reply, now])
}

/** Marks a receipt that moved no money as failed, and frees its idempotency key. */
export async function releaseClaim(
  tx: Tx,
  { accountId, receiptId }: { accountId: string; receiptId: string },
): Promise<void> {
  await sql`select ledger.lock(array[${accountId}::uuid])`.execute(tx)
  const count = (sign: 1 | -1) =>
    sql`select ledger.count_usage(s, ${sign}, 0, 0, 0, 0) from ledger.settlements s
      where s.account_id = ${accountId} and s.receipt_id = ${receiptId}`.execute(tx)
  await count(-1)
  await sql`update ledger.settlements set claiming = false, state = 'failed', status_code = null
    where account_id = ${accountId} and receipt_id = ${receiptId}`.execute(tx)
  await count(1)
}

/** Deletes the stored answer of a receipt, which is stored elsewhere now. */
export async function deleteReply(tx: Tx, accountId: string, receiptId: string): Promise<void> {
  await sql`delete from ledger.replies where account_id = ${accountId} and receipt_id = ${receiptId}`.execute(
    tx,
  )
}

export async function balance(db: Db, accountId: string): Promise<{ balance: bigint; held: bigint }> {
  const [row] = await db.query<{ balance: bigint; held: bigint }>(
    { name: 'ledger.balance', text: 'select balance, held from ledger.balances where account_id = $1' },
    [accountId],
  )
  return row ?? { balance: 0n, held: 0n }
}

/** The balances of all accounts, or of the given one; `balance` includes what is held. */
export const balances = (db: Db, accountId?: string): Promise<{ account_id: string; balance: bigint }[]> =>
  db.query(
    {
      text: 'select account_id, balance from ledger.balances where $1::uuid is null or account_id = $1',
    },
    [accountId ?? null],
  )

/** The spending of all accounts, projects or keys, or of those of the given account. */
export const spendings = (
  db: Db,
  scope: MeterScope,
  now: Date,
  accountId?: string,
): Promise<(Spending & { scope_id: string })[]> =>
  db.query(
    {
      text: `select scope_id, spent, held, cap, month_cap, rate_per_minute, concurrency,
          case when month = ledger.month_of($2) then month_spent else 0 end as month_spent
        from ledger.meters where scope = $1 and ($3::uuid is null or account_id = $3)`,
    },
    [scope, now, accountId ?? null],
  )

/** Locks the account's balance until the transaction ends; undefined if there is no such account. */
export async function lockBalance(
  tx: Tx,
  accountId: string,
): Promise<{ balance: bigint; held: bigint } | undefined> {
  const { rows } = await sql<{ balance: bigint; held: bigint }>`
    select balance, held from ledger.balances where account_id = ${accountId} for update`.execute(tx)
  return rows[0]
}

/** The amount that a transfer added to the account or took from it; undefined if there was none. */
export async function transferredAmount(
  tx: Tx,
  accountId: string,
  transferId: string,
): Promise<bigint | undefined> {
  const { rows } = await sql<{ amount: bigint }>`
    select amount from ledger.entries
    where account_id = ${accountId} and transfer_id = ${transferId} and book = 'credits'`.execute(tx)
  return rows[0]?.amount
}

/** The meters of a payer. A meter resets its month at the first hold of a new month; until then its stored figures are those of an earlier month. */
export const meters = (db: Db, payer: Payer, nowMs: number): Promise<Meter[]> =>
  db.query(
    {
      text: `select scope, scope_id, spent, held, cap, to_char(greatest(month, this_month), 'YYYY-MM') as month, month_cap,
          case when month >= this_month then month_spent else 0 end as month_spent,
          case when month >= this_month then month_held else 0 end as month_held
        from ledger.meters, ledger.month_of($4) this_month
        where account_id = $1 and (scope, scope_id) in (('account', $1), ('project', $2), ('key', $3))`,
    },
    [payer.accountId, payer.projectId || null, payer.keyId || null, new Date(nowMs)],
  )

export async function receipt(
  db: Db,
  accountId: string,
  projectId: string,
  id: string,
): Promise<Receipt | undefined> {
  const [row] = await db.query<Receipt>(
    {
      name: 'ledger.receipt',
      text: `select ${receiptColumns} from ledger.receipts where account_id = $1 and receipt_id = $2 and project_id = $3`,
    },
    [accountId, id, projectId],
  )
  return row
}

/** A receipt of any project of the account. */
export async function receiptOfAccount(db: Db, accountId: string, id: string): Promise<Receipt | undefined> {
  const [row] = await db.query<Receipt>(
    {
      name: 'ledger.receipt_of_account',
      text: `select ${receiptColumns} from ledger.receipts where account_id = $1 and receipt_id = $2`,
    },
    [accountId, id],
  )
  return row
}

/** The receipt that holds the claim on the key, else the newest failed one. */
export async function lookup(
  db: Db,
  accountId: string,
  keyId: string,
  idempotencyKey: string,
): Promise<Receipt | undefined> {
  const [row] = await db.query<Receipt>(
    {
      name: 'ledger.lookup',
      text: `select ${receiptColumns} from ledger.receipts where account_id = $1 and key_id = $2 and idempotency_key = $3
        order by claiming desc, created_at desc limit 1`,
    },
    [accountId, keyId, idempotencyKey],
  )
  return row
}

export async function earlierReceipt(
  db: Db,
  accountId: string,
  id: string,
  notBeforeMs: number,
): Promise<EarlierReceipt | undefined> {
  const [row] = await db.query<EarlierReceipt>(
    {
      name: 'ledger.earlier',
      text: `select ${receiptColumns}, fingerprint, claiming,
          (select p.body from ledger.replies p
           where p.account_id = r.account_id and p.receipt_id = r.receipt_id and p.created_at > $3) as reply
        from ledger.receipts r where account_id = $1 and receipt_id = $2`,
    },
    [accountId, id, new Date(notBeforeMs)],
  )
  return row
}

export const findViolations = (db: Db): Promise<Record<string, unknown>[]> =>
  db.query({ text: 'select * from ledger.violations' }, [])

/** Finds violations like `findViolations`, but at most 1,000 rows; undefined if the ledger's tables do not exist yet. */
export async function sampleViolations(
  db: Db,
): Promise<{ invariant: string; account_id: string }[] | undefined> {
  const [books] = await db.query<{ here: boolean }>(
    { text: `select to_regclass('ledger.violations') is not null as here` },
    [],
  )
  return books?.here
    ? db.query({ text: 'select invariant, account_id from ledger.violations limit 1000' }, [])
    : undefined
}
