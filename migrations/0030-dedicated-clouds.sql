-- Dedicated clouds: docs/decisions/0079-dedicated-clouds.md.

-- What an account may have of dedicated infrastructure. What is in a package stands in the configuration, by its name.
create table clouds.packages (
  account_id uuid not null,
  package_id uuid not null,
  -- Its id in the configuration.
  offer text not null,
  -- The cloud that uses it; null: nobody does.
  cloud_id uuid,
  state text not null check (state in ('active', 'unpaid', 'ended')),
  -- It is unpaid after that; null: until it is ended.
  paid_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, package_id),
  foreign key (account_id, cloud_id) references clouds.clouds on delete set null (cloud_id)
);
create unique index packages_of_cloud on clouds.packages (account_id, cloud_id) where cloud_id is not null;

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
  measured_at timestamptz,
  -- Its disk is full: apps only read.
  read_only_since timestamptz,
  created_at timestamptz not null,
  primary key (account_id, cloud_id),
  unique (place, os_user),
  -- Its record outlives nothing of it: the database is removed before the cloud is.
  foreign key (account_id, cloud_id) references clouds.clouds
);
