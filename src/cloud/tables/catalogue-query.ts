/**
 * The schema of a type's operators. Arrays, enums, ranges and rows have theirs in pg_catalog, whatever they are made of; a domain is compared as its
 * base type.
 */
const operatorsOf = (type: string): string => `(select case t.typtype
    when 'b' then case when t.typelem = 0 then n.nspname else 'pg_catalog' end
    when 'd' then (with recursive base as (select t.oid, 'd'::"char" as typtype, t.typbasetype as next, 0::oid as elem, 0::oid as namespace
        union all select u.oid, u.typtype, u.typbasetype, u.typelem, u.typnamespace from base b join pg_type u on u.oid = b.next)
      select case when b.typtype = 'b' and b.elem = 0 then m.nspname else 'pg_catalog' end
      from base b left join pg_namespace m on m.oid = b.namespace where b.typtype <> 'd')
    else 'pg_catalog' end
  from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.oid = ${type})`

/** The default of a column; that of an identity column is the next number of its sequence. */
const defaultOf = `case when a.attgenerated <> '' then null
  when a.attidentity <> '' then (select format('nextval(%L::regclass)', format('%I.%I', m.nspname, s.relname))
    from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S' join pg_namespace m on m.oid = s.relnamespace
    where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.deptype = 'i'
      and d.refobjid = a.attrelid and d.refobjsubid = a.attnum)
  else (select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d where d.adrelid = a.attrelid and d.adnum = a.attnum) end`

const columnsOf = (relation: string): string => `(select coalesce(json_agg(json_build_object(
    'name', a.attname, 'number', a.attnum, 'type', format_type(a.atttypid, a.atttypmod), 'operators', ${operatorsOf('a.atttypid')},
    'notNull', a.attnotnull, 'default', ${defaultOf}, 'isGenerated', a.attgenerated <> '' or a.attidentity = 'a',
    'description', left(col_description(a.attrelid, a.attnum), 1000))
  order by a.attnum), '[]') from pg_attribute a where a.attrelid = ${relation} and a.attnum > 0 and not a.attisdropped)`

const primaryKeyOf = (
  relation: string,
): string => `(select coalesce(json_agg(a.attname order by k.place), '[]') from pg_index i
  cross join unnest(i.indkey) with ordinality k(attnum, place)
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
  where i.indrelid = ${relation} and i.indisprimary)`

/** The definition of a view as PostgreSQL keeps it, without what has nothing to do with its columns; null for tables, and where it is very long. */
const definitionOf = `(select regexp_replace(r.ev_action::text, '\\{(?!TARGETENTRY)[A-Z_]+ [^{}]*\\}', '', 'g') from pg_rewrite r
  where r.ev_class = c.oid and r.ev_type = '1' and c.relkind in ('v', 'm') and octet_length(r.ev_action::text) < 500000)`

/**
 * Whether rows are written by PostgreSQL itself: those of tables are, and those of views that show one table plainly, for INSERT, UPDATE and DELETE
 * (8, 4, 16). INSTEAD OF triggers (64 in `tgtype`) and rules of the view would write in its place.
 */
const isUpdatable = `(c.relkind in ('r', 'p', 'f') or (c.relkind = 'v' and pg_relation_is_updatable(c.oid, false) = 28
    and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgtype & 64 <> 0)
    and not exists (select from pg_rewrite r where r.ev_class = c.oid and r.ev_type <> '1')))`

/**
 * Two parameters: the schemas that are open to the app, and the most bytes of the answer, which is null beyond them. Run with `search_path =
 * pg_catalog`, so that types come with their schema. Version and the rest are of one snapshot. `hidden`: what views of the open schemas read in other
 * schemas, through other views too; apps reach none of it, but the views have its relationships.
 */
export const catalogueQuery = `with recursive exposed as (select oid, nspname from pg_namespace where nspname = any($1::text[])),
shown as (select c.oid from pg_class c join exposed n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'f')
  union select d.refobjid from shown s join pg_rewrite r on r.ev_class = s.oid and r.ev_type = '1'
    join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid
      and d.refclassid = 'pg_class'::regclass and d.refobjid <> r.ev_class
    where d.refobjid >= 16384::oid),
tables as (select json_build_object(
    'id', c.oid::text, 'schema', n.nspname, 'name', c.relname, 'isView', c.relkind in ('v', 'm'),
    'description', left(obj_description(c.oid, 'pg_class'), 1000),
    'columns', ${columnsOf('c.oid')},
    'primaryKey', ${primaryKeyOf('c.oid')}, 'isUpdatable', ${isUpdatable},
    'definition', ${definitionOf}) as one
  from pg_class c join exposed n on n.oid = c.relnamespace where c.relkind in ('r', 'p', 'v', 'm', 'f')),
hidden as (select json_build_object(
    'id', c.oid::text, 'schema', n.nspname, 'name', c.relname, 'isView', c.relkind in ('v', 'm'),
    'columns', (select coalesce(json_agg(json_build_object('name', a.attname, 'number', a.attnum)), '[]') from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped),
    'primaryKey', ${primaryKeyOf('c.oid')}, 'isUpdatable', ${isUpdatable},
    'definition', ${definitionOf}) as one
  from shown s join pg_class c on c.oid = s.oid join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname <> all($1::text[])),
foreign_keys as (select f.conname, json_build_object(
    'name', f.conname, 'from', f.conrelid::text, 'to', f.confrelid::text,
    'columns', (select json_agg(a.attname order by k.place) from unnest(f.conkey) with ordinality k(attnum, place)
      join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum),
    'toColumns', (select json_agg(a.attname order by k.place) from unnest(f.confkey) with ordinality k(attnum, place)
      join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.attnum),
    'isUnique', exists (select from pg_index i where i.indrelid = f.conrelid and i.indisunique and i.indpred is null
      and i.indexprs is null and (i.indkey::int2[])[0:i.indnkeyatts - 1] <@ f.conkey)) as one
  from pg_constraint f join shown c on c.oid = f.conrelid join shown d on d.oid = f.confrelid
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
    'relation', nullif(t.typrelid, 0)::text,
    'columns', case when t.typrelid <> 0 then ${columnsOf('t.typrelid')} else (
      select json_agg(json_build_object('name', coalesce(nullif(k.name, ''), 'column' || k.place), 'type', format_type(k.type, null),
        'operators', ${operatorsOf('k.type')}, 'notNull', false, 'isGenerated', false) order by k.place)
      from (select a.type, a.name, row_number() over (order by a.nth) as place
        from unnest(p.proallargtypes, p.proargnames, p.proargmodes) with ordinality a(type, name, mode, nth)
        where a.mode in ('o', 'b', 't')) k) end) as one
  from pg_proc p join exposed n on n.oid = p.pronamespace join pg_type t on t.oid = p.prorettype
  where p.prokind = 'f' and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)),
types as (select t.typname, format_type(t.oid, null) as type, n.nspname = 'pg_catalog' as is_own
  from pg_type t join pg_namespace n on n.oid = t.typnamespace
  where t.typtype in ('b', 'e', 'd', 'r', 'm') and t.typelem = 0
    and (n.nspname in ('pg_catalog', 'extensions') or n.nspname = any($1::text[]))),
read as (select json_build_object(
  'version', (select version::text from kherad.schema_version),
  'tables', (select coalesce(json_agg(one), '[]') from tables),
  'hidden', (select coalesce(json_agg(one), '[]') from hidden),
  'foreignKeys', (select coalesce(json_agg(one order by conname), '[]') from foreign_keys),
  'routines', (select coalesce(json_agg(one), '[]') from routines),
  'types', (select json_object_agg(typname, type order by is_own) from types))::text as catalogue)
select case when octet_length(catalogue) <= $2::bigint then catalogue end as catalogue from read`
