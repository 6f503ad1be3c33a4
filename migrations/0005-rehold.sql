-- A call of several steps: before each, its one hold becomes what the steps so far did cost and the next may cost at most.

-- Changes what an open hold promises, from `was` to `wanted`. Sending it again changes nothing, and neither does a late arrival
-- of what was sent before it: the hold is then no longer at `was`.
-- outcome: held · insufficient (scope, need and have say where; the hold stays as it is) · gone (no such open hold, or it is at neither)
create function ledger.rehold(account uuid, hold uuid, was bigint, wanted bigint, until timestamptz) returns ledger.op_result
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  at ledger.holds;
  more bigint := wanted - was;
  short record;
begin
  perform ledger.lock(array[account]);
  select * into at from ledger.holds h where h.account_id = account and h.hold_id = hold;
  if at.amount is null or at.amount not in (was, wanted) then return (0, 'gone', null, null, null, null)::ledger.op_result; end if;
  if at.amount = wanted then return (0, 'held', at.receipt_id, null, wanted, null)::ledger.op_result; end if;

  select f.scope, f.have into short from (
    select 'balance' as scope, 0 as rank, b.balance - b.held as have from ledger.balances b where b.account_id = account
    union all
    select m.scope || c.suffix, c.rank, c.have
    from ledger.meters m
    cross join lateral (values
      ('', 1, m.cap - m.spent - m.held),
      ('_month', 2, case when m.month = at.month then m.month_cap - m.month_spent - m.month_held end)) c(suffix, rank, have)
    where m.account_id = account and c.have is not null
      and (m.scope, m.scope_id) in (('account', account), ('project', at.project_id), ('key', at.key_id))
  ) f
  where more > greatest(f.have, 0) order by f.rank, f.scope limit 1;
  if found then return (0, 'insufficient', null, short.scope, more, greatest(short.have, 0))::ledger.op_result; end if;

  update ledger.balances b set held = b.held + more where b.account_id = account;
  update ledger.meters m set held = m.held + more, month_held = m.month_held + case when m.month = at.month then more else 0 end
  where m.account_id = account and (m.scope, m.scope_id) in (('account', account), ('project', at.project_id), ('key', at.key_id));
  update ledger.holds h set amount = wanted, expires_at = greatest(h.expires_at, until) where h.account_id = account and h.hold_id = hold;
  update ledger.receipts r set held = wanted where r.account_id = account and r.receipt_id = at.receipt_id;
  return (0, 'held', at.receipt_id, null, wanted, null)::ledger.op_result;
end $$;
