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

grant pg_monitor, pg_signal_backend to watcher;

create role backup login replication nocreatedb nocreaterole;

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

create schema extensions;

grant usage on schema extensions to public;

create schema auth authorization auth_admin;

grant usage on schema auth to postgres, anon, authenticated, service_role, app_reader;

create schema storage authorization storage_admin;

grant usage on schema storage to postgres, anon, authenticated, service_role, app_reader;

-- Who asks, as policies read it. Owned by the superuser, so that nobody can replace them.
create function auth.jwt() returns jsonb stable language sql set search_path = pg_catalog
  as $$ select coalesce(nullif(current_setting('request.jwt.claims', true), '')::jsonb, '{}'::jsonb) $$;

create function auth.uid() returns uuid stable language sql set search_path = pg_catalog
  as $$ select (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub')::uuid $$;

create function auth.role() returns text stable language sql set search_path = pg_catalog
  as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role' $$;

create function auth.email() returns text stable language sql set search_path = pg_catalog
  as $$ select nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email' $$;

grant execute on function auth.jwt(), auth.uid(), auth.role(), auth.email() to public;

create schema kherad;

create function kherad.announce_change() returns event_trigger language plpgsql set search_path = pg_catalog
  as $$ begin perform pg_notify('kherad_schema', ''); end $$;

create event trigger kherad_changes on ddl_command_end execute function kherad.announce_change();

create event trigger kherad_drops on sql_drop execute function kherad.announce_change();

alter role kherad nologin;

