-- Realtime calls: transcription sessions, knowledge of agents, and words and sound that are kept.
alter table realtime.calls
  drop constraint calls_engine_check,
  add constraint calls_engine_check check (engine in ('pipeline', 'relay', 'passthrough', 'transcription')),
  -- The client secret that began it, SHA-256; null where a key did.
  add column secret_hash bytea,
  -- Its words and its sound are kept.
  add column store boolean not null default false,
  -- What became of its sound; null where it is not kept.
  add column sound text check (sound in ('recording', 'stored', 'lost'));
create index calls_over on realtime.calls (ended_at) where ended_at is not null;
create index calls_recorded on realtime.calls (process_id) where sound = 'recording';

alter table realtime.steps
  drop constraint steps_kind_check,
  add constraint steps_kind_check check (kind in ('transcription', 'text', 'speech', 'response', 'seconds', 'embedding'));

alter table realtime.client_secrets
  -- The agent that answers in its calls.
  add column agent_id uuid,
  add column store boolean not null default false;
