-- Which installation this database is, and where it was last: a copy of it beside the original is told by that from one that was moved
-- (docs/decisions/0093-installations.md). One row, written by the start.
create table platform.installation (
  is_only boolean     primary key default true check (is_only),
  id      uuid        not null,
  -- {"kind": "folder", …} of an embedded database, {"kind": "server", …} of one that DATABASE_URL names.
  place   jsonb       not null,
  -- What it was copied from, while nobody has adopted it: {"id": …, "place": …}.
  copy    jsonb,
  seen_at timestamptz not null default now()
);
