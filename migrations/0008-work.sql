-- Durable work: runs, their steps, what is told of them, and the files they hand over.

-- A hold in the transaction of what it pays for. It hangs on no process and has no end of its own: whoever took it settles it with
-- `settle_in`, in the transaction in which the work ends. The answer that accepted the work is kept beside its claim, so that a repeat
-- gets it while the work goes on. Holds of the account wait until the transaction has ended.
create function ledger.hold_in(op ledger.hold_op, status smallint, reply text, at timestamptz) returns ledger.op_result
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  result ledger.op_result;
begin
  perform ledger.lock(array[op.account_id]);
  select * into result from ledger.hold_set(array[op], at);
  if result.outcome = 'held' then
    update ledger.receipts r set status_code = status where r.account_id = op.account_id and r.receipt_id = op.receipt_id;
    insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
    values (op.account_id, op.receipt_id, status, reply, at)
    on conflict do nothing;
  end if;
  return result;
end $$;

create function ledger.settle_in(op ledger.settle_op, at timestamptz, thresholds smallint[]) returns ledger.op_result
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  result ledger.op_result;
begin
  perform ledger.lock(array[op.account_id]);
  select * into result from ledger.settle_set(array[op], at, thresholds);
  return result;
end $$;

create schema work;

-- Whoever changes anything of a run takes its row first, and the lock of the account's money after it.
create table work.runs (
  account_id uuid not null,
  run_id uuid not null,
  project_id uuid not null,
  key_id uuid not null,
  -- Of the request that asked for it; the one hold and the one receipt of the run.
  receipt_id uuid not null,
  agent_id uuid,
  knowledge_id uuid,
  kind text not null check (kind in ('research', 'document', 'code', 'data')),
  title text,
  input text not null,
  instructions text,
  language text not null check (language in ('fa', 'en')),
  model text not null,
  sandbox boolean not null,
  status text not null default 'queued'
    check (status in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelling', 'cancelled')),
  -- One id for each time that a worker takes it up: whoever lost it to another may write nothing of it any more.
  owner uuid,
  percent smallint not null default 0 check (percent between 0 and 100),
  -- The last that was told of it, { fa, en }.
  words json,
  partial boolean not null default false,
  error_code text,
  -- Micro-credits: what is held, what the steps so far did cost, what those under way may cost at most.
  held bigint not null check (held >= 0),
  spent bigint not null default 0 check (spent >= 0),
  promised bigint not null default 0 check (promised >= 0),
  -- How often its worker vanished since a step was last done; how often it waited for an upstream.
  losses int not null default 0,
  waits int not null default 0,
  events int not null default 0,
  created_at timestamptz not null,
  started_at timestamptz,
  -- What has not ended by then is ended.
  deadline timestamptz not null,
  retry_at timestamptz,
  cancel_requested_at timestamptz,
  ended_at timestamptz,
  -- Everything of it is kept until then.
  expires_at timestamptz,
  primary key (account_id, run_id)
) with (fillfactor = 70);
create index runs_list on work.runs (account_id, project_id, run_id desc);
create index runs_open on work.runs (deadline) where ended_at is null;
create index runs_kept on work.runs (expires_at) where ended_at is not null;

-- The journal. A paid step is written down before it is taken, with what it may cost at most, and again when its end is known.
create table work.steps (
  account_id uuid not null,
  run_id uuid not null,
  step text not null,
  kind text not null check (kind in ('ask', 'search', 'read', 'once')),
  -- lost: nobody knows how it ended; it is charged at its worst case and never taken again.
  state text not null check (state in ('started', 'done', 'failed', 'lost')),
  -- Chosen before it begins: what is sent again after a lost reply is known by it. Upstreams are told it.
  effect_id uuid not null,
  worst bigint not null check (worst >= 0),
  cost bigint not null default 0 check (cost >= 0),
  -- JSON as text, here or in the storage.
  result text,
  result_key text,
  error_code text,
  -- For the receipt: model, tokens, attempts.
  detail json,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (account_id, run_id, step),
  foreign key (account_id, run_id) references work.runs on delete cascade
) with (fillfactor = 70);

create table work.events (
  account_id uuid not null,
  run_id uuid not null,
  seq int not null,
  type text not null,
  data json not null,
  created_at timestamptz not null,
  primary key (account_id, run_id, seq),
  foreign key (account_id, run_id) references work.runs on delete cascade
);

create table work.files (
  account_id uuid not null,
  run_id uuid not null,
  path text not null,
  media_type text not null,
  bytes bigint not null check (bytes >= 0),
  -- Of its bytes, in hexadecimal digits.
  sha256 text not null,
  title text not null,
  storage_key text not null,
  created_at timestamptz not null,
  primary key (account_id, run_id, path),
  foreign key (account_id, run_id) references work.runs on delete cascade
);

-- Everything that a run ever put into the storage, written down before it is there: so that nothing stays behind.
create table work.blobs (
  account_id uuid not null,
  run_id uuid not null,
  storage_key text not null,
  primary key (account_id, run_id, storage_key),
  foreign key (account_id, run_id) references work.runs on delete cascade
);

-- Tells whoever watches a run. The caller has locked it.
create function work.tell(account uuid, run uuid, what text, about json, at timestamptz) returns void language plpgsql as $$
declare
  place int;
begin
  update work.runs r set events = r.events + 1 where r.account_id = account and r.run_id = run returning r.events into place;
  insert into work.events (account_id, run_id, seq, type, data, created_at) values (account, run, place, what, about, at);
end $$;

-- Begins a paid step of the run that `worker` owns. Answers `begun`, also when it is sent again; `known` when the step stands in the
-- journal already; `short` when what is left of the hold does not pay its worst case; `gone` when the run is somebody else's now.
create function work.begin_step(account uuid, run uuid, worker uuid, name text, sort text, effect uuid, most bigint, at timestamptz)
returns text language plpgsql as $$
declare
  r work.runs;
  s work.steps;
begin
  select * into r from work.runs o where o.account_id = account and o.run_id = run for update;
  if r.owner is distinct from worker or r.ended_at is not null then return 'gone'; end if;
  select * into s from work.steps o where o.account_id = account and o.run_id = run and o.step = name;
  if found then return case when s.state = 'started' and s.effect_id = effect then 'begun' else 'known' end; end if;
  if r.spent + r.promised + most > r.held then return 'short'; end if;
  insert into work.steps (account_id, run_id, step, kind, state, effect_id, worst, started_at)
  values (account, run, name, sort, 'started', effect, most, at);
  update work.runs o set promised = o.promised + most where o.account_id = account and o.run_id = run;
  return 'begun';
end $$;

-- Ends a step that was begun under this effect id: done, failed or lost, or (how = null) as if it had never begun. Sent again it changes nothing. Answers
-- false when the run is somebody else's now.
create function work.end_step(account uuid, run uuid, worker uuid, name text, effect uuid, how text, paid bigint,
  answer text, answer_key text, code text, about json, at timestamptz)
returns boolean language plpgsql as $$
declare
  r work.runs;
  most bigint;
begin
  select * into r from work.runs o where o.account_id = account and o.run_id = run for update;
  if r.owner is distinct from worker or r.ended_at is not null then return false; end if;
  if how is null then
    delete from work.steps o where o.account_id = account and o.run_id = run and o.step = name and o.effect_id = effect and o.state = 'started'
    returning o.worst into most;
  else
    update work.steps o set state = how, cost = paid, result = answer, result_key = answer_key, error_code = code, detail = about, ended_at = at
    where o.account_id = account and o.run_id = run and o.step = name and o.effect_id = effect and o.state = 'started'
    returning o.worst into most;
  end if;
  if most is null then return true; end if;
  update work.runs o set promised = o.promised - most, spent = o.spent + paid,
    losses = case when how = 'done' then 0 else o.losses end
  where o.account_id = account and o.run_id = run;
  return true;
end $$;

-- Steps that somebody began and nobody ended: charged at their worst case. The caller has locked the run.
create function work.lose_steps(account uuid, run uuid, at timestamptz) returns void language sql as $$
  with lost as (
    update work.steps s set state = 'lost', cost = s.worst, ended_at = at
    where s.account_id = account and s.run_id = run and s.state = 'started'
    returning s.worst
  )
  update work.runs r set promised = 0, spent = r.spent + (select coalesce(sum(worst), 0)::bigint from lost)
  where r.account_id = account and r.run_id = run
$$;
