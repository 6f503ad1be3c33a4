-- As before (0020-extended-holds.sql), but a step that asks again, after a crash, still puts the end off: its work goes on now.
create or replace function ledger.extend_in(account uuid, hold uuid, step text, more bigint, until timestamptz) returns ledger.op_result
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  was ledger.holds;
  result ledger.op_result;
begin
  if more < 0 then raise exception 'a hold is extended by % micro-credits', more; end if;
  perform ledger.lock(array[account]);
  select * into was from ledger.holds h where h.account_id = account and h.hold_id = hold;
  if was.amount is null then return (0, 'gone', null, null, null, null)::ledger.op_result; end if;
  if was.extensions ? step then
    update ledger.holds h set expires_at = greatest(h.expires_at, until) where h.account_id = account and h.hold_id = hold;
    return (0, 'held', was.receipt_id, null, was.amount, null)::ledger.op_result;
  end if;
  if (select count(*) from jsonb_object_keys(was.extensions)) >= 1000 then raise exception 'the hold % was extended 1000 times', hold; end if;
  result := ledger.rehold(account, hold, was.amount, was.amount + more, until);
  if result.outcome = 'held' then
    update ledger.holds h set expires_at = greatest(h.expires_at, until),
      extensions = coalesce(h.extensions, '{}') || jsonb_build_object(step, more)
    where h.account_id = account and h.hold_id = hold;
  end if;
  return result;
end $$;
