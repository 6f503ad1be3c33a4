-- Buckets and objects of one cloud (docs/decisions/cloud/buckets.md), run once as bootstrap.sql is. The two tables are the developer's own:
-- policies of any origin can be written for them, and what else is done to them harms nobody but this cloud. Where bytes lie, and what they count,
-- stands in the database of the platform.

create table storage.buckets (
  id text collate "C" primary key,
  name text not null unique,
  owner uuid,
  owner_id text,
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  created_at timestamptz default now(),
  updated_at timestamptz default now()
);

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text collate "C" references storage.buckets,
  name text collate "C",
  owner uuid,
  owner_id text,
  metadata jsonb,
  user_metadata jsonb,
  -- Names the bytes; those of another cloud have no name here.
  version text unique,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  unique (bucket_id, name)
);

alter table storage.buckets enable row level security;

alter table storage.objects enable row level security;

alter table storage.buckets owner to postgres;

alter table storage.objects owner to postgres;

grant all on storage.buckets, storage.objects to anon, authenticated, service_role;

grant select on storage.buckets, storage.objects to app_reader;

-- Parsed now, so that no name that the developer makes later means anything in them.
create function storage.foldername(name text) returns text[] language sql immutable strict
  return (pg_catalog.string_to_array(name, '/'))[1 : pg_catalog.cardinality(pg_catalog.string_to_array(name, '/')) - 1];

create function storage.filename(name text) returns text language sql immutable strict
  return pg_catalog.split_part(name, '/', -1);

create function storage.extension(name text) returns text language sql immutable strict
  return pg_catalog.split_part(pg_catalog.split_part(name, '/', -1), '.', -1);

-- Nobody could make them again: the schema is not the developer's.
create function storage.keep_tables() returns event_trigger language plpgsql set search_path = pg_catalog, pg_temp
  as $$ begin
    if exists (select from pg_event_trigger_dropped_objects()
        where schema_name = 'storage' and object_type in ('table', 'table column', 'table constraint')) then
      raise insufficient_privilege using message = 'the tables of schema storage, their columns and constraints cannot be dropped';
    end if;
  end $$;

create event trigger kherad_keeps_storage on sql_drop execute function storage.keep_tables();
