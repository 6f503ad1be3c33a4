/** GET /v1/usage with many rows. */
import { cp, readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { migrate, openDb } from '#platform/db'
import { emptyDatabase } from '../harness/postgres.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { boot } from '../harness/world.ts'
import { temporaryFolder } from '../platform/db/cluster-world.ts'
import { expectPages, noon, pages } from './usage-rows.ts'

test('thousands of rows of usage are answered a page at a time, and the totals are of all of them', () =>
  expectPages(5_000))

test('the calls of one day, model, endpoint, key and customer are one row, whatever their references', async () => {
  await using world = await boot({ clock: noon() })
  const key = await world.key()
  const headers = (reference: string, customer: string) => ({
    'x-customer-id': customer,
    ...(reference !== '' && { 'x-reference-id': reference }),
  })
  for (const [reference, customer] of [
    ['r1', 'a'],
    ['r2', 'a'],
    ['', 'a'],
    ['', 'b'],
    ['r1', 'b'],
    ['r3', 'c'],
  ] as const)
    expect((await key.chat({ model: 'sandbox/fast' }, headers(reference, customer))).status).toBe(200)
  await world.settled()
  for (const limit of [1, 2, 1_000]) {
    const groups = (await pages(key, `limit=${limit}`, 10)).flat()
    expect(groups.map(({ customer_id: customer, requests }) => [customer, requests])).toEqual([
      ['c', 1],
      ['b', 2],
      ['a', 3],
    ])
    const rows = (await pages(key, `group_by=reference&limit=${limit}`, 10)).flat()
    expect(rows.map(({ customer_id: customer, reference_id: reference }) => [customer, reference])).toEqual([
      ['c', 'r3'],
      ['b', 'r1'],
      ['b', null],
      ['a', 'r2'],
      ['a', 'r1'],
      ['a', null],
    ])
    const { totals } = (await key.get('/v1/usage?limit=1')).body
    for (const list of [groups, rows])
      expect(String(list.reduce((sum, row) => sum + BigInt(row.microcredits), 0n))).toBe(totals.microcredits)
  }
})

test('a limit beyond 1,000, another grouping and a cursor that is none are refused, and say which field', async () => {
  await using world = await sharedWorld()
  const key = await world.key()
  const cursor = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
  const place = ['2026-11-20', key.keyId, '/v1/chat/completions', 'm', '']
  expect((await key.get(`/v1/usage?after=${cursor(...place)}`)).status).toBe(200)
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=a', 'limit'],
    ['group_by=day', 'group_by'],
    ['after=x', 'after'],
    [`after=${cursor('2026-02-31', ...place.slice(1))}`, 'after'],
    [`after=${cursor('2026-11-20', 'x', ...place.slice(2))}`, 'after'],
    [`after=${cursor(...place.slice(0, 4), 'a\0')}`, 'after'],
    [`after=${cursor(...place, 'r', 'more')}`, 'after'],
    [`after=${cursor(...place, 'r')}`, 'after'],
    [`group_by=reference&after=${cursor(...place)}`, 'after'],
    [`after=${'A'.repeat(5_000)}`, 'after'],
  ]) {
    const refused = await key.get(`/v1/usage?${query}`)
    expect([query, refused.status, refused.body.error?.param]).toEqual([query, 400, param])
  }
})

test('usage that was written before is grouped by the upgrade', async () => {
  await using stack = new AsyncDisposableStack()
  const all = path.resolve(import.meta.dirname, '../../migrations')
  const folder = stack.use(await temporaryFolder()).path
  const database = stack.use(await emptyDatabase())
  const db = stack.use(await openDb({ url: database.url }))
  const names = (await readdir(all)).sort()
  const at = names.findIndex((name) => name.endsWith('-usage-groups.sql'))
  for (const name of names.slice(0, at)) await cp(path.join(all, name), path.join(folder, name))
  await migrate(db, folder)
  const [account, project, key] = Array.from({ length: 3 }, () => crypto.randomUUID())
  await db.query(
    {
      text: `insert into ledger.usage_days
        select $1::uuid, $2::uuid, date '2026-11-20', $3::uuid, '/v1/responses', 'm', 'c' || n % 2, case when n < 8 then 'r' || n else '' end,
          1, 0, n, 10, 0, 1, 0 from (select generate_series(0, 9) n) s`,
    },
    [account, project, key],
  )
  for (const name of names.slice(at)) await cp(path.join(all, name), path.join(folder, name))
  await migrate(db, folder)
  expect(
    await db.query(
      {
        text: `select customer_id, requests, charged, input_tokens from ledger.usage_referenced where account_id = $1 order by 1`,
      },
      [account],
    ),
  ).toEqual([
    { customer_id: 'c0', requests: 4n, charged: 12n, input_tokens: 40n },
    { customer_id: 'c1', requests: 4n, charged: 16n, input_tokens: 40n },
  ])
})
