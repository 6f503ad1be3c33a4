-- Realtime calls: docs/decisions/0087-one-hold-that-rolls.md.
create schema realtime;

-- Processes that hold calls, alive as `ledger.lives` says. How many calls each has stands in `realtime.calls`.
create table realtime.processes (
  process_id uuid primary key,
  -- Where other processes reach it; null where it holds only calls of its own requests.
  address text,
  capacity smallint not null check (capacity >= 0),
  -- It is being stopped and takes no further calls.
  draining boolean not null default false
);

create table realtime.calls (
  account_id uuid not null,
  call_id uuid not null,
  project_id uuid not null,
  key_id uuid not null,
  -- Of the request that began it; its hold is open until the call ends, and is bound to no process.
  receipt_id uuid not null,
  process_id uuid not null,
  transport text not null check (transport in ('webrtc', 'websocket')),
  engine text not null check (engine in ('pipeline', 'relay', 'passthrough')),
  model text not null,
  agent_id uuid,
  customer_id text,
  status text not null default 'starting' check (status in ('starting', 'active', 'ended')),
  reason text check (reason in ('client', 'idle', 'expired', 'credits', 'disconnected', 'failed', 'revoked', 'stopped')),
  turns integer not null default 0 check (turns >= 0),
  -- What its process wrote last.
  tick_at timestamptz not null,
  -- Somebody wants it to end; its process does that.
  end_asked_at timestamptz,
  created_at timestamptz not null,
  connected_at timestamptz,
  expires_at timestamptz not null,
  ended_at timestamptz,
  charged bigint,
  -- Of its sound, where it keeps that.
  file_id uuid,
  primary key (account_id, call_id),
  check ((ended_at is null) = (status <> 'ended')),
  check ((reason is null) = (status <> 'ended')),
  check ((charged is null) = (status <> 'ended'))
);
create unique index calls_id on realtime.calls (call_id);
create index calls_running on realtime.calls (process_id) where ended_at is null;
create index calls_of_key on realtime.calls (account_id, key_id) where ended_at is null;

-- What a running call has paid for, one row for each call of an upstream, written before it. The receipt is made of them when the call ends.
create table realtime.steps (
  account_id uuid not null,
  call_id uuid not null,
  step_id uuid not null,
  -- In the order in which they began.
  position integer not null,
  kind text not null check (kind in ('transcription', 'text', 'speech', 'response', 'seconds')),
  model text not null,
  -- What it may cost at most, in micro-credits.
  worst bigint not null check (worst >= 0),
  -- Null while it is under way.
  cost bigint check (cost between 0 and worst),
  -- Beside `cost`: what an upstream may bill and nobody is charged.
  lost bigint not null default 0 check (lost >= 0),
  -- It was paid for, and not used.
  discarded boolean not null default false,
  -- What the receipt says of it.
  line json,
  primary key (account_id, call_id, step_id),
  foreign key (account_id, call_id) references realtime.calls on delete cascade
);

-- Secrets of browsers: each begins a few calls in the name of its key.
create table realtime.client_secrets (
  account_id uuid not null,
  -- SHA-256.
  secret_hash bytea not null,
  project_id uuid not null,
  key_id uuid not null,
  model text,
  session json not null,
  calls_left smallint not null check (calls_left >= 0),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, secret_hash)
);
create unique index client_secrets_hash on realtime.client_secrets (secret_hash);
create index client_secrets_expiry on realtime.client_secrets (expires_at);

-- Only of calls that keep their words.
create table realtime.transcripts (
  account_id uuid not null,
  call_id uuid not null,
  position integer not null,
  role text not null check (role in ('user', 'assistant')),
  words text not null,
  -- Since the call was connected.
  at_ms integer not null,
  primary key (account_id, call_id, position),
  foreign key (account_id, call_id) references realtime.calls on delete cascade
);

-- As before (0023-settlements.sql), but the answer that accepts the work may be none that is repeated: without `reply`.
create or replace function ledger.hold_in(op ledger.hold_op, status smallint, reply text, at timestamptz) returns ledger.op_result
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  refused ledger.op_result[];
begin
  perform ledger.lock(array[op.account_id]);
  refused := ledger.hold_set(array[op], at);
  if (refused[1]).outcome <> 'held' then return refused[1]; end if;
  update ledger.holds h set status_code = status where h.account_id = op.account_id and h.receipt_id = op.receipt_id;
  insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
  select op.account_id, op.receipt_id, status, reply, at where reply is not null
  on conflict do nothing;
  return (op.seq, 'held', op.receipt_id, null, op.amount, null)::ledger.op_result;
end $$;
