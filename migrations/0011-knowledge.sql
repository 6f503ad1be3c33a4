-- Stored files, and knowledge projects with their sources and passages.
create schema storage;
create schema files;
create schema knowledge;

-- Keys of the storage whose bytes no row owns: those written whose row is not there yet, and those whose row was deleted.
create table storage.strays (
  key text primary key,
  -- From then on the bytes may be deleted.
  due_at timestamptz not null,
  -- Its bytes are being deleted: nobody may adopt them any more.
  doomed boolean not null default false
);
create index strays_due on storage.strays (due_at);

create table files.files (
  account_id uuid not null,
  file_id uuid not null,
  project_id uuid not null,
  key_id uuid,
  name text,
  media_type text not null,
  bytes bigint not null,
  -- In hexadecimal digits; also its ETag.
  sha256 text not null,
  -- What made it, such as `upload`.
  source text not null,
  created_at timestamptz not null,
  primary key (account_id, file_id)
);
create index files_list on files.files (account_id, project_id, file_id desc);

-- What a project stores: its row is locked by whoever changes it, so that the quota holds.
create table files.usage (
  account_id uuid not null,
  project_id uuid not null,
  files bigint not null,
  bytes bigint not null,
  primary key (account_id, project_id),
  check (files >= 0 and bytes >= 0)
) with (fillfactor = 50);

create table knowledge.projects (
  account_id uuid not null,
  knowledge_id uuid not null,
  project_id uuid not null,
  name text not null,
  instructions text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, knowledge_id)
);
create index projects_list on knowledge.projects (account_id, project_id, knowledge_id desc);

create table knowledge.sources (
  account_id uuid not null,
  knowledge_id uuid not null,
  source_id uuid not null,
  kind text not null check (kind in ('text', 'pdf', 'docx', 'url')),
  title text,
  url text,
  state text not null default 'queued' check (state in ('queued', 'ready', 'failed')),
  -- Why it failed: a word of the program.
  problem text,
  -- How often it was begun to be read.
  attempts int not null default 0,
  -- Of what was given; a page by its address has none.
  bytes bigint,
  characters int,
  words int,
  passages int,
  -- The text goes on beyond what a source may have.
  cut boolean not null default false,
  created_at timestamptz not null,
  indexed_at timestamptz,
  -- That added it, or last asked for its vectors: it pays for them.
  key_id uuid not null,
  -- Whether its passages are found by meaning too; null: nobody asked for that.
  vectors text check (vectors in ('queued', 'ready', 'partial', 'failed')),
  -- Of the configuration, which makes or made them: vectors of two models do not compare.
  vectors_model text,
  -- Why they are not whole: a word of the program.
  vectors_problem text,
  -- Calls in a row that came to nothing.
  vectors_tries int not null default 0,
  primary key (account_id, knowledge_id, source_id),
  foreign key (account_id, knowledge_id) references knowledge.projects on delete cascade
);

create table knowledge.passages (
  account_id uuid not null,
  knowledge_id uuid not null,
  source_id uuid not null,
  position int not null,
  heading text,
  text text not null,
  -- Words of it, for its length in the ranking.
  words int not null,
  -- Normalised words with their places (engine/retrieval), and one that names the knowledge project: an index without the extension
  -- btree_gin then finds the words of this project alone.
  terms tsvector not null,
  primary key (account_id, knowledge_id, source_id, position),
  foreign key (account_id, knowledge_id, source_id) references knowledge.sources on delete cascade
);
create index passages_terms on knowledge.passages using gin (terms);

-- Passages of a source that stand one behind the other, and what one paid call makes of them. A begun row is the journal of its call.
create table knowledge.vectors (
  account_id uuid not null,
  knowledge_id uuid not null,
  source_id uuid not null,
  -- Of the first passage.
  position int not null,
  passages int not null check (passages > 0),
  model text not null,
  -- Chosen before the call begins; its receipt bears it.
  effect_id uuid not null,
  -- `lost`: the call was made, and nobody knows with what result. It is never made again by itself.
  state text not null default 'begun' check (state in ('begun', 'stored', 'lost')),
  dimensions int,
  -- 32-bit floats, the lowest byte first, one vector behind the other.
  vectors bytea,
  primary key (account_id, knowledge_id, source_id, position),
  foreign key (account_id, knowledge_id, source_id) references knowledge.sources on delete cascade,
  check ((state = 'stored') = (vectors is not null)),
  check (vectors is null or length(vectors) = 4 * dimensions * passages)
);
-- Floats cannot be compressed, and to try takes time.
alter table knowledge.vectors alter column vectors set storage external;
