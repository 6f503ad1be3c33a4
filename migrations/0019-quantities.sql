-- Usage in other units than tokens (pictures, seconds, searches): unit -> count, on the receipt and on the day's usage. Null where there
-- is none, so that text pays nothing for it. A process of an earlier release names none.
alter type ledger.settle_op add attribute quantities jsonb;
alter table ledger.receipts add column quantities jsonb;
alter table ledger.usage_days add column quantities jsonb;
alter table ledger.usage_referenced add column quantities jsonb;

create function ledger.add_quantities(a jsonb, b jsonb) returns jsonb immutable strict language sql as $$
  select jsonb_object_agg(unit, total) from (
    select unit, sum(many::numeric) as total
    from (select * from jsonb_each_text(a) union all select * from jsonb_each_text(b)) q(unit, many) group by unit
  ) s
$$;

-- What is null is skipped without a call.
create aggregate ledger.sum_quantities(jsonb) (sfunc = ledger.add_quantities, stype = jsonb);

-- As before (0014-within-hold.sql), and `quantities`.
create or replace function ledger.settle_write(ops ledger.settle_op[], at timestamptz, thresholds smallint[]) returns setof ledger.op_result
language sql as $$
  with ended as (
    delete from ledger.holds h using unnest(ops) o
    where h.account_id = o.account_id and h.hold_id = o.hold_id
    returning h.account_id, h.hold_id, h.receipt_id, h.project_id, h.key_id, h.amount, h.month,
      case when o.actual <= h.amount then o.actual when o.within_hold then h.amount else least(o.actual, h.amount + ledger.room(h)) end as paid,
      o.seq, o.actual, o.state, o.status_code, o.ambiguous, o.free_claim, o.model, o.detail, o.reply,
      o.input_tokens, o.cached_input_tokens, o.output_tokens, o.reasoning_tokens, o.quantities
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
      charged = r.charged + e.paid, model = coalesce(e.model, r.model), detail = e.detail, quantities = e.quantities, finished_at = at
    from ended e
    where r.account_id = e.account_id and r.receipt_id = e.receipt_id
    returning r.account_id, r.project_id, r.key_id, r.endpoint, r.model, r.customer_id, r.reference_id, r.state, r.created_at,
      e.paid, e.input_tokens, e.cached_input_tokens, e.output_tokens, e.reasoning_tokens, e.quantities
  ), used as (
    insert into ledger.usage_days as u (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id,
      requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, quantities)
    select c.account_id, c.project_id, (c.created_at at time zone 'Asia/Tehran')::date, c.key_id, c.endpoint,
      coalesce(c.model, ''), coalesce(c.customer_id, ''), coalesce(c.reference_id, ''),
      count(*), count(*) filter (where c.state = 'failed'), sum(c.paid), coalesce(sum(c.input_tokens), 0),
      coalesce(sum(c.cached_input_tokens), 0), coalesce(sum(c.output_tokens), 0), coalesce(sum(c.reasoning_tokens), 0),
      ledger.sum_quantities(c.quantities)
    from closed c group by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id) do update set
      requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
      input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens,
      quantities = case when excluded.quantities is null then u.quantities else coalesce(ledger.add_quantities(u.quantities, excluded.quantities), excluded.quantities) end
  ), referenced as (
    insert into ledger.usage_referenced as u (account_id, project_id, day, key_id, endpoint, model, customer_id,
      requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, quantities)
    select c.account_id, c.project_id, (c.created_at at time zone 'Asia/Tehran')::date, c.key_id, c.endpoint,
      coalesce(c.model, ''), coalesce(c.customer_id, ''),
      count(*), count(*) filter (where c.state = 'failed'), sum(c.paid), coalesce(sum(c.input_tokens), 0),
      coalesce(sum(c.cached_input_tokens), 0), coalesce(sum(c.output_tokens), 0), coalesce(sum(c.reasoning_tokens), 0),
      ledger.sum_quantities(c.quantities)
    from closed c where c.reference_id <> '' group by 1, 2, 3, 4, 5, 6, 7
    on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id) do update set
      requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
      input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens,
      quantities = case when excluded.quantities is null then u.quantities else coalesce(ledger.add_quantities(u.quantities, excluded.quantities), excluded.quantities) end
  ), replied as (
    insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
    select e.account_id, e.receipt_id, e.status_code, e.reply, at from ended e where e.reply is not null
    on conflict do nothing
  )
  select e.seq, 'settled', e.receipt_id, null::text, e.paid, e.actual - e.paid from ended e
$$;

-- As before (0003-ledger.sql), and `quantities`.
create or replace function ledger.mend(op ledger.settle_op, at timestamptz) returns bigint
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
    claiming = claiming and not op.free_claim, model = coalesce(op.model, model), detail = op.detail,
    quantities = op.quantities, finished_at = at
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

-- As before (0012-usage-groups.sql), and `quantities`: what is taken out again (times = -1) was ended by a sweep and has none.
create or replace function ledger.count_usage(r ledger.receipts, times int, input bigint, cached_input bigint, output bigint, reasoning bigint)
returns void language plpgsql as $$
begin
  insert into ledger.usage_days as u (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id,
    requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, quantities)
  values (r.account_id, r.project_id, (r.created_at at time zone 'Asia/Tehran')::date, r.key_id, r.endpoint,
    coalesce(r.model, ''), coalesce(r.customer_id, ''), coalesce(r.reference_id, ''),
    times, case when r.state = 'failed' then times else 0 end, times * r.charged, input, cached_input, output, reasoning, r.quantities)
  on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id) do update set
    requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
    input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens,
      quantities = case when excluded.quantities is null then u.quantities else coalesce(ledger.add_quantities(u.quantities, excluded.quantities), excluded.quantities) end;
  if r.reference_id <> '' then
    insert into ledger.usage_referenced as u (account_id, project_id, day, key_id, endpoint, model, customer_id,
      requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, quantities)
    values (r.account_id, r.project_id, (r.created_at at time zone 'Asia/Tehran')::date, r.key_id, r.endpoint,
      coalesce(r.model, ''), coalesce(r.customer_id, ''),
      times, case when r.state = 'failed' then times else 0 end, times * r.charged, input, cached_input, output, reasoning, r.quantities)
    on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id) do update set
      requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
      input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens,
      quantities = case when excluded.quantities is null then u.quantities else coalesce(ledger.add_quantities(u.quantities, excluded.quantities), excluded.quantities) end;
  end if;
end $$;

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
      0, 0, 0, 0, true, null)::ledger.settle_op
    from unnest(over) o), at, thresholds);
  return query select o.receipt_id, o.account_id, o.amount, o.started from unnest(over) o;
end $$;

-- As before (0012-usage-groups.sql), and the last two.
create or replace view ledger.broken as
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
      <> (coalesce(u.requests, 0), coalesce(u.failures, 0), coalesce(u.charged, 0))
  union all
  select 'usage with references is the sum of its rows', account_id, concat_ws(' ', day, key_id, endpoint, model, customer_id),
      concat_ws(' ', g.requests, g.failures, g.charged, g.tokens, '<>', u.requests, u.failures, u.charged, u.tokens)
    from (
      select account_id, project_id, day, key_id, endpoint, model, customer_id, sum(requests) as requests, sum(failures) as failures,
        sum(charged) as charged, sum(input_tokens + cached_input_tokens + output_tokens + reasoning_tokens) as tokens
      from ledger.usage_days where reference_id <> '' group by 1, 2, 3, 4, 5, 6, 7
    ) u full join (
      select account_id, project_id, day, key_id, endpoint, model, customer_id, requests, failures,
        charged, input_tokens + cached_input_tokens + output_tokens + reasoning_tokens as tokens
      from ledger.usage_referenced
    ) g using (account_id, project_id, day, key_id, endpoint, model, customer_id)
    where (coalesce(g.requests, 0), coalesce(g.failures, 0), coalesce(g.charged, 0), coalesce(g.tokens, 0))
      <> (coalesce(u.requests, 0), coalesce(u.failures, 0), coalesce(u.charged, 0), coalesce(u.tokens, 0))
  union all
  select 'quantities of usage are the sum of its receipts', account_id, concat_ws(' ', day, key_id, endpoint, model, customer_id, reference_id),
      concat_ws(' ', u.quantities, '<>', r.quantities)
    from (
      select account_id, project_id, (created_at at time zone 'Asia/Tehran')::date as day, key_id, endpoint,
        coalesce(model, '') as model, coalesce(customer_id, '') as customer_id, coalesce(reference_id, '') as reference_id,
        ledger.sum_quantities(quantities) as quantities
      from ledger.receipts where quantities is not null group by 1, 2, 3, 4, 5, 6, 7, 8
    ) r full join (select * from ledger.usage_days where quantities is not null) u
      using (account_id, project_id, day, key_id, endpoint, model, customer_id, reference_id)
    where u.quantities is distinct from r.quantities
  union all
  select 'quantities with references are the sum of their rows', account_id, concat_ws(' ', day, key_id, endpoint, model, customer_id),
      concat_ws(' ', g.quantities, '<>', u.quantities)
    from (
      select account_id, project_id, day, key_id, endpoint, model, customer_id, ledger.sum_quantities(quantities) as quantities
      from ledger.usage_days where reference_id <> '' and quantities is not null group by 1, 2, 3, 4, 5, 6, 7
    ) u full join (select * from ledger.usage_referenced where quantities is not null) g
      using (account_id, project_id, day, key_id, endpoint, model, customer_id)
    where g.quantities is distinct from u.quantities;
