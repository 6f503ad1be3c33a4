-- Background work: a row for each piece that is not over; what is done is deleted. Time is the database's own.
create schema jobs;

create table jobs.queue (
  -- Work of the platform itself has the account of all zeros.
  account_id uuid not null,
  job_id uuid not null,
  name text not null,
  data json not null,
  -- Of several with the same key only the first is taken, until it is over.
  singleton_key text,
  run_at timestamptz not null,
  -- Whose life it hangs on while it runs (ledger.processes); null while it waits.
  process_id uuid,
  -- Counts the claims: who lost a job to another may no longer say how it ended.
  fence int not null default 0,
  failures int not null default 0,
  -- Failed for good: it stays for people to look at.
  parked_at timestamptz,
  error text,
  created_at timestamptz not null default now(),
  primary key (account_id, job_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create unique index queue_singleton on jobs.queue (account_id, name, singleton_key) where singleton_key is not null;
create index queue_waiting on jobs.queue (name, account_id, run_at, job_id) where process_id is null and parked_at is null;
create index queue_running on jobs.queue (name, account_id) where process_id is not null;

-- When recurring work was last put into the queue, by whichever process.
create table jobs.schedules (
  name text primary key,
  last_at timestamptz not null
);

-- Jobs of one kind for a process, those of accounts with the fewest running first. Claims of a kind go one at a time, so that
-- `per_account` is exact over all processes. A claim takes half of what an account may still run: another process finds some too.
-- `busy` are the jobs that the process knows to run; what else bears its name was claimed by a statement whose reply it never got.
create function jobs.claim(kind text, worker uuid, busy uuid[], per_account int, most int) returns setof jobs.queue
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  perform pg_advisory_xact_lock(hashtext('jobs.claim'), hashtext(kind));
  update jobs.queue q set process_id = null where q.name = kind and q.process_id = worker and q.job_id <> all(busy);
  return query
  with recursive waiting as (
    -- One probe of the index for each account, however long its queue is.
    (select q.account_id from jobs.queue q
      where q.name = kind and q.process_id is null and q.parked_at is null order by q.account_id limit 1)
    union all
    select (select q.account_id from jobs.queue q
      where q.name = kind and q.process_id is null and q.parked_at is null and q.account_id > w.account_id order by q.account_id limit 1)
    from waiting w where w.account_id is not null
  ), running as (
    select q.account_id, count(*)::int as jobs from jobs.queue q where q.name = kind and q.process_id is not null group by 1
  ), next as (
    select n.account_id, n.job_id
    from waiting w
    left join running r using (account_id)
    cross join lateral (
      select q.account_id, q.job_id, coalesce(r.jobs, 0) + row_number() over (order by q.run_at, q.job_id) as turn
      from jobs.queue q
      where q.name = kind and q.account_id = w.account_id and q.process_id is null and q.parked_at is null
        and q.run_at <= now() and q.job_id <> all(busy)
      order by q.run_at, q.job_id
      limit least(most, greatest(0, (per_account - coalesce(r.jobs, 0) + 1) / 2))
    ) n
    order by n.turn, random()
    limit most
  )
  update jobs.queue q set process_id = worker, fence = q.fence + 1
  from next n where q.account_id = n.account_id and q.job_id = n.job_id
  returning q.*;
end $$;

-- How jobs ended that `worker` had claimed: done · later (it goes on after `delay_ms`) · failed (the same, and counted) · parked.
create function jobs.settle(worker uuid, ends json) returns void language sql as $$
  with ended as (
    select * from json_to_recordset(ends) e(account_id uuid, job_id uuid, fence int, how text, delay_ms bigint, error text)
  ), done as (
    delete from jobs.queue q using ended e
    where e.how = 'done' and q.account_id = e.account_id and q.job_id = e.job_id and q.process_id = worker and q.fence = e.fence
  )
  update jobs.queue q set
    process_id = null,
    run_at = now() + e.delay_ms * interval '1 millisecond',
    failures = q.failures + case when e.how = 'later' then 0 else 1 end,
    parked_at = case when e.how = 'parked' then now() end,
    error = coalesce(e.error, q.error)
  from ended e
  where e.how <> 'done' and q.account_id = e.account_id and q.job_id = e.job_id and q.process_id = worker and q.fence = e.fence
$$;

-- A door of the ledger: whether a process beats.
create function ledger.lives(process uuid, lapse interval) returns boolean stable language sql as $$
  select exists (select from ledger.processes p where p.process_id = process and p.beat_at > now() - lapse)
$$;

-- Gives the work of dead processes to the living. What took down whoever ran it, time and again, is parked. Answers how many.
create function jobs.sweep(lapse interval) returns bigint language sql as $$
  with orphans as (
    update jobs.queue q set process_id = null, run_at = now(), failures = q.failures + 1,
      parked_at = case when q.failures >= 19 then now() end,
      error = 'its process died'
    where q.process_id is not null and not ledger.lives(q.process_id, lapse)
    returning q.name
  ), woken as (
    select pg_notify('jobs', name) from (select distinct name from orphans) o
  )
  select (select count(*) from orphans) + 0 * (select count(*) from woken)
$$;

-- A request that moves no money, with its idempotency key and its answer, in the caller's transaction: it is repeated as a paid
-- one is. A failed one without an answer bars its id: no hold can be taken under it any more. Answers the receipt that stands in
-- the way, of this id or of the key's claim, or null. Holds of the account wait until the transaction has ended.
create function ledger.record(
  account uuid, receipt uuid, project uuid, credential uuid, path text, idem_key text, print text,
  outcome text, status smallint, reply text, at timestamptz
) returns uuid language plpgsql as $$
declare
  earlier uuid;
  recorded ledger.receipts;
begin
  perform ledger.lock(array[account]);
  select r.receipt_id into earlier from ledger.receipts r where r.account_id = account and r.receipt_id = receipt;
  if earlier is null and idem_key is not null then
    select r.receipt_id into earlier from ledger.receipts r
    where r.account_id = account and r.key_id = credential and r.idempotency_key = idem_key and r.claiming;
  end if;
  if earlier is not null then return earlier; end if;
  insert into ledger.receipts (account_id, receipt_id, project_id, key_id, endpoint, idempotency_key, fingerprint, claiming,
    state, status_code, held, month, detail, created_at, finished_at)
  values (account, receipt, project, credential, path, idem_key, print, outcome = 'completed',
    outcome, status, 0, ledger.month_of(at), json_build_object('outcome', case outcome when 'failed' then 'barred' else outcome end), at, at)
  returning * into recorded;
  insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
  select account, receipt, status, reply, at where reply is not null;
  perform ledger.count_usage(recorded, 1, 0, 0, 0, 0);
  return null;
end $$;
