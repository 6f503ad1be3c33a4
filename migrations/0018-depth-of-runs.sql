-- How deep a run goes, chosen when it is accepted by what it may cost. What runs already goes as deep as it did.
alter table work.runs add column depth smallint not null default 1 check (depth between 1 and 9);
