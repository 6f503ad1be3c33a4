/** GET /v1/usage with many rows. */
import { cp, readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { migrate, openDb } from '#platform/db'
import { temporaryFolder } from '../db/cluster-world.ts'
import type { Client } from '../harness/client.ts'
import { emptyDatabase } from '../harness/postgres.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'

interface Row {
  day: string
  key_id: string
  endpoint: string
  model: string | null
  customer_id: string | null
  reference_id?: string | null
  requests: number
  microcredits: string
}

const many = 400_000

/** Noon in Tehran: no day ends while a test runs. */
const noon = () => new MovableClock(Date.UTC(2026, 10, 20, 8, 30))

/** As many rows as a month of calls with an id each makes: half of them by reference, half by customer. Taken away at the end. */
async function fill(world: World, key: Client): Promise<AsyncDisposable> {
  const ask = (text: string, values: unknown[] = []) => world.app.db.query({ text }, values)
  // In parts: a statement of the server has 30 s, however busy the machine is.
  for (let from = 1; from <= many; from += 50_000)
    await ask(
      `insert into ledger.usage_days
     select $1::uuid, $2::uuid, '2026-11-20'::date - n % 30, $3::uuid, '/v1/chat/completions', 'vendor/model-' || n % 4,
       case when n % 2 = 0 then 'customer-' || n else 'one' end, case when n % 2 = 1 then 'reference-' || n else '' end, 1, n % 7 / 6, 1200, 10, 1, 5, 2
     from generate_series($4::int, $4::int + 49999) n`,
      [world.account, world.project, key.keyId, from],
    )
  for (const model of [1, 3])
    await ask(
      `insert into ledger.usage_referenced select account_id, project_id, day, key_id, endpoint, model, customer_id, sum(requests), sum(failures),
       sum(charged), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(reasoning_tokens)
     from ledger.usage_days where reference_id <> '' and model = $1 group by 1, 2, 3, 4, 5, 6, 7`,
      [`vendor/model-${model}`],
    )
  return {
    async [Symbol.asyncDispose]() {
      await ask('truncate ledger.usage_days, ledger.usage_referenced')
    },
  }
}

const nameOf = (row: Row): string =>
  [row.day, row.key_id, row.endpoint, row.model, row.customer_id, row.reference_id].join(' ')

/** Pages of the list, at most so many. */
async function pages(key: Client, query: string, max: number): Promise<Row[][]> {
  const read: Row[][] = []
  for (let after = ''; read.length < max; ) {
    const { status, body } = await key.get(`/v1/usage?${query}${after}`)
    expect([status, body.error]).toEqual([200, undefined])
    read.push(body.data)
    if (!body.has_more) {
      expect(body.next_after).toBeNull()
      break
    }
    after = `&after=${body.next_after}`
  }
  return read
}

test('400,000 rows of usage are answered a page at a time, and the totals are of all of them', async () => {
  await using world = await boot({ clock: noon() })
  const key = await world.key()
  await using _rows = await fill(world, key)
  const totals = {
    requests: many,
    failures: Math.floor((many + 1) / 7),
    credits: (many * 1200) / 1e6,
    microcredits: String(many * 1200),
    tokens: { input: many * 10, cached_input: many, output: many * 5, reasoning: many * 2 },
  }
  for (const query of ['', '?group_by=reference']) {
    const reply = await key.get(`/v1/usage${query}`)
    expect(reply.body).toMatchObject({ totals, has_more: true })
    expect(reply.body.data).toHaveLength(1_000)
    expect(Buffer.byteLength(reply.text)).toBeLessThan(500_000)
  }
  const small = await key.get('/v1/usage?limit=5')
  expect(small.body).toMatchObject({ totals, has_more: true })
  expect(small.body.data).toHaveLength(5)
  expect(Buffer.byteLength(small.text)).toBeLessThan(5_000)

  // Newest first; no row twice, none left out between two pages.
  for (const query of ['', 'group_by=reference']) {
    const read = await pages(key, `${query}&limit=700`, 3)
    const whole = await pages(key, `${query}&limit=1000`, 3)
    const names = read.flat().map(nameOf)
    expect(new Set(names).size).toBe(2_100)
    expect(whole.flat().map(nameOf).slice(0, 2_100)).toEqual(names)
    expect(read.flat().map(({ day }) => day)).toEqual(
      read
        .flat()
        .map(({ day }) => day)
        .toSorted()
        .reverse(),
    )
  }
})

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
