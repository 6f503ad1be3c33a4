-- What a key's calls of /v1/responses may write where they name no limit; null: what the server's configuration says.
alter table auth.keys add column responses_max_output_tokens integer check (responses_max_output_tokens between 1 and 32768);
