-- A durable hold may grow while its work goes on: by further credits, a longer life, or both, in the transaction of the step that asks.

-- A durable hold may have an end of its own (`expires_at`), which a step puts off; most have none.
-- By name of the step that asked: what it added. It goes with the hold.
alter table ledger.holds add column extensions jsonb;

-- Adds to what an open hold promises, once a step, as exactly as a hold is taken (`ledger.rehold`): the caller's transaction has the lock of the account's
-- money from here on. A step that asks again adds nothing.
-- outcome: held (need is what is promised now) · insufficient (scope, need and have say where; the hold stays as it is) · gone (no such open hold)
create function ledger.extend_in(account uuid, hold uuid, step text, more bigint, until timestamptz) returns ledger.op_result
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  was ledger.holds;
  result ledger.op_result;
begin
  if more < 0 then raise exception 'a hold is extended by % micro-credits', more; end if;
  perform ledger.lock(array[account]);
  select * into was from ledger.holds h where h.account_id = account and h.hold_id = hold;
  if was.amount is null then return (0, 'gone', null, null, null, null)::ledger.op_result; end if;
  if was.extensions ? step then return (0, 'held', was.receipt_id, null, was.amount, null)::ledger.op_result; end if;
  if (select count(*) from jsonb_object_keys(was.extensions)) >= 1000 then raise exception 'the hold % was extended 1000 times', hold; end if;
  result := ledger.rehold(account, hold, was.amount, was.amount + more, until);
  if result.outcome = 'held' then
    update ledger.holds h set expires_at = greatest(h.expires_at, until),
      extensions = coalesce(h.extensions, '{}') || jsonb_build_object(step, more)
    where h.account_id = account and h.hold_id = hold;
  end if;
  return result;
end $$;

-- As before (0019-quantities.sql), but what was extended while the lock was waited for lives on.
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
  -- Some may have ended, or live longer, since the lock was waited for.
  over := array(
    select h from ledger.holds h join unnest(over) o on (o.account_id, o.hold_id) = (h.account_id, h.hold_id)
    where h.expires_at < at or (h.process_id is not null and not exists (
      select from ledger.processes p where p.process_id = h.process_id and p.beat_at > now() - lapse)));
  if cardinality(over) = 0 then return; end if;
  perform ledger.settle_set(array(
    select (row_number() over (), o.hold_id, o.receipt_id, o.account_id,
      case when o.started then o.amount else 0 end, 'failed', null, o.started, not o.started, null,
      json_build_object('outcome', case when o.started then 'ambiguous' else 'expired' end), null,
      0, 0, 0, 0, true, null)::ledger.settle_op
    from unnest(over) o), at, thresholds);
  return query select o.receipt_id, o.account_id, o.amount, o.started from unnest(over) o;
end $$;
