-- A settlement that is told again, since the reply to its COMMIT was lost, answers what its receipt is charged.
--
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
