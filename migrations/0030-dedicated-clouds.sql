-- Dedicated clouds: docs/decisions/0079-dedicated-clouds.md.

-- A dedicated cloud has the limits of a package, by its id in the configuration.
alter table clouds.clouds
  add column offer text,
  -- Its disk is full: apps only read.
  add column read_only_since timestamptz;

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
