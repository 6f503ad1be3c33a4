-- The stored files that a run was given, as they were when it was accepted: [{ id, name, mediaType, bytes }]. They may be deleted since.
alter table work.runs add column files json not null default '[]';
