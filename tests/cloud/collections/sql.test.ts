import { afterAll, beforeAll, expect, test } from 'vitest'
import { limitsOf } from '#cloud/clouds'
import { documentOf, type RowsQuery, readStatement } from '#cloud/collections'
import { RestRefused } from '#cloud/tables'
import { Failure } from '#platform/errors'
import { exactly, readJsonSync } from '#platform/json'
import { readCollectionQuery } from '../../../src/cloud/cloud-routes/app/rest/collection-query.ts'
import fc from '../../harness/fast-check.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import { until } from '../../harness/until.ts'
import type { TestCloud, World } from '../../harness/world.ts'

let world: World
let cloud: TestCloud
beforeAll(async () => {
  world = await sharedWorld()
  cloud = await world.cloud()
  const path = `/v1/cloud/${cloud.id}/database`
  await cloud.client.post(path, { action: 'create_collection', name: 'things' })
  for (const data of [
    { a: "'; drop", b: [1, 'x'], n: 5 },
    { a: null, 'x"y': '$1' },
    { a: '[1,2)', n: 'x' },
  ])
    await cloud.client.post(path, { action: 'insert', table: 'things', data })
})
afterAll(() => world[Symbol.asyncDispose]())

const pieces = [
  "'",
  '"',
  ';',
  '--',
  '/*',
  '*/',
  '$1',
  '$$',
  '\\',
  '\\\\',
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
  '*',
  '%',
  '_',
  ' or 1=1',
  'drop table collections.rows',
  "');select pg_sleep(9);--",
  '::regclass',
  'a',
  'n',
  'b',
  'id',
  'data',
  'ی',
  'ي',
  '‌',
  '۵',
  '1',
  'null',
  'true',
  'eq.',
  'not.',
  'and(',
  'or(',
  'in.(',
  "E'",
  'U&"',
  '\0',
  '\ud800',
  '\n',
  '💣',
  'r.data',
  'public_read',
  'count()',
  '1e999',
  '-0',
] as const
const hostile = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...pieces) },
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))
const operators = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'like',
  'ilike',
  'in',
  'is',
  'isdistinct',
  'cs',
  'cd',
  'ov',
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
  'match',
  'imatch',
] as const
const wrap = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => `(${text})`,
  (text) => `{${text}}`,
  (text) => `"${text}"`,
  (text) => `[${text},5)`,
  (text) => JSON.stringify({ a: text }),
  (text) => JSON.stringify([text]),
)
const filterText = fc
  .tuple(fc.constantFrom('', 'not.'), fc.constantFrom(...operators), wrap, hostile)
  .map(([not, operator, wrapped, text]) => `${not}${operator}.${wrapped(text)}`)
const field = fc.oneof(fc.constantFrom('a', 'n', 'b', 'id', 'created_at', 'a->b', 'b->>0', '"x""y"'), hostile)
const parameter = fc.oneof(
  fc.tuple(field, filterText),
  fc.tuple(
    fc.constantFrom('or', 'and', 'not.or'),
    fc
      .array(fc.tuple(field, filterText), { maxLength: 4 })
      .map((all) => `(${all.map((one) => one.join('.')).join(',')})`),
  ),
  fc.tuple(
    fc.constant('select'),
    fc
      .array(
        fc.tuple(hostile, field, fc.constantFrom('', '::text', '::int', '::date', '::json', '::regclass')),
        { maxLength: 3 },
      )
      .map((all) =>
        all.map(([alias, name, cast]) => `${alias === '' ? '' : `${alias}:`}${name}${cast}`).join(','),
      ),
  ),
  fc.tuple(
    fc.constant('order'),
    fc
      .array(fc.tuple(field, fc.constantFrom('', '.asc', '.desc.nullsfirst', '.desc')), { maxLength: 3 })
      .map((all) => all.map((one) => one.join('')).join(',')),
  ),
  fc.tuple(fc.constantFrom('limit', 'offset', 'columns', 'on_conflict'), hostile),
)
const query = fc.array(parameter, { minLength: 1, maxLength: 4 })

/** Undefined for what is refused, which is a refusal of the caller in every case. */
function queryOf(pairs: readonly (readonly [string, string])[]): RowsQuery | undefined {
  try {
    const parsed = readCollectionQuery(
      new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])),
      false,
    )
    return { ...parsed, collection: 'things', caller: { role: 'all' }, counted: true }
  } catch (error) {
    if (error instanceof RestRefused && error.refusal.status < 500) return undefined
    throw error
  }
}

const key = () => ({ accountId: world.account, cloudId: cloud.id })

function statementOf(query: RowsQuery) {
  try {
    return readStatement(key(), query, '"fa-x-icu"', 1_000_000)
  } catch (error) {
    if (error instanceof Failure && error.status < 500) return undefined
    throw error
  }
}

/** Words, quoted texts and signs; parameters with their types are one word. */
const tokensOf = (text: string): string[] =>
  text.match(/\$\d+::[a-z]+(?:\[\])?|'(?:[^']|'')*'|"[^"]*"|[a-z_0-9]+|\S/gi) ?? []
const wordsOf = (text: string): string[] => tokensOf(text).map((token) => token.replace(/^\$\d+/, '$'))

/** All that statements may consist of: those of harmless queries that use everything there is. */
function vocabulary(): Set<string> {
  const columns = ['id', 'owner_id', 'created_at', 'updated_at']
  const id = '018f0000-0000-7000-8000-000000000000'
  const harmless: [string, string][][] = [
    ...operators.flatMap((operator) =>
      ['a', 'a->>b'].flatMap((name) =>
        ['x', '5', '(x)', '{x}', '{}', '[x]', '{"a":1}', '[1,2)', '(2026-01-01,2026-01-02]'].map(
          (value): [string, string][] => [[name, `not.${operator}.${value}`]],
        ),
      ),
    ),
    ...['null', 'not_null', 'true', 'unknown'].flatMap((what) =>
      ['a', 'id'].map((name): [string, string][] => [[name, `is.${what}`]]),
    ),
    ...columns.flatMap((name): [string, string][][] =>
      ['eq', 'gt', 'gte', 'lt', 'lte', 'isdistinct', 'like', 'ilike'].map((operator) => [
        [name, `${operator}.${name.endsWith('id') ? id : '2026-01-01'}`],
      ]),
    ),
    [['or', '(a.eq.1,and(b.eq.2,c.eq.3))']],
    [['select', `*,x:a->b,a->>b,${columns.join(',')}`]],
    ...['text', 'json', 'numeric', 'float8', 'int8', 'int4', 'bool', 'uuid', 'date', 'timestamptz'].flatMap(
      (cast): [string, string][][] => [[['select', `a::${cast},id::${cast}`]]],
    ),
    [
      ['order', `a,a->>b.desc.nullsfirst,${columns.join(',')}`],
      ['select', ''],
    ],
  ]
  const words = new Set<string>()
  for (const pairs of harmless) {
    const parsed = queryOf(pairs)
    const statement = parsed && statementOf(parsed)
    for (const word of statement ? wordsOf(statement.text) : []) words.add(word)
  }
  return words
}

test('no text of a query reaches SQL: every statement consists of the fragments of harmless ones, and all else is a parameter', () => {
  const known = vocabulary()
  let built = 0
  fc.assert(
    fc.property(query, (pairs) => {
      const parsed = queryOf(pairs)
      const statement = parsed && statementOf(parsed)
      if (!statement) return
      built++
      const unknown = wordsOf(statement.text).filter((word) => !known.has(word))
      expect(unknown).toEqual([])
      const numbers = [...statement.text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
      expect(Math.max(...numbers)).toBe(statement.values.length)
    }),
    { numRuns: 4_000 },
  )
  expect(built).toBeGreaterThan(300)
})

/** Asked again where the machine was too busy: what takes long by itself takes long again. */
const untilDone = <Result>(ask: () => Promise<Result>) =>
  until(() =>
    ask().catch((error: { code?: string }) => {
      if (error.code === 'ROWS_TIMEOUT' || error.code === 'ROWS_BUSY') return undefined
      throw error
    }),
  )

test('hostile queries are answered or refused as a fault of the caller, and leave the rows as they are', async () => {
  const limits = limitsOf(world.app.config.clouds)
  const rows = () => world.app.collections.read({ ...key(), limits }, queryOf([['order', 'id']])!)
  const before = await untilDone(rows)
  let answered = 0
  await fc.assert(
    fc.asyncProperty(query, async (pairs) => {
      const parsed = queryOf(pairs)
      if (!parsed || !statementOf(parsed)) return
      try {
        await untilDone(() => world.app.collections.read({ ...key(), limits }, parsed))
        await untilDone(() => world.app.collections.readTable({ ...key(), limits }, parsed))
        answered++
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'ROW_QUERY') throw error
      }
    }),
    // About one in ten is answered, by chance more or fewer.
    { numRuns: 1_600 },
  )
  expect(answered).toBeGreaterThan(50)
  expect(await untilDone(rows)).toEqual(before)
})

/** Numbers that no double has; PostgreSQL writes them out. */
const longNumbers = exactly(
  readJsonSync(
    '[9007199254740993,-12345678901234567890.50,1234567890123456789.1230e-5,1.50e310,1e-400,-1e999,1e-20000]',
    { exact: true },
  ) as unknown[],
)

test('hostile documents are stored as they are or refused, and measured as the database measures them', async () => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      hostile,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.constantFrom(
        null,
        true,
        false,
        1e21,
        5e-324,
        -1.5e-7,
        1.7976931348623157e308,
        123456789012345680000,
        ...longNumbers,
      ),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(hostile, tie('value'), { maxKeys: 4 }),
    ),
  })).value
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.dictionary(hostile, value, { maxKeys: 4 }), { minLength: 20, maxLength: 20 }),
      async (documents) => {
        const stored = documents.flatMap((document) => {
          try {
            return [documentOf(document, 'row')]
          } catch (error) {
            if (error instanceof Failure && error.code === 'ROW_INVALID') return []
            throw error
          }
        })
        const measured = await world.app.db.query<{ bytes: number; text: string }>(
          {
            text: 'select octet_length(j::text) as bytes, j::text as text from unnest($1::jsonb[]) with ordinality as u(j, n) order by n',
          },
          [stored.map(({ json }) => json)],
        )
        expect(measured.map(({ bytes }) => bytes)).toEqual(stored.map(({ bytes }) => bytes))
        expect(measured.map(({ text }) => JSON.parse(text))).toEqual(
          stored.map(({ json }) => JSON.parse(json)),
        )
      },
    ),
    { numRuns: 60 },
  )
})
