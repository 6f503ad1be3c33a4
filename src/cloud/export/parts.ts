/** The parts of an export beside objects with definitions: roles, schemas, extensions, rows, and the values of sequences. */
import { isVisible, withSchemas } from './objects.ts'

/** The roles that grants and policies of apps name. */
export const appRoles = `('anon', 'authenticated', 'service_role')`

export const roles = `select format('do $role$ begin create role %I nologin%s; exception when duplicate_object then null; end $role$;', rolname,
    case when rolbypassrls then ' bypassrls' else '' end) as sql
  from pg_roles r where rolname in ${appRoles} or r.oid in (select unnest(polroles) from pg_policy) order by rolname`

export const schemas = withSchemas(
  `select format('create schema if not exists %I;', nspname) as sql from s where nspname <> 'public' order by nspname`,
)

export const extensions = `select 'create schema if not exists extensions;' as sql
  union all (select format('create extension if not exists %I with schema extensions;', extname) from pg_extension where extname <> 'plpgsql' order by 1)`

/** Rows of (name, columns) without generated columns, which are computed again. */
export const tablesToCopy = withSchemas(
  `select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
  from pg_class c join s on s.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
  where c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and ${isVisible}
  group by c.oid order by bool_or(s.is_ours) desc, 1`,
)

/** Owned sequences belong to their columns; all sequences go on from their present values. */
export const sequenceValues = withSchemas(
  `select concat_ws(E'\\n', case when o.deptype = 'a' then format('alter sequence %s owned by %s.%I;', c.oid::regclass, o.refobjid::regclass, a.attname) end,
      format('select pg_catalog.setval(%L, %s);', c.oid::regclass::text, v.value)) as sql
  from pg_class c join s on s.oid = c.relnamespace
    left join pg_depend o on o.classid = 'pg_class'::regclass and o.objid = c.oid and o.refclassid = 'pg_class'::regclass and o.refobjsubid > 0 and o.deptype in ('a', 'i')
    left join pg_attribute a on a.attrelid = o.refobjid and a.attnum = o.refobjsubid
    cross join lateral (select pg_sequence_last_value(c.oid) as value) v
  where c.relkind = 'S' and not s.is_ours and (v.value is not null or o.deptype = 'a') order by c.oid::regclass::text`,
)

/** The names of objects that are not exported, of kinds that few apps make. */
export const unsupportedObjects = withSchemas(
  `select 'operator ' || o.oid::regoperator as name from pg_operator o join s on s.oid = o.oprnamespace
  union all select format('operator class %I.%I', s.nspname, c.opcname) from pg_opclass c join s on s.oid = c.opcnamespace
  union all select format('collation %I.%I', s.nspname, c.collname) from pg_collation c join s on s.oid = c.collnamespace
  union all select format('text search configuration %I.%I', s.nspname, c.cfgname) from pg_ts_config c join s on s.oid = c.cfgnamespace
  union all select format('text search dictionary %I.%I', s.nspname, d.dictname) from pg_ts_dict d join s on s.oid = d.dictnamespace
  union all select format('conversion %I.%I', s.nspname, c.conname) from pg_conversion c join s on s.oid = c.connamespace
  union all select format('cast from %s to %s', castsource::regtype, casttarget::regtype) from pg_cast c where oid >= 16384
    and not exists (select from pg_depend d where d.classid = 'pg_cast'::regclass and d.objid = c.oid and d.deptype = 'i')
  union all select format('publication %I', pubname) from pg_publication
  union all select format('%s large objects', count(*)) from pg_largeobject_metadata having count(*) > 0`,
)
