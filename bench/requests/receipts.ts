/** Receipts of one account as months of calls would have left them, written by SQL. */
import type { Db } from '#platform/db'

/** PostgreSQL while receipts are written: nothing has to outlive a crash, since a folder that is not whole is not used again. */
export const writingSettings = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  max_wal_size: '8GB',
  autovacuum: 'off',
  maintenance_work_mem: '1GB',
}

/** So many connections write at once, one portion each. */
const writers = 2
const portion = 100_000

/**
 * Writes the receipts of `count` calls over 100 days: 8 projects, 40 keys and 6 people, models and customers by Zipf's law, references of which most
 * are unique. Some values never occur together, common as each of them is: the key of `key 1` with `vendor/model-1`, the status 503 with
 * `vendor/model-2`, a charge of 1,000 or more with `/v1/embeddings`, and `customer-1` with `/v1/messages`.
 */
export async function writeReceipts(db: Db, accountId: string, count: number): Promise<void> {
  const run = <Row>(text: string, values: unknown[] = []) => db.query<Row>({ text }, values)
  await run(payersSql, [accountId])
  const made = await run<{ drop: string; make: string }>(indexesSql)
  for (const { drop } of made) await run(drop)
  // Positions follow the numbers of the calls, whichever connection writes them.
  const [first] = await run<{ position: bigint }>(`select nextval('ledger.positions') as position`)
  const starts = Array.from({ length: Math.ceil(count / portion) }, (_, nth) => nth * portion).values()
  const writePortions = async (): Promise<void> => {
    for (const from of starts)
      await run(callsSql, [accountId, from, Math.min(portion, count - from), count, first!.position])
  }
  await Promise.all(Array.from({ length: writers }, writePortions))
  await run(`select setval('ledger.positions', $1)`, [first!.position + BigInt(count)])
  for (const { make } of made) await run(make)
  // As autovacuum leaves a table that is written slowly.
  await run('vacuum analyze ledger.settlements')
}

/** The indexes and the primary key of the settlements: how they are dropped, and made again. */
const indexesSql = `select case when c.oid is null then 'drop index ' || i.indexrelid::regclass
      else 'alter table ledger.settlements drop constraint ' || quote_ident(c.conname) end as drop,
    case when c.oid is null then pg_get_indexdef(i.indexrelid)
      else 'alter table ledger.settlements add constraint ' || quote_ident(c.conname) || ' ' || pg_get_constraintdef(c.oid) end as make
  from pg_index i left join pg_constraint c on c.conindid = i.indexrelid
  where i.indrelid = 'ledger.settlements'::regclass order by c.oid is null`

/** Projects, keys and people under fixed ids, so that calls find them by number. */
const payersSql = `with project as (
    insert into auth.projects (account_id, project_id, name, created_at)
    select $1::uuid, ('00000000-0000-7000-8000-0000000001' || to_char(n, 'FM00'))::uuid, 'project ' || n, now()
    from generate_series(1, 8) n), person as (
    insert into people.people (person_id, display_name, locale, created_at)
    select ('00000000-0000-7000-8000-0000000003' || to_char(n, 'FM00'))::uuid, 'person ' || n, 'en', now()
    from generate_series(1, 6) n)
  insert into auth.keys (account_id, project_id, key_id, name, kind, hash, hint, scopes, person_id, created_at)
  select $1::uuid, ('00000000-0000-7000-8000-0000000001' || to_char(1 + n % 8, 'FM00'))::uuid,
    ('00000000-0000-7000-8000-0000000002' || to_char(n, 'FM00'))::uuid, 'key ' || n,
    case when n > 34 then 'session' else 'api' end, sha256(n::text::bytea), '', '{}',
    case when n > 34 then ('00000000-0000-7000-8000-0000000003' || to_char(n - 34, 'FM00'))::uuid end, now()
  from generate_series(1, 40) n`

/** A number from 0 to below 1 that looks random, the same for the same call and salt. */
const random = (salt: number): string => `((hashint8(n * 64 + ${salt}) & 2147483647) / 2147483648.0)`
/** A number from 1 to `of` by Zipf's law: 1 is the most frequent. */
const zipf = (salt: number, of: number): string => `floor(exp(${random(salt)} * ln(${of + 1})))::int`

/** $1: the account, $2: the first call, $3: how many, $4: of how many, $5: the position of the very first call. */
const callsSql = `
  insert into ledger.settlements (account_id, receipt_id, project_id, key_id, endpoint, idempotency_key, fingerprint, state, status_code,
    held, charged, lost, month, model, customer_id, reference_id, detail, created_at, finished_at, position)
  select $1::uuid, (lpad(to_hex((extract(epoch from began) * 1000)::bigint), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid,
    ('00000000-0000-7000-8000-0000000001' || to_char(1 + key % 8, 'FM00'))::uuid, ('00000000-0000-7000-8000-0000000002' || to_char(key, 'FM00'))::uuid,
    endpoint, case when n % 4 = 0 then 'order-' || n end, case when n % 4 = 0 then 'x' end,
    case when status = 200 then 'completed' else 'failed' end, status, 50000000, charged, 0, ledger.month_of(began), 'vendor/model-' || model,
    case when endpoint = '/v1/messages' and customer = 1 then 'customer-2' else 'customer-' || customer end,
    case when ${random(9)} < 0.2 then 'reference-' || n when ${random(9)} < 0.25 then 'nightly' end,
    json_build_object('outcome', 'completed', 'tokens', json_build_object('input', 900, 'cachedInput', 0, 'output', 80, 'reasoning', 0),
      'attempts', json_build_array(json_build_object('provider', 'vendor', 'deployment', 'vendor/model', 'outcome', 'answered', 'status', 200, 'total_ms', 800))),
    began, began + interval '2 seconds', $5::bigint + n
  from (
    select *, case when ${random(6)} >= 0.06 then 200 when ${random(7)} < 0.5 and model <> 2 then 503
      when ${random(7)} < 0.9 then 499 when ${random(7)} < 0.999 then 429 else 413 end as status,
      case when ${random(5)} < 0.3 then 1200 else (exp(5 + 10 * ${random(8)}))::bigint end
        * case when endpoint = '/v1/embeddings' then 0 else 1 end + (n % 7) * case when endpoint = '/v1/embeddings' then 9 else 0 end as charged
    from (
      select n, key, case when key = 1 and model = 1 then 3 else model end as model, began,
        case when ${random(4)} < 0.6 then '/v1/chat/completions' when ${random(4)} < 0.75 then '/v1/messages'
          when ${random(4)} < 0.9 then '/v1/responses' when ${random(4)} < 0.9999 then '/v1/embeddings' else '/v1/images/generations' end as endpoint,
        case when ${random(10)} < 0.7 then ${zipf(3, 20_000)} end as customer
      from (
        select n, ${zipf(1, 40)} as key, ${zipf(2, 60)} as model,
          now() - interval '100 days' * (1 - n / $4::float8) - case when ${random(11)} < 0.01 then interval '2 hours' * ${random(12)} else interval '0' end as began
        from generate_series($2::bigint, $2::bigint + $3::bigint - 1) n) a) b) c`
