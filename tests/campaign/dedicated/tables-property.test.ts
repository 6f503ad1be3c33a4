/**
 * No query, select, order, path, key of a body or cast reaches SQL but as a bound parameter or as a name of the catalogue: held for the texts
 * of statements, whatever is asked, and for the values that a real database sees.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BoundStatement } from '#cloud/databases'
import {
  callPlan,
  chooseRoutine,
  deletePlan,
  insertPlan,
  parseQuery,
  putPlan,
  RestRefused,
  readPlan,
  routinesOf,
  updatePlan,
} from '#cloud/tables'
import { readCatalogue } from '../../../src/cloud/tables/catalogue.ts'
import { bootApp, type DedicatedApp } from '../../cloud/dedicated/dedicated-app.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import fc from '../../harness/fast-check.ts'

/** Names that a developer may give, and that hold all that ends a name. */
const hostileTable = 'we"ird; drop table x --'
const columns = ['id', 'title', 'meta', 'a"b', "c'd", 'e;f', 'نام', 'g h', 'tags', 'words']
const column = (name: string, type: string, number: number, more: object = {}) => ({
  ...{ name, number, type, operators: 'pg_catalog', notNull: false, default: null, isGenerated: false },
  ...{ description: null, ...more },
})
const typesOf: Record<string, string> = { id: 'bigint', meta: 'jsonb', tags: 'text[]', words: 'tsvector' }
const table = (id: string, name: string) => ({
  ...{ id, schema: 'public', name, isView: false, description: null, definition: null, primaryKey: ['id'] },
  isUpdatable: true,
  columns: columns.map((one, at) =>
    column(one, typesOf[one] ?? 'text', at, one === 'title' ? { default: "'untitled'::text" } : {}),
  ),
})
const key = (name: string, from: string, by: string, to: string) => ({
  ...{ name, from, columns: [by], to, toColumns: ['id'], isUnique: false },
})
const parameter = (name: string, type: string, hasDefault = false) => ({
  ...{ name, type, hasDefault, isVariadic: false, relation: null },
})
const catalogue = readCatalogue(
  JSON.stringify({
    version: '1',
    tables: [table('1', 'things'), table('2', hostileTable), table('3', 'others')],
    hidden: [],
    foreignKeys: [
      key('things_fk', '1', 'a"b', '2'),
      key('others_fk', '3', 'e;f', '1'),
      key('more"fk', '3', 'g h', '2'),
    ],
    routines: [
      {
        ...{
          schema: 'public',
          name: 'f"n',
          parameters: [parameter('x"y', 'text'), parameter('z', 'integer', true)],
        },
        ...{
          type: 'public.things',
          isSet: true,
          isOneRow: false,
          isVoid: false,
          isReadOnly: true,
          relation: '1',
        },
        columns: null,
      },
    ],
    types: { text: 'text', int4: 'integer', 'mo"od': 'public."mo""od"', date: 'date' },
  }),
  ['public'],
)

/** All words that stand in the texts of this service itself. */
const vocabulary = new Set(
  `all and any as asc between body by called case cast chosen coalesce conflict count cross delete desc distinct do else end excluded
  exists explain false first for format from given given. in inner insert int4 int8 into is join json json_agg json_array_elements json_build_array
  json_populate json_strip_nulls json_to_record json_to_recordset jsonb jsonb_array_elements jsonb_exists jsonb_to_record last lateral left
  limit location materialized members not nothing null nulls of offset on one or order ordinality octet_length operator page place pg_catalog
  phraseto_tsquery plainto_tsquery regconfig returning right row_to_json rows select set string_agg sum text then to_json to_jsonb to_tsquery
  to_tsvector total true tsvector unknown update using value values websearch_to_tsquery when where with written written0 all_rows many number element
  generate_series integer bigint date public untitled E n variadic merge key0 key1 tableoid ctid is_there int set_config current_setting
  kherad inserted`
    .split(/\s+/)
    .filter((word) => word !== ''),
)
/** What the request may choose: what columns of its answer are called, in words. */
const chosenName = /^[\p{L}\p{M}\p{N}\p{Zs}\u200c_$.:/@#*-]{1,63}$/u
const known = new Set([
  ...columns,
  'things',
  hostileTable,
  'others',
  'public',
  'f"n',
  'x"y',
  'z',
  'value',
  'mo"od',
  'pg_catalog',
])

const ownLiterals = ["'[]'", "','", "'\\n'", "''", "'null'", "'untitled'", "'kherad.inserted'"]

/** What of a text is neither a name of the catalogue, nor a name of a column of the answer, nor a word of ours. */
function strangeParts({ text }: BoundStatement): string[] {
  const strange: string[] = []
  const rest = text.replace(/"((?:[^"]|"")*)"/g, (whole, name: string, at: number) => {
    const read = name.replaceAll('""', '"')
    const isAlias =
      / as $/.test(text.slice(Math.max(0, at - 4), at)) || /\.$/.test(text.slice(Math.max(0, at - 1), at))
    if (!known.has(read) && !(isAlias && chosenName.test(read))) strange.push(whole)
    return ' '
  })
  for (const [word] of rest.matchAll(/[^\s.,()=<>:'[\]{}|&@*~!?+\\-]+/g))
    if (!vocabulary.has(word) && !/^(?:\$?\d+|t\d+[br]?)$/.test(word)) strange.push(word)
  // Nothing of the request stands between quotes: these are ours.
  for (const [literal] of rest.matchAll(/'[^']*'/g)) if (!ownLiterals.includes(literal)) strange.push(literal)
  return strange
}

const pieces = [
  ...[
    "'",
    '"',
    '""',
    ';',
    '--',
    '/*',
    '*/',
    '$1',
    '$$',
    '\\',
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    ',',
    '.',
    ':',
    '::',
    '->',
    '->>',
  ],
  ...[
    '*',
    '%',
    '!',
    '!inner',
    '...',
    '...x(',
    ' or 1=1',
    'drop table x',
    "');select pg_sleep(9);--",
    '::regclass',
    "E'",
  ],
  ...[
    'id',
    'title',
    'meta',
    'things',
    'others',
    'things_fk',
    'نام',
    'ي',
    '\u200c',
    '۵',
    '1',
    'null',
    'eq.',
    'not.',
    'and(',
    'or(',
  ],
  ...[
    'in.(',
    'U&"',
    '\0',
    '\ud800',
    '\n',
    '💣',
    'count()',
    'a.b',
    'order',
    'limit',
    '-0',
    '1e999',
    'pg_catalog',
    'excluded',
  ],
]
const hostile = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...pieces) },
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => parts.join(''))
const quotedName = (name: string): string => `"${name.replace(/[\\"]/g, '\\$&')}"`
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...columns).map(quotedName) },
  { weight: 1, arbitrary: hostile.map(quotedName) },
  { weight: 1, arbitrary: hostile },
)
const field = fc
  .tuple(
    name,
    fc.constantFrom('', '->', '->>'),
    fc.oneof(hostile.map(quotedName), fc.constantFrom('0', '-1', '"k"')),
  )
  .map(([one, arrow, step]) => (arrow === '' ? one : `${one}${arrow}${step}`))
const operators = [
  ...[
    'eq',
    'neq',
    'gt',
    'gte',
    'lt',
    'lte',
    'like',
    'ilike',
    'match',
    'imatch',
    'is',
    'isdistinct',
    'in',
    'cs',
    'cd',
    'ov',
  ],
  ...[
    'sl',
    'sr',
    'nxl',
    'nxr',
    'adj',
    'fts',
    'plfts',
    'phfts',
    'wfts',
    'fts(english)',
    'like(any)',
    'eq(all)',
  ],
]
const wraps: ((text: string) => string)[] = [
  (text) => text,
  (text) => `(${text})`,
  (text) => `{${text}}`,
  (text) => `"${text}"`,
  () => 'null',
]
const filter = fc
  .tuple(fc.constantFrom('', 'not.'), fc.constantFrom(...operators), fc.constantFrom(...wraps), hostile)
  .map(([not, operator, wrap, text]) => `${not}${operator}.${wrap(text)}`)
const alias = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('', 'a:', 'نام دیگر:', `${'x'.repeat(63)}:`) },
  { weight: 1, arbitrary: hostile.map((text) => `${quotedName(text)}:`) },
)
const embedded = fc.constantFrom(
  'things',
  'others',
  'others!others_fk',
  quotedName(hostileTable),
  '"things_fk"',
  '...others!inner',
  'a"b',
)
const casts = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', '::text', '::int4', '::"mo\\"od"') },
  { weight: 1, arbitrary: hostile.map((text) => `::${text}`) },
)
const selected: fc.Arbitrary<string> = fc.letrec<{ list: string; one: string }>((tie) => ({
  list: fc.array(tie('one'), { minLength: 1, maxLength: 3 }).map((all) => all.join(',')),
  one: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.tuple(alias, field, casts).map((parts) => parts.join('')),
    fc.constant('*'),
    fc
      .tuple(alias, embedded, tie('list'))
      .map(([as, of, list]) => `${of.startsWith('...') ? '' : as}${of}(${list})`),
  ),
})).list
const parameterOf = fc.oneof(
  fc.tuple(name, filter),
  fc.tuple(
    fc.constantFrom('or', 'and', 'not.or', 'others.or'),
    fc
      .array(fc.tuple(field, filter), { minLength: 1, maxLength: 3 })
      .map((all) => `(${all.map((one) => one.join('.')).join(',')})`),
  ),
  fc.tuple(fc.constant('select'), selected),
  fc.tuple(
    fc.constantFrom('order', 'others.order'),
    fc.tuple(field, fc.constantFrom('', '.desc', '.asc.nullslast', '.x')).map((all) => all.join('')),
  ),
  fc.tuple(
    fc.constantFrom('limit', 'offset', 'others.limit'),
    fc.oneof(fc.constantFrom('1', '0', '99999999999999'), hostile),
  ),
  fc.tuple(
    fc.constantFrom('on_conflict', 'columns'),
    fc.array(name, { maxLength: 2 }).map((all) => all.join(',')),
  ),
  fc.tuple(hostile, hostile),
)

const options = { maxRows: 100, maxBytes: 1_000, withoutNulls: false }
const refuseAll = { kind: 'refuse' } as const

/** Statements of one request in all kinds, or none of those that are refused. */
function statementsOf(
  query: readonly (readonly [string, string])[],
  keys: readonly string[],
): BoundStatement[] {
  const all: BoundStatement[] = []
  const take = (make: () => readonly BoundStatement[]): void => {
    try {
      all.push(...make())
    } catch (error) {
      if (!(error instanceof RestRefused)) throw error
    }
  }
  const rows = (usesDefaults: boolean) => ({
    members: new Map(keys.map((key) => [key, key])),
    json: '[]',
    number: 1,
    usesDefaults,
  })
  for (const relation of ['things', hostileTable].map((one) => catalogue.table('public', one)!)) {
    const parsed = () => parseQuery(query)
    take(() => readPlan(catalogue, relation, parsed(), { ...options, count: 'exact' }).statements)
    take(
      () =>
        readPlan(catalogue, relation, parsed(), { ...options, isCsv: true, count: 'estimated' }).statements,
    )
    for (const answer of ['rows', 'location', 'nothing'] as const) {
      const write = { ...options, answer }
      const merge = { kind: 'merge', target: parsedTarget(query) } as const
      take(
        () =>
          insertPlan(catalogue, relation, parsed(), { ...write, rows: rows(true), onConflict: merge })
            .statements,
      )
      take(
        () =>
          insertPlan(catalogue, relation, parsed(), { ...write, rows: rows(false), onConflict: refuseAll })
            .statements,
      )
      take(() => updatePlan(catalogue, relation, parsed(), { ...write, rows: rows(false) }).statements)
      take(() => deletePlan(catalogue, relation, parsed(), write).statements)
      take(() => putPlan(catalogue, relation, parsed(), { ...write, rows: rows(false) }).statements)
    }
  }
  const routine = (given: readonly string[]) => chooseRoutine(routinesOf(catalogue, 'public', 'f"n'), given)
  const texts = new Map([['x"y', [keys[0] ?? '']]])
  take(
    () =>
      callPlan(catalogue, routine(['x"y']), parseQuery(query), {
        ...options,
        given: { kind: 'texts', texts },
      }).statements,
  )
  take(
    () =>
      callPlan(catalogue, routine(keys), parseQuery(query), {
        ...options,
        given: { kind: 'members', names: keys, json: '{}' },
      }).statements,
  )
  return all
}

function parsedTarget(query: readonly (readonly [string, string])[]): readonly string[] | undefined {
  try {
    return parseQuery(query).onConflict
  } catch {
    return undefined
  }
}

const requests = fc.tuple(
  fc.array(parameterOf, { maxLength: 4 }),
  fc.array(
    fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...columns, 'x"y') }, { weight: 1, arbitrary: hostile }),
    {
      maxLength: 3,
    },
  ),
)

test('the text of a statement has words of this service, names of the catalogue, and numbers of parameters', () => {
  let written = 0
  fc.assert(
    fc.property(requests, ([query, keys]) => {
      const statements = statementsOf(query, keys)
      written += statements.length
      for (const statement of statements)
        expect([strangeParts(statement), statement.text]).toEqual([[], statement.text])
    }),
    { numRuns: 1_500 },
  )
  // Most of what is asked is no nonsense that is refused before.
  expect(written).toBeGreaterThan(1_500)
})

const canRun = await hasJail()
let app: DedicatedApp
beforeAll(async () => {
  if (!canRun) return
  app = await bootApp(`
    create table values_seen (id int primary key, title text, tags text[], meta jsonb, "a""b; drop table x --" text);
    create function echo(v text) returns text language sql immutable as 'select v';
  `)
})
afterAll(() => app?.[Symbol.asyncDispose]())

/** PostgreSQL takes every character in a text but this one, and no half of a pair. */
const storable = hostile.map((text) => text.replaceAll('\0', '').toWellFormed())
const inQuotes = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`

test.runIf(canRun)('the database sees every value exactly as it was sent', async () => {
  const hostileColumn = 'a"b; drop table x --'
  const chosen = ["'; drop table values_seen; --", '{"a"}', '(1,2)', 'a,b', 'NULL', '%', '\\']
  const values = [...new Set([...chosen, ...fc.sample(storable, 60)])]
  const rows = values.map((v, id) => ({ id, title: v, tags: [v, 'x'], meta: { [v]: v }, [hostileColumn]: v }))
  const made = await app.ask('/rest/v1/values_seen', {
    method: 'POST',
    body: JSON.stringify(rows),
    headers: { 'content-type': 'application/json', prefer: 'return=representation' },
    key: app.serviceKey,
  })
  expect(await made.json()).toEqual(rows)
  const asked = async (query: readonly (readonly [string, string])[]): Promise<number[]> => {
    const parameters = new URLSearchParams([
      ['select', 'id'],
      ...query.map(([one, value]): [string, string] => [one, value]),
    ])
    const reply = await app.ask(`/rest/v1/values_seen?${parameters}`, { key: app.serviceKey })
    const body = (await reply.json()) as { id: number }[]
    expect([reply.status, query, body]).toEqual([200, query, expect.any(Array)])
    return body.map(({ id }) => id)
  }
  const only = async (value: string, id: number): Promise<void> => {
    for (const query of [
      [['title', `eq.${value}`]],
      [['title', `in.(${inQuotes(value)})`]],
      [
        ['tags', `cs.{${inQuotes(value)}}`],
        ['title', `neq.${value}x`],
      ],
      [['or', `(title.eq.${inQuotes(value)},id.eq.-1)`]],
      [[`meta->>${inQuotes(value)}`, `eq.${value}`]],
      [
        [inQuotes(hostileColumn), `eq.${value}`],
        ['order', `${inQuotes(hostileColumn)}.desc`],
      ],
    ] as const) {
      // No name is empty, and a number is a place in an array.
      if (/^(?:-?\d{1,9})?$/.test(value) && query[0]![0].startsWith('meta')) continue
      expect([query, await asked(query as never)]).toEqual([
        query,
        value === 'x' ? expect.arrayContaining([id]) : [id],
      ])
    }
    const echoed = await app.anon.rpc('echo', { v: value }, { get: true })
    expect([echoed.error, echoed.data]).toEqual([null, value])
  }
  for (const [id, value] of values.entries()) await only(value, id)
})

test.runIf(canRun)(
  'operators, functions and casts that the app has made do not stand in for those of a request',
  async () => {
    const tables = `
    create table words (id int primary key, word varchar(20), feeling text);
    insert into words values (1, 'a', 'x'), (2, 'b', 'y');
    create table parts (id int primary key, word_id int references words);
    insert into parts values (1, 1);`
    await app.sql(tables)
    // Each of them would be taken by a statement that does not say which one it means.
    await app.sql(`
    create function always(varchar, varchar) returns boolean language sql immutable as 'select true';
    create operator = (leftarg = varchar, rightarg = varchar, function = always);
    create operator ~~ (leftarg = varchar, rightarg = varchar, function = always);
    create function ints_always(int, int) returns boolean language sql immutable as 'select true';
    create operator === (leftarg = int, rightarg = int, function = ints_always);
    create function row_to_json(words) returns json language sql immutable as $$ select '"stolen"'::json $$;
    create function json_agg(anyelement) returns json language sql immutable as $$ select '"stolen"'::json $$;
    create function count(varchar) returns bigint language sql immutable as 'select 99::bigint';
    create function octet_length(varchar) returns int language sql immutable as 'select 999999999';
    create type "text" as enum ('stolen');
    create type "json" as (a int);
  `)
    // The developer's own statement takes them: the attack is one.
    const { rows } = await app.sql(`select count(*)::int as n from words where word = 'a'::varchar`)
    expect(rows[0].n).toBe(2)
    const read = await app.service
      .from('words')
      .select('id, word, parts(id)', { count: 'exact' })
      .eq('word', 'a')
    expect([read.error, read.data, read.count]).toEqual([null, [{ id: 1, word: 'a', parts: [{ id: 1 }] }], 1])
    const like = await app.service.from('words').select('id').like('word', 'b%')
    expect(like.data).toEqual([{ id: 2 }])
    const inList = await app.service.from('words').select('id').in('word', ['b'])
    expect(inList.data).toEqual([{ id: 2 }])
    const distinct = await app.service.from('words').select('id').filter('word', 'isdistinct', 'a')
    expect(distinct.data).toEqual([{ id: 2 }])
    const written = await app.service.from('words').update({ feeling: 'z' }).eq('word', 'b').select('id')
    expect(written.data).toEqual([{ id: 2 }])
    const removed = await app.service.from('words').delete().eq('word', 'b').order('id').limit(5).select('id')
    expect(removed.data).toEqual([{ id: 2 }])
    const cast = await app.service.from('words').select('id::text')
    expect(cast.data).toEqual([{ id: '1' }])
  },
)
