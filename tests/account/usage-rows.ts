/** Many rows of usage, for tests of GET /v1/usage. */
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
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

/** Noon in Tehran: no day ends while a test runs. */
export const noon = () => new MovableClock(Date.UTC(2026, 10, 20, 8, 30))

/** So many rows, a multiple of 1,000, as a month of calls with an id each makes them: half of them by reference, half by customer. Taken away at the end. */
async function fill(world: World, key: Client, many: number): Promise<AsyncDisposable> {
  const ask = (text: string, values: unknown[] = []) => world.app.db.query({ text }, values)
  // In parts: a statement of the server has 30 s, however busy the machine is.
  const atOnce = Math.min(many, 50_000)
  for (let from = 1; from <= many; from += atOnce)
    await ask(
      `insert into ledger.usage_days
     select $1::uuid, $2::uuid, '2026-11-20'::date - n % 30, $3::uuid, '/v1/chat/completions', 'vendor/model-' || n % 4,
       case when n % 2 = 0 then 'customer-' || n else 'one' end, case when n % 2 = 1 then 'reference-' || n else '' end, 1, n % 7 / 6, 1200, 10, 1, 5, 2
     from generate_series($4::int, $4::int + $5::int - 1) n`,
      [world.account, world.project, key.keyId, from, atOnce],
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
export async function pages(key: Client, query: string, max: number): Promise<Row[][]> {
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

/** Fills the usage of a new account with so many rows, and expects pages that are small, whole and in order, with the totals of all rows. */
export async function expectPages(many: number): Promise<void> {
  await using world = await boot({ clock: noon() })
  const key = await world.key()
  await using _rows = await fill(world, key, many)
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
}
