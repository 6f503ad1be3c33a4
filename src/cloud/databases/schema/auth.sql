-- Sign-in of app users in a database of one cloud (docs/decisions/cloud/app-users.md), run once as bootstrap.sql is.
--
-- Whoever develops the app has triggers on auth.users, so their code runs within our statements. Three roles keep it from what it must not
-- see: auth_admin logs in and alone reads schema app_users, where hashes, sessions and tokens are; supabase_auth_admin, as whom nobody logs in,
-- writes auth.users and nothing else, and triggers run as it; nothing of either belongs to the developer. SQL found elsewhere grants to its name.
create role supabase_auth_admin nologin nocreatedb nocreaterole;

grant usage on schema auth to supabase_auth_admin;

-- Names mean what they mean in PostgreSQL, and nothing runs longer, a trigger neither.
alter role auth_admin set search_path = pg_catalog, pg_temp;

alter role auth_admin set statement_timeout = '15s';

alter role auth_admin set idle_in_transaction_session_timeout = '60s';

create table auth.users (
  instance_id uuid,
  id uuid primary key,
  aud text default 'authenticated',
  role text default 'authenticated',
  -- Lower case; null for users without an address.
  email text collate "C" unique check (octet_length(email) <= 1024),
  encrypted_password text,
  email_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_token text,
  confirmation_sent_at timestamptz,
  recovery_token text,
  recovery_sent_at timestamptz,
  email_change_token_new text,
  -- A new address that is not confirmed yet.
  email_change text collate "C" check (octet_length(email_change) <= 1024),
  email_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  -- What a trigger makes of them is read and written, so it has bounds: those of a body for its depth, and numbers such as 1e300 are long here.
  raw_app_meta_data jsonb check (octet_length(raw_app_meta_data::text) <= 262144
    and not jsonb_path_exists(raw_app_meta_data, '$.**{101 to last}')),
  raw_user_meta_data jsonb check (octet_length(raw_user_meta_data::text) <= 262144
    and not jsonb_path_exists(raw_user_meta_data, '$.**{101 to last}')),
  is_super_admin boolean,
  created_at timestamptz,
  updated_at timestamptz,
  phone text,
  phone_confirmed_at timestamptz,
  phone_change text,
  phone_change_token text,
  phone_change_sent_at timestamptz,
  confirmed_at timestamptz generated always as (email_confirmed_at) stored,
  email_change_token_current text,
  email_change_confirm_status smallint,
  banned_until timestamptz,
  reauthentication_token text,
  reauthentication_sent_at timestamptz,
  is_sso_user boolean not null default false,
  deleted_at timestamptz,
  is_anonymous boolean not null default false,
  -- These columns are here for SQL that names them; secrets stand in schema app_users.
  constraint no_secrets_here check (
    num_nonnulls(encrypted_password, confirmation_token, recovery_token, email_change_token_new,
      email_change_token_current, phone_change_token, reauthentication_token) = 0
  )
);

create index users_of_new_email on auth.users (email_change) where email_change is not null;

create index anonymous_users on auth.users (id) where is_anonymous;

alter table auth.users owner to auth_admin;

grant select, references, trigger on auth.users to postgres;

grant select on auth.users to app_reader;

grant select, insert, update, delete on auth.users to supabase_auth_admin;

-- There is one way to sign in, so a user with an address has this one identity.
create view auth.identities as
  select id::text as provider_id, id as user_id,
    jsonb_build_object('sub', id, 'email', email, 'email_verified', email_confirmed_at is not null, 'phone_verified', false) as identity_data,
    'email'::text as provider, last_sign_in_at, created_at, updated_at, email, id
  from auth.users where email is not null;

alter view auth.identities owner to auth_admin;

grant select on auth.identities to postgres, app_reader;

-- Nobody has a second factor here; policies found elsewhere ask who has.
create view auth.mfa_factors as
  select null::uuid as id, null::uuid as user_id, null::text as friendly_name, null::text as factor_type, null::text as status,
    null::timestamptz as created_at, null::timestamptz as updated_at
  where false;

alter view auth.mfa_factors owner to auth_admin;

grant select on auth.mfa_factors to postgres, app_reader, anon, authenticated, service_role;

-- The same tables as in the database of the platform (migrations/0028), so that the same statements are theirs. Mails and attempts are counted
-- there for every cloud: whoever tries too often wakes nobody.
create schema app_users authorization auth_admin;

-- Which cloud this is, and which backup its data comes from.
create table app_users.cloud (
  only_one boolean primary key default true check (only_one),
  account_id uuid not null,
  cloud_id uuid not null,
  restore_id uuid
);

create table app_users.secrets (
  user_id uuid primary key references auth.users on delete cascade,
  password_hash text,
  pending_until timestamptz
);

create index pending_users on app_users.secrets (pending_until) where pending_until is not null;

create table app_users.counts (
  account_id uuid not null,
  cloud_id uuid not null,
  users bigint not null default 0,
  primary key (account_id, cloud_id)
);

create table app_users.sessions (
  account_id uuid not null,
  cloud_id uuid not null,
  session_id uuid not null,
  user_id uuid not null references app_users.secrets on delete cascade,
  method text not null,
  generation integer not null,
  recent_uses jsonb not null default '[]',
  created_at timestamptz not null,
  refreshed_at timestamptz not null,
  primary key (account_id, cloud_id, session_id)
);

create index sessions_of_user on app_users.sessions (user_id);

create index idle_sessions on app_users.sessions (refreshed_at);

create table app_users.one_time_tokens (
  account_id uuid not null,
  cloud_id uuid not null,
  token_id uuid not null,
  hash bytea not null,
  user_id uuid not null references app_users.secrets on delete cascade,
  purpose text not null,
  email text,
  password_hash text,
  user_metadata jsonb,
  code_challenge text,
  code_challenge_method text,
  redirect_to text,
  attempts integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, cloud_id, token_id),
  unique (account_id, cloud_id, hash)
);

create index one_time_tokens_of_user on app_users.one_time_tokens (user_id, purpose);

create index expired_one_time_tokens on app_users.one_time_tokens (expires_at);

create view app_users.users as
  select (select account_id from app_users.cloud) as account_id, (select cloud_id from app_users.cloud) as cloud_id,
    u.id as user_id, u.email, s.password_hash, u.email_confirmed_at, u.email_change as new_email, u.is_anonymous,
    coalesce(u.raw_user_meta_data, '{}') as user_metadata,
    -- What says how the user signs in stands in auth.users, where triggers read it, and is no member of the app's own.
    case when u.raw_app_meta_data @> '{"provider": "email", "providers": ["email"]}'
      then u.raw_app_meta_data - 'provider' - 'providers' else coalesce(u.raw_app_meta_data, '{}') end as app_metadata,
    u.banned_until, s.pending_until, u.invited_at, u.last_sign_in_at, u.created_at, u.updated_at
  from auth.users u join app_users.secrets s on s.user_id = u.id;

-- The three statements on auth.users, during which triggers of the app run: as supabase_auth_admin, who owns these functions and may not change
-- its role within them. What a trigger sets in the session (search_path above all) is reset before anything else is done, and what it fails with is cut.
create function app_users.insert_row(r auth.users) returns auth.users
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  made auth.users;
  code text;
  said text;
begin
  begin
    insert into auth.users (id, email, email_confirmed_at, email_change, is_anonymous, raw_user_meta_data, raw_app_meta_data, banned_until,
        invited_at, last_sign_in_at, created_at, updated_at)
      values (r.id, r.email, r.email_confirmed_at, r.email_change, r.is_anonymous, r.raw_user_meta_data, r.raw_app_meta_data, r.banned_until,
        r.invited_at, r.last_sign_in_at, r.created_at, r.updated_at)
      on conflict do nothing returning * into made;
  exception when others then
    get stacked diagnostics code = returned_sqlstate, said = message_text;
    raise exception using errcode = 'KA001', message = left(said, 300), detail = code;
  end;
  reset all;
  return made;
end $$;

create function app_users.update_row(r auth.users, changed text[]) returns auth.users
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  made auth.users;
  sets text := (select string_agg(format('%1$I = ($1).%1$I', name), ', ') from unnest(changed) name);
  code text;
  said text;
  taken text;
begin
  begin
    -- Only what changes is named: triggers may wait for one column.
    execute 'update auth.users set ' || sets || ' where id = ($1).id returning *' into made using r;
  exception when others then
    get stacked diagnostics code = returned_sqlstate, said = message_text, taken = constraint_name;
    if code = '23505' and taken = 'users_email_key' then
      raise;
    end if;
    raise exception using errcode = 'KA001', message = left(said, 300), detail = code;
  end;
  reset all;
  return made;
end $$;

create function app_users.delete_row(user_id uuid) returns uuid
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  gone uuid;
  code text;
  said text;
begin
  begin
    delete from auth.users where id = user_id returning id into gone;
  exception when others then
    get stacked diagnostics code = returned_sqlstate, said = message_text;
    raise exception using errcode = 'KA001', message = left(said, 300), detail = code;
  end;
  reset all;
  return gone;
end $$;

alter function app_users.insert_row(auth.users) owner to supabase_auth_admin;

alter function app_users.update_row(auth.users, text[]) owner to supabase_auth_admin;

alter function app_users.delete_row(uuid) owner to supabase_auth_admin;

create function app_users.row_of(n app_users.users) returns auth.users
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  r auth.users;
begin
  r.id := n.user_id;
  r.email := n.email;
  r.email_confirmed_at := n.email_confirmed_at;
  r.email_change := n.new_email;
  r.is_anonymous := n.is_anonymous;
  r.raw_user_meta_data := n.user_metadata;
  r.raw_app_meta_data := case when n.is_anonymous then n.app_metadata
    else '{"provider": "email", "providers": ["email"]}'::jsonb || n.app_metadata end;
  r.banned_until := n.banned_until;
  r.invited_at := n.invited_at;
  r.last_sign_in_at := n.last_sign_in_at;
  r.created_at := n.created_at;
  r.updated_at := n.updated_at;
  return r;
end $$;

-- KA001: a trigger of the app, or a table of it that refers to the user, refuses.
create function app_users.insert_user() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  made auth.users;
begin
  made := app_users.insert_row(app_users.row_of(new));
  if made.id is null then
    if exists (select from auth.users where id = new.user_id or email = new.email) then
      return null;
    end if;
    raise exception using errcode = 'KA001', message = 'a trigger on auth.users has left the row out';
  end if;
  if made.id <> new.user_id then
    raise exception using errcode = 'KA001', message = 'a trigger on auth.users has changed the id';
  end if;
  insert into app_users.secrets values (new.user_id, new.password_hash, new.pending_until);
  select * into new from app_users.users where user_id = made.id;
  return new;
end $$;

create function app_users.update_user() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  was auth.users := app_users.row_of(old);
  will auth.users := app_users.row_of(new);
  made auth.users;
  changed text[] := array_remove(array[
    case when will.email is distinct from was.email then 'email' end,
    case when will.email_confirmed_at is distinct from was.email_confirmed_at then 'email_confirmed_at' end,
    case when will.email_change is distinct from was.email_change then 'email_change' end,
    case when will.is_anonymous is distinct from was.is_anonymous then 'is_anonymous' end,
    case when will.raw_user_meta_data is distinct from was.raw_user_meta_data then 'raw_user_meta_data' end,
    case when will.raw_app_meta_data is distinct from was.raw_app_meta_data then 'raw_app_meta_data' end,
    case when will.banned_until is distinct from was.banned_until then 'banned_until' end,
    case when will.invited_at is distinct from was.invited_at then 'invited_at' end,
    case when will.last_sign_in_at is distinct from was.last_sign_in_at then 'last_sign_in_at' end,
    case when will.updated_at is distinct from was.updated_at then 'updated_at' end], null);
begin
  if cardinality(changed) > 0 then
    made := app_users.update_row(will, changed);
    if made.id is distinct from old.user_id then
      raise exception using errcode = 'KA001', message = 'a trigger on auth.users has left the row out';
    end if;
  end if;
  update app_users.secrets set password_hash = new.password_hash, pending_until = new.pending_until
    where user_id = old.user_id and (password_hash, pending_until) is distinct from (new.password_hash, new.pending_until);
  select * into new from app_users.users where user_id = old.user_id;
  return new;
end $$;

create function app_users.delete_user() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if app_users.delete_row(old.user_id) is null then
    if not exists (select from auth.users where id = old.user_id) then
      return null;
    end if;
    raise exception using errcode = 'KA001', message = 'a trigger on auth.users has kept the row';
  end if;
  return old;
end $$;

create trigger insert_user instead of insert on app_users.users for each row execute function app_users.insert_user();

create trigger update_user instead of update on app_users.users for each row execute function app_users.update_user();

create trigger delete_user instead of delete on app_users.users for each row execute function app_users.delete_user();

-- Called before anything else. In data of a backup sessions and tokens stand again that were ended or used since, or that were computed for
-- the cloud that this is a copy of: they are deleted. Returns how many users there are, or null where it was this cloud's already.
create function app_users.adopt(account uuid, cloud uuid, restore uuid) returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  many bigint;
begin
  if exists (select from app_users.cloud c where (c.account_id, c.cloud_id) = (account, cloud) and c.restore_id is not distinct from restore) then
    return null;
  end if;
  lock table app_users.cloud in exclusive mode;
  if exists (select from app_users.cloud c where (c.account_id, c.cloud_id) = (account, cloud) and c.restore_id is not distinct from restore) then
    return null;
  end if;
  delete from app_users.cloud;
  delete from app_users.sessions;
  delete from app_users.one_time_tokens;
  delete from app_users.counts;
  insert into app_users.cloud (account_id, cloud_id, restore_id) values (account, cloud, restore);
  select count(*) into many from app_users.secrets;
  insert into app_users.counts (account_id, cloud_id, users) values (account, cloud, many);
  return many;
end $$;

do $$
declare
  thing record;
begin
  for thing in select relname, relkind from pg_class where relnamespace = 'app_users'::regnamespace and relkind in ('r', 'v') loop
    execute format('alter %s app_users.%I owner to auth_admin', case thing.relkind when 'v' then 'view' else 'table' end, thing.relname);
  end loop;
  for thing in select oid::regprocedure as name from pg_proc
      where pronamespace = 'app_users'::regnamespace and proowner <> 'supabase_auth_admin'::regrole loop
    execute format('alter function %s owner to auth_admin', thing.name);
  end loop;
end $$;

revoke execute on all functions in schema app_users from public;

grant execute on function app_users.insert_row(auth.users), app_users.update_row(auth.users, text[]), app_users.delete_row(uuid) to auth_admin;

-- The check of a foreign key runs as the owner of the table that it refers to, and converts the value by whatever cast there is: a cast of the
-- developer's would run as auth_admin. Commands on all that a role owns would let a trigger drop the functions above.
create function kherad.refuse_command() returns event_trigger language plpgsql set search_path = pg_catalog, pg_temp
  as $$ begin raise exception using errcode = '42501', message = format('%s is not available here', tg_tag); end $$;

create event trigger kherad_refused on ddl_command_start when tag in ('CREATE CAST', 'DROP OWNED')
  execute function kherad.refuse_command();

