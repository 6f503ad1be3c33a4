-- What Studio makes is stored before it is charged: docs/decisions/0056-no-stored-result-no-charge.md.

-- A call whose result is lost with its process is not charged: its hold says so, and its cost is the platform's loss.
alter table ledger.holds add column free_if_lost boolean not null default false;
alter type ledger.hold_op add attribute free_if_lost boolean;
-- True charges nothing: all that it cost is the platform's loss.
alter type ledger.settle_op add attribute free boolean;

-- As before (0023-settlements.sql), with `free_if_lost`.
create or replace function ledger.hold_set(ops ledger.hold_op[], at timestamptz) returns ledger.op_result[]
language plpgsql as $$
declare
  now_at bigint := floor(extract(epoch from at));
  month_now date := ledger.month_of(at);
  taken boolean;
  month_then date;
  refused ledger.op_result[];
begin
  with wanted as materialized (
    select s.account_id, k.scope, k.scope_id, sum(s.amount)::bigint as amount, sum(s.calls)::int as calls, sum(s.claims) as claims,
      -- Never back to an earlier month, should the clocks of two machines disagree at its turn.
      greatest(month_now, max(a.month)) as month
    from (
      select o.account_id, o.project_id, o.key_id, sum(o.amount) as amount, count(*) as calls, count(o.idempotency_key) as claims
      from unnest(ops) o group by 1, 2, 3
    ) s
    cross join lateral (values ('account', s.account_id), ('project', s.project_id), ('key', s.key_id)) k(scope, scope_id)
    left join ledger.meters a on a.account_id = s.account_id and a.scope = 'account' and a.scope_id = s.account_id
    group by 1, 2, 3
  ), fitting as materialized (
    select max(a.month) as this_month, min(a.month) = max(a.month)
      and not exists (select from unnest(ops) o join ledger.holds h on h.account_id = o.account_id and h.receipt_id = o.receipt_id)
      and not exists (select from unnest(ops) o join ledger.settlements s on s.account_id = o.account_id and s.receipt_id = o.receipt_id)
      and not exists (
        select from wanted w left join ledger.meters m on m.account_id = w.account_id and m.scope = w.scope and m.scope_id = w.scope_id
        where case when w.scope = 'account' then coalesce(m.balance - m.held, -1) < w.amount end
          or m.cap - m.spent - m.held < w.amount
          or m.month_cap - case when m.month = w.month then m.month_spent + m.month_held else 0 end < w.amount
          or m.concurrency - m.open < w.calls
          or case when m.rate_per_minute is not null then ledger.rate_left(m, now_at) < w.calls end
          or case when w.claims > 0 then ledger.is_claimed(ops) end) as all_of_them
    from wanted a
  ), metered as (
    update ledger.meters m set
      held = m.held + w.amount,
      month_held = case when m.month = w.month then m.month_held else 0 end + w.amount,
      month_spent = case when m.month = w.month then m.month_spent else 0 end,
      month = w.month,
      open = m.open + w.calls,
      recent = case when m.rate_per_minute is not null then ledger.count_calls(ledger.slide(m.recent, m.recent_at, now_at), w.calls) end,
      recent_at = case when m.rate_per_minute is not null then greatest(now_at, m.recent_at) end
    from wanted w, fitting f
    where f.all_of_them and m.account_id = w.account_id and m.scope = w.scope and m.scope_id = w.scope_id
  ), held as (
    insert into ledger.holds (account_id, receipt_id, project_id, key_id, endpoint, idempotency_key, fingerprint, model, customer_id,
      reference_id, amount, month, started, free_if_lost, process_id, created_at, expires_at)
    select o.account_id, o.receipt_id, o.project_id, o.key_id, o.endpoint, o.idempotency_key, o.fingerprint, o.model, o.customer_id,
      o.reference_id, o.amount, f.this_month, o.started, coalesce(o.free_if_lost, false), o.process_id, at, o.expires_at
    from unnest(ops) o, fitting f where f.all_of_them
  )
  select f.all_of_them, f.this_month into taken, month_then from fitting f;
  if taken then return '{}'; end if;
  if cardinality(ops) = 1 then return array[ledger.refusal(ops[1], month_then, now_at)]; end if;
  for i in 1 .. cardinality(ops) loop
    refused := refused || ledger.hold_set(ops[i:i], at);
  end loop;
  return refused;
end $$;

-- As before (0023-settlements.sql), with `free`.
create or replace function ledger.settle_set(ops ledger.settle_op[], at timestamptz, thresholds smallint[]) returns ledger.op_result[]
language plpgsql as $$
declare
  many int := cardinality(ops);
  plain int;
  told ledger.op_result[];
  has_extras boolean;
  is_further boolean;
begin
  if many > 1 then
    select count(distinct h.receipt_id) into plain
    from unnest(ops) o join ledger.holds h on h.account_id = o.account_id and h.receipt_id = o.receipt_id
    where o.actual <= h.amount;
    if plain < many then
      for i in 1 .. many loop
        told := told || ledger.settle_set(ops[i:i], at, thresholds);
      end loop;
      return told;
    end if;
  end if;

  with ended as (
    delete from ledger.holds h using unnest(ops) o
    where h.account_id = o.account_id and h.receipt_id = o.receipt_id
    returning h.account_id, h.receipt_id, h.project_id, h.key_id, h.endpoint, h.idempotency_key, h.fingerprint, h.customer_id, h.reference_id,
      h.amount, h.month, h.created_at, coalesce(o.model, h.model) as model,
      case when o.free then 0 when o.actual <= h.amount then o.actual when o.within_hold then h.amount else least(o.actual, h.amount + ledger.room(h)) end as paid,
      o.seq, o.actual, o.state, o.status_code, o.ambiguous, o.free_claim, o.detail,
      o.input_tokens, o.cached_input_tokens, o.output_tokens, o.reasoning_tokens, o.quantities,
      o.reply is not null or o.quantities is not null or h.reference_id is not null as has_extras
  ), settled as (
    insert into ledger.settlements (account_id, receipt_id, project_id, key_id, endpoint, idempotency_key, fingerprint, claiming, state,
      ambiguous, status_code, held, charged, lost, month, model, customer_id, reference_id, detail, quantities, created_at, finished_at)
    select e.account_id, e.receipt_id, e.project_id, e.key_id, e.endpoint, e.idempotency_key, e.fingerprint, not e.free_claim, e.state,
      e.ambiguous, e.status_code, e.amount, e.paid, e.actual - e.paid, e.month, e.model, e.customer_id, e.reference_id, e.detail,
      e.quantities, e.created_at, at
    from ended e
  ), metered as (
    update ledger.meters m set
      balance = m.balance - s.paid, held = m.held - s.amount, spent = m.spent + s.paid, open = m.open - s.calls,
      month_held = m.month_held - s.month_amount, month_spent = m.month_spent + s.month_paid
    from (
      select m.account_id, m.scope, m.scope_id, sum(e.amount)::bigint as amount, sum(e.paid)::bigint as paid, sum(e.calls)::int as calls,
        sum(case when e.month = m.month then e.amount else 0 end)::bigint as month_amount,
        sum(case when e.month = m.month then e.paid else 0 end)::bigint as month_paid
      from (
        select account_id, project_id, key_id, month, sum(amount) as amount, sum(paid) as paid, count(*) as calls from ended group by 1, 2, 3, 4
      ) e
      cross join lateral (values ('account', e.account_id), ('project', e.project_id), ('key', e.key_id)) k(scope, scope_id)
      join ledger.meters m on m.account_id = e.account_id and m.scope = k.scope and m.scope_id = k.scope_id
      group by 1, 2, 3
    ) s
    where m.account_id = s.account_id and m.scope = s.scope and m.scope_id = s.scope_id
    returning ledger.percent(m.spent, m.cap) > ledger.percent(m.spent - s.paid, m.cap)
      or ledger.percent(m.month_spent, m.month_cap) > ledger.percent(m.month_spent - s.month_paid, m.month_cap) as is_further
  ), used as (
    insert into ledger.usage_days as u (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id,
      requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens)
    select e.account_id, e.project_id, (e.created_at at time zone 'Asia/Tehran')::date, e.key_id, e.endpoint,
      coalesce(e.model, ''), coalesce(e.customer_id, ''), coalesce(e.reference_id, ''),
      count(*), count(*) filter (where e.state = 'failed'), sum(e.paid), sum(e.input_tokens),
      sum(e.cached_input_tokens), sum(e.output_tokens), sum(e.reasoning_tokens)
    from ended e group by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id) do update set
      requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
      input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens
  )
  select count(*), array_agg((e.seq, 'settled', e.receipt_id, null, e.paid, e.actual - e.paid)::ledger.op_result) filter (where e.paid <> e.actual),
    bool_or(e.has_extras), (select bool_or(m.is_further) from metered m)
  into plain, told, has_extras, is_further
  from ended e;

  if plain = 0 then
    perform ledger.mend(ops[1], at);
    return array[(ops[1].seq, 'gone', ops[1].receipt_id, null, coalesce((
      select s.charged from ledger.settlements s where s.account_id = ops[1].account_id and s.receipt_id = ops[1].receipt_id), 0), null)::ledger.op_result];
  end if;
  if has_extras then perform ledger.settle_extras(ops, at); end if;
  if is_further then perform ledger.tell_thresholds(ops, at, thresholds); end if;
  return told;
end $$;

-- As before (0023-settlements.sql); what is lost with its process and free then has the outcome `lost`, and its claim stays used.
drop function ledger.sweep;
create function ledger.sweep(lapse interval, at timestamptz, most int, thresholds smallint[] default '{50,80,100}') returns table (receipt_id uuid, account_id uuid, amount bigint, started boolean, free_if_lost boolean)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  over ledger.holds[];
begin
  over := array(
    select h from ledger.holds h
    where h.expires_at < at or (h.process_id is not null and not exists (
      select from ledger.processes p where p.process_id = h.process_id and p.beat_at > now() - lapse))
    order by h.account_id, h.receipt_id limit most);
  if cardinality(over) = 0 then return; end if;
  perform ledger.lock(array(select distinct o.account_id from unnest(over) o));
  -- Some may have ended, or live longer, since the lock was waited for.
  over := array(
    select h from ledger.holds h join unnest(over) o on (o.account_id, o.receipt_id) = (h.account_id, h.receipt_id)
    where h.expires_at < at or (h.process_id is not null and not exists (
      select from ledger.processes p where p.process_id = h.process_id and p.beat_at > now() - lapse)));
  if cardinality(over) = 0 then return; end if;
  perform ledger.settle_set(array(
    select (row_number() over (), o.receipt_id, o.account_id,
      case when o.started then o.amount else 0 end, 'failed', null, o.started, not o.started, null,
      json_build_object('outcome', case when o.free_if_lost then 'lost' when o.started then 'ambiguous' else 'expired' end), null,
      0, 0, 0, 0, true, null, o.free_if_lost)::ledger.settle_op
    from unnest(over) o), at, thresholds);
  return query select o.receipt_id, o.account_id, o.amount, o.started, o.free_if_lost from unnest(over) o;
end $$;

-- As before (0023-settlements.sql); what a sweep counted as lost is counted anew.
create or replace function ledger.mend(op ledger.settle_op, at timestamptz) returns bigint
language plpgsql as $$
declare
  was ledger.settlements;
  mended ledger.settlements;
  refund bigint;
  loss bigint;
  transfer uuid := gen_random_uuid();
begin
  select * into was from ledger.settlements where account_id = op.account_id and receipt_id = op.receipt_id and ambiguous;
  if not found or op.ambiguous then return 0; end if;
  refund := greatest(0, was.charged - op.actual);
  loss := greatest(0, op.actual - was.charged) - coalesce(was.lost, 0);

  insert into ledger.journal (account_id, transfer_id, book, amount, reason, receipt_id, created_at)
  select e.account_id, e.transfer_id, e.book, e.amount, e.reason, e.receipt_id, e.created_at
  from ledger.entries e where e.account_id = was.account_id and e.transfer_id = was.receipt_id and was.lost is not null;
  update ledger.settlements set ambiguous = false, state = op.state, status_code = op.status_code, charged = charged - refund, lost = null,
    claiming = claiming and not op.free_claim, model = coalesce(op.model, model), detail = op.detail,
    quantities = op.quantities, finished_at = at
  where account_id = was.account_id and receipt_id = was.receipt_id
  returning * into mended;
  insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
  select op.account_id, op.receipt_id, op.status_code, op.reply, at where op.reply is not null
  on conflict do nothing;

  update ledger.meters m set balance = m.balance + refund, spent = m.spent - refund,
    month_spent = m.month_spent - case when m.month = was.month then refund else 0 end
  where m.account_id = was.account_id
    and (m.scope, m.scope_id) in (('account', was.account_id), ('project', was.project_id), ('key', was.key_id));
  insert into ledger.journal (account_id, transfer_id, book, amount, reason, receipt_id, created_at)
  select op.account_id, transfer, e.book, e.amount, 'mend', op.receipt_id, at
  from (values ('credits', refund), ('loss', -loss), ('revenue', loss - refund)) e(book, amount) where e.amount <> 0;

  perform ledger.count_usage(was, -1, 0, 0, 0, 0);
  perform ledger.count_usage(mended, 1, op.input_tokens, op.cached_input_tokens, op.output_tokens, op.reasoning_tokens);
  return refund;
end $$;

-- Stored creations: files that a paid call made.
alter table files.files
  add column receipt_id uuid,
  -- Null: kept until it is deleted.
  add column expires_at timestamptz,
  -- False: kept for a repeat of its request only, and in no list.
  add column listed boolean not null default true,
  -- The machine in whose data folder its bytes wait, because the store failed; null: they are in the store.
  add column spooled_on text;
create index files_expired on files.files (expires_at) where expires_at is not null;
create index files_spooled on files.files (spooled_on) where spooled_on is not null;
create index files_of_receipt on files.files (account_id, receipt_id) where receipt_id is not null;

-- Counted apart from uploads, with the room that is reserved for what is being made.
alter table files.usage
  add column creations bigint not null default 0 check (creations >= 0),
  add column creation_bytes bigint not null default 0 check (creation_bytes >= 0);

-- Room for what a call that is under way will make; released with its end, or by the sweep when its process is dead.
create table files.reservations (
  account_id uuid not null,
  receipt_id uuid not null,
  project_id uuid not null,
  process_id uuid not null,
  creations bigint not null,
  bytes bigint not null,
  primary key (account_id, receipt_id)
);
create index reservations_process on files.reservations (process_id);

-- Days for which creations are kept; null: what the project, then the server's configuration says; 0: one day, for repeats only, in no list.
alter table auth.projects add column keep_days integer check (keep_days between 0 and 36500);
alter table auth.keys add column keep_days integer check (keep_days between 0 and 36500);
create trigger tell_change after update on auth.projects for each row execute function auth.tell_change();
