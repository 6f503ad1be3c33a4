-- Jobs that make videos: docs/decisions/0062-video-jobs.md.
create schema videos;

create table videos.jobs (
  account_id uuid not null,
  job_id uuid not null,
  project_id uuid not null,
  key_id uuid not null,
  -- Of the request that ordered it; its hold is open until the job ends.
  receipt_id uuid not null,
  -- Ours and opaque: it survives failover and hides the ids of upstreams.
  provider_job_id text not null,
  endpoint text not null,
  -- As it was ordered; `answered_model` took the order.
  model text not null,
  answered_model text,
  -- Null once the job has ended, and so are the reference pictures once they are not needed any more.
  prompt text,
  settings json not null,
  pictures json not null default '[]',
  keep_days integer not null,
  callback_url text,
  held bigint not null,
  status text not null check (status in ('queued', 'submitting', 'submitted', 'processing', 'fetching', 'completed', 'failed')),
  -- The process that submits it, and how often one has begun to.
  owner uuid,
  takes smallint not null default 0,
  -- How often every upstream was too busy to take it.
  rounds smallint not null default 0,
  -- Until then it is not begun again.
  wait_until timestamptz,
  attempts json not null default '[]',
  -- Written before the upstream is called: from then on an order may exist.
  deployment text,
  provider text,
  upstream_model text,
  -- What the upstream may bill for it, in micro-credits.
  ordered bigint,
  -- SHA-256 of the token in the address of the vendor's webhook.
  hook_hash bytea,
  -- The vendor's id of the job; `claimed_ticket` was named by a webhook and is not confirmed.
  ticket text,
  claimed_ticket text,
  -- The answer to the order was lost: until then its webhook may tell which job it is.
  ambiguous_until timestamptz,
  progress real,
  queue_position integer,
  looks integer not null default 0,
  -- Looks in a row at which the vendor knew no such job.
  missing smallint not null default 0,
  missing_since timestamptz,
  cost_usd double precision,
  fetches smallint not null default 0,
  -- When the poller looks at it again.
  next_at timestamptz not null,
  error_code text,
  charged bigint,
  file_id uuid,
  width integer,
  height integer,
  seconds double precision,
  bytes bigint,
  has_audio boolean,
  created_at timestamptz not null,
  submitted_at timestamptz,
  ended_at timestamptz,
  -- Of the file.
  expires_at timestamptz,
  primary key (account_id, job_id),
  check ((ended_at is null) = (status not in ('completed', 'failed'))),
  check ((status = 'completed') <= (file_id is not null))
);
-- Webhooks of vendors name the job alone.
create unique index jobs_id on videos.jobs (job_id);
create index jobs_due on videos.jobs (next_at) where ended_at is null;
create index jobs_open on videos.jobs (account_id, project_id, job_id) where ended_at is null;
create index jobs_ended on videos.jobs (ended_at) where ended_at is not null;

-- Room for what outlives its process is bound to its hold alone.
alter table files.reservations alter column process_id drop not null;
