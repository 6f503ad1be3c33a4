-- People who sign in, what they sign in with, and the accounts of which they are members: docs/decisions/account/people.md.
-- A person may belong to several accounts, so these tables lead with the person; what belongs to an account leads with the account.
create schema people;

create table people.people (
  person_id uuid primary key,
  display_name text not null check (length(display_name) between 1 and 120),
  locale text not null default 'fa' check (locale in ('fa', 'en')),
  time_zone text not null default 'Asia/Tehran',
  -- In PHC form; null for those who sign in otherwise.
  password_hash text,
  password_changed_at timestamptz,
  is_operator boolean not null default false,
  created_at timestamptz not null,
  -- Deleted people keep their row, without name, addresses and credentials, because receipts, keys and the audit log name it.
  deleted_at timestamptz
);

-- Addresses of people. One of them is the address with which the person signs in. An address that was replaced is kept until the time until which
-- the change may be undone: nobody else can take it, and it still hears of changes.
create table people.addresses (
  email text primary key,
  person_id uuid not null references people.people,
  is_primary boolean not null,
  -- Null: it stands on the word of an operator who handed a link over. Whoever proves it from elsewhere takes it, without what was set before.
  proven_at timestamptz,
  retires_at timestamptz,
  check (is_primary = (retires_at is null))
);
create unique index primary_address on people.addresses (person_id) where is_primary;
create index addresses_of_person on people.addresses (person_id);
create index retiring_addresses on people.addresses (retires_at) where retires_at is not null;

-- Whom an OpenID Connect provider calls by this subject. The address is what the provider says, and identifies nobody.
create table people.identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null references people.people,
  -- The provider's id in the configuration when it was last used.
  provider_id text not null,
  email text,
  linked_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (issuer, subject)
);
create index identities_of_person on people.identities (person_id);

-- A session is a browser that is signed in. Only the SHA-256 of its token is stored.
create table people.sessions (
  session_id uuid primary key,
  person_id uuid not null references people.people,
  hash bytea not null unique check (length(hash) = 32),
  -- The first factor: password, code, passkey, openid, link.
  method text not null,
  -- When a factor was last given, for what asks for a recent one.
  stepped_up_at timestamptz,
  user_agent text,
  -- The address from which it was opened, as text.
  opened_from text,
  created_at timestamptz not null,
  -- Written at most once in some minutes.
  last_used_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_of_person on people.sessions (person_id);
create index ending_sessions on people.sessions (expires_at);
create index ended_sessions on people.sessions (ended_at) where ended_at is not null;
create index idle_sessions on people.sessions (last_used_at);

-- Browsers in which a person has signed in before; a sign-in from another one is told to the person.
create table people.devices (
  person_id uuid not null references people.people,
  hash bytea not null check (length(hash) = 32),
  first_used_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (person_id, hash)
);
create index old_devices on people.devices (last_used_at);

-- A first factor that was given where a second one is asked for. It is no session.
create table people.challenges (
  hash bytea primary key check (length(hash) = 32),
  person_id uuid not null references people.people,
  method text not null,
  -- What is needed after the second factor, such as the page to go to.
  data jsonb not null default '{}',
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index challenges_of_person on people.challenges (person_id);
create index ending_challenges on people.challenges (expires_at);

create table people.factors (
  person_id uuid not null references people.people,
  factor_id uuid not null,
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null check (length(name) between 1 and 120),
  -- Of totp: the secret, sealed, and the last time step that was used.
  secret_sealed text,
  last_step bigint,
  -- Of passkeys (base64url as browsers write it).
  credential_id text unique,
  public_key bytea,
  counter bigint,
  transports text[],
  is_backed_up boolean,
  created_at timestamptz not null,
  -- Null until its first code was right; it is no factor before.
  confirmed_at timestamptz,
  last_used_at timestamptz,
  primary key (person_id, factor_id),
  check ((kind = 'totp') = (secret_sealed is not null)),
  check ((kind = 'passkey') = (credential_id is not null and public_key is not null))
);
create index unconfirmed_factors on people.factors (created_at) where confirmed_at is null;

create table people.recovery_codes (
  person_id uuid not null references people.people,
  hash bytea not null,
  created_at timestamptz not null,
  used_at timestamptz,
  primary key (person_id, hash)
);

-- The removal of all second factors of a person who has lost them. It happens when it is due, unless somebody stops it before.
create table people.factor_resets (
  person_id uuid primary key references people.people,
  -- Null: the operator's command line.
  requested_by uuid references people.people,
  requested_at timestamptz not null,
  due_at timestamptz not null
);
create index factor_resets_of_requester on people.factor_resets (requested_by) where requested_by is not null;
create index due_factor_resets on people.factor_resets (due_at);

-- The address of the end that began a ceremony of WebAuthn or OpenID Connect, and what it must bring back. Each is used once.
create table people.ceremonies (
  hash bytea primary key check (length(hash) = 32),
  purpose text not null,
  -- The hash of the cookie of the browser that began it.
  browser_hash bytea not null,
  person_id uuid references people.people,
  -- The challenge, or provider, nonce and verifier; sealed where it is secret.
  data jsonb not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index ceremonies_of_person on people.ceremonies (person_id) where person_id is not null;
create index ending_ceremonies on people.ceremonies (expires_at);

-- Codes of six digits in mails. One is valid for each purpose, address and browser that asked for it, so that nobody who asks elsewhere takes a
-- person's code away. An address without a person has a row too, so that it takes the same time.
create table people.codes (
  purpose text not null,
  email text not null,
  browser_hash bytea not null,
  code_hash bytea not null,
  person_id uuid references people.people,
  -- What the code confirms, such as the name and the hashed password of a sign-up.
  data jsonb not null default '{}',
  tries integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (purpose, email, browser_hash)
);
create index codes_of_person on people.codes (person_id) where person_id is not null;
create index ending_codes on people.codes (expires_at);

-- Links that act once: the first operator's, a reset password, a change of address that is undone. Only their hash is stored.
create table people.links (
  hash bytea primary key check (length(hash) = 32),
  purpose text not null,
  person_id uuid references people.people,
  account_id uuid references auth.accounts,
  data jsonb not null default '{}',
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index links_of_person on people.links (person_id) where person_id is not null;
create index ending_links on people.links (expires_at);

create table people.members (
  account_id uuid not null references auth.accounts,
  person_id uuid not null references people.people,
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  -- The projects that the member may use; null: all.
  project_ids uuid[],
  -- The provider (its id in the configuration) whose claims make this membership, which ends with them; null: it stands by itself.
  provider_id text,
  joined_at timestamptz not null,
  primary key (account_id, person_id)
);
create index members_by_person on people.members (person_id);

create table people.invitations (
  account_id uuid not null references auth.accounts,
  invitation_id uuid not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'developer', 'billing', 'viewer')),
  project_ids uuid[],
  hash bytea not null check (length(hash) = 32),
  -- Null: the operator's command line.
  invited_by uuid references people.people,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  accepted_at timestamptz,
  accepted_by uuid references people.people,
  primary key (account_id, invitation_id)
);
-- Not unique: an account may be kept elsewhere than another, and 256 random bits meet nowhere.
create index invitations_hash on people.invitations (hash);
create index open_invitations on people.invitations (account_id, email) where accepted_at is null and revoked_at is null;
create index invitations_of_inviter on people.invitations (invited_by) where invited_by is not null;
create index old_invitations on people.invitations (expires_at);

-- How often somebody tried; who it was stands there only as a keyed hash.
create table people.attempts (
  subject_hash bytea primary key,
  attempts integer not null,
  window_ends_at timestamptz not null
);
create index ended_attempts on people.attempts (window_ends_at);

-- Addresses (keyed hashes, without case and sub-address) that had a new account with first credits, kept after deletion; and what a day gave away.
create table people.welcomed (
  address_hash bytea primary key,
  welcomed_at timestamptz not null
);
create table people.welcome_days (
  day date primary key,
  accounts integer not null,
  microcredits bigint not null
);

-- Mails to people. Codes and links are sealed; a mail that could not be sent for want of a mail server stays to be seen by the operator, masked.
create table people.mails (
  mail_id uuid primary key,
  person_id uuid references people.people,
  address text not null,
  kind text not null,
  locale text not null check (locale in ('fa', 'en')),
  data_sealed text not null,
  state text not null check (state in ('queued', 'sent', 'refused', 'expired', 'unsent')),
  created_at timestamptz not null,
  ended_at timestamptz
);
create index mails_of_person on people.mails (person_id) where person_id is not null;
create index mails_of_address on people.mails (address, created_at);
create index old_mails on people.mails (created_at);

-- What the members of an account were told once: that a threshold was passed, that a key ends.
create table people.notices (
  account_id uuid not null references auth.accounts,
  once_key text not null,
  created_at timestamptz not null,
  primary key (account_id, once_key)
);
create index old_notices on people.notices (created_at);

-- How a balance has moved: the highest since it last ran low, and from then on the lowest until credits are added.
create table people.balance_marks (
  account_id uuid primary key references auth.accounts,
  mark bigint not null,
  is_low boolean not null
);

-- A threshold that is passed is told to the members of its account by a job, which is queued in the transaction of the event.
create function people.queue_threshold() returns trigger language plpgsql as $$
begin
  if exists (select from people.members m where m.account_id = new.account_id) then
    insert into jobs.queue (account_id, job_id, name, data, run_at)
    values (new.account_id, new.event_id, 'notices.threshold', json_build_object('once_key', new.once_key, 'event', new.data), platform.now());
    perform pg_notify('jobs', 'notices.threshold');
  end if;
  return null;
end $$;
create trigger queue_threshold after insert on events.outbox for each row when (new.type = 'budget.threshold')
  execute function people.queue_threshold();

-- The thresholds of all caps in an account, in percent, in the row of the account itself; null: those of the installation.
alter table ledger.meters add column thresholds_percent smallint[];

-- As before (0023-settlements.sql), by the thresholds of the account where it has its own.
create or replace function ledger.tell_thresholds(ops ledger.settle_op[], at timestamptz, thresholds smallint[]) returns void language sql as $$
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
  join ledger.meters own on own.account_id = m.account_id and own.scope = 'account' and own.scope_id = m.account_id
  cross join lateral (values ('total', m.cap, m.spent, m.paid), (to_char(m.month, 'YYYY-MM'), m.month_cap, m.month_spent, m.month_paid)) p(period, cap, spent, paid)
  cross join lateral unnest(coalesce(own.thresholds_percent, thresholds)) t(percent)
  where t.percent <= ledger.percent(p.spent, p.cap) and t.percent > ledger.percent(p.spent - p.paid::bigint, p.cap)
  on conflict do nothing
$$;

-- Sessions pay through a key of their own, which has no secret; keys name the person who made them, or whose they are.
alter table auth.keys add column kind text not null default 'api' check (kind in ('api', 'session', 'connection'));
alter table auth.keys add column person_id uuid;
create unique index session_key_of_person on auth.keys (account_id, project_id, person_id)
  where kind = 'session' and revoked_at is null;
create index keys_of_person on auth.keys (person_id) where person_id is not null;

-- What a session makes for browsers without cookies ends with it.
alter table realtime.client_secrets add column session_id uuid;

-- A session names no project while its person has only one, so a new one is announced as changes are.
create trigger tell_new after insert on auth.projects for each row execute function auth.tell_change();

-- Every process caches sessions and memberships, and is told of each change. The payload is a person's id.
create function people.tell_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('people_changed', coalesce(new.person_id, old.person_id)::text);
  return null;
end $$;
create trigger tell_change after update or delete on people.people for each row execute function people.tell_change();
create trigger tell_change after insert or update or delete on people.members for each row execute function people.tell_change();
create trigger tell_end after delete on people.sessions for each row execute function people.tell_change();
create trigger tell_change after update of hash, ended_at, stepped_up_at on people.sessions
  for each row execute function people.tell_change();

-- Who changed access, money or settings, and what: append-only (docs/decisions/account/audit.md).
create schema audit;

create table audit.entries (
  -- All digits are zeros for changes of the whole installation.
  account_id uuid not null,
  entry_id uuid not null,
  project_id uuid,
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('person', 'key', 'operator', 'system')),
  -- The person or the key; null for the operator's command line and the system itself.
  actor_id uuid,
  -- The operation of the route, or the command.
  operation text not null,
  target_kind text,
  target_id text,
  before jsonb,
  after jsonb,
  request_id uuid,
  client text,
  primary key (account_id, entry_id)
);
create index entries_of_all on audit.entries (entry_id);
-- By who, what, and what was done; each page is read in the order of the index.
create index entries_of_actor on audit.entries (account_id, actor_id, entry_id) where actor_id is not null;
create index entries_of_target on audit.entries (account_id, target_id, entry_id) where target_id is not null;
create index entries_of_operation on audit.entries (account_id, operation text_pattern_ops, entry_id);

create function audit.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log is append-only.';
end $$;
create trigger append_only before update or delete on audit.entries for each row execute function audit.refuse_change();
create trigger append_only_whole before truncate on audit.entries execute function audit.refuse_change();
