-- What the sender of a file said that it is for, as OpenAI's clients do; null: nothing was said.
alter table files.files add column purpose text;
