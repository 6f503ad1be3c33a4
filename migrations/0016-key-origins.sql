-- Origins of pages that may use a key from a browser; null: the key knows nothing of browsers.
alter table auth.keys add column origins text[] check (cardinality(origins) between 1 and 50);
