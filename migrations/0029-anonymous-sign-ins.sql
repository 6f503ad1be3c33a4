-- Sign-in without an address is for the developer of an app to allow (docs/decisions/0076). Apps that have such users keep it.
alter table clouds.clouds add column anonymous_sign_ins boolean not null default false;
update clouds.clouds c set anonymous_sign_ins = true
  where exists (select from app_users.users u
    where u.account_id = c.account_id and u.cloud_id = c.cloud_id and u.is_anonymous);
create index anonymous_users on app_users.users (account_id, cloud_id) where is_anonymous;

-- An import is one transaction (docs/decisions/0072).
alter table clouds.clouds drop column importing_since;

-- For the operator, who names clouds of all accounts.
create index clouds_by_id on clouds.clouds (cloud_id);

-- For the job that deletes keys which are accepted no more.
create index ending_keys on clouds.keys (expires_at) where expires_at is not null;
create index ending_signing_keys on clouds.signing_keys (expires_at) where expires_at is not null;
