/**
 * Queries on the catalogue of a cloud's database. Every name and operator in them is qualified, since the app may have its own; the exceptions say
 * so.
 */
import { ourSchemas } from '#cloud/databases'

export interface TypeRow {
  name: string
  /** The type of the elements; 0 where the type is no array. */
  element: number
  delimiter: string
}

/** The names of types. $1: the types, $2: their modifiers; in the same order. */
export const typesText = `select pg_catalog.format_type(f.type, f.modifier) as name,
  case when t.typcategory operator(pg_catalog.=) 'A' then t.typelem::pg_catalog.int8::pg_catalog.int4 else 0 end as element,
  coalesce(t.typdelim::pg_catalog.text, ',') as delimiter
from rows from (pg_catalog.unnest($1::pg_catalog.oid[]), pg_catalog.unnest($2::pg_catalog.int4[])) with ordinality
  as f(type, modifier, place)
left join pg_catalog.pg_type t on t.oid operator(pg_catalog.=) f.type
order by f.place`

/** This query and `functionsText` run with search_path = pg_catalog alone, and call nothing that the app has made. */
export const tablesText = `select json_build_object(
  'schema', t.nspname, 'name', t.relname,
  'kind', case t.relkind when 'r' then 'table' when 'p' then 'partitioned_table' when 'v' then 'view'
    when 'm' then 'materialized_view' else 'foreign_table' end,
  'row_security', t.relrowsecurity,
  'row_estimate', case when t.reltuples < 0 then null else t.reltuples::bigint end,
  'bytes', case when t.relkind in ('r', 'm') then pg_total_relation_size(t.oid) else 0 end,
  'columns', coalesce((
    select json_agg(json_build_object(
      'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'nullable', not a.attnotnull,
      'default', case when a.attgenerated = '' then left(pg_get_expr(d.adbin, d.adrelid), 1000) end,
      'generated', case when a.attidentity <> '' then 'identity' when a.attgenerated <> '' then 'stored' end
    ) order by a.attnum)
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped), '[]'::json),
  'keys', coalesce((
    select json_agg(json_build_object(
      'name', k.conname,
      'kind', case k.contype when 'p' then 'primary' when 'u' then 'unique' else 'foreign' end,
      'columns', array(select a.attname from unnest(k.conkey) with ordinality as c(number, place)
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = c.number order by c.place),
      'references', case when k.contype = 'f' then (
        select json_build_object('schema', fn.nspname, 'table', f.relname, 'columns',
          array(select a.attname from unnest(k.confkey) with ordinality as c(number, place)
            join pg_attribute a on a.attrelid = k.confrelid and a.attnum = c.number order by c.place))
        from pg_class f join pg_namespace fn on fn.oid = f.relnamespace where f.oid = k.confrelid) end
    ) order by k.contype = 'p' desc, k.conname)
    from (select * from pg_constraint where conrelid = t.oid and contype in ('p', 'u', 'f') limit 100) k), '[]'::json),
  'policies', coalesce((
    select json_agg(json_build_object(
      'name', p.polname,
      'command', case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
      'permissive', p.polpermissive,
      'roles', case when p.polroles = array[0::oid] then array['public'::name]
        else array(select r.rolname from pg_roles r where r.oid = any(p.polroles) order by r.rolname) end,
      'using', left(pg_get_expr(p.polqual, p.polrelid), 4000),
      'check', left(pg_get_expr(p.polwithcheck, p.polrelid), 4000)
    ) order by p.polname)
    from (select * from pg_policy where polrelid = t.oid limit 100) p), '[]'::json)
)::text
from (
  select c.oid, n.nspname, c.relname, c.relkind, c.relrowsecurity, c.reltuples
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_' and n.nspname not in (${ourSchemas.all})
  order by n.nspname, c.relname
) t`

export const functionsText = `select json_build_object(
  'schema', t.nspname, 'name', t.proname,
  'kind', case t.prokind when 'p' then 'procedure' when 'a' then 'aggregate' when 'w' then 'window' else 'function' end,
  'arguments', left(pg_get_function_arguments(t.oid), 1000),
  'returns', left(pg_get_function_result(t.oid), 1000),
  'language', t.lanname, 'security_definer', t.prosecdef
)::text
from (
  select p.oid, n.nspname, p.proname, p.prokind, p.prosecdef, l.lanname
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang
  where n.nspname !~ '^pg_' and n.nspname not in (${ourSchemas.all})
  order by n.nspname, p.proname, p.oid
) t`

export const sizeText =
  'select pg_catalog.pg_database_size(pg_catalog.current_database())::pg_catalog.text as bytes'
