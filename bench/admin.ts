/**
 * `npm run bench:admin [millions]`: usage, receipt and lookup on a project with millions of receipts, then a year of usage of an account with a million
 * rows of each roll-up, over HTTP. SQL writes the receipts and the roll-ups; the product's own code runs everything that is measured.
 */
import { openDb } from '#platform/db'
import { openLog } from '#platform/log'
import { startEmbedded } from '#platform/postgres'
import { dataOf, key, machine, runKherad, temporaryFolder } from './stage.ts'

const millions = Number(process.argv[2] ?? 5)
const rows = Math.round(millions * 1_000_000)
const calls = 200

await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
const log = openLog('warn')
const embedded = stack.use(await startEmbedded({ dataDir: dataOf(folder), log }))
const kherad = stack.use(await runKherad(folder, 'http://127.0.0.1:9', { KHERAD_LOG_LEVEL: 'warn' }))
const db = stack.use(await openDb({ url: embedded.address, log }))
console.log(machine())
const beganMs = performance.now()
for (let from = 0; from < rows; from += 100_000) await writeReceipts(from, Math.min(100_000, rows - from))
await db.query({ text: 'analyze ledger.settlements' }, [])
console.log(`${millions} million receipts written in ${Math.round((performance.now() - beganMs) / 1000)} s`)

const some = await db.query<{ receipt_id: string; idempotency_key: string }>(
  {
    text: 'select receipt_id, idempotency_key from ledger.settlements tablesample system (0.1) where idempotency_key is not null limit $1',
  },
  [calls],
)
await measure('GET /v1/usage', () => '/v1/usage')
await measure('GET /v1/balance', () => '/v1/balance')
await measure('GET /v1/requests/{id}', (index) => `/v1/requests/${some[index % some.length]!.receipt_id}`)
await measure(
  'GET /v1/requests/lookup',
  (index) => `/v1/requests/lookup?idempotency_key=${some[index % some.length]!.idempotency_key}`,
)

await writeYear()
const year = 'from=2025-01-01&to=2025-12-31'
for (const zone of ['Asia/Tehran', 'Asia/Kathmandu'])
  for (const more of [
    'interval=month',
    'interval=month&group_by=model',
    'interval=day&group_by=model',
    'group_by=customer&order=cost',
    'interval=day&customer_id=customer-7',
  ])
    await measure(
      `a year in ${zone}, ${more}`,
      () => `/v1/account/usage?${year}&time_zone=${zone}&${more}`,
      20,
    )

/** A year of 1,000,000 rows of days and as many of quarter hours: 12 models and 229 customers every day. */
async function writeYear(): Promise<void> {
  await db.query({ text: 'truncate ledger.usage_days, ledger.usage_quarters, ledger.usage_pending' }, [])
  for (const [table, at] of [
    ['usage_days', `'2025-01-01'::date + n % 365`],
    ['usage_quarters', `'2025-01-01'::date + n % 365 + n % 96 * interval '15 minutes'`],
  ] as const)
    for (let from = 0; from < 1_000_000; from += 100_000)
      await db.query(
        {
          text: `insert into ledger.${table} (account_id, project_id, ${table === 'usage_days' ? 'day' : 'begins_at'}, key_id, endpoint, model, customer_id,
              ${table === 'usage_days' ? 'reference_id,' : ''} requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens)
            select account_id, project_id, ${at}, key_id, '/v1/chat/completions', 'vendor/model-' || n % 12, 'customer-' || n / 365 % 229,
              ${table === 'usage_days' ? "''," : ''} 40, 1, 1200, 10, 0, 5, 0
            from (select account_id, project_id, key_id from auth.keys limit 1) who, generate_series($1::int, $2::int) n
            on conflict do nothing`,
        },
        [from, from + 99_999],
      )
  await db.query({ text: 'analyze ledger.usage_days, ledger.usage_quarters' }, [])
}

/** Receipts spread over 90 days, 12 models and 40 customers, with the rollup that their settlements would have written. */
async function writeReceipts(from: number, count: number): Promise<void> {
  await db.query(
    {
      text: `with who as (select account_id, project_id, key_id from auth.keys limit 1), made as (
          insert into ledger.settlements (account_id, receipt_id, project_id, key_id, endpoint, idempotency_key, fingerprint, state,
            status_code, held, charged, month, model, customer_id, detail, created_at, finished_at)
          select account_id, gen_random_uuid(), project_id, key_id, '/v1/chat/completions',
            case when n % 4 = 0 then 'order-' || n end, 'x', 'completed', 200, 5000, 1200, ledger.month_of(at), 'vendor/model-' || n % 12,
            'customer-' || n % 40, '{"outcome":"completed"}', at, at
          from who, generate_series($1::int, $2::int) n, lateral (select now() - (n % 90) * interval '1 day' as at) t
          returning *)
        insert into ledger.usage_days as u
        select account_id, project_id, (created_at at time zone 'Asia/Tehran')::date, key_id, endpoint, model, customer_id, '',
          count(*), 0, sum(charged), 10 * count(*), 0, 5 * count(*), 0
        from made group by 1, 2, 3, 4, 5, 6, 7
        on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id) do update set
          requests = u.requests + excluded.requests, charged = u.charged + excluded.charged`,
    },
    [from, from + count - 1],
  )
}

async function measure(name: string, pathOf: (index: number) => string, many = calls): Promise<void> {
  const times: number[] = []
  for (let index = 0; index < many; index++) {
    const startMs = performance.now()
    const reply = await fetch(kherad.url + pathOf(index), { headers: { authorization: `Bearer ${key}` } })
    await reply.text()
    if (!reply.ok) throw new Error(`${name} answered ${reply.status}`)
    times.push(performance.now() - startMs)
  }
  times.sort((a, b) => a - b)
  const at = (share: number): string => `${times[Math.floor(times.length * share)]!.toFixed(1)} ms`
  console.log(`${name.padEnd(28)} p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)}`)
}
