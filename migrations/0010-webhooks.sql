-- Webhook connections and the delivery of events to them.
create schema webhooks;

-- Which key seals the secrets of this database; one row once something was sealed.
create schema secrets;
create table secrets.seal (
  one boolean primary key default true check (one),
  key_id text not null
);

create table webhooks.connections (
  account_id uuid not null,
  connection_id uuid not null,
  project_id uuid not null,
  url text not null,
  events text[] not null,
  enabled boolean not null,
  -- Why the platform switched it off.
  disabled_reason text check (disabled_reason in ('gone')),
  -- Sealed (platform/secrets). After a rotation the one before signs too, for a while.
  secret text not null,
  old_secret text,
  old_secret_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The process that sends to it, alone (ledger.processes).
  process_id uuid,
  -- A target that fails again and again is left alone until then, each time longer.
  strikes int not null default 0,
  parked_until timestamptz,
  primary key (account_id, connection_id)
) with (fillfactor = 70);
create index connections_busy on webhooks.connections (account_id) where process_id is not null;

-- An event on its way to one connection.
create table webhooks.deliveries (
  account_id uuid not null,
  delivery_id uuid not null,
  project_id uuid not null,
  connection_id uuid not null,
  event_id uuid not null,
  type text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'cancelled')),
  -- How often it may be sent.
  most_attempts smallint not null,
  attempts smallint not null default 0,
  -- Of the last attempt: what was answered, or why nothing was.
  status_code smallint,
  error text,
  duration_ms int,
  attempted_at timestamptz,
  -- When it is sent next, while it is pending.
  due_at timestamptz,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (account_id, delivery_id),
  check ((state = 'pending') = (due_at is not null)),
  check ((state = 'pending') = (ended_at is null))
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index deliveries_list on webhooks.deliveries (account_id, project_id, delivery_id desc);
create index deliveries_due on webhooks.deliveries (account_id, connection_id, due_at, delivery_id) where state = 'pending';
create index deliveries_of_event on webhooks.deliveries (account_id, event_id);
create index deliveries_ended on webhooks.deliveries (ended_at) where ended_at is not null;

-- What there is to forget; see forgetEvents.
create index outbox_time on events.outbox (created_at) where once_key is null or data <> '{}';

-- A UUID version 7 (RFC 9562), so that the order of ids is that of time.
create function webhooks.new_id(at timestamptz) returns uuid volatile language sql as $$
  select encode(set_byte(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6),
    6, (get_byte(uuid_send(gen_random_uuid()), 6) & 15) | 112), 'hex')::uuid
$$;

-- One delivery for each matching connection, in the transaction in which the event happens. What concerns a whole account (its
-- budget) goes to all its projects.
create function webhooks.fan_out() returns trigger language plpgsql as $$
declare
  told uuid;
begin
  for told in
    insert into webhooks.deliveries (account_id, delivery_id, project_id, connection_id, event_id, type, most_attempts, due_at, created_at)
    select c.account_id, webhooks.new_id(new.created_at), c.project_id, c.connection_id, new.event_id, new.type, 7, new.created_at, new.created_at
    from webhooks.connections c
    where c.account_id = new.account_id and c.enabled and new.type = any(c.events)
      and (c.project_id = new.project_id or (new.project_id is null and new.data ->> 'scope' = 'account'))
    returning connection_id
  loop
    perform pg_notify('webhooks', told::text);
  end loop;
  return null;
end $$;
create trigger fan_out after insert on events.outbox for each row execute function webhooks.fan_out();

-- Connections with something pending, and when the first of it is due: one probe of the index for each, however much there is.
create view webhooks.waiting as
  with recursive first as (
    (select account_id, connection_id, due_at from webhooks.deliveries
      where state = 'pending' order by account_id, connection_id, due_at limit 1)
    union all
    select n.account_id, n.connection_id, n.due_at from first f
    cross join lateral (
      select d.account_id, d.connection_id, d.due_at from webhooks.deliveries d
      where d.state = 'pending' and (d.account_id, d.connection_id) > (f.account_id, f.connection_id)
      order by d.account_id, d.connection_id, d.due_at limit 1
    ) n
  )
  select * from first;

-- Gives connections with something due to a process, which then sends to them alone: those that answer before those that failed
-- last, and of an account at most so many over all processes. `busy` are those that the process knows to have.
create function webhooks.take(worker uuid, busy uuid[], per_account int, most int, at timestamptz, lapse interval)
returns setof webhooks.connections language sql set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
  with free as (
    select c.account_id, c.connection_id, c.process_id, c.strikes,
      (select count(*) from webhooks.connections b where b.account_id = c.account_id and b.process_id is not null)
        + row_number() over (partition by c.account_id order by c.strikes, w.due_at) as turn
    from webhooks.waiting w join webhooks.connections c using (account_id, connection_id)
    where w.due_at <= at and c.enabled and (c.parked_until is null or c.parked_until <= at) and c.connection_id <> all(busy)
      and (c.process_id is null or c.process_id = worker or not ledger.lives(c.process_id, lapse))
  ), chosen as (
    select * from free where turn <= per_account or process_id is not null order by strikes > 0, turn, random() limit most
  )
  update webhooks.connections c set process_id = worker
  from chosen n
  where c.account_id = n.account_id and c.connection_id = n.connection_id and c.process_id is not distinct from n.process_id
  returning c.*
$$;

-- How attempts ended: delivered · pending (it is sent again at `due_at`) · failed. One that was given up meanwhile and arrived all the
-- same is delivered. A late word of a process that had lost the connection to another changes nothing.
create function webhooks.settle(results json) returns void language sql set enable_seqscan = off as $$
  update webhooks.deliveries d set
    state = r.state, attempts = r.attempts, status_code = r.status_code, error = r.error, duration_ms = r.duration_ms,
    attempted_at = r.attempted_at, due_at = r.due_at, ended_at = case when r.state <> 'pending' then r.attempted_at end
  from json_to_recordset(results) r(account_id uuid, delivery_id uuid, state text, attempts smallint, status_code smallint,
    error text, duration_ms int, attempted_at timestamptz, due_at timestamptz)
  where d.account_id = r.account_id and d.delivery_id = r.delivery_id and d.attempts = r.attempts - 1
    and (d.state = 'pending' or (d.state = 'cancelled' and r.state = 'delivered'))
$$;
