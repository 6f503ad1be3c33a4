-- The place of a settlement in the order in which the account's settlements are written. Whoever writes one has locked the account, so that a
-- settlement which is committed later has a higher position: whoever has read up to a position has missed none below it. A settlement that is
-- corrected takes a new position. docs/decisions/account/requests.md
create sequence ledger.positions;
alter table ledger.settlements add column position bigint not null default nextval('ledger.positions');
alter sequence ledger.positions owned by ledger.settlements.position;

-- Both indexes are partial, so that only the primary key fits the lookup of a receipt: a call's plan, made while the table was small, would keep one
-- of them and read all of the account's settlements. A statement that shall use one names its condition, which is always true.
create unique index settlements_position on ledger.settlements (account_id, position) where position > 0;
-- The calls of an account in the order of their beginning, where the list of one project had it before. Ascending, so that new calls fill its last page.
create index settlements_began on ledger.settlements (account_id, created_at, receipt_id) where position > 0;
drop index ledger.settlements_time;

create function ledger.move_settlement() returns trigger language plpgsql as $$
begin
  new.position := nextval('ledger.positions');
  return new;
end $$;
create trigger moved before update on ledger.settlements for each row execute function ledger.move_settlement();

-- Finds the requests of an account by several values at once. It is written a while after the settlements, so that a call pays nothing for it; what
-- is not in it yet is read from the settlements.
create schema requests;

-- How many settlements of an account have been counted since its last segment.
create table requests.progress (
  account_id uuid primary key,
  counted_to bigint not null,
  waiting bigint not null
);

-- A number of consecutive settlements, by their positions. The slots of a segment are its requests in the order of their beginning.
create table requests.segments (
  account_id uuid not null,
  last_position bigint not null,
  began_first timestamptz not null,
  began_last timestamptz not null,
  -- When every 64th of them began.
  began_at timestamptz[] not null,
  -- The ids of all slots, 16 bytes each.
  receipts bytea not null,
  -- Where the portions of its charges begin, and the highest: 8 bytes each.
  charges bytea not null,
  primary key (account_id, last_position)
);
-- One id is read without the others.
alter table requests.segments alter column receipts set storage external;
alter table requests.segments alter column charges set storage main;

-- The slots that have a value; the values of a bucket are stored together (src/account/requests/search/postings.ts).
create table requests.postings (
  account_id uuid not null,
  bucket smallint not null,
  last_position bigint not null,
  terms bytea not null,
  primary key (account_id, bucket, last_position)
);

-- The slots by charge, in portions (src/account/requests/search/charges.ts).
create table requests.charges (
  account_id uuid not null,
  last_position bigint not null,
  nth smallint not null,
  -- The slots of the portions before this one; it is read only with ranges of several portions.
  before bytea not null,
  entries bytea not null,
  primary key (account_id, last_position, nth)
);
alter table requests.postings set (toast_tuple_target = 8160);
alter table requests.charges set (toast_tuple_target = 8160);
alter table requests.charges alter column before set storage main;
alter table requests.charges alter column entries set storage main;
