-- Keys that act for an account: named permissions, an end, and addresses (docs/decisions/account/management-keys.md). They pay nothing, so they are
-- no rows of auth.keys: they have no project and no meter.
create table auth.management_keys (
  account_id uuid not null references auth.accounts,
  key_id uuid not null,
  name text not null check (length(name) between 1 and 120),
  -- Only the SHA-256 of its secret is kept; `hint` is the last four characters.
  hash bytea not null check (length(hash) = 32),
  hint text not null,
  permissions text[] not null check (cardinality(permissions) between 1 and 50),
  -- The scopes that project keys may have which it makes or changes.
  key_scopes text[] not null,
  -- Networks in CIDR form from which it may be used; none: from everywhere.
  addresses text[] not null check (cardinality(addresses) <= 50),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- True where it ended because its maker lost the right to have made it.
  ended_with_maker boolean not null default false,
  -- Its maker, with whose rights it ends.
  person_id uuid not null,
  last_used_at timestamptz,
  created_at timestamptz not null,
  primary key (account_id, key_id)
);
create unique index management_keys_hash on auth.management_keys (hash);

-- Every process caches keys. The time of the last use is no change of the key.
create trigger tell_change after insert or update of name, permissions, key_scopes, addresses, expires_at, revoked_at on auth.management_keys
  for each row execute function auth.tell_change();

-- The management key by which a project key was made; null for all others.
alter table auth.keys add column management_key_id uuid;

-- However a membership ends or shrinks, the management keys that it made end in the same transaction, and do not come back with it.
create function people.end_management_keys() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or new.role not in ('owner', 'admin') or new.project_ids is not null then
    update auth.management_keys k set revoked_at = platform.now(), ended_with_maker = true
    where k.account_id = old.account_id and k.person_id = old.person_id and k.revoked_at is null;
  end if;
  return null;
end $$;
create trigger end_management_keys after update or delete on people.members for each row execute function people.end_management_keys();

alter table audit.entries drop constraint entries_actor_kind_check;
alter table audit.entries add constraint entries_actor_kind_check
  check (actor_kind in ('person', 'key', 'management_key', 'operator', 'system'));
