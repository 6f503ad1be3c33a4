/** Row-level security, privileges, and comments on objects; in this order, at the end of an export. */
import { withSchemas } from './objects.ts'
import { appRoles } from './parts.ts'

const rowSecurity = `select 1 as place, concat_ws(E'\\n', case when c.relrowsecurity then format('alter table %s enable row level security;', c.oid::regclass) end,
    case when c.relforcerowsecurity then format('alter table %s force row level security;', c.oid::regclass) end) as sql
  from pg_class c join s on s.oid = c.relnamespace where c.relkind in ('r', 'p') and (c.relrowsecurity or c.relforcerowsecurity)
    and (not s.is_ours or has_any_column_privilege(c.oid, 'select'))`

const grantee = `case when g.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(g.grantee)) end`
const privileges = `string_agg(lower(g.privilege_type), ', ' order by g.privilege_type)`
const further = `case when g.is_grantable then ' with grant option' else '' end`
/** Whoever loads the export owns everything in it, so an owner needs no grant. */
const isOfApp = `(g.grantee = 0 or pg_get_userbyid(g.grantee) in ${appRoles})`

const onSchemas = `select 2, format('grant %s on schema %I to %s%s;', ${privileges}, s.nspname, ${grantee}, ${further})
  from s join pg_namespace n on n.oid = s.oid cross join aclexplode(n.nspacl) g
  where ${isOfApp} group by s.nspname, g.grantee, g.is_grantable`

const onRelations = `select 3, format('grant %s on %s %s to %s%s;', ${privileges}, case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass, ${grantee}, ${further})
  from pg_class c join s on s.oid = c.relnamespace cross join aclexplode(c.relacl) g
  where not s.is_ours and c.relkind in ('r', 'p', 'v', 'm', 'S') and ${isOfApp} group by c.oid, c.relkind, g.grantee, g.is_grantable`

const onColumns = `select 4, format('grant %s (%I) on table %s to %s%s;', lower(g.privilege_type), a.attname, c.oid::regclass, ${grantee}, ${further})
  from pg_class c join s on s.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid cross join aclexplode(a.attacl) g
  where not s.is_ours and not a.attisdropped and ${isOfApp}`

const functionKind = `case p.prokind when 'p' then 'procedure' else 'function' end`

/** Everybody may call a function unless this is revoked. */
const notForAll = `select 5, format('revoke all on %s %s from public;', ${functionKind}, p.oid::regprocedure) from pg_proc p join s on s.oid = p.pronamespace
  where not s.is_ours and p.proacl is not null and not exists (select from aclexplode(p.proacl) g where g.grantee = 0)`

const onFunctions = `select 6, format('grant execute on %s %s to %s%s;', ${functionKind}, p.oid::regprocedure, ${grantee}, ${further})
  from pg_proc p join s on s.oid = p.pronamespace cross join aclexplode(p.proacl) g where not s.is_ours and ${isOfApp}`

const onTypes = `select 7, format('revoke all on type %s from public;', t.oid::regtype) from pg_type t join s on s.oid = t.typnamespace
  where not s.is_ours and t.typacl is not null and t.typtype in ('e', 'd', 'c', 'r') and not exists (select from aclexplode(t.typacl) g where g.grantee = 0)`

const comments = `select 8, format('comment on %s is %L;', case
      when d.classoid = 'pg_proc'::regclass then (select format('%s %s', ${functionKind}, p.oid::regprocedure) from pg_proc p where p.oid = d.objoid and p.prokind <> 'a')
      when d.classoid = 'pg_type'::regclass then format('type %s', d.objoid::regtype)
      when d.objsubid > 0 then (select format('column %s.%I', d.objoid::regclass, a.attname) from pg_attribute a where a.attrelid = d.objoid and a.attnum = d.objsubid)
      else (select format('%s %s', case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' when 'i' then 'index' else 'table' end, c.oid::regclass)
        from pg_class c where c.oid = d.objoid) end, d.description)
  from pg_description d left join pg_class c on d.classoid = 'pg_class'::regclass and c.oid = d.objoid
    left join pg_proc p on d.classoid = 'pg_proc'::regclass and p.oid = d.objoid left join pg_type t on d.classoid = 'pg_type'::regclass and t.oid = d.objoid
    join s on s.oid = coalesce(c.relnamespace, p.pronamespace, t.typnamespace)
  where not s.is_ours and (c.oid is null or c.relkind in ('r', 'p', 'v', 'm', 'S', 'i')) and (p.oid is null or p.prokind <> 'a')`

export const grants = withSchemas(
  `select sql from (${[rowSecurity, onSchemas, onRelations, onColumns, notForAll, onFunctions, onTypes, comments].join('\n  union all ')}) parts
  order by place, sql`,
)
