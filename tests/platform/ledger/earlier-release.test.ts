/** During a rolling upgrade processes of the release before work on this database: `ledger.apply` answers them for every operation. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '#platform/db'
import { grant } from '#platform/ledger'
import { openBooksDatabase, openPeople } from './books.ts'

const stack = new AsyncDisposableStack()
let db: Db

beforeAll(async () => {
  db = (await openBooksDatabase(stack)).db
})
afterAll(() => stack.disposeAsync())

test('holds and settlements as the release before sends them, with ids of their own, are answered one by one', async () => {
  const [person] = await openPeople(db)
  const { account, project, key } = person!
  const gift = { accountId: account, transferId: randomUUID(), microcredits: 100n, reason: 'test' }
  await db.tx((tx) => grant(tx, gift, new Date()))
  const [first, second, third, unknown] = Array.from({ length: 4 }, () => randomUUID())
  const hold = (seq: number, id: string, amount: number, idempotency_key?: string) => ({
    seq,
    hold_id: id,
    receipt_id: id,
    account_id: account,
    project_id: project,
    key_id: key,
    endpoint: '/test',
    idempotency_key,
    fingerprint: 'same',
    amount: String(amount),
    started: true,
    expires_at: new Date(Date.now() + 60_000).toISOString(),
  })
  const settle = (seq: number, id: string, actual: number) => ({
    seq,
    hold_id: id,
    receipt_id: id,
    account_id: account,
    actual: String(actual),
    state: 'completed',
    status_code: 200,
    ambiguous: false,
    free_claim: false,
    detail: { outcome: 'completed' },
    input_tokens: 1,
    cached_input_tokens: 0,
    output_tokens: 1,
    reasoning_tokens: 0,
  })
  const apply = async (settles: object[], holds: object[]) => {
    const rows = await db.query<{ seq: number; outcome: string; need: bigint; have: bigint }>(
      { text: 'select * from ledger.apply($1::json, $2::json, $3, $4)' },
      [JSON.stringify(settles), JSON.stringify(holds), new Date(), [50, 80, 100]],
    )
    return rows.sort((a, b) => a.seq - b.seq).map(({ outcome, need, have }) => [outcome, need, have])
  }

  expect(await apply([], [hold(0, first!, 40, 'one'), hold(1, second!, 40)])).toEqual([
    ['held', 40n, null],
    ['held', 40n, null],
  ])
  expect(
    await apply(
      [settle(0, first!, 30), settle(1, unknown!, 5)],
      [hold(2, third!, 70), hold(3, randomUUID(), 5, 'one'), hold(4, second!, 40)],
    ),
  ).toEqual([
    ['settled', 30n, 0n],
    ['gone', 0n, null],
    ['insufficient', 70n, 30n],
    ['claimed', null, null],
    ['held', 40n, null],
  ])
  // Dearer than its hold by more than what is free.
  expect(await apply([settle(0, second!, 100)], [])).toEqual([['settled', 70n, 30n]])
  expect(await db.query({ text: 'select * from ledger.violations' }, [])).toEqual([])
})
