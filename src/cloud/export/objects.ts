/**
 * The objects of a database beside its rows, as statements that make them again. Each kind lists its objects and defines some of them; all queries
 * run with `search_path = pg_catalog`, so that names are written with their schemas and no operator or function of the app is called.
 */
import { ourSchemas } from '#cloud/databases'

/**
 * Schemas that are exported. Of schemas whose content is ours, what the reader may see is exported, and what exists in the target already is left
 * alone.
 */
const schemas = `select n.oid, n.nspname, n.nspname in (${ourSchemas.shown}) as is_ours from pg_namespace n
  where n.nspname !~ '^pg_' and n.nspname not in (${ourSchemas.hidden})`

/** Leaves out objects of extensions, which come with them. */
const notOfExtension = (catalogue: string, oid: string): string =>
  `not exists (select from pg_depend e where e.classid = '${catalogue}'::regclass and e.objid = ${oid} and e.deptype = 'e')`

const name = (schema: string, object: string): string => `format('%I.%I', ${schema}, ${object})`

export interface ObjectKind {
  /** The catalogue's name in pg_depend. */
  catalogue: string
  /** Rows of (oid, name, is_ours), where s are the exported schemas. */
  list: string
  /** Rows of (oid, sql) for the oids in $1. */
  define: string
}

/** Tables with columns of which the reader may see some, and all tables of the app. */
const tables = `select c.oid, ${name('s.nspname', 'c.relname')} as name, s.is_ours from pg_class c join s on s.oid = c.relnamespace
  where c.relkind in ('r', 'p') and ${notOfExtension('pg_class', 'c.oid')}
    and (not s.is_ours or has_any_column_privilege(c.oid, 'select'))`

export const isVisible = `(not s.is_ours or has_column_privilege(a.attrelid, a.attnum, 'select'))`

const identity = `format(' generated %s as identity (sequence name %s start %s increment %s minvalue %s maxvalue %s cache %s%s)',
  case a.attidentity when 'a' then 'always' else 'by default' end, i.seqrelid::regclass, i.seqstart, i.seqincrement, i.seqmin, i.seqmax,
  i.seqcache, case when i.seqcycle then ' cycle' else '' end)`

const collation = (oid: string, type: string): string =>
  `(select format(' collate %I.%I', n.nspname, l.collname) from pg_collation l join pg_namespace n on n.oid = l.collnamespace
    where l.oid = ${oid} and ${oid} <> (select typcollation from pg_type where oid = ${type}))`

/** The columns of a table `c`; `columns` is null where the table has none of its own. */
const columns = `(select string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod))
      || coalesce(${collation('a.attcollation', 'a.atttypid')}, '')
      || case when a.attgenerated = '' then '' else format(' generated always as (%s) %s', pg_get_expr(d.adbin, d.adrelid),
        case a.attgenerated when 's' then 'stored' else 'virtual' end) end
      || case when a.attidentity = '' then '' else ${identity} end
      || case when a.attnotnull then ' not null' else '' end, E',\\n  ' order by a.attnum)
  from pg_attribute a
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    left join (pg_depend o join pg_sequence i on i.seqrelid = o.objid)
      on o.classid = 'pg_class'::regclass and o.refclassid = 'pg_class'::regclass and o.refobjid = a.attrelid
        and o.refobjsubid = a.attnum and o.deptype = 'i'
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attislocal and ${isVisible})`

const parents = `(select string_agg(inhparent::regclass::text, ', ' order by inhseqno) from pg_inherits where inhrelid = c.oid)`

const withOptions = `coalesce(' with (' || nullif(array_to_string(c.reloptions, ', '), '') || ')', '')`

const table: ObjectKind = {
  catalogue: 'pg_class',
  list: tables,
  define: `select c.oid, format('create %stable %s%s%s%s%s;', case c.relpersistence when 'u' then 'unlogged ' else '' end,
      case when s.is_ours then 'if not exists ' else '' end, c.oid::regclass,
      case when c.relispartition then format(' partition of %s %s', ${parents}, pg_get_expr(c.relpartbound, c.oid))
        else format(E' (\\n  %s\\n)', coalesce(${columns}, '')) || coalesce(' inherits (' || ${parents} || ')', '') end,
      case when c.relkind = 'p' then ' partition by ' || pg_get_partkeydef(c.oid) else '' end, ${withOptions}) as sql
    from pg_class c join s on s.oid = c.relnamespace where c.oid = any($1)`,
}

const type: ObjectKind = {
  catalogue: 'pg_type',
  list: `select t.oid, ${name('s.nspname', 't.typname')} as name, s.is_ours from pg_type t join s on s.oid = t.typnamespace
    where (t.typtype in ('e', 'd', 'r') or t.typtype = 'c' and (select relkind from pg_class where oid = t.typrelid) = 'c')
      and ${notOfExtension('pg_type', 't.oid')}`,
  define: `select t.oid, format('create %s %s', case t.typtype when 'd' then 'domain' else 'type' end, t.oid::regtype) || case t.typtype
      when 'e' then format(' as enum (%s);', (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder) from pg_enum where enumtypid = t.oid))
      when 'c' then format(' as (%s);', (select string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod))
        || coalesce(${collation('a.attcollation', 'a.atttypid')}, ''), ', ' order by a.attnum)
        from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped))
      when 'r' then (select format(' as range (subtype = %s%s, multirange_type_name = %s);', format_type(r.rngsubtype, null),
        case when r.rngsubdiff = 0 then '' else ', subtype_diff = ' || r.rngsubdiff::regproc end, format_type(r.rngmultitypid, null))
        from pg_range r where r.rngtypid = t.oid)
      else format(' as %s%s%s%s;', format_type(t.typbasetype, t.typtypmod), coalesce(${collation('t.typcollation', 't.typbasetype')}, ''),
        coalesce(' default ' || coalesce(pg_get_expr(t.typdefaultbin, 0), quote_literal(t.typdefault)), ''), case when t.typnotnull then ' not null' else '' end)
      end as sql
    from pg_type t where t.oid = any($1)`,
}

const functionName = `format('%s(%s)', p.oid::regproc, pg_get_function_identity_arguments(p.oid))`

const fn: ObjectKind = {
  catalogue: 'pg_proc',
  // Of our functions, only those that policies of apps call are listed.
  list: `select p.oid, ${functionName} as name, s.is_ours from pg_proc p join s on s.oid = p.pronamespace
    where p.prokind <> 'a' and ${notOfExtension('pg_proc', 'p.oid')} and (not s.is_ours or has_function_privilege('anon', p.oid, 'execute'))`,
  define: `select p.oid, case when s.is_ours
      then format('do $of_ours$ begin if to_regprocedure(%L) is null then execute %L; end if; end $of_ours$;', p.oid::regprocedure, pg_get_functiondef(p.oid))
      else rtrim(pg_get_functiondef(p.oid), E' \\n') || ';' end as sql
    from pg_proc p join s on s.oid = p.pronamespace where p.oid = any($1)`,
}

const aggregate: ObjectKind = {
  catalogue: 'pg_proc',
  list: `select p.oid, ${functionName} as name, s.is_ours from pg_proc p join s on s.oid = p.pronamespace
    where p.prokind = 'a' and not s.is_ours and ${notOfExtension('pg_proc', 'p.oid')}`,
  define: `select p.oid, format('create aggregate %s(%s) (sfunc = %s, stype = %s%s%s%s);', p.oid::regproc,
      case when pg_get_function_arguments(p.oid) = '' then '*' else pg_get_function_arguments(p.oid) end, g.aggtransfn::regproc, format_type(g.aggtranstype, null),
      case when g.aggfinalfn = 0 then '' else ', finalfunc = ' || g.aggfinalfn::regproc end,
      case when g.aggcombinefn = 0 then '' else ', combinefunc = ' || g.aggcombinefn::regproc end, coalesce(', initcond = ' || quote_literal(g.agginitval), '')) as sql
    from pg_proc p join pg_aggregate g on g.aggfnoid = p.oid where p.oid = any($1)`,
}

const sequence: ObjectKind = {
  catalogue: 'pg_class',
  list: `select c.oid, ${name('s.nspname', 'c.relname')} as name, s.is_ours from pg_class c join s on s.oid = c.relnamespace
    where c.relkind = 'S' and not s.is_ours and ${notOfExtension('pg_class', 'c.oid')}
      and not exists (select from pg_depend o where o.classid = 'pg_class'::regclass and o.objid = c.oid and o.deptype = 'i')`,
  define: `select q.seqrelid as oid, format('create sequence %s as %s start %s increment %s minvalue %s maxvalue %s cache %s%s;', q.seqrelid::regclass,
      format_type(q.seqtypid, null), q.seqstart, q.seqincrement, q.seqmin, q.seqmax, q.seqcache, case when q.seqcycle then ' cycle' else '' end) as sql
    from pg_sequence q where q.seqrelid = any($1)`,
}

const columnDefault: ObjectKind = {
  catalogue: 'pg_attrdef',
  list: `select d.oid, format('%s.%I', d.adrelid::regclass, a.attname) as name, s.is_ours
    from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
      join pg_class c on c.oid = d.adrelid join s on s.oid = c.relnamespace
    where a.attgenerated = '' and ${isVisible}`,
  define: `select d.oid, format('alter table only %s alter column %I set default %s;', d.adrelid::regclass, a.attname, pg_get_expr(d.adbin, d.adrelid)) as sql
    from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum where d.oid = any($1)`,
}

/** Whether all columns of a constraint are exported. */
const isWhole = `not exists (select from pg_attribute a where a.attrelid = k.conrelid and a.attnum = any(k.conkey) and not ${isVisible})`

const constraintsOf = (types: string): ObjectKind => ({
  catalogue: 'pg_constraint',
  list: `select k.oid, format('%s.%I', k.conrelid::regclass, k.conname) as name, s.is_ours
    from pg_constraint k join pg_class c on c.oid = k.conrelid join s on s.oid = c.relnamespace
    where k.contype in (${types}) and k.conparentid = 0 and k.conislocal and ${isWhole}`,
  define: `select k.oid, format(case when s.is_ours
        then 'do $of_ours$ begin alter table %s add constraint %I %s; exception when duplicate_object or duplicate_table or invalid_table_definition then null; end $of_ours$;'
        else 'alter table %s add constraint %I %s;' end, k.conrelid::regclass, k.conname, pg_get_constraintdef(k.oid)) as sql
    from pg_constraint k join pg_class c on c.oid = k.conrelid join s on s.oid = c.relnamespace where k.oid = any($1)`,
})

const domainConstraint: ObjectKind = {
  catalogue: 'pg_constraint',
  list: `select k.oid, format('%s.%I', k.contypid::regtype, k.conname) as name, s.is_ours
    from pg_constraint k join s on s.oid = k.connamespace where k.contypid <> 0 and k.contype = 'c'`,
  define: `select k.oid, format('alter domain %s add constraint %I %s;', k.contypid::regtype, k.conname, pg_get_constraintdef(k.oid)) as sql
    from pg_constraint k where k.oid = any($1)`,
}

const view: ObjectKind = {
  catalogue: 'pg_class',
  list: `select c.oid, ${name('s.nspname', 'c.relname')} as name, s.is_ours from pg_class c join s on s.oid = c.relnamespace
    where c.relkind in ('v', 'm') and ${notOfExtension('pg_class', 'c.oid')} and (not s.is_ours or has_table_privilege(c.oid, 'select'))`,
  define: `select c.oid, case when s.is_ours
      then format('do $of_ours$ begin if to_regclass(%L) is null then execute %L; end if; end $of_ours$;', c.oid::regclass, d.sql) else d.sql || ';' end as sql
    from pg_class c join s on s.oid = c.relnamespace cross join lateral (select format('create %s %s%s as%s%s%s',
      case c.relkind when 'm' then 'materialized view' else 'view' end, c.oid::regclass, ${withOptions},
      E'\\n', rtrim(pg_get_viewdef(c.oid), ';'), case c.relkind when 'm' then E'\\n with no data' else '' end) as sql) d
    where c.oid = any($1)`,
}

const statistics: ObjectKind = {
  catalogue: 'pg_statistic_ext',
  list: `select x.oid, ${name('s.nspname', 'x.stxname')} as name, s.is_ours from pg_statistic_ext x join s on s.oid = x.stxnamespace where not s.is_ours`,
  define: `select x.oid, pg_get_statisticsobjdef(x.oid) || ';' as sql from pg_statistic_ext x where x.oid = any($1)`,
}

/** Kinds in the order in which objects are made where nothing else decides. Rows are copied between these kinds and those of `kindsAfterRows`. */
export const kindsBeforeRows: readonly ObjectKind[] = [
  type,
  fn,
  aggregate,
  sequence,
  table,
  columnDefault,
  domainConstraint,
  constraintsOf(`'p', 'u', 'x', 'c'`),
  view,
]

const index: ObjectKind = {
  catalogue: 'pg_class',
  list: `select i.indexrelid as oid, i.indexrelid::regclass::text as name, s.is_ours from pg_index i
      join pg_class c on c.oid = i.indrelid join s on s.oid = c.relnamespace
    where not s.is_ours and c.relkind in ('r', 'p', 'm') and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
      and not exists (select from pg_inherits h where h.inhrelid = i.indexrelid)`,
  // The index of a partitioned table is made on its partitions, too.
  define: `select i.indexrelid as oid, replace(pg_get_indexdef(i.indexrelid), format(' %I ON ONLY %s USING ', c.relname, i.indrelid::regclass),
      format(' %I ON %s USING ', c.relname, i.indrelid::regclass)) || ';' as sql
    from pg_index i join pg_class c on c.oid = i.indexrelid where i.indexrelid = any($1)`,
}

const rule: ObjectKind = {
  catalogue: 'pg_rewrite',
  list: `select r.oid, format('%s.%I', r.ev_class::regclass, r.rulename) as name, s.is_ours
    from pg_rewrite r join pg_class c on c.oid = r.ev_class join s on s.oid = c.relnamespace where r.rulename <> '_RETURN' and not s.is_ours`,
  define: `select r.oid, rtrim(pg_get_ruledef(r.oid), ';') || ';' as sql from pg_rewrite r where r.oid = any($1)`,
}

const trigger: ObjectKind = {
  catalogue: 'pg_trigger',
  list: `select t.oid, format('%s.%I', t.tgrelid::regclass, t.tgname) as name, s.is_ours
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join s on s.oid = c.relnamespace where not t.tgisinternal and t.tgparentid = 0`,
  define: `select t.oid, pg_get_triggerdef(t.oid) || ';' || case t.tgenabled when 'O' then ''
      else format(E'\\nalter table %s %s trigger %I;', t.tgrelid::regclass, case t.tgenabled when 'D' then 'disable' when 'R' then 'enable replica' else 'enable always' end, t.tgname) end as sql
    from pg_trigger t where t.oid = any($1)`,
}

const policy: ObjectKind = {
  catalogue: 'pg_policy',
  list: `select p.oid, format('%s.%I', p.polrelid::regclass, p.polname) as name, s.is_ours
    from pg_policy p join pg_class c on c.oid = p.polrelid join s on s.oid = c.relnamespace`,
  define: `select p.oid, format('create policy %I on %s as %s for %s to %s%s%s;', p.polname, p.polrelid::regclass,
      case when p.polpermissive then 'permissive' else 'restrictive' end,
      case p.polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
      (select string_agg(case when r = 0 then 'public' else quote_ident(pg_get_userbyid(r)) end, ', ') from unnest(p.polroles) r),
      coalesce(' using (' || pg_get_expr(p.polqual, p.polrelid) || ')', ''), coalesce(' with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', '')) as sql
    from pg_policy p where p.oid = any($1)`,
}

export const kindsAfterRows: readonly ObjectKind[] = [
  index,
  statistics,
  constraintsOf(`'f'`),
  rule,
  trigger,
  policy,
]

export const withSchemas = (text: string): string => `with s as materialized (${schemas}) ${text}`

/** Names that stand for the object that they belong to: row types, arrays, rules of views, identities, generated columns. */
export const ownersQuery = `
  select 'pg_type' as catalogue, t.oid, case when c.relkind = 'c' then 'pg_type' else 'pg_class' end as of_catalogue,
      case when c.relkind = 'c' then t.oid else c.oid end as of_oid
    from pg_type t join pg_class c on c.oid = t.typrelid where t.oid >= 16384 and c.relkind <> 'c'
  union all select 'pg_class', t.typrelid, 'pg_type', t.oid from pg_type t join pg_class c on c.oid = t.typrelid where t.oid >= 16384 and c.relkind = 'c'
  union all select 'pg_type', t.typarray, 'pg_type', t.oid from pg_type t where t.typarray >= 16384
  union all select 'pg_type', r.rngmultitypid, 'pg_type', r.rngtypid from pg_range r where r.rngmultitypid >= 16384
  union all select 'pg_rewrite', r.oid, 'pg_class', r.ev_class from pg_rewrite r where r.oid >= 16384 and r.rulename = '_RETURN'
  union all select 'pg_class', k.conindid, 'pg_constraint', k.oid from pg_constraint k where k.contype in ('p', 'u', 'x') and k.conindid >= 16384
  union all select 'pg_attrdef', d.oid, 'pg_class', d.adrelid from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
    where d.oid >= 16384 and a.attgenerated <> ''
  union all select 'pg_class', o.objid, 'pg_class', o.refobjid from pg_depend o
    where o.classid = 'pg_class'::regclass and o.refclassid = 'pg_class'::regclass and o.deptype = 'i' and o.refobjsubid > 0 and o.objid >= 16384`

/** Which object needs which. Built-in objects have lower numbers; schemas, roles and objects of extensions exist before all of these. */
export const dependenciesQuery = `select distinct d.classid::regclass::text as catalogue, d.objid as oid, d.refclassid::regclass::text as of_catalogue, d.refobjid as of_oid
  from pg_depend d
  where d.objid >= 16384 and d.refobjid >= 16384 and d.deptype in ('n', 'a', 'i', 'P', 'S')
    and d.refclassid <> all (array['pg_namespace'::regclass, 'pg_extension'::regclass])
    and not exists (select from pg_depend e where e.classid = d.refclassid and e.objid = d.refobjid and e.deptype = 'e')`
