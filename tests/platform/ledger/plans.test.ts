/** A commit reads the rows of its own calls, and no others, whatever PostgreSQL believes of the tables. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '#platform/db'
import { grant } from '#platform/ledger'
import { apply, openBooksDatabase, openPeople, type Person } from './books.ts'
import type { HoldOp } from './model.ts'
import '#platform/http'

const stack = new AsyncDisposableStack()
let db: Db
let person: Person

beforeAll(async () => {
  db = (await openBooksDatabase(stack)).db
  person = (await openPeople(db))[0]!
  const gift = { transferId: randomUUID(), microcredits: 1_000_000n, reason: 'test' }
  await db.tx((tx) => grant(tx, { accountId: person.account, ...gift }, new Date()))
})
afterAll(() => stack.disposeAsync())

const holdOp = (idempotencyKey: string | null): HoldOp => ({
  id: randomUUID(),
  ...person,
  idempotencyKey,
  amount: 10n,
  started: true,
  process: null,
  expiresAtMs: Date.now() + 3_600_000,
})
const settleOp = ({ id, account, amount }: HoldOp) => ({
  ...{ id, account, actual: amount, failed: false, freeClaim: false },
})
const holds = (count: number): HoldOp[] => Array.from({ length: count }, () => holdOp(null))

interface Work {
  settles?: HoldOp[]
  holds?: HoldOp[]
}

/** Commits the operations, each of which must go as it is asked. */
async function run(on: Pick<Db, 'query'>, { settles = [], holds = [] }: Work): Promise<void> {
  const outcomes = await apply(on, { settles: settles.map(settleOp), holds }, Date.now(), randomUUID())
  for (const { outcome } of outcomes) expect(outcome).toMatch(/^(settled|held)$/)
}

/** A connection of its own, whose plans are made anew. */
async function connect(): Promise<Pick<Db, 'query'> & Disposable> {
  const client = await db.pool.connect()
  await client.query('discard plans')
  return {
    query: async ({ text }, values) => (await client.query(text, [...values])).rows,
    [Symbol.dispose]: () => client.release(),
  }
}

/** How many rows of these tables a commit has read. */
async function rowsRead(work: Work): Promise<{ holds: number; settlements: number }> {
  using connection = await connect()
  const { query } = connection
  const read = async (table: 'holds' | 'settlements'): Promise<number> => {
    const text = `select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relid = 'ledger.${table}'::regclass`
    const [row] = await query<{ rows: bigint }>({ text }, [])
    return Number(row!.rows)
  }
  await query({ text: 'begin' }, [])
  const before = { holds: await read('holds'), settlements: await read('settlements') }
  await run(connection, work)
  const after = { holds: await read('holds'), settlements: await read('settlements') }
  await query({ text: 'commit' }, [])
  return { holds: after.holds - before.holds, settlements: after.settlements - before.settlements }
}

const statistics = () =>
  db.query(
    {
      text: `select relname as table, reltuples as rows, relpages as pages from pg_class
        where relname in ('holds', 'settlements') and relnamespace = 'ledger'::regnamespace order by 1`,
    },
    [],
  )

test('commits that were planned before the first settlement look up receipts by the primary key alone', async () => {
  using connection = await connect()
  const { query } = connection
  for (let round = 0; round < 5; round++) {
    const some = holds(20)
    await run(connection, { holds: some })
    await run(connection, { settles: some })
  }
  await query({ text: 'select pg_stat_force_next_flush()' }, [])
  const text = `select indexrelname as index from pg_stat_user_indexes where relid = 'ledger.settlements'::regclass and idx_scan > 0`
  expect(await query({ text }, [])).toEqual([{ index: 'settlements_pkey' }])
})

test('the tables were counted after the first call: a commit among hundreds reads only the rows of its own calls', async () => {
  await db.query({ text: 'truncate ledger.holds, ledger.settlements' }, [])
  const first = holds(1)
  await run(db, { holds: first })
  await run(db, { settles: first })
  await db.query({ text: 'analyze ledger.holds, ledger.settlements' }, [])
  expect(await statistics()).toEqual([
    { table: 'holds', rows: 0, pages: 1 },
    { table: 'settlements', rows: 1, pages: 1 },
  ])

  const open = holds(600)
  open.push(...Array.from({ length: 200 }, (_, n) => holdOp(`earlier-${n}`)))
  for (const from of [0, 200, 400, 600]) await run(db, { holds: open.slice(from, from + 200) })
  await run(db, { settles: open.splice(0, 200) })
  const many = await rowsRead({ settles: open.slice(0, 3), holds: holds(3) })
  expect(many.holds).toBe(3)
  // Those with pictures or a reference are read again, at most three times, for their usage.
  expect(many.settlements).toBeLessThanOrEqual(9)
  expect(await rowsRead({ settles: open.slice(3, 4), holds: holds(1) })).toMatchObject({ holds: 1 })
  expect(await rowsRead({ holds: [holdOp('order-1'), holdOp('order-2')] })).toMatchObject({ holds: 0 })
})
