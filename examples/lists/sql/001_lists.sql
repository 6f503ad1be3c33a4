-- Who uses the app. Written by a trigger, so that whoever signs up is there at once.
create table profiles (
  id uuid primary key references auth.users on delete cascade,
  email text not null
);

create function new_profile() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  insert into public.profiles (id, email) values (new.id, new.email);
  return new;
end
$$;

create trigger new_user after insert on auth.users for each row execute function new_profile();

create table lists (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null default auth.uid() references profiles on delete cascade,
  title text not null check (char_length(title) between 1 and 200),
  created_at timestamptz not null default now()
);

-- Who else works on a list.
create table members (
  list_id uuid not null references lists on delete cascade,
  user_id uuid not null references profiles on delete cascade,
  primary key (list_id, user_id)
);
create index on members (user_id);

create table items (
  id uuid primary key default gen_random_uuid(),
  list_id uuid not null references lists on delete cascade,
  title text not null check (char_length(title) between 1 and 200),
  done boolean not null default false,
  -- In the bucket of pictures.
  picture text,
  created_at timestamptz not null default now()
);
create index on items (list_id);

-- The policies ask these. They see all members, whoever asks: a policy of members that reads members would not end.
create function is_owner(list uuid) returns boolean language sql stable security definer set search_path = '' as $$
  select exists (select from public.lists l where l.id = list and l.owner_id = auth.uid())
$$;

create function is_member(list uuid) returns boolean language sql stable security definer set search_path = '' as $$
  select exists (select from public.members m where m.list_id = list and m.user_id = auth.uid())
$$;

alter table profiles enable row level security;
alter table lists enable row level security;
alter table members enable row level security;
alter table items enable row level security;

create policy "everybody sees herself" on profiles for select to authenticated using (id = auth.uid());
create policy "owners see who works with them" on profiles for select to authenticated
  using (exists (select from members m where m.user_id = profiles.id and is_owner(m.list_id)));

create policy "a list is its owner's" on lists for all to authenticated
  using (owner_id = auth.uid()) with check (owner_id = auth.uid());
create policy "members read it" on lists for select to authenticated using (is_member(id));

create policy "owners choose members" on members for all to authenticated
  using (is_owner(list_id)) with check (is_owner(list_id));
create policy "members see themselves, and leave" on members for select to authenticated using (user_id = auth.uid());
create policy "members leave" on members for delete to authenticated using (user_id = auth.uid());

create policy "owners and members write items" on items for all to authenticated
  using (is_owner(list_id) or is_member(list_id)) with check (is_owner(list_id) or is_member(list_id));

-- By address. Of who uses the app, owners learn only whether somebody has it. True: she works on the list now.
create function share_list(list uuid, address text) returns boolean language plpgsql security definer set search_path = '' as $$
declare
  person uuid;
begin
  if not public.is_owner(list) then
    raise exception 'این فهرست از آنِ شما نیست.' using errcode = '42501';
  end if;
  select id into person from public.profiles where email = lower(trim(address));
  if person is null then
    return false;
  end if;
  insert into public.members (list_id, user_id) values (list, person) on conflict do nothing;
  return true;
end
$$;
