-- Phone numbers of people, to which codes are sent to sign in, and the messages to them: docs/decisions/account/phones.md.
-- Codes sent to a number stand in people.codes as mailed ones do, with the number in the column email.

-- A number belongs to one person, and a person has at most one. It stands here once a code has proven it.
create table people.phones (
  number text primary key check (number ~ '^\+[1-9][0-9]{6,14}$'),
  person_id uuid not null unique references people.people,
  proven_at timestamptz not null
);

-- Messages to phones. Each costs money, so one is sent at most once: it is recorded as begun before the gateway is asked, and what was begun by a process
-- that has died is never sent again.
create table people.text_messages (
  message_id uuid primary key,
  person_id uuid references people.people,
  number text not null,
  -- code: a code; changed: to a number that was changed or removed.
  kind text not null check (kind in ('code', 'changed')),
  -- The code, sealed; null for a message without one, and for one that has ended.
  code_sealed text,
  state text not null check (state in ('queued', 'begun', 'sent', 'refused', 'unknown', 'expired')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index text_messages_of_person on people.text_messages (person_id) where person_id is not null;
create index text_messages_of_number on people.text_messages (number, created_at);
create index old_text_messages on people.text_messages (created_at);

-- How many messages a day (UTC) had, and how many of them went to numbers that nobody had proven yet.
create table people.text_message_days (
  day date primary key,
  messages integer not null,
  new_numbers integer not null
);
