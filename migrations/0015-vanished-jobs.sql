-- How often in a row the process of a job vanished while it ran it. Progress of the job makes it nothing again.
alter table jobs.queue add column vanished int not null default 0;

-- Gives the work of dead processes to the living. Whose processes vanish even while it is being set aside is parked. Answers how many.
create or replace function jobs.sweep(lapse interval) returns bigint language sql as $$
  with orphans as (
    update jobs.queue q set process_id = null, run_at = now(), vanished = q.vanished + 1,
      parked_at = case when q.vanished >= 9 then now() end,
      error = 'its process died'
    where q.process_id is not null and not ledger.lives(q.process_id, lapse)
    returning q.name
  ), woken as (
    select pg_notify('jobs', name) from (select distinct name from orphans) o
  )
  select (select count(*) from orphans) + 0 * (select count(*) from woken)
$$;
