-- The ledger: exact money in integer micro-credits (1 credit = 1,000,000).
--
--   grant   puts credits on an account.
--   hold    promises the worst case of a call: all of account balance, account cap, project cap and key cap, or nothing.
--   settle  turns a hold into a charge, at most hold + what is still free; what the upstream cost beyond that is the platform's loss.
--   release is a settle of zero.
--
-- The row of ledger.balances is the lock of its account: whoever changes anything of an account's money takes it first,
-- accounts in the order of their ids. So there is one lock order, and under the lock plain statements are exact.
create schema ledger;

create table ledger.balances (
  account_id uuid primary key,
  balance bigint not null default 0 check (balance >= 0),
  held bigint not null default 0 check (held >= 0),
  check (held <= balance)
) with (fillfactor = 50);

-- What an account, a project or a key has spent and promised, in total and in the current month (Asia/Tehran), and its caps.
create table ledger.meters (
  account_id uuid not null,
  scope text not null check (scope in ('account', 'project', 'key')),
  scope_id uuid not null,
  spent bigint not null default 0 check (spent >= 0),
  held bigint not null default 0 check (held >= 0),
  cap bigint check (cap >= 0),
  month date not null default '2000-01-01',
  month_spent bigint not null default 0 check (month_spent >= 0),
  month_held bigint not null default 0 check (month_held >= 0),
  month_cap bigint check (month_cap >= 0),
  -- Limits of speed, for all processes together: paid calls begun in any 60 seconds, and paid calls under way.
  rate_per_minute int check (rate_per_minute > 0),
  concurrency int check (concurrency > 0),
  open int not null default 0 check (open >= 0),
  -- Calls begun in each of the last 60 seconds, the newest last, up to the Unix second recent_at. Kept only where there is a rate.
  recent int[],
  recent_at bigint,
  primary key (account_id, scope, scope_id)
) with (fillfactor = 50);

-- Open holds only: a hold that ended is a row of entries and a line on its receipt.
create table ledger.holds (
  account_id uuid not null,
  hold_id uuid not null,
  receipt_id uuid not null,
  project_id uuid not null,
  key_id uuid not null,
  amount bigint not null check (amount >= 0),
  month date not null,
  -- True when the paid call may have been sent: such a hold is never freed in silence.
  started boolean not null,
  -- The process whose life it hangs on; null for holds that live by expires_at alone.
  process_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, hold_id)
);

-- Double entry, append-only: the amounts of one transfer sum to zero. Books: credits (the account's own), grants, revenue, loss.
create table ledger.entries (
  account_id uuid not null,
  transfer_id uuid not null,
  book text not null check (book in ('credits', 'grants', 'revenue', 'loss')),
  amount bigint not null,
  reason text not null,
  receipt_id uuid,
  created_at timestamptz not null,
  primary key (account_id, transfer_id, book)
);

-- One row for every paid or idempotent request, kept for good. It never holds prompt or answer text.
create table ledger.receipts (
  account_id uuid not null,
  receipt_id uuid not null,
  project_id uuid not null,
  key_id uuid not null,
  endpoint text not null,
  idempotency_key text,
  fingerprint text,
  -- False once a request failed without any effect or charge: its idempotency key may be used again.
  claiming boolean not null default true,
  state text not null check (state in ('running', 'completed', 'failed')),
  -- A started call whose end was never seen: charged at its hold, never called again, mended if the end is told later.
  ambiguous boolean not null default false,
  status_code smallint,
  held bigint not null,
  charged bigint not null default 0,
  -- In whose monthly figures it counts.
  month date not null,
  model text,
  customer_id text,
  reference_id text,
  detail json,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (account_id, receipt_id)
) with (fillfactor = 80);
-- One key, one effect: the claim of an idempotency key is its receipt.
create unique index receipts_claim on ledger.receipts (account_id, key_id, idempotency_key) where idempotency_key is not null and claiming;
create index receipts_lookup on ledger.receipts (account_id, key_id, idempotency_key) where idempotency_key is not null;
create index receipts_time on ledger.receipts (account_id, project_id, created_at desc);

-- The finished JSON of idempotent requests, for 24 hours.
create table ledger.replies (
  account_id uuid not null,
  receipt_id uuid not null,
  status_code smallint not null,
  body text not null,
  created_at timestamptz not null,
  primary key (account_id, receipt_id)
);
create index replies_time on ledger.replies (created_at);

-- Usage by day (Asia/Tehran), written with the settlement, so that reports never scan receipts.
create table ledger.usage_days (
  account_id uuid not null,
  project_id uuid not null,
  day date not null,
  key_id uuid not null,
  endpoint text not null,
  model text not null,
  customer_id text not null,
  reference_id text not null,
  requests bigint not null,
  failures bigint not null,
  charged bigint not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  output_tokens bigint not null,
  reasoning_tokens bigint not null,
  primary key (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id)
);

-- Living processes; a hold of a process that stopped beating is ended by whoever sees it first.
create table ledger.processes (
  process_id uuid primary key,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
);

create function ledger.month_of(at timestamptz) returns date immutable language sql as
$$ select date_trunc('month', at at time zone 'Asia/Tehran')::date $$;

create type ledger.hold_op as (
  seq int, hold_id uuid, receipt_id uuid, account_id uuid, project_id uuid, key_id uuid,
  endpoint text, idempotency_key text, fingerprint text, model text, customer_id text, reference_id text,
  amount bigint, started boolean, process_id uuid, expires_at timestamptz
);

create type ledger.settle_op as (
  seq int, hold_id uuid, receipt_id uuid, account_id uuid,
  actual bigint, state text, status_code smallint, ambiguous boolean, free_claim boolean, model text, detail json, reply text,
  input_tokens bigint, cached_input_tokens bigint, output_tokens bigint, reasoning_tokens bigint
);

-- outcome of a hold: held · insufficient (scope, need and have say where) · limited (scope says by what, need how many milliseconds to wait)
--   · claimed (receipt_id is the earlier receipt)
-- outcome of a settle: settled (need is what was charged, have is the loss) · gone (no such open hold: it ended before; need is what was given back)
create type ledger.op_result as (seq int, outcome text, receipt_id uuid, scope text, need bigint, have bigint);

-- A settle beside the hold that it ends.
create type ledger.closing as (op ledger.settle_op, hold ledger.holds, charged bigint, loss bigint);

-- The calls of the last 60 seconds, moved on to the second now_at.
create function ledger.slide(recent int[], recent_at bigint, now_at bigint) returns int[] immutable language sql as $$
  select case
    when recent is null or now_at - recent_at >= 60 then array_fill(0, array[60])
    when now_at <= recent_at then recent
    else recent[(now_at - recent_at + 1)::int : 60] || array_fill(0, array[(now_at - recent_at)::int])
  end
$$;

create function ledger.rate_left(m ledger.meters, now_at bigint) returns bigint stable language sql as $$
  select case when m.rate_per_minute is not null then
    m.rate_per_minute - (select sum(calls) from unnest(ledger.slide(m.recent, m.recent_at, now_at)) calls) end
$$;

-- Milliseconds until the oldest second that counts stops counting.
create function ledger.rate_wait(m ledger.meters, now_at bigint) returns bigint stable language sql as $$
  select coalesce(min(second), 1) * 1000
  from unnest(ledger.slide(m.recent, m.recent_at, now_at)) with ordinality as t(calls, second) where calls > 0
$$;

-- What a set of holds does not fit: balance and caps first, then limits of speed; no row when everything fits.
create function ledger.misfit(ops ledger.hold_op[], this_month date, now_at bigint)
returns table (outcome text, scope text, need bigint, have bigint) stable language sql as $$
  with wanted as (
    select o.account_id, s.scope, s.scope_id, sum(o.amount)::bigint as amount, count(*) as calls
    from unnest(ops) o
    cross join lateral (values ('account', o.account_id), ('project', o.project_id), ('key', o.key_id)) s(scope, scope_id)
    group by 1, 2, 3
  )
  select f.outcome, f.scope, case when f.outcome = 'limited' then f.wait_ms else f.need end, greatest(f.have, 0) from (
    select 'insufficient' as outcome, 'balance' as scope, 0 as rank, w.amount as need, coalesce(b.balance - b.held, 0) as have, null::bigint as wait_ms
    from wanted w left join ledger.balances b using (account_id) where w.scope = 'account'
    union all
    select c.outcome, w.scope || c.suffix, c.rank, case c.outcome when 'limited' then w.calls else w.amount end, c.have, c.wait_ms
    from wanted w join ledger.meters m using (account_id, scope, scope_id)
    cross join lateral (values
      ('insufficient', '', 1, m.cap - m.spent - m.held, null),
      ('insufficient', '_month', 2, m.month_cap - case when m.month = this_month then m.month_spent + m.month_held else 0 end, null),
      ('limited', '_concurrency', 3, (m.concurrency - m.open)::bigint, 1000),
      ('limited', '_rate', 4, ledger.rate_left(m, now_at), case when m.rate_per_minute is not null then ledger.rate_wait(m, now_at) end)
    ) c(outcome, suffix, rank, have, wait_ms)
    where c.have is not null
  ) f
  where f.need > f.have
  order by f.rank, f.scope
  limit 1
$$;

create function ledger.count_calls(recent int[], calls int) returns int[] immutable language sql as
$$ select recent[1:59] || (recent[60] + calls) $$;

-- Takes holds with their receipts and idempotency claims. The caller has locked the balances.
-- A set that is new and fits is written as a set; anything else goes one by one, first come, first served.
create function ledger.hold_set(ops ledger.hold_op[], at timestamptz) returns setof ledger.op_result
language plpgsql as $$
declare
  this_month date;
  now_at bigint := floor(extract(epoch from at));
begin
  -- Never back to an earlier month, should the clocks of two machines disagree at its turn.
  select greatest(ledger.month_of(at), max(m.month)) into this_month
  from (select distinct account_id from unnest(ops)) o
  join ledger.meters m on m.account_id = o.account_id and m.scope = 'account' and m.scope_id = o.account_id;

  if cardinality(ops) > 1 and ledger.is_new(ops) and not exists (select from ledger.misfit(ops, this_month, now_at)) then
    return query select * from ledger.hold_write(ops, at, this_month, now_at);
  else
    for i in 1 .. cardinality(ops) loop
      return next ledger.hold_one(ops[i], at, this_month, now_at);
    end loop;
  end if;
end $$;

-- True when no receipt of these ids and no claim on these keys exists, nor two claims on one key among them.
create function ledger.is_new(ops ledger.hold_op[]) returns boolean stable language sql as $$
  select not exists (select from unnest(ops) o join ledger.receipts r on r.account_id = o.account_id and r.receipt_id = o.receipt_id)
    and not exists (select from unnest(ops) o join ledger.receipts r
      on r.account_id = o.account_id and r.key_id = o.key_id and r.idempotency_key = o.idempotency_key
      where r.claiming and r.idempotency_key is not null)
    and (select count(o.idempotency_key) = count(distinct (o.key_id, o.idempotency_key)) filter (where o.idempotency_key is not null)
      from unnest(ops) o)
$$;

-- One hold by itself. A single call waits for this, so it is written in plain statements by key; `hold_write` is its twin for sets.
create function ledger.hold_one(op ledger.hold_op, at timestamptz, this_month date, now_at bigint) returns ledger.op_result
language plpgsql as $$
declare
  earlier uuid;
  short record;
  free bigint;
begin
  -- A resend after a lost COMMIT reply finds its own hold.
  if exists (select from ledger.holds h where h.account_id = op.account_id and h.hold_id = op.hold_id) then
    return (op.seq, 'held', op.receipt_id, null, op.amount, null)::ledger.op_result;
  end if;
  select r.receipt_id into earlier from ledger.receipts r where r.account_id = op.account_id and r.receipt_id = op.receipt_id;
  if earlier is null and op.idempotency_key is not null then
    select r.receipt_id into earlier from ledger.receipts r
    where r.account_id = op.account_id and r.key_id = op.key_id and r.idempotency_key = op.idempotency_key and r.claiming;
  end if;
  if earlier is not null then return (op.seq, 'claimed', earlier, null, null, null)::ledger.op_result; end if;

  select b.balance - b.held into free from ledger.balances b where b.account_id = op.account_id;
  if free is null or free < op.amount or ledger.is_bound(op.account_id, op.project_id, op.key_id) then
    select * into short from ledger.misfit(array[op], this_month, now_at);
    if found then return (op.seq, short.outcome, null, short.scope, short.need, short.have)::ledger.op_result; end if;
  end if;

  update ledger.balances b set held = b.held + op.amount where b.account_id = op.account_id;
  update ledger.meters m set
    held = m.held + op.amount,
    month_held = case when m.month = this_month then m.month_held else 0 end + op.amount,
    month_spent = case when m.month = this_month then m.month_spent else 0 end,
    month = this_month,
    open = m.open + 1,
    recent = case when m.rate_per_minute is not null then ledger.count_calls(ledger.slide(m.recent, m.recent_at, now_at), 1) end,
    recent_at = case when m.rate_per_minute is not null then greatest(now_at, m.recent_at) end
  where m.account_id = op.account_id and ((m.scope = 'account' and m.scope_id = op.account_id)
    or (m.scope = 'project' and m.scope_id = op.project_id) or (m.scope = 'key' and m.scope_id = op.key_id));
  insert into ledger.receipts (account_id, receipt_id, project_id, key_id, endpoint, idempotency_key, fingerprint,
    state, held, month, model, customer_id, reference_id, created_at)
  values (op.account_id, op.receipt_id, op.project_id, op.key_id, op.endpoint, op.idempotency_key, op.fingerprint,
    'running', op.amount, this_month, op.model, op.customer_id, op.reference_id, at);
  insert into ledger.holds (account_id, hold_id, receipt_id, project_id, key_id, amount, month, started, process_id, created_at, expires_at)
  values (op.account_id, op.hold_id, op.receipt_id, op.project_id, op.key_id, op.amount, this_month, op.started, op.process_id, at, op.expires_at);
  return (op.seq, 'held', op.receipt_id, null, op.amount, null)::ledger.op_result;
end $$;

-- True when any cap or limit of speed binds this payer.
create function ledger.is_bound(account uuid, project uuid, key uuid) returns boolean stable language sql as $$
  select exists (
    select from ledger.meters m
    where m.account_id = account and ((m.scope = 'account' and m.scope_id = account)
        or (m.scope = 'project' and m.scope_id = project) or (m.scope = 'key' and m.scope_id = key))
      and (m.cap is not null or m.month_cap is not null or m.rate_per_minute is not null or m.concurrency is not null))
$$;

create function ledger.hold_write(ops ledger.hold_op[], at timestamptz, this_month date, now_at bigint) returns setof ledger.op_result
language plpgsql as $$
begin
  update ledger.balances b set held = b.held + s.amount
  from (select o.account_id, sum(o.amount)::bigint as amount from unnest(ops) o group by 1) s
  where b.account_id = s.account_id;

  update ledger.meters m set
    held = m.held + s.amount,
    month_held = case when m.month = this_month then m.month_held else 0 end + s.amount,
    month_spent = case when m.month = this_month then m.month_spent else 0 end,
    month = this_month,
    open = m.open + s.calls,
    recent = case when m.rate_per_minute is not null then ledger.count_calls(ledger.slide(m.recent, m.recent_at, now_at), s.calls) end,
    recent_at = case when m.rate_per_minute is not null then greatest(now_at, m.recent_at) end
  from (
    select o.account_id, k.scope, k.scope_id, sum(o.amount)::bigint as amount, count(*)::int as calls
    from unnest(ops) o
    cross join lateral (values ('account', o.account_id), ('project', o.project_id), ('key', o.key_id)) k(scope, scope_id)
    group by 1, 2, 3
  ) s
  where m.account_id = s.account_id and m.scope = s.scope and m.scope_id = s.scope_id;

  insert into ledger.receipts (account_id, receipt_id, project_id, key_id, endpoint, idempotency_key, fingerprint,
    state, held, month, model, customer_id, reference_id, created_at)
  select o.account_id, o.receipt_id, o.project_id, o.key_id, o.endpoint, o.idempotency_key, o.fingerprint,
    'running', o.amount, this_month, o.model, o.customer_id, o.reference_id, at
  from unnest(ops) o;

  insert into ledger.holds (account_id, hold_id, receipt_id, project_id, key_id, amount, month, started, process_id, created_at, expires_at)
  select o.account_id, o.hold_id, o.receipt_id, o.project_id, o.key_id, o.amount, this_month, o.started, o.process_id, at, o.expires_at
  from unnest(ops) o;

  return query select o.seq, 'held', o.receipt_id, null::text, o.amount, null::bigint from unnest(ops) o;
end $$;

-- What a single hold may still grow by: the smallest of free balance and free caps.
create function ledger.room(h ledger.holds) returns bigint stable language sql as $$
  select greatest(0, least(
    (select b.balance - b.held from ledger.balances b where b.account_id = h.account_id),
    (select min(least(m.cap - m.spent - m.held,
        case when m.month = h.month then m.month_cap - m.month_spent - m.month_held end))
     from ledger.meters m
     where m.account_id = h.account_id
       and (m.scope, m.scope_id) in (('account', h.account_id), ('project', h.project_id), ('key', h.key_id)))
  ))
$$;

-- Ends holds. The caller has locked the balances. When one overruns its hold they go one by one, since each changes what is free.
create function ledger.settle_set(ops ledger.settle_op[], at timestamptz, thresholds smallint[]) returns setof ledger.op_result
language plpgsql as $$
declare
  closing ledger.closing[];
  ended uuid[];
begin
  if cardinality(ops) = 1 then
    return next ledger.settle_one(ops[1], at, thresholds);
    return;
  end if;

  closing := array(
    select (o, h, o.actual, 0)::ledger.closing
    from unnest(ops) o join ledger.holds h on h.account_id = o.account_id and h.hold_id = o.hold_id
    order by o.seq);
  ended := array(select (c.hold).hold_id from unnest(closing) c);
  if exists (select from unnest(closing) c where (c.op).actual > (c.hold).amount)
    or (select count(distinct e) from unnest(ended) e) < cardinality(ended) then
    for i in 1 .. cardinality(ops) loop
      return next ledger.settle_one(ops[i], at, thresholds);
    end loop;
    return;
  end if;

  perform ledger.settle_money(closing, at, thresholds);
  perform ledger.settle_papers(closing, at);
  return query select (c.op).seq, 'settled', (c.hold).receipt_id, null::text, c.charged, 0::bigint from unnest(closing) c;
  if cardinality(closing) < cardinality(ops) then
    return query
      select o.seq, 'gone', o.receipt_id, null::text, ledger.mend(o, at), null::bigint
      from unnest(ops) o where o.hold_id <> all(ended);
  end if;
end $$;

-- One end by itself, in plain statements by key; `settle_money` and `settle_papers` are its twins for sets.
create function ledger.settle_one(op ledger.settle_op, at timestamptz, thresholds smallint[]) returns ledger.op_result
language plpgsql as $$
declare
  h ledger.holds;
  r ledger.receipts;
  paid bigint := op.actual;
  lost bigint;
begin
  select * into h from ledger.holds where account_id = op.account_id and hold_id = op.hold_id;
  if not found then return (op.seq, 'gone', op.receipt_id, null, ledger.mend(op, at), null)::ledger.op_result; end if;
  if op.actual > h.amount then paid := least(op.actual, h.amount + ledger.room(h)); end if;
  lost := op.actual - paid;

  delete from ledger.holds where account_id = h.account_id and hold_id = h.hold_id;
  update ledger.balances b set balance = b.balance - paid, held = b.held - h.amount where b.account_id = h.account_id;
  update ledger.meters m set
    held = m.held - h.amount, spent = m.spent + paid, open = m.open - 1,
    month_held = m.month_held - case when m.month = h.month then h.amount else 0 end,
    month_spent = m.month_spent + case when m.month = h.month then paid else 0 end
  where m.account_id = h.account_id and ((m.scope = 'account' and m.scope_id = h.account_id)
    or (m.scope = 'project' and m.scope_id = h.project_id) or (m.scope = 'key' and m.scope_id = h.key_id));
  if ledger.is_bound(h.account_id, h.project_id, h.key_id) then
    perform ledger.tell_thresholds(array[(op, h, paid, lost)::ledger.closing], h.month, at, thresholds);
  end if;
  insert into ledger.entries (account_id, transfer_id, book, amount, reason, receipt_id, created_at)
  select h.account_id, h.hold_id, e.book, e.amount, 'charge', h.receipt_id, at
  from (values ('credits', -paid), ('loss', -lost), ('revenue', paid + lost)) e(book, amount)
  where e.amount <> 0;

  update ledger.receipts f set
    state = op.state, status_code = op.status_code, ambiguous = op.ambiguous, claiming = f.claiming and not op.free_claim,
    charged = f.charged + paid, model = coalesce(op.model, f.model), detail = op.detail, finished_at = at
  where f.account_id = h.account_id and f.receipt_id = h.receipt_id
  returning * into r;
  insert into ledger.usage_days as u (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id,
    requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens)
  values (r.account_id, r.project_id, (r.created_at at time zone 'Asia/Tehran')::date, r.key_id, r.endpoint,
    coalesce(r.model, ''), coalesce(r.customer_id, ''), coalesce(r.reference_id, ''),
    1, (r.state = 'failed')::int, paid, coalesce(op.input_tokens, 0), coalesce(op.cached_input_tokens, 0),
    coalesce(op.output_tokens, 0), coalesce(op.reasoning_tokens, 0))
  on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id) do update set
    requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
    input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens;
  if op.reply is not null then
    insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
    values (h.account_id, h.receipt_id, op.status_code, op.reply, at) on conflict do nothing;
  end if;
  return (op.seq, 'settled', h.receipt_id, null, paid, lost)::ledger.op_result;
end $$;

-- Events for the thresholds of a cap that this spending, already on the meters, has crossed. Each is told once a cap and period.
create function ledger.tell_thresholds(closing ledger.closing[], held_in date, at timestamptz, thresholds smallint[]) returns void
language plpgsql as $$
begin
  if not exists (
    select from unnest(closing) c join ledger.meters m on m.account_id = (c.hold).account_id
    where m.cap is not null or m.month_cap is not null
  ) then return; end if;

  insert into events.outbox (account_id, project_id, type, data, once_key, created_at)
  select s.account_id, s.project_id, 'budget.threshold',
    json_build_object('scope', s.scope, 'scope_id', s.scope_id, 'period', p.period, 'threshold_percent', t.percent,
      'cap_credits', p.cap / 1000000, 'spent_credits', (p.spent + 999999) / 1000000),
    concat_ws(':', 'budget.threshold', s.scope, s.scope_id, p.period, p.cap, t.percent), at
  from (
    select (c.hold).account_id, k.scope, k.scope_id, k.project_id, sum(c.charged)::bigint as charged
    from unnest(closing) c
    cross join lateral (values
      ('account', (c.hold).account_id, null), ('project', (c.hold).project_id, (c.hold).project_id), ('key', (c.hold).key_id, (c.hold).project_id)
    ) k(scope, scope_id, project_id)
    where (c.hold).month = held_in
    group by 1, 2, 3, 4
  ) s
  join ledger.meters m using (account_id, scope, scope_id)
  cross join lateral (values
    ('total', m.cap, m.spent), (to_char(m.month, 'YYYY-MM'), case when m.month = held_in then m.month_cap end, m.month_spent)
  ) p(period, cap, spent)
  cross join unnest(thresholds) t(percent)
  where p.cap > 0 and s.charged > 0
    and p.spent::numeric * 100 >= p.cap::numeric * t.percent
    and (p.spent - s.charged)::numeric * 100 < p.cap::numeric * t.percent
  on conflict do nothing;
end $$;

create function ledger.settle_money(closing ledger.closing[], at timestamptz, thresholds smallint[]) returns void
language plpgsql as $$
declare
  held_in date;
begin
  delete from ledger.holds h using unnest(closing) c
  where h.account_id = (c.hold).account_id and h.hold_id = (c.hold).hold_id;

  update ledger.balances b set balance = b.balance - s.charged, held = b.held - s.amount
  from (
    select (c.hold).account_id, sum((c.hold).amount)::bigint as amount, sum(c.charged)::bigint as charged
    from unnest(closing) c group by 1
  ) s
  where b.account_id = s.account_id;

  -- One month but at its turn: what was held in an earlier month does not count in the month that the meter is in now.
  for held_in in select distinct (c.hold).month from unnest(closing) c loop
    update ledger.meters m set
      held = m.held - s.amount, spent = m.spent + s.charged, open = m.open - s.calls,
      month_held = m.month_held - case when m.month = held_in then s.amount else 0 end,
      month_spent = m.month_spent + case when m.month = held_in then s.charged else 0 end
    from (
      select (c.hold).account_id, k.scope, k.scope_id, sum((c.hold).amount)::bigint as amount, sum(c.charged)::bigint as charged, count(*)::int as calls
      from unnest(closing) c
      cross join lateral (values
        ('account', (c.hold).account_id), ('project', (c.hold).project_id), ('key', (c.hold).key_id)) k(scope, scope_id)
      where (c.hold).month = held_in
      group by 1, 2, 3
    ) s
    where m.account_id = s.account_id and m.scope = s.scope and m.scope_id = s.scope_id;
    perform ledger.tell_thresholds(closing, held_in, at, thresholds);
  end loop;

  insert into ledger.entries (account_id, transfer_id, book, amount, reason, receipt_id, created_at)
  select (c.hold).account_id, (c.hold).hold_id, e.book, e.amount, 'charge', (c.hold).receipt_id, at
  from unnest(closing) c
  cross join lateral (values ('credits', -c.charged), ('loss', -c.loss), ('revenue', c.charged + c.loss)) e(book, amount)
  where e.amount <> 0;
end $$;

-- What explains the money: the receipt, the stored reply of an idempotent request, the day's usage.
create function ledger.settle_papers(closing ledger.closing[], at timestamptz) returns void
language plpgsql as $$
begin
  with closed as (
    update ledger.receipts r set
      state = (c.op).state, status_code = (c.op).status_code, ambiguous = (c.op).ambiguous,
      claiming = r.claiming and not (c.op).free_claim, charged = r.charged + c.charged,
      model = coalesce((c.op).model, r.model), detail = (c.op).detail, finished_at = at
    from unnest(closing) c
    where r.account_id = (c.hold).account_id and r.receipt_id = (c.hold).receipt_id
    returning r.account_id, r.project_id, r.key_id, r.endpoint, r.model, r.customer_id, r.reference_id, r.state, r.created_at,
      c.charged, (c.op).input_tokens, (c.op).cached_input_tokens, (c.op).output_tokens, (c.op).reasoning_tokens
  )
  insert into ledger.usage_days as u (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id,
    requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens)
  select c.account_id, c.project_id, (c.created_at at time zone 'Asia/Tehran')::date, c.key_id, c.endpoint,
    coalesce(c.model, ''), coalesce(c.customer_id, ''), coalesce(c.reference_id, ''),
    count(*), count(*) filter (where c.state = 'failed'), sum(c.charged), coalesce(sum(c.input_tokens), 0),
    coalesce(sum(c.cached_input_tokens), 0), coalesce(sum(c.output_tokens), 0), coalesce(sum(c.reasoning_tokens), 0)
  from closed c group by 1, 2, 3, 4, 5, 6, 7, 8
  on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id) do update set
    requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
    input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens;

  insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
  select (c.hold).account_id, (c.hold).receipt_id, (c.op).status_code, (c.op).reply, at
  from unnest(closing) c
  where (c.op).reply is not null
  on conflict do nothing;
end $$;

-- The true end of a call that the sweeper had charged at its hold: what was charged too much goes back, what it cost beyond
-- is the platform's loss, and its papers say what happened. Answers what was given back.
create function ledger.mend(op ledger.settle_op, at timestamptz) returns bigint
language plpgsql as $$
declare
  was ledger.receipts;
  mended ledger.receipts;
  refund bigint;
  loss bigint;
  transfer uuid := gen_random_uuid();
begin
  select * into was from ledger.receipts where account_id = op.account_id and receipt_id = op.receipt_id and ambiguous;
  if not found or op.ambiguous then return 0; end if;
  refund := greatest(0, was.charged - op.actual);
  loss := greatest(0, op.actual - was.charged);

  update ledger.receipts set ambiguous = false, state = op.state, status_code = op.status_code, charged = charged - refund,
    claiming = claiming and not op.free_claim, model = coalesce(op.model, model), detail = op.detail, finished_at = at
  where account_id = was.account_id and receipt_id = was.receipt_id
  returning * into mended;
  insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
  select op.account_id, op.receipt_id, op.status_code, op.reply, at where op.reply is not null
  on conflict do nothing;

  update ledger.balances set balance = balance + refund where account_id = was.account_id;
  update ledger.meters m set spent = m.spent - refund, month_spent = m.month_spent - case when m.month = was.month then refund else 0 end
  where m.account_id = was.account_id
    and (m.scope, m.scope_id) in (('account', was.account_id), ('project', was.project_id), ('key', was.key_id));
  insert into ledger.entries (account_id, transfer_id, book, amount, reason, receipt_id, created_at)
  select op.account_id, transfer, e.book, e.amount, 'mend', op.receipt_id, at
  from (values ('credits', refund), ('loss', -loss), ('revenue', loss - refund)) e(book, amount) where e.amount <> 0;

  perform ledger.count_usage(was, -1, 0, 0, 0, 0);
  perform ledger.count_usage(mended, 1, op.input_tokens, op.cached_input_tokens, op.output_tokens, op.reasoning_tokens);
  return refund;
end $$;

-- Adds an ended receipt to the usage of its day, or takes it out again (times = -1).
create function ledger.count_usage(r ledger.receipts, times int, input bigint, cached_input bigint, output bigint, reasoning bigint)
returns void language plpgsql as $$
begin
  insert into ledger.usage_days as u (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id,
    requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens)
  values (r.account_id, r.project_id, (r.created_at at time zone 'Asia/Tehran')::date, r.key_id, r.endpoint,
    coalesce(r.model, ''), coalesce(r.customer_id, ''), coalesce(r.reference_id, ''),
    times, case when r.state = 'failed' then times else 0 end, times * r.charged, input, cached_input, output, reasoning)
  on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id) do update set
    requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
    input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens;
end $$;

create function ledger.lock(accounts uuid[]) returns void language plpgsql as $$
begin
  perform from ledger.balances b where b.account_id = any(accounts) order by b.account_id for update;
end $$;

-- The group commit: everything that one process has waiting, in one statement. Settlements first, since they free credits.
-- Every access to a table is by its key, whatever the statistics of a young table say: a plan made while a table was empty
-- is kept for the life of a connection, and a scan or a hash of a grown receipts table would be its ruin.
create function ledger.apply(settles json, holds json, at timestamptz, thresholds smallint[] default '{50,80,100}') returns setof ledger.op_result
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  ending ledger.settle_op[] := array(select s from json_populate_recordset(null::ledger.settle_op, settles) s);
  taking ledger.hold_op[] := array(select h from json_populate_recordset(null::ledger.hold_op, holds) h);
begin
  perform ledger.lock(array(select e.account_id from unnest(ending) e union select t.account_id from unnest(taking) t));
  if cardinality(ending) > 0 then return query select * from ledger.settle_set(ending, at, thresholds); end if;
  if cardinality(taking) > 0 then return query select * from ledger.hold_set(taking, at); end if;
end $$;

-- Ends holds whose process is gone or whose time is over: refunded when never started, else charged in full as ambiguous.
-- Answers one row for each hold it ended.
create function ledger.sweep(lapse interval, at timestamptz, most int, thresholds smallint[] default '{50,80,100}') returns table (receipt_id uuid, account_id uuid, amount bigint, started boolean)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  over ledger.holds[];
begin
  over := array(
    select h from ledger.holds h
    where h.expires_at < at or (h.process_id is not null and not exists (
      select from ledger.processes p where p.process_id = h.process_id and p.beat_at > now() - lapse))
    order by h.account_id, h.hold_id limit most);
  if cardinality(over) = 0 then return; end if;
  perform ledger.lock(array(select distinct o.account_id from unnest(over) o));
  -- Some may have ended while the lock was waited for.
  over := array(select h from ledger.holds h join unnest(over) o on (o.account_id, o.hold_id) = (h.account_id, h.hold_id));
  perform ledger.settle_set(array(
    select (row_number() over (), o.hold_id, o.receipt_id, o.account_id,
      case when o.started then o.amount else 0 end, 'failed', null, o.started, not o.started, null,
      json_build_object('outcome', case when o.started then 'ambiguous' else 'expired' end), null,
      0, 0, 0, 0)::ledger.settle_op
    from unnest(over) o), at, thresholds);
  return query select o.receipt_id, o.account_id, o.amount, o.started from unnest(over) o;
end $$;

-- Credits from outside (amount > 0) or taken back (amount < 0, never below what is free). A repeated transfer id changes nothing. Answers the balance.
create function ledger.grant(account uuid, transfer uuid, credits bigint, why text, at timestamptz) returns bigint
language plpgsql as $$
declare
  left_over bigint;
begin
  perform ledger.lock(array[account]);
  if not exists (select from ledger.entries e where e.account_id = account and e.transfer_id = transfer) then
    update ledger.balances set balance = balance + credits where account_id = account;
    insert into ledger.entries (account_id, transfer_id, book, amount, reason, created_at)
    values (account, transfer, 'credits', credits, why, at), (account, transfer, 'grants', -credits, why, at);
  end if;
  select balance into left_over from ledger.balances where account_id = account;
  return left_over;
end $$;

-- Every broken invariant as a row; none on a healthy ledger. Run after every test and by `kherad doctor`.
create view ledger.broken as
  select 'entries of a transfer sum to zero' as invariant, account_id, transfer_id::text as what, sum(amount)::text as detail
    from ledger.entries group by account_id, transfer_id having sum(amount) <> 0
  union all
  select 'balance is the sum of its entries', b.account_id, null, b.balance || ' <> ' || coalesce(e.sum, 0)
    from ledger.balances b left join (select account_id, sum(amount) from ledger.entries where book = 'credits' group by 1) e using (account_id)
    where b.balance <> coalesce(e.sum, 0)
  union all
  select 'held is the sum of open holds', b.account_id, null, b.held || ' <> ' || coalesce(h.sum, 0)
    from ledger.balances b left join (select account_id, sum(amount) from ledger.holds group by 1) h using (account_id)
    where b.held <> coalesce(h.sum, 0)
  union all
  select 'a meter''s held is the sum of its open holds', m.account_id, m.scope || ' ' || m.scope_id, m.held || ' <> ' || coalesce(h.sum, 0)
    from ledger.meters m left join lateral (
      select sum(h.amount) from ledger.holds h where h.account_id = m.account_id
        and case m.scope when 'account' then true when 'project' then h.project_id = m.scope_id else h.key_id = m.scope_id end) h on true
    where m.held <> coalesce(h.sum, 0)
  union all
  select 'a meter''s open calls are its open holds', m.account_id, m.scope || ' ' || m.scope_id, m.open || ' <> ' || h.count
    from ledger.meters m cross join lateral (
      select count(*) from ledger.holds h where h.account_id = m.account_id
        and case m.scope when 'account' then true when 'project' then h.project_id = m.scope_id else h.key_id = m.scope_id end) h
    where m.open <> h.count
  union all
  select 'a meter''s spent is the sum of its receipts', m.account_id, m.scope || ' ' || m.scope_id, m.spent || ' <> ' || coalesce(r.sum, 0)
    from ledger.meters m left join lateral (
      select sum(r.charged) from ledger.receipts r where r.account_id = m.account_id
        and case m.scope when 'account' then true when 'project' then r.project_id = m.scope_id else r.key_id = m.scope_id end) r on true
    where m.spent <> coalesce(r.sum, 0)
  union all
  select 'a month''s figures are part of the total''s', m.account_id, m.scope || ' ' || m.scope_id, m.month_spent || '+' || m.month_held
    from ledger.meters m where m.month_spent > m.spent or m.month_held > m.held
  union all
  select 'a receipt''s charge is what its entries took', r.account_id, r.receipt_id::text, r.charged || ' <> ' || coalesce(-e.sum, 0)
    from ledger.receipts r left join (
      select account_id, receipt_id, sum(amount) from ledger.entries where book = 'credits' group by 1, 2) e using (account_id, receipt_id)
    where r.charged <> coalesce(-e.sum, 0)
  union all
  select 'a running receipt has its hold, an ended one has none', r.account_id, r.receipt_id::text, r.state
    from ledger.receipts r where (r.state = 'running' and r.held > 0)
      <> exists (select from ledger.holds h where h.account_id = r.account_id and h.receipt_id = r.receipt_id and h.amount > 0)
  union all
  select 'usage is the sum of ended receipts', account_id, concat_ws(' ', day, key_id, endpoint, model, customer_id, reference_id),
      concat_ws(' ', u.requests, u.failures, u.charged, '<>', r.requests, r.failures, r.charged)
    from (
      select account_id, project_id, (created_at at time zone 'Asia/Tehran')::date as day, key_id, endpoint,
        coalesce(model, '') as model, coalesce(customer_id, '') as customer_id, coalesce(reference_id, '') as reference_id,
        count(*) as requests, count(*) filter (where state = 'failed') as failures, sum(charged) as charged
      from ledger.receipts where state <> 'running' group by 1, 2, 3, 4, 5, 6, 7, 8
    ) r full join ledger.usage_days u using (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id)
    where (coalesce(r.requests, 0), coalesce(r.failures, 0), coalesce(r.charged, 0))
      <> (coalesce(u.requests, 0), coalesce(u.failures, 0), coalesce(u.charged, 0));
