/** Real books on a database of their own, and what stands in them. */
import { randomUUID } from 'node:crypto'
import { type Db, openDb } from '#platform/db'
import { openAccountMeter, openMeter } from '#platform/ledger'
import { cloneDatabase } from '../../harness/postgres.ts'
import type { HoldOp, LedgerModel, Outcome, SettleOp } from './model.ts'

export interface Person {
  account: string
  project: string
  key: string
}

export async function openBooksDatabase(stack: AsyncDisposableStack): Promise<{ db: Db; url: string }> {
  const { url } = stack.use(await cloneDatabase())
  return { db: stack.use(await openDb({ url, connectMs: 60_000 })), url }
}

/** Two accounts; the first has two projects, and three keys over them. The same in books and model. */
export async function openPeople(db: Db, model?: LedgerModel): Promise<Person[]> {
  const [a, b, a1, a2, b1, k1, k2, k3, k4] = Array.from({ length: 9 }, () => randomUUID()) as [
    string,
    ...string[],
  ]
  const people = [
    { account: a, project: a1!, key: k1! },
    { account: a, project: a1!, key: k2! },
    { account: a, project: a2!, key: k3! },
    { account: b!, project: b1!, key: k4! },
  ]
  await db.tx(async (tx) => {
    for (const account of new Set(people.map((one) => one.account))) {
      await openAccountMeter(tx, account)
      model?.openMeter(account, 'account')
    }
    for (const [project, account] of new Map(people.map((one) => [one.project, one.account]))) {
      await openMeter(tx, account, 'project', project)
      model?.openMeter(project, 'project')
    }
    for (const { key, account } of people) {
      await openMeter(tx, account, 'key', key)
      model?.openMeter(key, 'key')
    }
  })
  return people
}

interface Row {
  seq: number
  outcome: string
  receipt_id: string | null
  scope: string | null
  need: bigint | null
  have: bigint | null
}

/** `ledger.commit` as a lane calls it, with a batch of our making; results in the order of `seq`, those of what went as it was asked put in. */
export async function apply(
  db: Pick<Db, 'query'>,
  batch: { settles: SettleOp[]; holds: HoldOp[] },
  atMs: number,
  processId: string,
): Promise<Outcome[]> {
  const settles = batch.settles.map((op, seq) => ({
    seq,
    receipt_id: op.id,
    account_id: op.account,
    actual: String(op.actual),
    state: op.failed ? 'failed' : 'completed',
    status_code: op.failed ? 502 : 200,
    ambiguous: false,
    free_claim: op.freeClaim,
    within_hold: op.withinHold ?? false,
    // Where all of it is lost, an earlier release says `free`.
    ...(op.lost === op.actual && op.id > '8' ? { free: true } : { lost: String(op.lost ?? 0n) }),
    detail: { outcome: 'test' },
    input_tokens: 1,
    cached_input_tokens: 0,
    output_tokens: 1,
    reasoning_tokens: 0,
    // Others use tokens alone. `ledger.findViolations` holds the sums against the receipts.
    quantities: op.id > 'a' ? { pictures: 2, ...(op.id > 'd' && { seconds: 7 }) } : null,
  }))
  const holds = batch.holds.map((op, index) => ({
    seq: settles.length + index,
    receipt_id: op.id,
    account_id: op.account,
    project_id: op.project,
    key_id: op.key,
    endpoint: '/test',
    idempotency_key: op.idempotencyKey,
    fingerprint: 'same',
    model: 'test/model',
    // Half of the calls bear a reference: usage then has a second place (`usage_referenced`), which is held against the first.
    reference_id: op.id < '8' ? `order-${op.id[0]}` : null,
    amount: String(op.amount),
    started: op.started,
    free_if_lost: op.freeIfLost ?? false,
    process_id: op.process === null ? null : op.process === 'alive' ? processId : randomUUID(),
    expires_at: new Date(op.expiresAtMs).toISOString(),
  }))
  const rows = await db.query<Row>(
    { text: 'select * from ledger.commit($1::json, $2::json, $3::uuid[], false, $4, $5)' },
    [
      settles.length > 0 ? JSON.stringify(settles) : null,
      holds.length > 0 ? JSON.stringify(holds) : null,
      [...new Set([...settles, ...holds].map((op) => op.account_id))],
      new Date(atMs),
      [50, 80, 100],
    ],
  )
  const told = new Map(rows.map((row) => [row.seq, row]))
  const plain = [
    ...settles.map((op) => ({ ...op, outcome: 'settled', need: op.actual, have: 0n })),
    ...holds.map((op) => ({ ...op, outcome: 'held', need: op.amount, have: null })),
  ].map(({ seq, outcome, receipt_id, need, have }): Row => {
    return { seq, outcome, receipt_id, scope: null, need: BigInt(need), have }
  })
  return plain.map((row) => {
    const { seq, outcome, receipt_id: receipt, scope, need, have } = told.get(row.seq) ?? row
    return { seq, outcome, receipt, scope, need, have }
  })
}

/** Everything of these people that database and model must agree on, each as the model would print it. */
export async function written(db: Db, people: Person[]): Promise<unknown> {
  const accounts = [...new Set(people.map((one) => one.account))]
  const ask = <R>(text: string) => db.query<R>({ text }, [accounts])
  return {
    balances: await ask(
      'select account_id as id, balance, held from ledger.balances where account_id = any($1) order by 1',
    ),
    meters:
      await ask(`select scope_id as id, scope, spent, held, cap, to_char(month, 'YYYY-MM') as month, month_spent as "monthSpent",
      month_held as "monthHeld", month_cap as "monthCap", rate_per_minute as "ratePerMinute", concurrency, open,
      coalesce((select array_agg(recent_at - 60 + second order by second)::int[]
        from unnest(recent) with ordinality r(calls, second), generate_series(1, r.calls)), '{}') as begun from ledger.meters where account_id = any($1) order by 1`),
    holds: await ask(
      `select receipt_id as id, amount, to_char(month, 'YYYY-MM') as month from ledger.holds where account_id = any($1) order by 1`,
    ),
    papers:
      await ask(`select receipt_id as id, account_id as account, project_id as project, key_id as key, idempotency_key as "idempotencyKey",
      to_char(month, 'YYYY-MM') as month, state, ambiguous, claiming, charged from ledger.receipts where account_id = any($1) order by 1`),
    loss:
      (
        await ask<{ sum: string | null }>(
          `select -sum(amount) as sum from ledger.entries where book = 'loss' and account_id = any($1)`,
        )
      )[0]?.sum ?? '0',
  }
}

/** The same of the model. */
export function expected(model: LedgerModel): unknown {
  const sorted = <V extends object>(map: Map<string, V>) =>
    [...map].map(([id, value]) => ({ id, ...value })).sort((x, y) => (x.id < y.id ? -1 : 1))
  return {
    balances: sorted(model.balances),
    meters: sorted(model.meters),
    holds: sorted(new Map([...model.holds].map(([id, { op, month }]) => [id, { amount: op.amount, month }]))),
    papers: sorted(new Map([...model.papers].map(([id, { lost: _lost, ...paper }]) => [id, paper]))),
    loss: String(model.loss),
  }
}
