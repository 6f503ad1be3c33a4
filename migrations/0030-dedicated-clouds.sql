-- Dedicated clouds: docs/decisions/0079-dedicated-clouds.md.

-- A dedicated cloud has the limits of a package, by its id in the configuration.
alter table clouds.clouds
  add column offer text,
  -- Its disk is full: apps only read.
  add column read_only_since timestamptz,
  -- A Starter cloud is copied into its database: nothing of its rows and users is written meanwhile.
  add column frozen_since timestamptz;

-- Whoever writes rows locks this, so that none is written after they are copied.
alter table collections.counts add column is_frozen boolean not null default false;

-- What an account may have of dedicated infrastructure. What is in a package stands in the configuration, by its id.
create table clouds.packages (
  account_id uuid not null,
  package_id uuid not null unique,
  offer text not null,
  -- The cloud that uses it; null: nobody does.
  cloud_id uuid,
  -- It is unpaid from then on; null: it is paid until it is ended.
  paid_until timestamptz,
  -- By the operator.
  ended_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, package_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete set null (cloud_id)
);
create unique index packages_of_cloud on clouds.packages (account_id, cloud_id) where cloud_id is not null;
create index ended_packages on clouds.packages (ended_at) where ended_at is not null and cloud_id is not null;

-- Databases that belong to one cloud each.
create schema databases;

create table databases.databases (
  account_id uuid not null,
  cloud_id uuid not null,
  -- By which it is called where it lies: that of its cloud, or of the move that made it.
  ref text not null,
  provider text not null check (provider in ('local', 'external')),
  -- local: the machine, by the id of its data folder; external: the name of the server in the configuration.
  place text not null,
  -- local: the user of the machine that runs it; null where the service is no root.
  os_user integer,
  -- external: passwords of its roles.
  secrets_sealed text,
  disk_bytes bigint not null default 0,
  -- As PostgreSQL estimates them.
  rows_estimate bigint,
  measured_at timestamptz,
  created_at timestamptz not null,
  primary key (account_id, cloud_id),
  unique (place, os_user),
  -- Its record outlives nothing of it: the database is removed before the cloud is.
  foreign key (account_id, cloud_id) references clouds.clouds
);

-- How long a database was awake in a day (UTC). Processes add what they have measured.
create table databases.usage_days (
  account_id uuid not null,
  cloud_id uuid not null,
  day date not null,
  awake_ms bigint not null default 0,
  primary key (account_id, cloud_id, day),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);

-- Objects of buckets. What they are called, and who may see them, stands in the database of their cloud; here is what their bytes count.
create schema buckets;

create table buckets.blobs (
  account_id uuid not null,
  cloud_id uuid not null,
  -- The version of the object in the database of the cloud, and the end of the key of its bytes.
  blob_id uuid not null,
  bytes bigint not null check (bytes >= 0),
  -- Whether a row names it is to be looked up then; null: one does.
  due_at timestamptz,
  primary key (account_id, cloud_id, blob_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);
create index due_blobs on buckets.blobs (due_at) where due_at is not null;

-- Clouds with blobs, and when all of them were last compared with the rows.
create table buckets.checks (
  account_id uuid not null,
  cloud_id uuid not null,
  checked_at timestamptz not null,
  primary key (account_id, cloud_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);
create index checks_in_order on buckets.checks (checked_at);

-- Names of public buckets, as they were when they were last read in the database of their cloud: a request for another one wakes nothing.
create table buckets.public_buckets (
  account_id uuid not null,
  cloud_id uuid not null,
  -- Null: too many to keep.
  names text[],
  read_at timestamptz not null,
  primary key (account_id, cloud_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);

-- Uploads in parts (TUS).
create table buckets.uploads (
  account_id uuid not null,
  cloud_id uuid not null,
  upload_id uuid not null,
  -- Reserved until the upload is complete or has expired.
  blob_id uuid not null,
  role text not null,
  -- The app user who has begun it; null for the keys.
  user_id uuid,
  bucket_id text not null,
  name text not null,
  upsert boolean not null,
  -- Content type, cache control, metadata of the app.
  properties jsonb not null,
  bytes bigint not null,
  -- As it is shown: all of it only when the object is there.
  offset_bytes bigint not null default 0,
  parts integer not null default 0,
  -- One request at a time works on it, until then unless it renews the lease; another one that came waits for the end of it.
  lease_id uuid,
  leased_until timestamptz,
  is_wanted boolean not null default false,
  expires_at timestamptz not null,
  primary key (account_id, cloud_id, upload_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);
create index expiring_uploads on buckets.uploads (expires_at);
create index unfinished_uploads on buckets.uploads (account_id, cloud_id, user_id) where offset_bytes < bytes;

create table buckets.parts (
  account_id uuid not null,
  cloud_id uuid not null,
  upload_id uuid not null,
  offset_bytes bigint not null,
  bytes bigint not null,
  storage_key text not null,
  primary key (account_id, cloud_id, upload_id, offset_bytes),
  foreign key (account_id, cloud_id, upload_id) references buckets.uploads on delete cascade
);

-- Whole databases as they were once: docs/decisions/0085-backups-of-databases.md.
create table databases.backups (
  account_id uuid not null,
  cloud_id uuid not null,
  backup_id uuid not null,
  kind text not null check (kind in ('nightly', 'asked')),
  state text not null check (state in ('queued', 'ready', 'failed')),
  error_code text,
  attempts integer not null default 0,
  storage_key text,
  -- As it is stored, and its SHA-256.
  bytes bigint,
  sha256 text,
  database_bytes bigint,
  server_version text,
  -- The number of the transaction that its database would begin next: the same later means that nothing was written since.
  next_transaction bigint,
  created_at timestamptz not null,
  -- When it was last seen that the database still is as it was in this backup.
  confirmed_at timestamptz not null,
  finished_at timestamptz,
  expires_at timestamptz not null,
  primary key (account_id, cloud_id, backup_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);
create unique index unfinished_backups on databases.backups (account_id, cloud_id) where state = 'queued';
create index expiring_backups on databases.backups (expires_at);

-- A backup that takes the place of the database of this cloud, which may be another one than it was taken of.
create table databases.restores (
  account_id uuid not null,
  cloud_id uuid not null,
  restore_id uuid not null,
  from_cloud_id uuid not null,
  backup_id uuid not null,
  state text not null check (state in ('queued', 'done', 'failed')),
  error_code text,
  attempts integer not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (account_id, cloud_id, restore_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);
create unique index unfinished_restores on databases.restores (account_id, cloud_id) where state = 'queued';

-- Starter clouds on their way to a database of their own. Gone once nothing of what was copied is left here.
create table clouds.moves (
  account_id uuid not null,
  cloud_id uuid not null,
  -- Each attempt that was asked for has a later one.
  move_id uuid not null,
  state text not null check (state in ('moving', 'cleaning', 'undoing', 'failed')),
  attempts integer not null default 0,
  updated_at timestamptz not null,
  primary key (account_id, cloud_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete cascade
);
create index unfinished_moves on clouds.moves (updated_at) where state <> 'failed';
