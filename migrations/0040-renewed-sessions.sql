-- The token of a session is replaced once its person has got another role (docs/decisions/account/people.md).
-- When role or projects last changed; null: not since this column exists.
alter table people.members add column changed_at timestamptz;
-- When the person last became an operator, or ceased to be one.
alter table people.people add column operator_changed_at timestamptz;

-- The browser that opened the session (the hash of its cookie), as far as it is known.
alter table people.sessions add column device_hash bytea check (length(device_hash) = 32);
-- When the token was last replaced; null: it is the first one.
alter table people.sessions add column renewed_at timestamptz;
-- The token before, which is valid for some seconds more, for requests that were on their way.
alter table people.sessions add column former_hash bytea unique check (length(former_hash) = 32);
alter table people.sessions add column former_until timestamptz;
alter table people.sessions add check ((former_hash is null) = (former_until is null));
