-- A person's own data: its export, and the deletion of people and accounts (docs/decisions/account/own-data.md).

-- Who has asked for the own deletion, and when it happens. Until then the person can sign in to take it back, and for nothing else.
alter table people.people
  add column deletion_requested_at timestamptz,
  add column deletion_due_at timestamptz,
  add check ((deletion_requested_at is null) = (deletion_due_at is null));
create index leaving_people on people.people (deletion_due_at) where deletion_due_at is not null and deleted_at is null;

-- `closing`: the deletion was asked for and can be undone; people only read, and nothing is paid. `closed`: it can no more.
alter table auth.accounts drop constraint accounts_state_check;
alter table auth.accounts add check (state in ('active', 'suspended', 'closing', 'closed'));

create table people.account_deletions (
  account_id uuid primary key references auth.accounts,
  -- Null: the operator's command line.
  requested_by uuid references people.people,
  -- The person whose own deletion began this one; whoever takes that back takes this back too.
  with_person uuid references people.people,
  -- The state to which an undo returns.
  former_state text not null check (former_state in ('active', 'suspended')),
  requested_at timestamptz not null,
  due_at timestamptz not null,
  -- From then on nothing can be undone.
  begun_at timestamptz,
  ended_at timestamptz
);
create index due_account_deletions on people.account_deletions (due_at) where ended_at is null;
create index account_deletions_requested_by on people.account_deletions (requested_by) where requested_by is not null;
create index account_deletions_with_person on people.account_deletions (with_person) where with_person is not null;

-- What a person has asked to have of everything that is stored of them: one ZIP, which is kept for a day.
create table people.exports (
  person_id uuid not null references people.people,
  export_id uuid not null,
  state text not null check (state in ('queued', 'running', 'ready', 'failed', 'expired')),
  storage_key text,
  bytes bigint,
  sha256 text,
  -- How often a process has begun to write it.
  attempts integer not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz,
  primary key (person_id, export_id),
  check ((state = 'ready') = (storage_key is not null))
);
create unique index export_under_way on people.exports (person_id) where state in ('queued', 'running');
create index ready_exports on people.exports (expires_at) where state = 'ready';
create index old_exports on people.exports (created_at);
