-- Published websites: docs/decisions/0068-sites.md.
create schema sites;

create table sites.sites (
  account_id uuid not null,
  site_id uuid not null,
  project_id uuid not null,
  -- The app back-end it belongs to: it is deleted with it.
  cloud_id uuid,
  name text not null,
  slug text not null,
  -- The version that visitors get; null until the first is ready.
  live_version integer,
  newest_version integer not null default 0,
  -- Versions up to this one do not become live by themselves any more: a later one has, or somebody went back after they were accepted.
  settled_version integer not null default 0,
  -- Set by the operator: visitors get a notice, and nothing is published.
  taken_down_at timestamptz,
  taken_down_reason text,
  -- Limits of the operator for this site alone, by their names in the configuration.
  limits jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, site_id)
);
create index sites_of_project on sites.sites (account_id, project_id, site_id);
create index sites_of_cloud on sites.sites (account_id, cloud_id, site_id) where cloud_id is not null;

-- Every first label of the apps domain that is or was a site's. That of a deleted site is closed to other accounts for a time, so that
-- nobody inherits its visitors.
create table sites.slugs (
  slug text primary key,
  account_id uuid not null,
  -- Null once the site is deleted.
  site_id uuid,
  closed_until timestamptz,
  -- The operator had taken down what was deleted: nobody gets it back before that, its own account neither.
  taken_down boolean not null default false
);

-- Immutable once ready: a change is a new version.
create table sites.versions (
  account_id uuid not null,
  site_id uuid not null,
  version integer not null,
  status text not null check (status in ('publishing', 'ready', 'failed')),
  error_code text,
  -- How often its job began.
  attempts integer not null default 0,
  -- The bytes that were sent, in one blob, and which of them are which file, until the version is ready or has failed.
  pack_key text,
  pack_files jsonb,
  -- Navigation to a path that no file has is answered by index.html.
  spa boolean not null,
  -- As parsed from _redirects and _headers when it was published.
  redirects jsonb not null default '[]',
  headers jsonb not null default '[]',
  files integer not null,
  bytes bigint not null,
  -- The first label of a host that nobody guesses, on which this version is seen before and after it is live.
  preview text not null unique,
  created_at timestamptz not null,
  ready_at timestamptz,
  -- When it last became the live one, and when another took its place.
  live_at timestamptz,
  replaced_at timestamptz,
  -- When it is deleted, unless it is kept again before; null: it is live, or one of those that are kept.
  expires_at timestamptz,
  primary key (account_id, site_id, version),
  foreign key (account_id, site_id) references sites.sites on delete cascade
);

create index versions_to_delete on sites.versions (expires_at) where expires_at is not null;

-- Content by its hash, once in an account, with what was compressed of it when it was published.
create table sites.blobs (
  account_id uuid not null,
  sha256 bytea not null,
  bytes bigint not null,
  storage_key text not null,
  brotli_key text,
  brotli_bytes bigint,
  gzip_key text,
  gzip_bytes bigint,
  -- When a version that had it was deleted, or a publication last wanted it since; the sweep looks an hour later whether any version
  -- has it. Null: nobody gave it up.
  unused_since timestamptz,
  primary key (account_id, sha256)
);
create index blobs_to_look_at on sites.blobs (unused_since) where unused_since is not null;

create table sites.files (
  account_id uuid not null,
  site_id uuid not null,
  version integer not null,
  path text not null,
  media_type text not null,
  sha256 bytea not null,
  primary key (account_id, site_id, version, path),
  foreign key (account_id, site_id, version) references sites.versions on delete cascade,
  -- No sweep can delete what a version lists.
  foreign key (account_id, sha256) references sites.blobs
);
create index files_of_blob on sites.files (account_id, sha256);

-- Domains of their own. Any account may claim one; whoever proves it has it.
create table sites.domains (
  account_id uuid not null,
  site_id uuid not null,
  domain text not null,
  -- Stands in the TXT record; bound to account, site and domain.
  token text not null,
  state text not null check (state in ('pending', 'proven', 'lost')),
  proven_at timestamptz,
  checked_at timestamptz,
  -- Since when the record has not been found.
  missing_since timestamptz,
  next_check_at timestamptz not null,
  created_at timestamptz not null,
  primary key (account_id, site_id, domain),
  foreign key (account_id, site_id) references sites.sites on delete cascade
);
create unique index proven_domains on sites.domains (domain) where state = 'proven';
create index domains_to_check on sites.domains (next_check_at);

-- What visitors took in a day (UTC). Processes take allowance in portions, so that no cap is exceeded by however many of them.
create table sites.usage_days (
  account_id uuid not null,
  site_id uuid not null,
  day date not null,
  requests bigint not null default 0,
  bytes bigint not null default 0,
  primary key (account_id, site_id, day),
  foreign key (account_id, site_id) references sites.sites on delete cascade
);
