-- Usage in any time zone, and the zone of an account. The days of ledger.usage_days are those of Tehran; a day of another zone is a sum of quarter
-- hours, since the midnights of all zones lie on them.

alter table auth.accounts add column time_zone text not null default 'Asia/Tehran';

-- No settlement of another process falls between the sums of what is there and the functions that write them: each locks its meters first.
lock table ledger.meters in exclusive mode;

-- The quarter hour in which a call began.
create function ledger.quarter_of(at timestamptz) returns timestamptz immutable language sql as
$$ select date_bin('15 minutes', at, '2000-01-01 00:00:00+00') $$;

-- Written with the settlement, as ledger.usage_days. It has no references, so that a caller who names every call makes no row for each.
create table ledger.usage_quarters (
  account_id uuid not null,
  begins_at timestamptz not null,
  project_id uuid not null,
  key_id uuid not null,
  endpoint text not null,
  model text not null,
  customer_id text not null,
  requests bigint not null,
  failures bigint not null,
  charged bigint not null,
  input_tokens bigint not null,
  cached_input_tokens bigint not null,
  output_tokens bigint not null,
  reasoning_tokens bigint not null,
  quantities jsonb,
  primary key (account_id, begins_at, project_id, key_id, endpoint, model, customer_id)
);

-- What was counted since the last time that `ledger.fold_usage` added it to the quarter hours. It has no index, so that a call pays for a row and no more.
create table ledger.usage_pending (like ledger.usage_quarters);

-- The usage of quarter hours: all rows of an hour and a group together.
create view ledger.usage_parts as select * from ledger.usage_quarters union all select * from ledger.usage_pending;

-- Adds at most so many pending rows to their quarter hours; returns how many there were. Rows that another transaction adds at this moment are left to it.
create function ledger.fold_usage(many int) returns int language plpgsql as $$
declare
  folded int;
begin
  with gone as (
    delete from ledger.usage_pending p
    where p.ctid = any(array(select t.ctid from ledger.usage_pending t limit many for update skip locked)) returning p.*
  ), added as (
    insert into ledger.usage_quarters as u
    select g.account_id, g.begins_at, g.project_id, g.key_id, g.endpoint, g.model, g.customer_id,
      sum(g.requests), sum(g.failures), sum(g.charged), sum(g.input_tokens), sum(g.cached_input_tokens),
      sum(g.output_tokens), sum(g.reasoning_tokens), ledger.sum_quantities(g.quantities)
    from gone g group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (account_id, begins_at, project_id, key_id, endpoint, model, customer_id) do update set
      requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
      input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
      output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens,
      quantities = case when excluded.quantities is null then u.quantities else coalesce(ledger.add_quantities(u.quantities, excluded.quantities), excluded.quantities) end
  )
  select count(*) into folded from gone;
  return folded;
end $$;

-- Of calls that have ended the tokens stand in the report alone, in the form of its day.
insert into ledger.usage_quarters
select s.account_id, ledger.quarter_of(s.created_at), s.project_id, s.key_id, s.endpoint, coalesce(s.model, ''), coalesce(s.customer_id, ''),
  count(*), count(*) filter (where s.state = 'failed'), sum(s.charged), coalesce(sum(t.input), 0), coalesce(sum(t.cached_input), 0),
  coalesce(sum(t.output), 0), coalesce(sum(t.reasoning), 0), ledger.sum_quantities(s.quantities)
from ledger.settlements s
cross join lateral (select case when json_typeof(s.detail) = 'object' and json_typeof(s.detail -> 'tokens') = 'object' then s.detail -> 'tokens' end as tokens) d
cross join lateral (
  select trunc((d.tokens ->> 'input')::numeric)::bigint as input,
    trunc(coalesce(d.tokens ->> 'cachedInput', d.tokens ->> 'cached_input')::numeric)::bigint as cached_input,
    trunc((d.tokens ->> 'output')::numeric)::bigint as output, trunc((d.tokens ->> 'reasoning')::numeric)::bigint as reasoning) t
group by 1, 2, 3, 4, 5, 6, 7;

-- Where the reports of a day have other tokens than the day counted, the day is right, and its last quarter hour gets them all.
update ledger.usage_quarters u set
  input_tokens = case when u.begins_at = q.last then d.input_tokens else 0 end,
  cached_input_tokens = case when u.begins_at = q.last then d.cached_input_tokens else 0 end,
  output_tokens = case when u.begins_at = q.last then d.output_tokens else 0 end,
  reasoning_tokens = case when u.begins_at = q.last then d.reasoning_tokens else 0 end
from (
  select account_id, project_id, (begins_at at time zone 'Asia/Tehran')::date as day, key_id, endpoint, model, customer_id,
    max(begins_at) as last, sum(input_tokens) as input_tokens, sum(cached_input_tokens) as cached_input_tokens,
    sum(output_tokens) as output_tokens, sum(reasoning_tokens) as reasoning_tokens
  from ledger.usage_quarters group by 1, 2, 3, 4, 5, 6, 7
) q join (
  select account_id, project_id, day, key_id, endpoint, model, customer_id, sum(input_tokens) as input_tokens,
    sum(cached_input_tokens) as cached_input_tokens, sum(output_tokens) as output_tokens, sum(reasoning_tokens) as reasoning_tokens
  from ledger.usage_days group by 1, 2, 3, 4, 5, 6, 7
) d using (account_id, project_id, day, key_id, endpoint, model, customer_id)
where (u.account_id, u.project_id, (u.begins_at at time zone 'Asia/Tehran')::date, u.key_id, u.endpoint, u.model, u.customer_id)
    = (q.account_id, q.project_id, q.day, q.key_id, q.endpoint, q.model, q.customer_id)
  and (q.input_tokens, q.cached_input_tokens, q.output_tokens, q.reasoning_tokens)
    <> (d.input_tokens, d.cached_input_tokens, d.output_tokens, d.reasoning_tokens);

-- A join of operations with holds or settlements looks up each by its key, through these functions. A plain join may begin with the table instead, and
-- read all of it for each commit: PostgreSQL does that once it has counted the holds while no call was under way, or the settlements after the first.
-- `offset 0` fixes the order.
create function ledger.hold_of(account uuid, receipt uuid) returns setof ledger.holds stable language sql as $$
  select * from ledger.holds h where h.account_id = account and h.receipt_id = receipt offset 0
$$;
create function ledger.settlement_of(account uuid, receipt uuid) returns setof ledger.settlements stable language sql as $$
  select * from ledger.settlements s where s.account_id = account and s.receipt_id = receipt offset 0
$$;

-- As before (0025-lost-parts.sql), with `of_quarters`, and without a look at the holds beforehand: what cannot end together is left in place, and goes one by
-- one after the others. The account of the hold that is deleted is compared with a list of one: that fits the index, but no merge join, for which
-- PostgreSQL may read all holds (`ledger.hold_of`).
create or replace function ledger.settle_set(ops ledger.settle_op[], at timestamptz, thresholds smallint[]) returns ledger.op_result[]
language plpgsql as $$
declare
  many int := cardinality(ops);
  together int[];
  left_over ledger.settle_op[];
  told ledger.op_result[];
  has_extras boolean;
  is_further boolean;
begin
  with ended as (
    delete from ledger.holds h using (select n.*, ledger.due(n) as due from unnest(ops) n) o
    where h.account_id = any(array[o.account_id]) and h.receipt_id = o.receipt_id and (many = 1 or o.actual <= h.amount)
    returning h.account_id, h.receipt_id, h.project_id, h.key_id, h.endpoint, h.idempotency_key, h.fingerprint, h.customer_id, h.reference_id,
      h.amount, h.month, h.created_at, coalesce(o.model, h.model) as model,
      case when o.due <= h.amount then o.due when o.within_hold then h.amount else least(o.due, h.amount + ledger.room(h)) end as paid,
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
  ), of_quarters as (
    insert into ledger.usage_pending (account_id, begins_at, project_id, key_id, endpoint, model, customer_id,
      requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens)
    select e.account_id, ledger.quarter_of(e.created_at), e.project_id, e.key_id, e.endpoint, coalesce(e.model, ''), coalesce(e.customer_id, ''),
      count(*), count(*) filter (where e.state = 'failed'), sum(e.paid), sum(e.input_tokens),
      sum(e.cached_input_tokens), sum(e.output_tokens), sum(e.reasoning_tokens)
    from ended e group by 1, 2, 3, 4, 5, 6, 7
  )
  select array_agg(e.seq), array_agg((e.seq, 'settled', e.receipt_id, null, e.paid, e.actual - e.paid)::ledger.op_result) filter (where e.paid <> e.actual),
    bool_or(e.has_extras), (select bool_or(m.is_further) from metered m)
  into together, told, has_extras, is_further
  from ended e;

  if many = 1 and together is null then
    perform ledger.mend(ops[1], at);
    return array[(ops[1].seq, 'gone', ops[1].receipt_id, null, coalesce((
      select s.charged from ledger.settlements s where s.account_id = ops[1].account_id and s.receipt_id = ops[1].receipt_id), 0), null)::ledger.op_result];
  end if;
  if coalesce(cardinality(together), 0) < many then
    left_over := array(select o from unnest(ops) o where o.seq <> all(coalesce(together, '{}')) order by o.seq);
    ops := array(select o from unnest(ops) o where o.seq = any(together));
  end if;
  if has_extras then perform ledger.settle_extras(ops, at); end if;
  if is_further then perform ledger.tell_thresholds(ops, at, thresholds); end if;
  for i in 1 .. coalesce(cardinality(left_over), 0) loop
    told := told || ledger.settle_set(left_over[i:i], at, thresholds);
  end loop;
  return told;
end $$;

-- As before (0023-settlements.sql), and quantities of quarter hours.
create or replace function ledger.settle_extras(ops ledger.settle_op[], at timestamptz) returns void language plpgsql as $$
begin
  insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
  select o.account_id, o.receipt_id, o.status_code, o.reply, at from unnest(ops) o where o.reply is not null
  on conflict do nothing;

  update ledger.usage_days u set quantities = coalesce(ledger.add_quantities(u.quantities, n.quantities), n.quantities)
  from (
    select s.account_id, s.project_id, (s.created_at at time zone 'Asia/Tehran')::date as day, s.key_id, s.endpoint,
      coalesce(s.model, '') as model, coalesce(s.customer_id, '') as customer_id, coalesce(s.reference_id, '') as reference_id,
      ledger.sum_quantities(s.quantities) as quantities
    from unnest(ops) o cross join ledger.settlement_of(o.account_id, o.receipt_id) s
    where o.quantities is not null group by 1, 2, 3, 4, 5, 6, 7, 8
  ) n
  where (u.account_id, u.project_id, u.day, u.key_id, u.endpoint, u.model, u.customer_id, u.reference_id)
    = (n.account_id, n.project_id, n.day, n.key_id, n.endpoint, n.model, n.customer_id, n.reference_id);

  insert into ledger.usage_pending
  select s.account_id, ledger.quarter_of(s.created_at), s.project_id, s.key_id, s.endpoint, coalesce(s.model, ''), coalesce(s.customer_id, ''),
    0, 0, 0, 0, 0, 0, 0, ledger.sum_quantities(s.quantities)
  from unnest(ops) o cross join ledger.settlement_of(o.account_id, o.receipt_id) s
  where o.quantities is not null group by 1, 2, 3, 4, 5, 6, 7;

  insert into ledger.usage_referenced as u (account_id, project_id, day, key_id, endpoint, model, customer_id,
    requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, quantities)
  select s.account_id, s.project_id, (s.created_at at time zone 'Asia/Tehran')::date, s.key_id, s.endpoint,
    coalesce(s.model, ''), coalesce(s.customer_id, ''),
    count(*), count(*) filter (where s.state = 'failed'), sum(s.charged), sum(o.input_tokens),
    sum(o.cached_input_tokens), sum(o.output_tokens), sum(o.reasoning_tokens), ledger.sum_quantities(s.quantities)
  from unnest(ops) o cross join ledger.settlement_of(o.account_id, o.receipt_id) s
  where s.reference_id <> '' group by 1, 2, 3, 4, 5, 6, 7
  on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id) do update set
    requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
    input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens,
    quantities = case when excluded.quantities is null then u.quantities else coalesce(ledger.add_quantities(u.quantities, excluded.quantities), excluded.quantities) end;
end $$;

-- As before (0019-quantities.sql), and the quarter hour.
create or replace function ledger.count_usage(r ledger.settlements, times int, input bigint, cached_input bigint, output bigint, reasoning bigint)
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
  insert into ledger.usage_pending (account_id, begins_at, project_id, key_id, endpoint, model, customer_id,
    requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, quantities)
  values (r.account_id, ledger.quarter_of(r.created_at), r.project_id, r.key_id, r.endpoint, coalesce(r.model, ''), coalesce(r.customer_id, ''),
    times, case when r.state = 'failed' then times else 0 end, times * r.charged, input, cached_input, output, reasoning, r.quantities);
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

-- As before (0023-settlements.sql), and two invariants of quarter hours.
create or replace view ledger.violations as
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
  select 'a call is under way or settled, never both', h.account_id, h.receipt_id::text, s.state
    from ledger.holds h join ledger.settlements s using (account_id, receipt_id)
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
    where g.quantities is distinct from u.quantities
  union all
  select 'usage of quarter hours is the sum of ended receipts', account_id, concat_ws(' ', begins_at, key_id, endpoint, model, customer_id),
      concat_ws(' ', u.requests, u.failures, u.charged, u.quantities, '<>', r.requests, r.failures, r.charged, r.quantities)
    from (
      select account_id, ledger.quarter_of(created_at) as begins_at, project_id, key_id, endpoint,
        coalesce(model, '') as model, coalesce(customer_id, '') as customer_id,
        count(*) as requests, count(*) filter (where state = 'failed') as failures, sum(charged) as charged, ledger.sum_quantities(quantities) as quantities
      from ledger.receipts where state <> 'running' group by 1, 2, 3, 4, 5, 6, 7
    ) r full join (
      select account_id, begins_at, project_id, key_id, endpoint, model, customer_id, sum(requests) as requests, sum(failures) as failures,
        sum(charged) as charged, ledger.sum_quantities(quantities) as quantities
      from ledger.usage_parts group by 1, 2, 3, 4, 5, 6, 7
    ) u using (account_id, begins_at, project_id, key_id, endpoint, model, customer_id)
    where (coalesce(r.requests, 0), coalesce(r.failures, 0), coalesce(r.charged, 0))
      <> (coalesce(u.requests, 0), coalesce(u.failures, 0), coalesce(u.charged, 0)) or u.quantities is distinct from r.quantities
  union all
  select 'tokens of quarter hours are those of their day', account_id, concat_ws(' ', day, key_id, endpoint, model, customer_id),
      concat_ws(' ', q.input_tokens, q.cached_input_tokens, q.output_tokens, q.reasoning_tokens, '<>',
        d.input_tokens, d.cached_input_tokens, d.output_tokens, d.reasoning_tokens)
    from (
      select account_id, (begins_at at time zone 'Asia/Tehran')::date as day, project_id, key_id, endpoint, model, customer_id,
        sum(input_tokens) as input_tokens, sum(cached_input_tokens) as cached_input_tokens, sum(output_tokens) as output_tokens,
        sum(reasoning_tokens) as reasoning_tokens
      from ledger.usage_parts group by 1, 2, 3, 4, 5, 6, 7
    ) q full join (
      select account_id, day, project_id, key_id, endpoint, model, customer_id,
        sum(input_tokens) as input_tokens, sum(cached_input_tokens) as cached_input_tokens, sum(output_tokens) as output_tokens,
        sum(reasoning_tokens) as reasoning_tokens
      from ledger.usage_days group by 1, 2, 3, 4, 5, 6, 7
    ) d using (account_id, day, project_id, key_id, endpoint, model, customer_id)
    where (coalesce(q.input_tokens, 0), coalesce(q.cached_input_tokens, 0), coalesce(q.output_tokens, 0), coalesce(q.reasoning_tokens, 0))
      <> (coalesce(d.input_tokens, 0), coalesce(d.cached_input_tokens, 0), coalesce(d.output_tokens, 0), coalesce(d.reasoning_tokens, 0));
