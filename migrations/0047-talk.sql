-- Talk: what people write to models and what these answer (docs/decisions/work/talk.md). Every row is private to its person.
create schema talk;

create table talk.conversations (
  account_id uuid not null,
  -- Chosen by the client.
  conversation_id uuid not null,
  project_id uuid not null,
  person_id uuid not null,
  -- Null: the first words of the first message stand for it.
  title text check (length(title) between 1 and 120),
  first_words text not null check (length(first_words) <= 80),
  -- The model of the next message.
  model text not null,
  -- The last message of the path that is shown.
  leaf_id uuid not null,
  -- How many messages it has, in all branches, and the sum of what they cost.
  messages integer not null,
  microcredits bigint not null default 0,
  pinned_at timestamptz,
  archived_at timestamptz,
  created_at timestamptz not null,
  -- When its last message was added.
  updated_at timestamptz not null,
  primary key (account_id, conversation_id)
);
create index conversations_list on talk.conversations
  (account_id, person_id, project_id, (archived_at is not null), (pinned_at is not null), updated_at, conversation_id);
create index conversations_of_person on talk.conversations (person_id);

create table talk.messages (
  account_id uuid not null,
  -- Of messages of the person, and of answers that they ask for anew, chosen by the client: the same id again is the same message.
  message_id uuid not null,
  conversation_id uuid not null,
  -- Null: it begins the conversation. A message never changes its place.
  parent_id uuid,
  -- The parent, or the conversation itself; messages with the same one are siblings.
  branch_id uuid not null generated always as (coalesce(parent_id, conversation_id)) stored,
  -- One more than that of the parent, so that every walk from message to parent ends.
  depth integer not null check (depth >= 0 and (depth = 0) = (parent_id is null)),
  role text not null check (role in ('user', 'assistant')),
  state text not null check (state in ('streaming', 'complete', 'stopped', 'failed')),
  -- What an answer was asked of; null in messages of the person.
  model text,
  -- The hosted tools that the person switched on.
  hosted text[] not null default '{}',
  reasoning_effort text,
  -- SHA-256 of the request that made it, by which a repeat is told from another request with the same id; null for answers that the server names.
  fingerprint bytea,
  receipt_id uuid,
  -- Null until it is settled.
  microcredits bigint,
  error_code text,
  -- The process that writes the answer; null once it has ended.
  process_id uuid,
  -- Whether its text can be found.
  is_indexed boolean not null default false,
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (account_id, message_id),
  foreign key (account_id, conversation_id) references talk.conversations on delete cascade,
  check ((state = 'streaming') = (ended_at is null)),
  check ((process_id is not null) = (state = 'streaming'))
);
create index messages_branches on talk.messages (account_id, branch_id, created_at, message_id);
create index messages_of_conversation on talk.messages (account_id, conversation_id, message_id);
create index messages_streaming on talk.messages (process_id) where process_id is not null;
create index messages_unindexed on talk.messages (ended_at) where not is_indexed and ended_at is not null;

-- What a message consists of, in no vendor's form.
create table talk.parts (
  account_id uuid not null,
  message_id uuid not null,
  ordinal integer not null,
  kind text not null check (kind in ('text', 'reasoning', 'tool_call', 'tool_result', 'image', 'file', 'source', 'notice')),
  body text,
  -- How many characters (code points) the body has, from which the next piece of a streamed text follows.
  characters integer not null default 0,
  file_id uuid,
  detail jsonb,
  primary key (account_id, message_id, ordinal),
  foreign key (account_id, message_id) references talk.messages on delete cascade
);
create index parts_files on talk.parts (account_id, file_id) where file_id is not null;

-- The words by which conversations are found: of a message, or of a title (then `source_id` is the conversation). Each word begins with a mark of the
-- person, so that the index reads what one person has written and nothing of others. The words lie apart from their rows, because a search reads the rows
-- of everything that it finds, and the words only through the index.
create table talk.words (
  account_id uuid not null,
  source_id uuid not null,
  is_title boolean not null,
  conversation_id uuid not null,
  -- Of the message, or of the conversation.
  created_at timestamptz not null,
  terms tsvector not null,
  primary key (account_id, source_id, is_title),
  foreign key (account_id, conversation_id) references talk.conversations on delete cascade
) with (toast_tuple_target = 128);
create index words_of_conversation on talk.words (account_id, conversation_id, created_at);
create index words_terms on talk.words using gin (terms);
