import { expect, test } from 'vitest'
import type { Client } from '../../harness/client.ts'
import { randomFrom } from '../../harness/random.ts'
import { boot, type World } from '../../harness/world.ts'

/** More than two segments have, and a rest. */
const calls = 20_000

/** Ended calls of few values, whose ends are written in another order than they began. $1: account, $2: project, $3: first, $4: last number. */
const callsSql = `
  insert into ledger.settlements (account_id, receipt_id, project_id, key_id, endpoint, fingerprint, state, status_code, held, charged, month,
    model, customer_id, reference_id, detail, created_at, finished_at)
  select $1::uuid, gen_random_uuid(), $2::uuid, ('00000000-0000-7000-8000-00000000000' || r % 5)::uuid, '/test/' || r / 5 % 4, 'x',
    case when r / 20 % 9 = 0 then 'failed' else 'completed' end, 200 + r / 20 % 9, 0, (r / 7 % 2000)::bigint * (r / 3 % 2), ledger.month_of(now()),
    'model-' || r / 180 % 6, case when r / 11 % 3 > 0 then 'customer-' || r / 33 % 400 end, case when r / 13 % 3 = 0 then 'reference-' || n end,
    '{}', at, at
  from generate_series($3::int, $4::int) n, lateral (select abs(hashint4(n)) as r) h,
    lateral (select date_trunc('second', now() - interval '1 hour' + n * interval '100 milliseconds' - (r % 50) * interval '10 seconds') as at) t`

const values: Record<string, (pick: (below: number) => number) => string> = {
  model: (pick) => `model-${pick(7)}`,
  key_id: (pick) => `00000000-0000-7000-8000-00000000000${pick(6)}`,
  endpoint: (pick) => `/test/${pick(4)}`,
  customer_id: (pick) => `customer-${pick(402)}`,
  reference_id: (pick) => `reference-${pick(calls)}`,
  state: (pick) => ['completed', 'failed', 'running'][pick(3)]!,
  status_code: (pick) => String(200 + pick(10)),
  min_microcredits: (pick) => String(pick(2000)),
  max_microcredits: (pick) => String(pick(2000)),
  from: (pick) => new Date(Date.now() - pick(3600) * 1000).toISOString(),
  to: (pick) => new Date(Date.now() - pick(3600) * 1000).toISOString(),
}

/** SQL of each parameter, where it is not `column = value`. */
const conditions: Record<string, string> = {
  min_microcredits: 'charged >=',
  max_microcredits: 'charged <=',
  from: 'created_at >=',
  to: 'created_at <',
}

async function expectedOf(world: World, query: Record<string, string>): Promise<string[]> {
  const names = Object.keys(query)
  const where = names.map((name, at) => `and ${conditions[name] ?? `${name}::text =`} $${at + 2}`)
  const rows = await world.app.db.query<{ id: string }>(
    {
      text: `select receipt_id as id from ledger.settlements where account_id = $1 ${where.join(' ')}
        order by created_at desc, receipt_id desc limit 120`,
    },
    [world.account, ...Object.values(query)],
  )
  return rows.map((row) => row.id)
}

async function firstPages(key: Client, query: Record<string, string>): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ids.length < 120; ) {
    const asked = new URLSearchParams({ ...query, limit: '60', ...(after !== undefined && { after }) })
    const { status, body } = await key.get(`/v1/requests?${asked}`)
    expect(status).toBe(200)
    ids.push(...body.data.map((row: { id: string }) => row.id))
    if (!body.has_more) break
    after = body.next_after
  }
  return ids
}

test('segments find what a comparison of all calls finds, while calls are corrected and further segments are written', async () => {
  await using world = await boot({ credits: 10 })
  const key = await world.key()
  const random = randomFrom(19)
  const pick = (below: number): number => Math.floor(random() * below)
  const write = (from: number, to: number) =>
    world.app.db.query({ text: callsSql }, [world.account, world.project, from, to])
  const { requests } = await import('#account/requests')
  const [job] = requests.jobs
  const seal = () =>
    job!.handle({ app: world.app, stopping: new AbortController().signal } as unknown as Parameters<
      NonNullable<typeof job>['handle']
    >[0])
  const compare = async (times: number): Promise<void> => {
    for (let nth = 0; nth < times; nth++) {
      const names = Object.keys(values).filter(() => random() < 0.25)
      const query = Object.fromEntries(names.map((name) => [name, values[name]!(pick)]))
      expect(await firstPages(key, query), JSON.stringify(query)).toEqual(await expectedOf(world, query))
    }
  }
  const segments = () => world.app.db.query({ text: 'select from requests.segments' }, [])
  await write(1, calls)
  await seal()
  expect(await segments()).toHaveLength(2)
  await compare(40)
  await world.app.db.query(
    {
      text: `update ledger.settlements set charged = charged + 5, state = 'failed', status_code = 209, model = 'model-6'
        where account_id = $1 and abs(hashint8(charged)) % 40 = 0`,
    },
    [world.account],
  )
  await compare(30)
  await write(calls + 1, calls + 9_000)
  // None of them outlives the world, also where another fails.
  for (const done of await Promise.allSettled([seal(), seal(), compare(15)]))
    if (done.status === 'rejected') throw done.reason
  expect(await segments()).toHaveLength(3)
  await compare(20)
  await world.app.db.query({ text: `delete from ledger.settlements where endpoint like '/test/%'` }, [])
})
