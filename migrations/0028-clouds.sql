-- App back-ends (Cloud): docs/decisions/0072-clouds.md.
create schema clouds;

create table clouds.clouds (
  account_id uuid not null,
  cloud_id uuid not null,
  project_id uuid not null,
  -- The first label of its host.
  ref text not null,
  name text not null,
  plan text not null check (plan in ('starter', 'dedicated')),
  state text not null check (state in ('provisioning', 'ready', 'failed', 'deleting')),
  -- Why provisioning failed; a retry clears it.
  error_code text,
  -- How often provisioning began since it was asked for.
  attempts integer not null default 0,
  -- By the operator: the app gets a refusal, and nothing is changed but by deletion. What it was before stays in state.
  suspended_at timestamptz,
  suspended_reason text,
  -- Since when an export is being imported.
  importing_since timestamptz,
  -- Limits of the operator for this cloud alone, by their names in the configuration.
  limits jsonb not null default '{}',
  -- Sign-in of its app users.
  site_url text,
  disable_signup boolean not null default false,
  additional_redirect_urls jsonb not null default '[]',
  -- Grows with every change of functions and secrets: processes that run an older one start anew.
  functions_revision bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, cloud_id)
);
create index clouds_of_project on clouds.clouds (account_id, project_id, cloud_id);
create index clouds_unfinished on clouds.clouds (updated_at) where state in ('provisioning', 'deleting');

create table clouds.refs (
  ref text primary key,
  account_id uuid not null,
  cloud_id uuid not null
);

-- What apps send as `apikey`. The public key is shown whenever it is asked for; of a service key only its hash is kept.
create table clouds.keys (
  account_id uuid not null,
  cloud_id uuid not null,
  key_id uuid not null,
  kind text not null check (kind in ('public', 'service')),
  hash bytea not null,
  -- The public key itself; null for service keys.
  public_key text,
  created_at timestamptz not null,
  -- After a rotation the old one is accepted until then.
  expires_at timestamptz,
  primary key (account_id, cloud_id, key_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);

-- Signs the sessions of app users (ES256).
create table clouds.signing_keys (
  account_id uuid not null,
  cloud_id uuid not null,
  kid uuid not null,
  private_key_sealed text not null,
  public_jwk jsonb not null,
  created_at timestamptz not null,
  -- A newer one signs since then; what this one has signed is accepted until expires_at.
  retired_at timestamptz,
  expires_at timestamptz,
  primary key (account_id, cloud_id, kid),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);

-- What a cloud used in a day (UTC). Processes take allowance in portions, so that no limit is exceeded by however many of them.
create table clouds.usage_days (
  account_id uuid not null,
  cloud_id uuid not null,
  day date not null,
  function_calls bigint not null default 0,
  egress_bytes bigint not null default 0,
  primary key (account_id, cloud_id, day),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);

-- Rows of JSON in collections.
create schema collections;

create table collections.collections (
  account_id uuid not null,
  cloud_id uuid not null,
  collection_id uuid not null,
  name text not null,
  public_read boolean not null default false,
  created_at timestamptz not null,
  primary key (account_id, cloud_id, collection_id),
  unique (account_id, cloud_id, name),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);

create table collections.rows (
  account_id uuid not null,
  cloud_id uuid not null,
  collection_id uuid not null,
  row_id uuid not null,
  -- The app user; null: inserted with a key of the project or the service key.
  owner_id uuid,
  data jsonb not null,
  bytes integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, cloud_id, collection_id, row_id),
  foreign key (account_id, cloud_id, collection_id) references collections.collections on delete cascade
);
create index rows_of_owner on collections.rows (account_id, cloud_id, collection_id, owner_id, row_id);

-- What all rows of a cloud are together: limits are checked on it in the transaction that changes rows.
create table collections.counts (
  account_id uuid not null,
  cloud_id uuid not null,
  rows bigint not null default 0,
  bytes bigint not null default 0,
  primary key (account_id, cloud_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);

-- People who sign in to apps: docs/decisions/0076-app-users.md.
create schema app_users;

create table app_users.users (
  account_id uuid not null,
  cloud_id uuid not null,
  user_id uuid not null,
  -- Lower case; null for anonymous ones.
  email text,
  -- In PHC form, with the parameters it was made with; null for those who sign in by mail, and anonymous ones.
  password_hash text,
  email_confirmed_at timestamptz,
  -- A new address that is not confirmed yet.
  new_email text,
  is_anonymous boolean not null default false,
  user_metadata jsonb not null default '{}',
  app_metadata jsonb not null default '{}',
  -- Blocked until then.
  banned_until timestamptz,
  -- Signed up by somebody who has not proven the address: deleted then.
  pending_until timestamptz,
  invited_at timestamptz,
  last_sign_in_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, cloud_id, user_id),
  unique (account_id, cloud_id, email),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);
create index pending_users on app_users.users (pending_until) where pending_until is not null;
create index users_of_new_email on app_users.users (account_id, cloud_id, new_email) where new_email is not null;

-- How many users a cloud has. Whoever adds one or has a mail sent locks it, so that limits are exact over all processes.
create table app_users.counts (
  account_id uuid not null,
  cloud_id uuid not null,
  users bigint not null default 0,
  primary key (account_id, cloud_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);

create table app_users.sessions (
  account_id uuid not null,
  cloud_id uuid not null,
  session_id uuid not null,
  user_id uuid not null,
  -- How it was signed in: password, recovery, email …
  method text not null,
  -- The number of the refresh token that is valid. Tokens are computed from it, so none is stored.
  generation integer not null,
  -- The numbers that were used in the last seconds, each with its time: they are answered again, not taken for stolen ones.
  recent_uses jsonb not null default '[]',
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  primary key (account_id, cloud_id, session_id),
  foreign key (account_id, cloud_id, user_id) references app_users.users on delete cascade
);
create index sessions_of_user on app_users.sessions (account_id, cloud_id, user_id);
create index idle_sessions on app_users.sessions (refreshed_at);

-- What mails and links carry: each acts once, for its purpose only. The token itself is computed from its id, so only its hash is stored.
create table app_users.one_time_tokens (
  account_id uuid not null,
  cloud_id uuid not null,
  token_id uuid not null,
  hash bytea not null,
  user_id uuid not null,
  purpose text not null check (
    purpose in ('signup', 'invite', 'recovery', 'magiclink', 'email_change', 'reauthentication', 'pkce')
  ),
  -- Where it is sent; it acts only while that is the user's address.
  email text,
  -- A sign-up that is confirmed by it sets these.
  password_hash text,
  user_metadata jsonb,
  -- A page of the app that asked for it proves that it did (RFC 7636).
  code_challenge text,
  code_challenge_method text,
  redirect_to text,
  -- Wrong codes that were entered.
  attempts integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, cloud_id, token_id),
  unique (account_id, cloud_id, hash),
  foreign key (account_id, cloud_id, user_id) references app_users.users on delete cascade
);
create index one_time_tokens_of_user on app_users.one_time_tokens (account_id, cloud_id, user_id, purpose);
create index expired_one_time_tokens on app_users.one_time_tokens (expires_at);

-- Mails of two days, for the limits of addresses and clouds, and for the job that sends them.
create table app_users.mails (
  account_id uuid not null,
  cloud_id uuid not null,
  mail_id uuid not null,
  address text not null,
  -- Null: none was sent, because nobody has this address; it counts as if one had been.
  kind text,
  token_id uuid,
  created_at timestamptz not null,
  primary key (account_id, cloud_id, mail_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);
create index mails_by_time on app_users.mails (account_id, cloud_id, created_at);
create index old_mails on app_users.mails (created_at);

-- Attempts to sign in, to sign up and to enter a code, in a window of time.
create table app_users.attempts (
  account_id uuid not null,
  cloud_id uuid not null,
  -- Of what is tried, and of the address of the app user or the network it came from.
  subject_hash bytea not null,
  attempts integer not null,
  window_ends_at timestamptz not null,
  primary key (account_id, cloud_id, subject_hash),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);
create index past_attempts on app_users.attempts (window_ends_at);

-- Private files of app users.
create schema app_files;

create table app_files.files (
  account_id uuid not null,
  cloud_id uuid not null,
  file_id uuid not null,
  user_id uuid not null,
  name text not null,
  media_type text not null,
  bytes bigint not null,
  storage_key text not null,
  created_at timestamptz not null,
  primary key (account_id, cloud_id, file_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);
create index files_of_user on app_files.files (account_id, cloud_id, user_id, file_id);

create table app_files.counts (
  account_id uuid not null,
  cloud_id uuid not null,
  files bigint not null default 0,
  bytes bigint not null default 0,
  primary key (account_id, cloud_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);

-- Code of apps that runs beside their data.
create schema functions;

create table functions.functions (
  account_id uuid not null,
  cloud_id uuid not null,
  name text not null,
  -- The one that answers, and the newest that there was.
  version integer not null,
  newest_version integer not null,
  verify_jwt boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, cloud_id, name),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);

create table functions.versions (
  account_id uuid not null,
  cloud_id uuid not null,
  name text not null,
  version integer not null,
  code text not null,
  -- What runs: one module, made of the code and the packages that it imports.
  bundle text not null,
  -- Which place of the code each place of the bundle was (a source map's mappings).
  mappings text not null,
  -- [{ name, version, requested }] of the packages in it.
  packages jsonb not null,
  verify_jwt boolean not null,
  created_at timestamptz not null,
  primary key (account_id, cloud_id, name, version),
  foreign key (account_id, cloud_id, name) references functions.functions on delete cascade
);

create table functions.secrets (
  account_id uuid not null,
  cloud_id uuid not null,
  name text not null,
  value_sealed text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, cloud_id, name),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);

-- The last lines that each function has written.
create table functions.logs (
  account_id uuid not null,
  cloud_id uuid not null,
  name text not null,
  line_id bigint generated always as identity,
  level text not null check (level in ('debug', 'info', 'warn', 'error')),
  message text not null,
  -- The request that it was written in; null outside of one.
  request_id uuid,
  at timestamptz not null,
  primary key (account_id, cloud_id, name, line_id),
  foreign key (account_id, cloud_id, name) references functions.functions on delete cascade
);
