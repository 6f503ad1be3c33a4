-- Holds and settlements are looked up by their keys in every plan (`ledger.hold_of`, 0041-usage.sql).

-- As before (0024-creations.sql).
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
      and not exists (select from unnest(ops) o cross join ledger.hold_of(o.account_id, o.receipt_id) h)
      and not exists (select from unnest(ops) o cross join ledger.settlement_of(o.account_id, o.receipt_id) s)
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

-- As before (0039-people.sql).
create or replace function ledger.tell_thresholds(ops ledger.settle_op[], at timestamptz, thresholds smallint[]) returns void language sql as $$
  insert into events.outbox (account_id, project_id, type, data, once_key, created_at)
  select m.account_id, m.project_id, 'budget.threshold',
    json_build_object('scope', m.scope, 'scope_id', m.scope_id, 'period', p.period, 'threshold_percent', t.percent,
      'cap_credits', p.cap / 1000000, 'spent_credits', (p.spent + 999999) / 1000000),
    concat_ws(':', 'budget.threshold', m.scope, m.scope_id, p.period, p.cap, t.percent), at
  from (
    select m.account_id, m.scope, m.scope_id, k.project_id, m.cap, m.spent, m.month, m.month_cap, m.month_spent,
      sum(s.charged) as paid, sum(case when s.month = m.month then s.charged else 0 end) as month_paid
    from unnest(ops) o cross join ledger.settlement_of(o.account_id, o.receipt_id) s
    cross join lateral (values ('account', s.account_id, null), ('project', s.project_id, s.project_id), ('key', s.key_id, s.project_id)) k(scope, scope_id, project_id)
    join ledger.meters m on m.account_id = s.account_id and m.scope = k.scope and m.scope_id = k.scope_id
    group by m.account_id, m.scope, m.scope_id, k.project_id
  ) m
  join ledger.meters own on own.account_id = m.account_id and own.scope = 'account' and own.scope_id = m.account_id
  cross join lateral (values ('total', m.cap, m.spent, m.paid), (to_char(m.month, 'YYYY-MM'), m.month_cap, m.month_spent, m.month_paid)) p(period, cap, spent, paid)
  cross join lateral unnest(coalesce(own.thresholds_percent, thresholds)) t(percent)
  where t.percent <= ledger.percent(p.spent, p.cap) and t.percent > ledger.percent(p.spent - p.paid::bigint, p.cap)
  on conflict do nothing
$$;

-- As before (0023-settlements.sql).
create or replace function ledger.is_claimed(ops ledger.hold_op[]) returns boolean stable language sql as $$
  select exists (select from unnest(ops) o cross join lateral (select from ledger.holds h
      where h.account_id = o.account_id and h.key_id = o.key_id and h.idempotency_key = o.idempotency_key and h.idempotency_key is not null offset 0) h)
    or exists (select from unnest(ops) o cross join lateral (select from ledger.settlements s
      where s.account_id = o.account_id and s.key_id = o.key_id and s.idempotency_key = o.idempotency_key
        and s.claiming and s.idempotency_key is not null offset 0) s)
    or (select count(o.idempotency_key) > count(distinct (o.key_id, o.idempotency_key)) filter (where o.idempotency_key is not null)
      from unnest(ops) o)
$$;
