/**
 * Two parameters: the schemas that are open to the app, and how many bytes the answer has at most; it is null beyond. Run with
 * `search_path = pg_catalog`, so that types come with their schema. Version and the rest are of one snapshot.
 */
export const catalogueQuery = `with exposed as (select oid, nspname from pg_namespace where nspname = any($1::text[])),
tables as (select json_build_object(
    'id', c.oid::text, 'schema', n.nspname, 'name', c.relname, 'isView', c.relkind in ('v', 'm'),
    'description', left(obj_description(c.oid, 'pg_class'), 1000),
    'columns', (select coalesce(json_agg(json_build_object(
        'name', a.attname, 'number', a.attnum, 'type', format_type(a.atttypid, a.atttypmod), 'notNull', a.attnotnull,
        'hasDefault', a.atthasdef or a.attidentity <> '', 'isGenerated', a.attgenerated <> '' or a.attidentity = 'a',
        'description', left(col_description(c.oid, a.attnum), 1000))
      order by a.attnum), '[]') from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    'primaryKey', (select coalesce(json_agg(a.attname order by k.place), '[]') from pg_index i
      cross join unnest(i.indkey) with ordinality k(attnum, place)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
      where i.indrelid = c.oid and i.indisprimary),
    'definition', (select regexp_replace(r.ev_action::text, '\\{(?!TARGETENTRY)[A-Z_]+ [^{}]*\\}', '', 'g') from pg_rewrite r
      where r.ev_class = c.oid and r.ev_type = '1' and c.relkind in ('v', 'm') and octet_length(r.ev_action::text) < 500000)) as one
  from pg_class c join exposed n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'f')),
foreign_keys as (select f.conname, json_build_object(
    'name', f.conname, 'from', f.conrelid::text, 'to', f.confrelid::text,
    'columns', (select json_agg(a.attname order by k.place) from unnest(f.conkey) with ordinality k(attnum, place)
      join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum),
    'toColumns', (select json_agg(a.attname order by k.place) from unnest(f.confkey) with ordinality k(attnum, place)
      join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.attnum),
    'isUnique', exists (select from pg_index i where i.indrelid = f.conrelid and i.indisunique and i.indpred is null
      and i.indexprs is null and (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ f.conkey)) as one
  from pg_constraint f join pg_class c on c.oid = f.conrelid join exposed n on n.oid = c.relnamespace
  join pg_class d on d.oid = f.confrelid join exposed m on m.oid = d.relnamespace
  where f.contype = 'f' and f.conparentid = 0),
routines as (select json_build_object(
    'schema', n.nspname, 'name', p.proname, 'isReadOnly', p.provolatile <> 'v',
    'parameters', (select coalesce(json_agg(json_build_object('name', coalesce(k.name, ''), 'type', format_type(k.type, null),
        'hasDefault', k.place > p.pronargs - p.pronargdefaults, 'isVariadic', p.provariadic <> 0 and k.place = p.pronargs,
        'relation', (select nullif(t.typrelid, 0)::text from pg_type t where t.oid = k.type)) order by k.place), '[]')
      from (select a.type, a.name, row_number() over (order by a.nth) as place
        from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes) with ordinality a(type, name, mode, nth)
        where a.mode is null or a.mode in ('i', 'b', 'v')) k),
    'type', format_type(p.prorettype, null), 'isSet', p.proretset, 'isOneRow', not p.proretset or p.prorows = 1,
    'isVoid', p.prorettype = 'void'::regtype,
    'isScalar', t.typtype <> 'c' and p.prorettype <> 'record'::regtype, 'relation', nullif(t.typrelid, 0)::text) as one
  from pg_proc p join exposed n on n.oid = p.pronamespace join pg_type t on t.oid = p.prorettype
  where p.prokind = 'f' and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)),
types as (select t.typname, format_type(t.oid, null) as type, n.nspname = 'pg_catalog' as is_own
  from pg_type t join pg_namespace n on n.oid = t.typnamespace
  where t.typtype in ('b', 'e', 'd', 'r', 'm') and t.typelem = 0
    and (n.nspname in ('pg_catalog', 'extensions') or n.nspname = any($1::text[]))),
read as (select json_build_object(
  'version', (select version::text from kherad.schema_version),
  'tables', (select coalesce(json_agg(one), '[]') from tables),
  'foreignKeys', (select coalesce(json_agg(one order by conname), '[]') from foreign_keys),
  'routines', (select coalesce(json_agg(one), '[]') from routines),
  'types', (select json_object_agg(typname, type order by is_own) from types))::text as catalogue)
select case when octet_length(catalogue) <= $2::bigint then catalogue end as catalogue from read`
