/** What is left of an order of pictures or sound whose process was killed before its result was committed: nothing to pay, nothing open. */
import { expect } from 'vitest'
import type { ServerProcess } from '../harness/processes.ts'
import { until } from '../harness/until.ts'
import type { Person, Site } from './site.ts'

export const filesOf = ({ db }: Site, { account }: Person) =>
  db.query<{ file_id: string }>({ text: 'select file_id from files.files where account_id = $1' }, [account])

export const reservationsOf = ({ db }: Site, { account }: Person) =>
  db.query({ text: 'select from files.reservations where account_id = $1' }, [account])

/** A call whose server is killed. Not an assertion: one that waits is taken for that of whichever test was started last, of those that run at once. */
export const breaksOff = (call: Promise<unknown>): Promise<void> =>
  call.then(
    () => Promise.reject(new Error('the call was answered')),
    () => undefined,
  )

export interface LostOrder {
  path: string
  body: Record<string, unknown>
  /** Of the hold, in micro-credits. */
  price: bigint
  /** Those that the order was sent with; its idempotency key among them. */
  headers: Record<string, string>
  /** Of the account, in micro-credits. */
  credits: bigint
  /** The server that was started after the kill; absent: one that lasts. */
  restarted?: ServerProcess
}

/** The call is over, free, and its price the platform's loss; its key stays used and its room is given back. */
export async function expectLost(
  site: Site,
  person: Person,
  { path, body, price, headers, credits, restarted: running }: LostOrder,
): Promise<void> {
  const restarted = running ?? (await site.lasting())
  await site.over(person)
  expect(await site.balances(person)).toEqual({ balance: credits, held: 0n })
  const [receipt, ...more] = await site.receipts(person)
  expect(more).toEqual([])
  expect(receipt).toMatchObject({ state: 'failed', charged: 0n, held: price, detail: { outcome: 'lost' } })
  const { charge } = (await site.client(restarted, person).receipt(receipt!.receipt_id)).body
  expect(charge).toEqual({
    ...{ lines: [], rounding_microcredits: '0', sum_microcredits: '0', charged_microcredits: '0' },
    adjustment: { kind: 'lost', microcredits: '0' },
  })
  const [loss] = await site.db.query<{ amount: bigint }>(
    { text: `select amount from ledger.entries where account_id = $1 and book = 'loss'` },
    [person.account],
  )
  expect(loss?.amount).toBe(-price)
  const repeat = await site.post(site.client(restarted, person), path, body, headers)
  expect(repeat.status).toBe(409)
  expect(repeat.body.error.code).toBe('REQUEST_ALREADY_ACCEPTED')
  expect(await filesOf(site, person)).toEqual([])
  await until(async () => (await reservationsOf(site, person)).length === 0)
  expect(await site.violations()).toEqual([])
}
