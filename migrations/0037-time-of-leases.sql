-- What is leased (docs/decisions/0094-time-of-tests.md) asks this function for the time. It is `now()`, which the planner puts in its place: no call is made, and
-- indexes are used as before.
create function platform.now() returns timestamptz language sql stable parallel safe as $$ select pg_catalog.now() $$;

alter table ledger.processes alter column started_at set default platform.now(), alter column beat_at set default platform.now();

-- A door of the ledger: whether a process beats.
create or replace function ledger.lives(process uuid, lapse interval) returns boolean stable language sql as $$
  select exists (select from ledger.processes p where p.process_id = process and p.beat_at > platform.now() - lapse)
$$;

-- As before (0025-lost-parts.sql).
create or replace function ledger.sweep(lapse interval, at timestamptz, most int, thresholds smallint[] default '{50,80,100}') returns table (receipt_id uuid, account_id uuid, amount bigint, started boolean, free_if_lost boolean)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  over ledger.holds[];
begin
  over := array(
    select h from ledger.holds h
    where h.expires_at < at or (h.process_id is not null and not exists (
      select from ledger.processes p where p.process_id = h.process_id and p.beat_at > platform.now() - lapse))
    order by h.account_id, h.receipt_id limit most);
  if cardinality(over) = 0 then return; end if;
  perform ledger.lock(array(select distinct o.account_id from unnest(over) o));
  -- Some may have ended, or live longer, since the lock was waited for.
  over := array(
    select h from ledger.holds h join unnest(over) o on (o.account_id, o.receipt_id) = (h.account_id, h.receipt_id)
    where h.expires_at < at or (h.process_id is not null and not exists (
      select from ledger.processes p where p.process_id = h.process_id and p.beat_at > platform.now() - lapse)));
  if cardinality(over) = 0 then return; end if;
  perform ledger.settle_set(array(
    select (row_number() over (), o.receipt_id, o.account_id,
      case when o.started then o.amount else 0 end, 'failed', null, o.started, not o.started, null,
      json_build_object('outcome', case when o.free_if_lost then 'lost' when o.started then 'ambiguous' else 'expired' end), null,
      0, 0, 0, 0, true, null, o.free_if_lost, null)::ledger.settle_op
    from unnest(over) o), at, thresholds);
  return query select o.receipt_id, o.account_id, o.amount, o.started, o.free_if_lost from unnest(over) o;
end $$;

-- As before (0034-suspects-apart.sql).
create or replace function jobs.claim(kind text, worker uuid, busy uuid[], per_account int, most int) returns setof jobs.queue
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  suspect uuid;
begin
  perform pg_advisory_xact_lock(hashtext('jobs.claim'), hashtext(kind));
  update jobs.queue q set process_id = null where q.name = kind and q.process_id = worker and q.job_id <> all(busy);
  if not exists (select from jobs.queue q where q.process_id = worker and q.vanished > 0) then
    select q.job_id into suspect from jobs.queue q
    where q.name = kind and q.vanished > 0 and q.process_id is null and q.parked_at is null and q.run_at <= platform.now() and q.job_id <> all(busy)
    -- Of the account with the fewest running: one of an account that runs as much as it may would keep those of others waiting.
    order by (
      select count(*) from jobs.queue r where r.name = kind and r.account_id = q.account_id and r.process_id is not null
    ), q.run_at, q.job_id limit 1;
  end if;
  if suspect is not null then
    -- The process may be claiming jobs of another kind at the same time.
    perform pg_advisory_xact_lock(hashtext('jobs.suspect'), hashtext(worker::text));
    if exists (select from jobs.queue q where q.process_id = worker and q.vanished > 0) then suspect := null; end if;
  end if;
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
      -- The suspect has waited before: it stands in front of what else its account has queued.
      select q.account_id, q.job_id, coalesce(r.jobs, 0) + row_number() over (order by q.vanished desc, q.run_at, q.job_id) as turn
      from (
        (select s.account_id, s.job_id, s.run_at, s.vanished from jobs.queue s
          where s.account_id = w.account_id and s.job_id = suspect and s.process_id is null and s.parked_at is null)
        union all
        (select s.account_id, s.job_id, s.run_at, s.vanished from jobs.queue s
          where s.name = kind and s.account_id = w.account_id and s.process_id is null and s.parked_at is null
            and s.run_at <= platform.now() and s.job_id <> all(busy) and s.vanished = 0
          order by s.run_at, s.job_id limit least(most, greatest(0, (per_account - coalesce(r.jobs, 0) + 1) / 2)))
      ) q
      order by q.vanished desc, q.run_at, q.job_id
      limit least(most, greatest(0, (per_account - coalesce(r.jobs, 0) + 1) / 2))
    ) n
    order by n.turn, random()
    limit most
  )
  update jobs.queue q set process_id = worker, fence = q.fence + 1
  from next n where q.account_id = n.account_id and q.job_id = n.job_id
  returning q.*;
end $$;

-- As before (0006-jobs.sql).
create or replace function jobs.settle(worker uuid, ends json) returns void language sql as $$
  with ended as (
    select * from json_to_recordset(ends) e(account_id uuid, job_id uuid, fence int, how text, delay_ms bigint, error text)
  ), done as (
    delete from jobs.queue q using ended e
    where e.how = 'done' and q.account_id = e.account_id and q.job_id = e.job_id and q.process_id = worker and q.fence = e.fence
  )
  update jobs.queue q set
    process_id = null,
    run_at = platform.now() + e.delay_ms * interval '1 millisecond',
    failures = q.failures + case when e.how = 'later' then 0 else 1 end,
    parked_at = case when e.how = 'parked' then platform.now() end,
    error = coalesce(e.error, q.error)
  from ended e
  where e.how <> 'done' and q.account_id = e.account_id and q.job_id = e.job_id and q.process_id = worker and q.fence = e.fence
$$;

-- As before (0015-vanished-jobs.sql).
create or replace function jobs.sweep(lapse interval) returns bigint language sql as $$
  with orphans as (
    update jobs.queue q set process_id = null, run_at = platform.now(), vanished = q.vanished + 1,
      parked_at = case when q.vanished >= 9 then platform.now() end,
      error = 'its process died'
    where q.process_id is not null and not ledger.lives(q.process_id, lapse)
    returning q.name
  ), woken as (
    select pg_notify('jobs', name) from (select distinct name from orphans) o
  )
  select (select count(*) from orphans) + 0 * (select count(*) from woken)
$$;
