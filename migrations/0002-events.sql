-- The outbox: what happened, written in the transaction in which it happened, told later.
create schema events;

create table events.outbox (
  account_id uuid not null,
  event_id uuid not null default gen_random_uuid(),
  project_id uuid,
  type text not null,
  data jsonb not null,
  -- What may happen once only (a threshold in a period) names itself here.
  once_key text,
  created_at timestamptz not null default now(),
  primary key (account_id, event_id)
);
create unique index outbox_once on events.outbox (account_id, once_key) where once_key is not null;
