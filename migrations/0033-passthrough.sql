-- Realtime calls whose sound runs between the caller and an upstream.
alter table realtime.calls
  -- The call at its upstream, and the provider that has it; null where there is none, or once it was hung up there.
  add column upstream_call text check (length(upstream_call) between 1 and 200),
  add column upstream_provider text,
  add constraint calls_upstream_check check ((upstream_call is null) = (upstream_provider is null));
alter table realtime.steps
  -- Opened before its upstream begins by itself, which it has not done as far as is known: then it costs nothing.
  add column ahead boolean not null default false;
create index calls_not_hung_up on realtime.calls (ended_at) where upstream_call is not null;
