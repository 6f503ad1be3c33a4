-- What the sealing key of this database must be able to open: tried by every start, by readiness and by `kherad doctor`.
alter table secrets.seal add column proof text;

-- By which a folder of stored files knows the database that its files belong to.
create table storage.identity (
  one boolean primary key default true check (one),
  store_id uuid not null
);
insert into storage.identity (store_id) values (gen_random_uuid());
