-- A job whose process vanished is a suspect: until it gets on, a process holds no other one, whatever their kinds. If that process vanishes too,
-- this job is the likely cause. What a dead process had only claimed would count as well, so it is the claim that keeps them apart.
create index queue_suspects_waiting on jobs.queue (name, run_at, job_id) where vanished > 0 and process_id is null and parked_at is null;
create index queue_suspects_held on jobs.queue (process_id) where vanished > 0 and process_id is not null;

-- Jobs of one kind for a process, those of accounts with the fewest running first, and at most one suspect. Claims of a kind go one at a time,
-- so that `per_account` is exact over all processes. A claim takes half of what an account may still run: another process finds some too.
-- `busy` are the jobs that the process knows to run; what else bears its name was claimed by a statement whose reply it never got.
create or replace function jobs.claim(kind text, worker uuid, busy uuid[], per_account int, most int) returns setof jobs.queue
language plpgsql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  suspect uuid;
begin
  perform pg_advisory_xact_lock(hashtext('jobs.claim'), hashtext(kind));
  update jobs.queue q set process_id = null where q.name = kind and q.process_id = worker and q.job_id <> all(busy);
  if not exists (select from jobs.queue q where q.process_id = worker and q.vanished > 0) then
    select q.job_id into suspect from jobs.queue q
    where q.name = kind and q.vanished > 0 and q.process_id is null and q.parked_at is null and q.run_at <= now() and q.job_id <> all(busy)
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
            and s.run_at <= now() and s.job_id <> all(busy) and s.vanished = 0
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
