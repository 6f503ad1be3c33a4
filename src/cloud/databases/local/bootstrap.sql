-- A new database of one cloud, run once in single-user mode, before anybody can connect: the superuser has no log-in, then or later.
-- In single-user mode a statement ends with a semicolon and an empty line.

create role anon nologin;

create role authenticated nologin;

create role service_role nologin bypassrls;

-- Becomes one of the three in every request of the app.
create role authenticator login noinherit nocreatedb nocreaterole;

grant anon, authenticated, service_role to authenticator;

-- Whoever develops the app: SQL with confirm_write. Its name is the one that SQL found elsewhere grants to.
create role postgres login noinherit nocreatedb nocreaterole;

-- Whoever develops the app: SQL that only reads.
create role app_reader login bypassrls nocreatedb nocreaterole;

alter role app_reader set default_transaction_read_only = on;

-- Sign-in of app users, and buckets: members of nothing, so that what runs as them (a trigger of the app, say) is nobody else.
create role auth_admin login nocreatedb nocreaterole;

create role storage_admin login nocreatedb nocreaterole;

-- Sizes, sessions that take too much, changes of tables.
create role watcher login nocreatedb nocreaterole;

grant pg_monitor, pg_signal_backend, pg_signal_autovacuum_worker, pg_use_reserved_connections to watcher;

create role backup login replication nocreatedb nocreaterole;

grant pg_use_reserved_connections to backup;

revoke all on database postgres from public;

revoke all on database template1 from public;

grant connect on database postgres to authenticator, app_reader, auth_admin, storage_admin, watcher;

grant connect, create, temporary on database postgres to postgres;

revoke all on schema public from public;

alter schema public owner to postgres;

grant usage on schema public to anon, authenticated, service_role, app_reader;

alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;

alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;

alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;

alter default privileges for role postgres grant select on tables to app_reader;

alter default privileges for role postgres grant select on sequences to app_reader;

alter default privileges for role postgres grant usage on schemas to app_reader;

-- It writes to the WAL even where a transaction may not write.
revoke execute on function pg_catalog.pg_logical_emit_message(boolean, text, text, boolean),
  pg_catalog.pg_logical_emit_message(boolean, text, bytea, boolean) from public;

-- Which migrations were run (kherad cloud sql -f).
create schema kherad_migrations authorization postgres;

create schema extensions;

grant usage on schema extensions to public;

-- All that an app may have of them, so that none is ever created for it: those that reach no file, no network and no other process. To
-- create one of them again does nothing, and of others the server sees no file (program.ts).
do $$
declare
  allowed constant text[] := array['btree_gin', 'btree_gist', 'citext', 'cube', 'dict_int', 'earthdistance', 'fuzzystrmatch', 'hstore',
    'intarray', 'isn', 'ltree', 'moddatetime', 'pg_trgm', 'pgcrypto', 'seg', 'tablefunc', 'tsm_system_rows', 'tsm_system_time', 'unaccent',
    'uuid-ossp', 'vector'];
  extension text;
begin
  for extension in select name from pg_available_extensions where name = any (allowed) loop
    execute format('create extension if not exists %I with schema extensions cascade', extension);
  end loop;
end $$;

-- As SQL found elsewhere expects it; roles of ours trust no name of the app's.
alter database postgres set search_path = "$user", public, extensions;

alter role auth_admin set search_path = pg_catalog, pg_temp;

alter role storage_admin set search_path = pg_catalog, pg_temp;

alter role watcher set search_path = pg_catalog, pg_temp;

alter role kherad set search_path = pg_catalog, pg_temp;

create schema auth authorization auth_admin;

grant usage on schema auth to postgres, anon, authenticated, service_role, app_reader;

create schema storage authorization storage_admin;

grant usage on schema storage to postgres, anon, authenticated, service_role, app_reader;

-- Who asks, as policies read it. Owned by the superuser, so that nobody can replace them.
create function auth.jwt() returns jsonb stable language sql set search_path = pg_catalog, pg_temp
  as $$ select coalesce(nullif(current_setting('request.jwt.claims', true), '')::jsonb, '{}'::jsonb) $$;

create function auth.uid() returns uuid stable language sql set search_path = pg_catalog, pg_temp
  as $$ select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;

create function auth.role() returns text stable language sql set search_path = pg_catalog, pg_temp
  as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role' $$;

create function auth.email() returns text stable language sql set search_path = pg_catalog, pg_temp
  as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email' $$;

grant execute on function auth.jwt(), auth.uid(), auth.role(), auth.email() to public;

create schema kherad;

grant usage on schema kherad to public;

-- Every request of the app names the version that it has read, so that none answers by tables that are no longer so
-- (docs/decisions/cloud/database-requests.md).
create table kherad.schema_version (version bigint not null);

insert into kherad.schema_version values (1);

grant select on kherad.schema_version to public;

-- Written in the transaction that changes tables, and seen when they are. It runs as its owner, and nothing of the app's runs within it.
create function kherad.count_change() returns event_trigger language plpgsql security definer set search_path = pg_catalog, pg_temp
  as $$ begin
    -- What functions make for themselves and for a moment is no change. Of what is dropped the list says nothing.
    if not exists (select from pg_event_trigger_ddl_commands())
      or exists (select from pg_event_trigger_ddl_commands() where schema_name is distinct from 'pg_temp') then
      update kherad.schema_version set version = version + 1;
    end if;
  end $$;

alter role authenticator set statement_timeout = '8s';

alter role authenticator set search_path = public, extensions;

alter role watcher set search_path = pg_catalog, pg_temp;

create event trigger kherad_changes on ddl_command_end execute function kherad.count_change();

alter role kherad nologin;

