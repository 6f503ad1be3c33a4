-- What one call writes, halved: a call under way is its hold, which says all that its receipt will; the receipt is written once, when the
-- call is settled, and it is the row of its charge too; the balance of an account is a column of its meter, whose row is the account's lock.
-- docs/decisions/0052. What reads receipts, entries or balances finds them under their names, as views.

-- Whoever changes anything of an account locks its balance first: from here on nobody does, until this is committed.
lock table ledger.balances in access exclusive mode;

drop view ledger.violations;

-- One row for every call that has ended and every request without money, kept for good. It never holds prompt or answer text.
alter table ledger.receipts rename to settlements;
alter index ledger.receipts_pkey rename to settlements_pkey;
alter index ledger.receipts_claim rename to settlements_claim;
alter index ledger.receipts_lookup rename to settlements_lookup;
alter index ledger.receipts_time rename to settlements_time;
-- What the call cost beyond its charge, which the platform bears. Where it is not null the row is its charge in the books: `charged` from
-- the account's credits and `lost` from the platform's, to its revenue. Null where the journal has the rows of the charge, or there is none.
alter table ledger.settlements add column lost bigint,
  drop constraint receipts_state_check;

-- Transfers that are no charge (grants, mended charges), and all those from before this file. Append-only; the amounts of one sum to zero.
alter table ledger.entries rename to journal;
alter index ledger.entries_pkey rename to journal_pkey;
alter table ledger.journal drop constraint entries_book_check;

alter table ledger.holds
  add column endpoint text,
  add column idempotency_key text,
  add column fingerprint text,
  add column model text,
  add column customer_id text,
  add column reference_id text,
  -- Of the answer that accepted durable work.
  add column status_code smallint,
  drop constraint holds_amount_check;
update ledger.holds h set endpoint = r.endpoint, idempotency_key = r.idempotency_key, fingerprint = r.fingerprint, model = r.model,
  customer_id = r.customer_id, reference_id = r.reference_id, status_code = r.status_code
from ledger.settlements r where r.account_id = h.account_id and r.receipt_id = h.receipt_id;
delete from ledger.settlements r using ledger.holds h
where r.account_id = h.account_id and r.receipt_id = h.receipt_id and r.state = 'running';
-- A hold has the id of its receipt.
alter table ledger.holds drop constraint holds_pkey, drop column hold_id, add primary key (account_id, receipt_id),
  alter column endpoint set not null;
-- One key, one effect: the claim of an idempotency key is its hold, then its settlement.
create unique index holds_claim on ledger.holds (account_id, key_id, idempotency_key) where idempotency_key is not null;

-- Of an account only; `held` and the rest are the meter's own.
alter table ledger.meters add column balance bigint;
update ledger.meters m set balance = b.balance from ledger.balances b where m.scope = 'account' and m.account_id = b.account_id;
-- A constraint is read anew by every statement that writes: this one guards the money, and what settings set is checked where they are set.
alter table ledger.meters drop constraint meters_check, drop constraint meters_scope_check,
  add constraint meters_check check (0 <= held and held <= balance and least(spent, month_spent, month_held, open) >= 0);
drop table ledger.balances;
create view ledger.balances as select account_id, balance, held from ledger.meters where scope = 'account';

-- What a call costs and why, from its hold while it is under way and from its settlement after.
create view ledger.receipts as
  select account_id, receipt_id, project_id, key_id, endpoint, idempotency_key, fingerprint, true as claiming, 'running' as state,
    false as ambiguous, status_code, amount as held, 0::bigint as charged, month, model, customer_id, reference_id, null::json as detail,
    null::jsonb as quantities, created_at, null::timestamptz as finished_at
  from ledger.holds
  union all
  select account_id, receipt_id, project_id, key_id, endpoint, idempotency_key, fingerprint, claiming, state,
    ambiguous, status_code, held, charged, month, model, customer_id, reference_id, detail,
    quantities, created_at, finished_at
  from ledger.settlements;

-- Double entry. Books: credits (the account's own), grants, revenue, loss.
create view ledger.entries as
  select account_id, transfer_id, book, amount, reason, receipt_id, created_at from ledger.journal
  union all
  select s.account_id, s.receipt_id, e.book, e.amount, 'charge', s.receipt_id, s.finished_at
  from ledger.settlements s
  cross join lateral (values ('credits', -s.charged), ('loss', -s.lost), ('revenue', s.charged + s.lost)) e(book, amount)
  where s.lost is not null and e.amount <> 0;

alter type ledger.hold_op drop attribute hold_id;
alter type ledger.settle_op drop attribute hold_id;

-- Locks the accounts' money, in the order of their ids.
create or replace function ledger.lock(accounts uuid[]) returns void language plpgsql as $$
begin
  perform from ledger.meters m where m.account_id = any(accounts) and m.scope = 'account' order by m.account_id for update;
end $$;

-- Takes holds with their idempotency claims, and answers those that were not taken. The caller has locked the accounts.
-- A set that is new and fits is taken as a set; anything else goes one by one, first come, first served.
drop function ledger.hold_set;
drop function ledger.hold_one;
drop function ledger.hold_write;
drop function ledger.is_new;
drop function ledger.is_bound;
create function ledger.hold_set(ops ledger.hold_op[], at timestamptz) returns ledger.op_result[]
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
      reference_id, amount, month, started, process_id, created_at, expires_at)
    select o.account_id, o.receipt_id, o.project_id, o.key_id, o.endpoint, o.idempotency_key, o.fingerprint, o.model, o.customer_id,
      o.reference_id, o.amount, f.this_month, o.started, o.process_id, at, o.expires_at
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

-- True when a key of these is claimed by an earlier call, or by two of these.
create function ledger.is_claimed(ops ledger.hold_op[]) returns boolean stable language sql as $$
  select exists (select from unnest(ops) o join ledger.holds h
      on h.account_id = o.account_id and h.key_id = o.key_id and h.idempotency_key = o.idempotency_key
      where h.idempotency_key is not null)
    or exists (select from unnest(ops) o join ledger.settlements s
      on s.account_id = o.account_id and s.key_id = o.key_id and s.idempotency_key = o.idempotency_key
      where s.claiming and s.idempotency_key is not null)
    or (select count(o.idempotency_key) > count(distinct (o.key_id, o.idempotency_key)) filter (where o.idempotency_key is not null)
      from unnest(ops) o)
$$;

-- Why a hold was not taken.
create function ledger.refusal(op ledger.hold_op, this_month date, now_at bigint) returns ledger.op_result
language plpgsql as $$
declare
  earlier uuid;
  short record;
begin
  -- A resend after a lost COMMIT reply finds its own hold.
  if exists (select from ledger.holds h where h.account_id = op.account_id and h.receipt_id = op.receipt_id) then
    return (op.seq, 'held', op.receipt_id, null, op.amount, null)::ledger.op_result;
  end if;
  select r.receipt_id into earlier from ledger.receipts r where r.account_id = op.account_id and r.receipt_id = op.receipt_id;
  if earlier is null then
    select r.receipt_id into earlier from ledger.receipts r
    where r.account_id = op.account_id and r.key_id = op.key_id and r.idempotency_key = op.idempotency_key and r.claiming;
  end if;
  if earlier is not null then return (op.seq, 'claimed', earlier, null, null, null)::ledger.op_result; end if;
  select * into strict short from ledger.exceeded_cap(op, this_month, now_at);
  return (op.seq, short.outcome, null, short.scope, short.need, short.have)::ledger.op_result;
end $$;

-- What a hold does not fit: balance and caps first, then limits of speed; no row when it fits.
drop function ledger.exceeded_cap;
create function ledger.exceeded_cap(op ledger.hold_op, this_month date, now_at bigint)
returns table (outcome text, scope text, need bigint, have bigint) stable language sql as $$
  select c.outcome, c.scope, case c.outcome when 'limited' then c.wait_ms else op.amount end, greatest(c.have, 0)
  from (values ('account', op.account_id), ('project', op.project_id), ('key', op.key_id)) k(scope, scope_id)
  left join ledger.meters m on m.account_id = op.account_id and m.scope = k.scope and m.scope_id = k.scope_id
  cross join lateral (values
    ('insufficient', 'balance', 0, op.amount, case k.scope when 'account' then coalesce(m.balance - m.held, -1) end, null),
    ('insufficient', k.scope, 1, op.amount, m.cap - m.spent - m.held, null),
    ('insufficient', k.scope || '_month', 2, op.amount,
      m.month_cap - case when m.month = this_month then m.month_spent + m.month_held else 0 end, null),
    ('limited', k.scope || '_concurrency', 3, 1, (m.concurrency - m.open)::bigint, 1000),
    ('limited', k.scope || '_rate', 4, 1, ledger.rate_left(m, now_at), ledger.rate_wait(m, now_at))
  ) c(outcome, scope, rank, need, have, wait_ms)
  where c.need > c.have
  order by c.rank, c.scope
  limit 1
$$;

-- Ends holds, writes their receipts, and answers those that were not charged what they cost. The caller has locked the accounts. What the
-- parts of one statement could not see of each other goes one by one: an overrun, and a hold told of twice or gone.
-- outcome: settled (need is what was charged, have is the loss) · gone (no such open hold: it ended before, by this very settlement or by a
--   sweep that is mended now; need is what the receipt is charged)
drop function ledger.settle_set;
drop function ledger.settle_write;
create function ledger.settle_set(ops ledger.settle_op[], at timestamptz, thresholds smallint[]) returns ledger.op_result[]
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
      case when o.actual <= h.amount then o.actual when o.within_hold then h.amount else least(o.actual, h.amount + ledger.room(h)) end as paid,
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

-- What few settlements have, of these that were just written: a reply to keep, usage in other units than tokens, a reference.
create function ledger.settle_extras(ops ledger.settle_op[], at timestamptz) returns void language plpgsql as $$
begin
  insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
  select o.account_id, o.receipt_id, o.status_code, o.reply, at from unnest(ops) o where o.reply is not null
  on conflict do nothing;

  update ledger.usage_days u set quantities = coalesce(ledger.add_quantities(u.quantities, n.quantities), n.quantities)
  from (
    select s.account_id, s.project_id, (s.created_at at time zone 'Asia/Tehran')::date as day, s.key_id, s.endpoint,
      coalesce(s.model, '') as model, coalesce(s.customer_id, '') as customer_id, coalesce(s.reference_id, '') as reference_id,
      ledger.sum_quantities(s.quantities) as quantities
    from unnest(ops) o join ledger.settlements s on s.account_id = o.account_id and s.receipt_id = o.receipt_id
    where o.quantities is not null group by 1, 2, 3, 4, 5, 6, 7, 8
  ) n
  where (u.account_id, u.project_id, u.day, u.key_id, u.endpoint, u.model, u.customer_id, u.reference_id)
    = (n.account_id, n.project_id, n.day, n.key_id, n.endpoint, n.model, n.customer_id, n.reference_id);

  insert into ledger.usage_referenced as u (account_id, project_id, day, key_id, endpoint, model, customer_id,
    requests, failures, charged, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, quantities)
  select s.account_id, s.project_id, (s.created_at at time zone 'Asia/Tehran')::date, s.key_id, s.endpoint,
    coalesce(s.model, ''), coalesce(s.customer_id, ''),
    count(*), count(*) filter (where s.state = 'failed'), sum(s.charged), sum(o.input_tokens),
    sum(o.cached_input_tokens), sum(o.output_tokens), sum(o.reasoning_tokens), ledger.sum_quantities(s.quantities)
  from unnest(ops) o join ledger.settlements s on s.account_id = o.account_id and s.receipt_id = o.receipt_id
  where s.reference_id <> '' group by 1, 2, 3, 4, 5, 6, 7
  on conflict (account_id, project_id, day, key_id, endpoint, model, customer_id) do update set
    requests = u.requests + excluded.requests, failures = u.failures + excluded.failures, charged = u.charged + excluded.charged,
    input_tokens = u.input_tokens + excluded.input_tokens, cached_input_tokens = u.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = u.output_tokens + excluded.output_tokens, reasoning_tokens = u.reasoning_tokens + excluded.reasoning_tokens,
    quantities = case when excluded.quantities is null then u.quantities else coalesce(ledger.add_quantities(u.quantities, excluded.quantities), excluded.quantities) end;
end $$;

-- Whole percents of its cap that are spent.
create function ledger.percent(spent bigint, cap bigint) returns numeric immutable language sql as
$$ select trunc(spent * 100.0 / nullif(cap, 0)) $$;

-- The thresholds that these settlements, just written, have crossed.
create function ledger.tell_thresholds(ops ledger.settle_op[], at timestamptz, thresholds smallint[]) returns void language sql as $$
  insert into events.outbox (account_id, project_id, type, data, once_key, created_at)
  select m.account_id, m.project_id, 'budget.threshold',
    json_build_object('scope', m.scope, 'scope_id', m.scope_id, 'period', p.period, 'threshold_percent', t.percent,
      'cap_credits', p.cap / 1000000, 'spent_credits', (p.spent + 999999) / 1000000),
    concat_ws(':', 'budget.threshold', m.scope, m.scope_id, p.period, p.cap, t.percent), at
  from (
    select m.account_id, m.scope, m.scope_id, k.project_id, m.cap, m.spent, m.month, m.month_cap, m.month_spent,
      sum(s.charged) as paid, sum(case when s.month = m.month then s.charged else 0 end) as month_paid
    from unnest(ops) o join ledger.settlements s on s.account_id = o.account_id and s.receipt_id = o.receipt_id
    cross join lateral (values ('account', s.account_id, null), ('project', s.project_id, s.project_id), ('key', s.key_id, s.project_id)) k(scope, scope_id, project_id)
    join ledger.meters m on m.account_id = s.account_id and m.scope = k.scope and m.scope_id = k.scope_id
    group by m.account_id, m.scope, m.scope_id, k.project_id
  ) m
  cross join lateral (values ('total', m.cap, m.spent, m.paid), (to_char(m.month, 'YYYY-MM'), m.month_cap, m.month_spent, m.month_paid)) p(period, cap, spent, paid)
  cross join unnest(thresholds) t(percent)
  where t.percent <= ledger.percent(p.spent, p.cap) and t.percent > ledger.percent(p.spent - p.paid::bigint, p.cap)
  on conflict do nothing
$$;

-- The group commit: everything that one process has waiting, in one statement. Settlements first, since they free credits.
-- Every access to a table is by its key, whatever the statistics of a young table say: a plan made while a table was empty
-- is kept for the life of a connection, and a scan or a hash of a grown table would be its ruin.
-- Answers what did not go as it was asked: a hold that was not taken, a settlement that was not charged what it cost, and, unless it may wait,
-- all of an account that another transaction has locked (outcome busy).
create function ledger.commit(settles json, holds json, accounts uuid[], may_wait boolean, at timestamptz, thresholds smallint[]) returns setof ledger.op_result
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  ending ledger.settle_op[];
  taking ledger.hold_op[];
  busy uuid[];
  told ledger.op_result[];
begin
  if settles is not null then ending := array(select s from json_populate_recordset(null::ledger.settle_op, settles) s); end if;
  if holds is not null then taking := array(select h from json_populate_recordset(null::ledger.hold_op, holds) h); end if;
  if may_wait then
    perform ledger.lock(accounts);
  else
    busy := ledger.lock_idle(accounts);
    if cardinality(busy) > 0 then
      told := array(select (e.seq, 'busy', e.receipt_id, null, null, null)::ledger.op_result from unnest(ending) e where e.account_id = any(busy))
        || array(select (t.seq, 'busy', t.receipt_id, null, null, null)::ledger.op_result from unnest(taking) t where t.account_id = any(busy));
      ending := array(select e from unnest(ending) e where e.account_id <> all(busy));
      taking := array(select t from unnest(taking) t where t.account_id <> all(busy));
    end if;
  end if;
  if cardinality(ending) > 0 then told := told || ledger.settle_set(ending, at, thresholds); end if;
  if cardinality(taking) > 0 then told := told || ledger.hold_set(taking, at); end if;
  if cardinality(told) > 0 then return query select * from unnest(told); end if;
end $$;

-- Locks those of the accounts that no other transaction has locked, and answers the others.
create function ledger.lock_idle(accounts uuid[]) returns uuid[] language plpgsql as $$
declare
  idle uuid[] := array(
    select m.account_id from ledger.meters m where m.account_id = any(accounts) and m.scope = 'account'
    order by m.account_id for update skip locked);
begin
  if cardinality(idle) = cardinality(accounts) then return '{}'; end if;
  -- An account that does not exist is not busy.
  return array(select m.account_id from ledger.meters m where m.account_id = any(accounts) and m.scope = 'account' and m.account_id <> all(idle));
end $$;

-- The same as processes of an earlier release ask it: they wait, and are answered for every operation.
create or replace function ledger.apply(settles json, holds json, at timestamptz, thresholds smallint[] default '{50,80,100}') returns setof ledger.op_result
language plpgsql as $$
declare
  ending ledger.settle_op[] := array(select s from json_populate_recordset(null::ledger.settle_op, settles) s);
  taking ledger.hold_op[] := array(select h from json_populate_recordset(null::ledger.hold_op, holds) h);
  told ledger.op_result[] := array(select t from ledger.commit(settles, holds,
    array(select e.account_id from unnest(ending) e union select t.account_id from unnest(taking) t), true, at, thresholds) t);
begin
  return query select * from unnest(told);
  return query select e.seq, 'settled', e.receipt_id, null::text, e.actual, 0::bigint from unnest(ending) e
    where not exists (select from unnest(told) t where t.seq = e.seq);
  return query select h.seq, 'held', h.receipt_id, null::text, h.amount, null::bigint from unnest(taking) h
    where not exists (select from unnest(told) t where t.seq = h.seq);
end $$;

-- As before (0008-work.sql).
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
  values (op.account_id, op.receipt_id, status, reply, at)
  on conflict do nothing;
  return (op.seq, 'held', op.receipt_id, null, op.amount, null)::ledger.op_result;
end $$;

create or replace function ledger.settle_in(op ledger.settle_op, at timestamptz, thresholds smallint[]) returns ledger.op_result
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
begin
  perform ledger.lock(array[op.account_id]);
  return coalesce((ledger.settle_set(array[op], at, thresholds))[1], (op.seq, 'settled', op.receipt_id, null, op.actual, 0)::ledger.op_result);
end $$;

-- As before (0005-rehold.sql). The fields of a receipt are those of its hold, so the receipt follows.
create or replace function ledger.rehold(account uuid, hold uuid, was bigint, wanted bigint, until timestamptz) returns ledger.op_result
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  at ledger.holds;
  more bigint := wanted - was;
  short record;
begin
  perform ledger.lock(array[account]);
  select * into at from ledger.holds h where h.account_id = account and h.receipt_id = hold;
  if at.amount is null or at.amount not in (was, wanted) then return (0, 'gone', null, null, null, null)::ledger.op_result; end if;
  if at.amount = wanted then return (0, 'held', at.receipt_id, null, wanted, null)::ledger.op_result; end if;

  select f.scope, f.have into short from (
    select c.scope, c.rank, c.have
    from ledger.meters m
    cross join lateral (values
      (m.balance - m.held, 'balance', 0),
      (m.cap - m.spent - m.held, m.scope, 1),
      (case when m.month = at.month then m.month_cap - m.month_spent - m.month_held end, m.scope || '_month', 2)) c(have, scope, rank)
    where m.account_id = account and c.have is not null
      and (m.scope, m.scope_id) in (('account', account), ('project', at.project_id), ('key', at.key_id))
  ) f
  where more > greatest(f.have, 0) order by f.rank, f.scope limit 1;
  if found then return (0, 'insufficient', null, short.scope, more, greatest(short.have, 0))::ledger.op_result; end if;

  update ledger.meters m set held = m.held + more, month_held = m.month_held + case when m.month = at.month then more else 0 end
  where m.account_id = account and (m.scope, m.scope_id) in (('account', account), ('project', at.project_id), ('key', at.key_id));
  update ledger.holds h set amount = wanted, expires_at = greatest(h.expires_at, until) where h.account_id = account and h.receipt_id = hold;
  return (0, 'held', at.receipt_id, null, wanted, null)::ledger.op_result;
end $$;

-- As before (0022-extended-again.sql).
create or replace function ledger.extend_in(account uuid, hold uuid, step text, more bigint, until timestamptz) returns ledger.op_result
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  was ledger.holds;
  result ledger.op_result;
begin
  if more < 0 then raise exception 'a hold is extended by % micro-credits', more; end if;
  perform ledger.lock(array[account]);
  select * into was from ledger.holds h where h.account_id = account and h.receipt_id = hold;
  if was.amount is null then return (0, 'gone', null, null, null, null)::ledger.op_result; end if;
  if was.extensions ? step then
    update ledger.holds h set expires_at = greatest(h.expires_at, until) where h.account_id = account and h.receipt_id = hold;
    return (0, 'held', was.receipt_id, null, was.amount, null)::ledger.op_result;
  end if;
  if (select count(*) from jsonb_object_keys(was.extensions)) >= 1000 then raise exception 'the hold % was extended 1000 times', hold; end if;
  result := ledger.rehold(account, hold, was.amount, was.amount + more, until);
  if result.outcome = 'held' then
    update ledger.holds h set expires_at = greatest(h.expires_at, until),
      extensions = coalesce(h.extensions, '{}') || jsonb_build_object(step, more)
    where h.account_id = account and h.receipt_id = hold;
  end if;
  return result;
end $$;

-- As before (0020-extended-holds.sql).
create or replace function ledger.sweep(lapse interval, at timestamptz, most int, thresholds smallint[] default '{50,80,100}') returns table (receipt_id uuid, account_id uuid, amount bigint, started boolean)
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
      json_build_object('outcome', case when o.started then 'ambiguous' else 'expired' end), null,
      0, 0, 0, 0, true, null)::ledger.settle_op
    from unnest(over) o), at, thresholds);
  return query select o.receipt_id, o.account_id, o.amount, o.started from unnest(over) o;
end $$;

-- The true end of a call that the sweeper had charged at its hold: what was charged too much goes back, what it cost beyond
-- is the platform's loss, and its papers say what happened. The charge as it was goes to the journal, with what mends it. Answers what was given back.
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
  loss := greatest(0, op.actual - was.charged);

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

-- As before (0006-jobs.sql).
create or replace function ledger.record(
  account uuid, receipt uuid, project uuid, credential uuid, path text, idem_key text, print text,
  outcome text, status smallint, reply text, at timestamptz
) returns uuid language plpgsql as $$
declare
  earlier uuid;
  recorded ledger.settlements;
begin
  perform ledger.lock(array[account]);
  select r.receipt_id into earlier from ledger.receipts r where r.account_id = account and r.receipt_id = receipt;
  if earlier is null and idem_key is not null then
    select r.receipt_id into earlier from ledger.receipts r
    where r.account_id = account and r.key_id = credential and r.idempotency_key = idem_key and r.claiming;
  end if;
  if earlier is not null then return earlier; end if;
  insert into ledger.settlements (account_id, receipt_id, project_id, key_id, endpoint, idempotency_key, fingerprint, claiming,
    state, status_code, held, month, detail, created_at, finished_at)
  values (account, receipt, project, credential, path, idem_key, print, outcome = 'completed',
    outcome, status, 0, ledger.month_of(at), json_build_object('outcome', case outcome when 'failed' then 'barred' else outcome end), at, at)
  returning * into recorded;
  insert into ledger.replies (account_id, receipt_id, status_code, body, created_at)
  select account, receipt, status, reply, at where reply is not null;
  perform ledger.count_usage(recorded, 1, 0, 0, 0, 0);
  return null;
end $$;

-- As before (0003-ledger.sql).
create or replace function ledger.grant(account uuid, transfer uuid, credits bigint, why text, at timestamptz) returns bigint
language plpgsql as $$
declare
  left_over bigint;
begin
  perform ledger.lock(array[account]);
  if not exists (select from ledger.journal j where j.account_id = account and j.transfer_id = transfer) then
    update ledger.meters m set balance = m.balance + credits where m.account_id = account and m.scope = 'account';
    insert into ledger.journal (account_id, transfer_id, book, amount, reason, created_at)
    values (account, transfer, 'credits', credits, why, at), (account, transfer, 'grants', -credits, why, at);
  end if;
  select b.balance into left_over from ledger.balances b where b.account_id = account;
  return left_over;
end $$;

-- Every broken invariant as a row; none on a healthy ledger. Run after every test and by `kherad doctor`.
create view ledger.violations as
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
    where g.quantities is distinct from u.quantities;
