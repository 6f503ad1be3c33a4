-- A settlement may name its hold as its bound: of background work, which nobody watches, and of a caller who left. What the call cost
-- beyond that is the platform's loss, in its books, however much the account has free. A process of an earlier release names no bound.
alter type ledger.settle_op add attribute within_hold boolean;

-- As before (0012-usage-groups.sql), and `within_hold`.
create or replace function ledger.settle_write(ops ledger.settle_op[], at timestamptz, thresholds smallint[]) returns setof ledger.op_result
language sql as $$
  with ended as (
    delete from ledger.holds h using unnest(ops) o
    where h.account_id = o.account_id and h.hold_id = o.hold_id
    returning h.account_id, h.hold_id, h.receipt_id, h.project_id, h.key_id, h.amount, h.month,
      case when o.actual <= h.amount then o.actual when o.within_hold then h.amount else least(o.actual, h.amount + ledger.room(h)) end as paid,
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
  ), referenced as (
    insert into ledger.usage_referenced as u (account_id, project_id, day, key_id, endpoint, model, customer_id,
      requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens)
    select c.account_id, c.project_id, (c.created_at at time zone 'Asia/Tehran')::date, c.key_id, c.endpoint,
      coalesce(c.model, ''), coalesce(c.customer_id, ''),
      count(*), count(*) filter (where c.state = 'failed'), sum(c.paid), coalesce(sum(c.input_tokens), 0),
      coalesce(sum(c.cached_input_tokens), 0), coalesce(sum(c.output_tokens), 0), coalesce(sum(c.reasoning_tokens), 0)
    from closed c where c.reference_id <> '' group by 1, 2, 3, 4, 5, 6, 7
    on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id) do update set
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

-- Names all columns of a settlement by their places.
create or replace function ledger.sweep(lapse interval, at timestamptz, most int, thresholds smallint[] default '{50,80,100}') returns table (receipt_id uuid, account_id uuid, amount bigint, started boolean)
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
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
      0, 0, 0, 0, true)::ledger.settle_op
    from unnest(over) o), at, thresholds);
  return query select o.receipt_id, o.account_id, o.amount, o.started from unnest(over) o;
end $$;
