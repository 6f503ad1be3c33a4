-- Batches of messages. Whoever changes rows of a batch beyond one single row's begin locks the batch first.
create schema batches;

create table batches.batches (
  account_id uuid not null,
  batch_id uuid not null,
  project_id uuid not null,
  key_id uuid not null,
  -- How its rows are read and told: the header anthropic-version, the betas, the language of errors, the caller's marks.
  version text not null,
  betas text[] not null,
  language text not null,
  customer_id text,
  reference_id text,
  total int not null,
  succeeded int not null default 0,
  errored int not null default 0,
  canceled int not null default 0,
  expired int not null default 0,
  created_at timestamptz not null,
  -- Rows that have not begun by then expire.
  deadline timestamptz not null,
  cancel_initiated_at timestamptz,
  ended_at timestamptz,
  -- Results are kept until then.
  expires_at timestamptz not null,
  archived_at timestamptz,
  primary key (account_id, batch_id),
  check (succeeded + errored + canceled + expired <= total)
) with (fillfactor = 70);
create index batches_list on batches.batches (account_id, project_id, batch_id desc);
create index batches_open on batches.batches (deadline) where ended_at is null;
create index batches_kept on batches.batches (expires_at) where archived_at is null;

create table batches.rows (
  account_id uuid not null,
  batch_id uuid not null,
  position int not null,
  custom_id text not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'succeeded', 'errored', 'canceled', 'expired')),
  -- JSON as text; forgotten when the row ends.
  params text,
  -- The receipt of its paid call, chosen before the call.
  effect_id uuid,
  -- JSON as text: the message, or the whole error body.
  result text,
  primary key (account_id, batch_id, position),
  foreign key (account_id, batch_id) references batches.batches on delete cascade
) with (fillfactor = 70);

-- Counts rows that ended; with the last one the batch ends, and that is told once. The caller has locked the batch.
create function batches.count(account uuid, batch uuid, how text, rows int, at timestamptz) returns void language plpgsql as $$
declare
  b batches.batches;
begin
  update batches.batches o set
    succeeded = o.succeeded + case how when 'succeeded' then rows else 0 end,
    errored = o.errored + case how when 'errored' then rows else 0 end,
    canceled = o.canceled + case how when 'canceled' then rows else 0 end,
    expired = o.expired + case how when 'expired' then rows else 0 end,
    ended_at = case when o.succeeded + o.errored + o.canceled + o.expired + rows = o.total then coalesce(o.ended_at, at) end
  where o.account_id = account and o.batch_id = batch
  returning * into b;
  if b.ended_at is null then return; end if;
  insert into events.outbox (account_id, project_id, type, data, once_key, created_at)
  select account, b.project_id, kind, json_build_object(
      'id', 'msgbatch_' || replace(batch::text, '-', ''), 'type', 'message_batch', 'processing_status', 'ended',
      'request_counts', json_build_object('processing', 0, 'succeeded', b.succeeded, 'errored', b.errored,
        'canceled', b.canceled, 'expired', b.expired),
      'created_at', b.created_at, 'ended_at', b.ended_at),
    kind || ':' || batch, at
  from (select case when b.cancel_initiated_at is null then 'batch.completed' else 'batch.cancelled' end) k(kind)
  on conflict do nothing;
end $$;

-- Ends a running row, or puts it back among the waiting (how = 'waiting'); in a batch that is being cancelled that is its end.
-- Answers false when the row was not running.
create function batches.leave_row(account uuid, batch uuid, place int, how text, answer text, at timestamptz) returns boolean
language plpgsql as $$
declare
  canceling boolean;
  now_is text := how;
begin
  select b.cancel_initiated_at is not null into canceling
  from batches.batches b where b.account_id = account and b.batch_id = batch for update;
  if how = 'waiting' and canceling then now_is := 'canceled'; end if;
  update batches.rows r set state = now_is, result = answer,
    params = case when now_is = 'waiting' then r.params end,
    effect_id = case when now_is <> 'waiting' then r.effect_id end
  where r.account_id = account and r.batch_id = batch and r.position = place and r.state = 'running';
  if not found then return false; end if;
  if now_is <> 'waiting' then perform batches.count(account, batch, now_is, 1, at); end if;
  return true;
end $$;

-- Ends the rows that never began, as canceled or expired.
create function batches.end_waiting(account uuid, batch uuid, how text, at timestamptz) returns void language plpgsql as $$
declare
  ended int;
begin
  perform from batches.batches b where b.account_id = account and b.batch_id = batch and b.ended_at is null for update;
  if not found then return; end if;
  update batches.rows r set state = how, params = null
  where r.account_id = account and r.batch_id = batch and r.state = 'waiting';
  get diagnostics ended = row_count;
  perform batches.count(account, batch, how, ended, at);
end $$;
