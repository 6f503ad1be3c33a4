-- Of several results of one call some are stored and charged, and others that an upstream may bill are lost:
-- docs/decisions/0056-no-stored-result-no-charge.md.

-- The part of `actual` that is not charged: it is the platform's loss. Processes of an earlier release say `free` for all of it.
alter type ledger.settle_op add attribute lost bigint;

-- What may be charged of it.
create function ledger.due(op ledger.settle_op) returns bigint immutable language sql as
$$ select case when op.free then 0 else greatest(0, op.actual - coalesce(op.lost, 0)) end $$;

-- As before (0024-creations.sql), with `lost`.
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
    delete from ledger.holds h using (select n.*, ledger.due(n) as due from unnest(ops) n) o
    where h.account_id = o.account_id and h.receipt_id = o.receipt_id
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

-- As before (0024-creations.sql).
create or replace function ledger.sweep(lapse interval, at timestamptz, most int, thresholds smallint[] default '{50,80,100}') returns table (receipt_id uuid, account_id uuid, amount bigint, started boolean, free_if_lost boolean)
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
      0, 0, 0, 0, true, null, o.free_if_lost, null)::ledger.settle_op
    from unnest(over) o), at, thresholds);
  return query select o.receipt_id, o.account_id, o.amount, o.started, o.free_if_lost from unnest(over) o;
end $$;

-- As before (0024-creations.sql), with `lost`.
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
  refund := greatest(0, was.charged - ledger.due(op));
  loss := op.actual - (was.charged - refund) - coalesce(was.lost, 0);

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
