-- Plans that stay good: each lookup has one index that fits it, statements are planned once, and a settlement is one statement.

-- A plan made while a table is empty is kept for the life of a connection, and on an empty table every index that matches costs
-- the same. Receipts by (account_id, receipt_id) were then read through receipts_time, all receipts of the account each time.
-- Now only the primary key fits that lookup: the others name the project first, or are partial.
drop index ledger.receipts_time;
create index receipts_time on ledger.receipts (project_id, created_at desc);

-- Constraints are read anew by every statement that writes: one a table.
alter table ledger.balances drop constraint balances_balance_check, drop constraint balances_held_check, drop constraint balances_check,
  add constraint balances_check check (0 <= held and held <= balance);
alter table ledger.meters drop constraint meters_spent_check, drop constraint meters_held_check, drop constraint meters_cap_check,
  drop constraint meters_month_spent_check, drop constraint meters_month_held_check, drop constraint meters_month_cap_check,
  drop constraint meters_rate_per_minute_check, drop constraint meters_concurrency_check, drop constraint meters_open_check,
  add constraint meters_check check (least(spent, held, month_spent, month_held, open, cap, month_cap, rate_per_minute - 1, concurrency - 1) >= 0);

-- One hold by itself. A single call waits for this, so it is written in plain statements by key; `hold_write` is its twin for sets.
create or replace function ledger.hold_one(op ledger.hold_op, at timestamptz, this_month date, now_at bigint) returns ledger.op_result
language plpgsql as $$
declare
  earlier uuid;
  short record;
  free bigint;
begin
  -- A resend after a lost COMMIT reply finds its own hold.
  select r.receipt_id into earlier from ledger.receipts r where r.account_id = op.account_id and r.receipt_id = op.receipt_id;
  if earlier is null and op.idempotency_key is not null then
    select r.receipt_id into earlier from ledger.receipts r
    where r.account_id = op.account_id and r.key_id = op.key_id and r.idempotency_key = op.idempotency_key and r.claiming;
  end if;
  if earlier = op.receipt_id and exists (select from ledger.holds h where h.account_id = op.account_id and h.hold_id = op.hold_id) then
    return (op.seq, 'held', op.receipt_id, null, op.amount, null)::ledger.op_result;
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
  from (values ('account', op.account_id), ('project', op.project_id), ('key', op.key_id)) k(scope, id)
  where m.account_id = op.account_id and m.scope = k.scope and m.scope_id = k.id;
  insert into ledger.receipts (account_id, receipt_id, project_id, key_id, endpoint, idempotency_key, fingerprint,
    state, held, month, model, customer_id, reference_id, created_at)
  values (op.account_id, op.receipt_id, op.project_id, op.key_id, op.endpoint, op.idempotency_key, op.fingerprint,
    'running', op.amount, this_month, op.model, op.customer_id, op.reference_id, at);
  insert into ledger.holds (account_id, hold_id, receipt_id, project_id, key_id, amount, month, started, process_id, created_at, expires_at)
  values (op.account_id, op.hold_id, op.receipt_id, op.project_id, op.key_id, op.amount, this_month, op.started, op.process_id, at, op.expires_at);
  return (op.seq, 'held', op.receipt_id, null, op.amount, null)::ledger.op_result;
end $$;

-- Ends holds, as one statement: every part reads the same snapshot, and none of them plans anew.
-- `paid` may exceed the hold only when the set is of one, since each overrun changes what is free for the next.
create function ledger.settle_write(ops ledger.settle_op[], at timestamptz, thresholds smallint[]) returns setof ledger.op_result
language sql as $$
  with ended as (
    delete from ledger.holds h using unnest(ops) o
    where h.account_id = o.account_id and h.hold_id = o.hold_id
    returning h.account_id, h.hold_id, h.receipt_id, h.project_id, h.key_id, h.amount, h.month,
      case when o.actual > h.amount then least(o.actual, h.amount + ledger.room(h)) else o.actual end as paid,
      o.seq, o.actual, o.state, o.status_code, o.ambiguous, o.free_claim, o.model, o.detail, o.reply,
      o.input_tokens, o.cached_input_tokens, o.output_tokens, o.reasoning_tokens
  ), balance as (
    update ledger.balances b set balance = b.balance - s.paid, held = b.held - s.amount
    from (select account_id, sum(amount)::bigint as amount, sum(paid)::bigint as paid from ended group by 1) s
    where b.account_id = s.account_id
  ), meter as (
    update ledger.meters m set
      held = m.held - s.amount, spent = m.spent + s.paid, open = m.open - s.calls,
      month_held = m.month_held - case when m.month = s.month then s.amount else 0 end,
      month_spent = m.month_spent + case when m.month = s.month then s.paid else 0 end
    from (
      select e.account_id, k.scope, k.scope_id, k.project_id, e.month, sum(e.amount)::bigint as amount, sum(e.paid)::bigint as paid, count(*)::int as calls
      from ended e
      cross join lateral (values ('account', e.account_id, null), ('project', e.project_id, e.project_id), ('key', e.key_id, e.project_id)) k(scope, scope_id, project_id)
      group by 1, 2, 3, 4, 5
    ) s
    where m.account_id = s.account_id and m.scope = s.scope and m.scope_id = s.scope_id
    returning m.account_id, m.scope, m.scope_id, m.cap, m.spent, m.month, case when m.month = s.month then m.month_cap end as month_cap, m.month_spent, s.paid, s.project_id
  ), told as (
    insert into events.outbox (account_id, project_id, type, data, once_key, created_at)
    select m.account_id, m.project_id, 'budget.threshold',
      json_build_object('scope', m.scope, 'scope_id', m.scope_id, 'period', p.period, 'threshold_percent', t.percent,
        'cap_credits', p.cap / 1000000, 'spent_credits', (p.spent + 999999) / 1000000),
      concat_ws(':', 'budget.threshold', m.scope, m.scope_id, p.period, p.cap, t.percent), at
    from meter m
    cross join lateral (values ('total', m.cap, m.spent), (to_char(m.month, 'YYYY-MM'), m.month_cap, m.month_spent)) p(period, cap, spent)
    cross join unnest(thresholds) t(percent)
    where p.cap > 0 and m.paid > 0
      and p.spent::numeric * 100 >= p.cap::numeric * t.percent
      and (p.spent - m.paid)::numeric * 100 < p.cap::numeric * t.percent
    on conflict do nothing
  ), entry as (
    insert into ledger.entries (account_id, transfer_id, book, amount, reason, receipt_id, created_at)
    select e.account_id, e.hold_id, b.book, b.amount, 'charge', e.receipt_id, at
    from ended e
    cross join lateral (values ('credits', -e.paid), ('loss', e.paid - e.actual), ('revenue', e.actual)) b(book, amount)
    where b.amount <> 0
  ), closed as (
    update ledger.receipts r set
      state = e.state, status_code = e.status_code, ambiguous = e.ambiguous, claiming = r.claiming and not e.free_claim,
      charged = r.charged + e.paid, model = coalesce(e.model, r.model), detail = e.detail, finished_at = at
    from ended e
    where r.account_id = e.account_id and r.receipt_id = e.receipt_id
    returning r.account_id, r.project_id, r.key_id, r.endpoint, r.model, r.customer_id, r.reference_id, r.state, r.created_at,
      e.paid, e.input_tokens, e.cached_input_tokens, e.output_tokens, e.reasoning_tokens
  ), used as (
    insert into ledger.usage_days as u (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id,
      requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens)
    select c.account_id, c.project_id, (c.created_at at time zone 'Asia/Tehran')::date, c.key_id, c.endpoint,
      coalesce(c.model, ''), coalesce(c.customer_id, ''), coalesce(c.reference_id, ''),
      count(*), count(*) filter (where c.state = 'failed'), sum(c.paid), coalesce(sum(c.input_tokens), 0),
      coalesce(sum(c.cached_input_tokens), 0), coalesce(sum(c.output_tokens), 0), coalesce(sum(c.reasoning_tokens), 0)
    from closed c group by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id) do update set
      requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
      input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens
  ), replied as (
    insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
    select e.account_id, e.receipt_id, e.status_code, e.reply, at from ended e where e.reply is not null
    on conflict do nothing
  )
  select e.seq, 'settled', e.receipt_id, null::text, e.paid, e.actual - e.paid from ended e
$$;

-- outcome of a settle: settled (need is what was charged, have is the loss) · gone (no such open hold: it ended before, by this very
--   settlement or by a sweep that is mended now; need is what the receipt is charged)

-- Ends holds. The caller has locked the balances. What the parts of one statement could not see of each other goes one by one:
-- an overrun, a hold told of twice or gone, the turn of a month.
create or replace function ledger.settle_set(ops ledger.settle_op[], at timestamptz, thresholds smallint[]) returns setof ledger.op_result
language plpgsql as $$
declare
  alone boolean := false;
begin
  if cardinality(ops) > 1 then
    select count(distinct h.hold_id) < cardinality(ops) or bool_or(o.actual > h.amount) or min(h.month) < max(h.month) into alone
    from unnest(ops) o join ledger.holds h on h.account_id = o.account_id and h.hold_id = o.hold_id;
  end if;
  if alone then
    for i in 1 .. cardinality(ops) loop
      return query select * from ledger.settle_set(ops[i:i], at, thresholds);
    end loop;
  else
    return query select * from ledger.settle_write(ops, at, thresholds);
    if not found then
      perform ledger.mend(ops[1], at);
      return next (ops[1].seq, 'gone', ops[1].receipt_id, null, coalesce((
        select r.charged from ledger.receipts r where r.account_id = ops[1].account_id and r.receipt_id = ops[1].receipt_id
      ), 0), null)::ledger.op_result;
    end if;
  end if;
end $$;

drop function ledger.settle_one;
drop function ledger.settle_money;
drop function ledger.settle_papers;
drop function ledger.tell_thresholds;
drop type ledger.closing;

-- A plan of its own for each set, by the length of its array, cost more than the work.
alter function ledger.apply(json, json, timestamptz, smallint[]) set plan_cache_mode = force_generic_plan;
alter function ledger.sweep(interval, timestamptz, int, smallint[]) set plan_cache_mode = force_generic_plan;
