-- Pictures of items: private, below a folder of their list.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
  values ('pictures', 'pictures', false, 5242880, array['image/png', 'image/jpeg', 'image/webp']);

create function list_of_picture(name text) returns uuid language sql immutable set search_path = '' as $$
  select case when name ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/' then split_part(name, '/', 1)::uuid end
$$;

create policy "pictures belong to their list" on storage.objects for all to authenticated
  using (bucket_id = 'pictures' and (is_owner(list_of_picture(name)) or is_member(list_of_picture(name))))
  with check (bucket_id = 'pictures' and (is_owner(list_of_picture(name)) or is_member(list_of_picture(name))));
