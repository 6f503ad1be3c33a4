-- Names in the field's words (docs/glossary.md). What stands in rows keeps its name.

alter function ledger.misfit(ledger.hold_op[], date, bigint) rename to exceeded_cap;
alter view ledger.broken rename to violations;
alter table storage.strays rename to pending_blobs;
alter table storage.pending_blobs rename column doomed to deleting;
alter index storage.strays_due rename to pending_blobs_due;

-- Functions name what they call in their text: the two that called misfit are written anew, otherwise unchanged.

-- Takes holds with their receipts and idempotency claims. The caller has locked the balances.
-- A set that is new and fits is written as a set; anything else goes one by one, first come, first served.
create or replace function ledger.hold_set(ops ledger.hold_op[], at timestamptz) returns setof ledger.op_result
language plpgsql as $$
declare
  this_month date;
  now_at bigint := floor(extract(epoch from at));
begin
  -- Never back to an earlier month, should the clocks of two machines disagree at its turn.
  select greatest(ledger.month_of(at), max(m.month)) into this_month
  from (select distinct account_id from unnest(ops)) o
  join ledger.meters m on m.account_id = o.account_id and m.scope = 'account' and m.scope_id = o.account_id;

  if cardinality(ops) > 1 and ledger.is_new(ops) and not exists (select from ledger.exceeded_cap(ops, this_month, now_at)) then
    return query select * from ledger.hold_write(ops, at, this_month, now_at);
  else
    for i in 1 .. cardinality(ops) loop
      return next ledger.hold_one(ops[i], at, this_month, now_at);
    end loop;
  end if;
end $$;

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
    select * into short from ledger.exceeded_cap(array[op], this_month, now_at);
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
