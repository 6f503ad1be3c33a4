-- Who may call: accounts own projects, projects own keys.
-- Every table leads with account_id in its keys, so that the data can be distributed by account.
create schema auth;

create table auth.accounts (
  account_id uuid primary key,
  name text not null check (length(name) between 1 and 120),
  plan text not null default 'standard',
  state text not null default 'active' check (state in ('active', 'suspended')),
  created_at timestamptz not null default now()
);

create table auth.projects (
  account_id uuid not null references auth.accounts,
  project_id uuid not null,
  name text not null check (length(name) between 1 and 120),
  created_at timestamptz not null default now(),
  primary key (account_id, project_id)
);

-- Only the SHA-256 of a key's secret is kept; `hint` is its last four characters, to recognise it in lists.
create table auth.keys (
  account_id uuid not null,
  project_id uuid not null,
  key_id uuid not null,
  name text not null check (length(name) between 1 and 120),
  hash bytea not null check (length(hash) = 32),
  hint text not null,
  scopes text[] not null,
  models text[],
  expires_at timestamptz,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, key_id),
  foreign key (account_id, project_id) references auth.projects
);
create unique index keys_hash on auth.keys (hash);

-- Every process caches keys and is told of each change on this channel, in the transaction that makes it.
-- The payload is an account id: what is cached of that account is dropped.
create function auth.tell_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('auth_changed', new.account_id::text);
  return null;
end $$;
create trigger tell_change after insert or update on auth.accounts for each row execute function auth.tell_change();
create trigger tell_change after insert or update on auth.keys for each row execute function auth.tell_change();
