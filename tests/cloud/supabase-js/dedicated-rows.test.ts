/** Rows and functions of a dedicated cloud: every method of the client for them does what it is for, or is refused in words. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dedicatedConfig } from '../../harness/world.ts'
import { hasJail } from '../jail/needs-jail.ts'
import { type AppWorld, bootApp } from './app.ts'
import { filled, ok, rows, type Scenario, scenario } from './scenarios.ts'
import { takeCalled, watchClasses } from './spy.ts'
import { publicCalls } from './surface.ts'

const canRun = await hasJail()
let all: AppWorld
beforeAll(async () => {
  watchClasses()
  if (!canRun) return
  all = await bootApp(dedicatedConfig, 'dedicated')
  const cloud = (await all.world.app.clouds.find(all.cloud.ref))!
  await all.world.app.databases.use(cloud, (open) =>
    open.pool('postgres').query(`
      create table makers (id int primary key, name text);
      create table works (id int primary key, title text, maker_id int references makers);
      insert into makers values (1, 'فردوسی'), (2, 'سعدی');
      insert into works values (1, 'شاهنامه', 1), (2, 'گلستان', 2), (3, 'بوستان', 2);
      create function works_of(maker text) returns setof works language sql stable as
        'select w.* from works w join makers m on m.id = w.maker_id where m.name = maker';
      create function total(a int, b int) returns int language sql immutable as 'select a + b';`),
  )
})
afterAll(() => all?.[Symbol.asyncDispose]())

const onlyTables: Scenario[] = [
  scenario(
    'rows are found by regular expressions',
    'select().regexMatch select().regexIMatch',
    async (app) => {
      const { client, rows } = await filled(app)
      expect(await ok(client.from(rows).select('name').regexMatch('name', '^می.+د$'))).toEqual([
        { name: 'میلاد' },
      ])
      expect(await ok(client.from(rows).select('name').regexIMatch('name', '^SA'))).toEqual([
        { name: 'Sara' },
      ])
    },
  ),
  scenario('functions are called', 'client.rpc schema().rpc', async (app) => {
    const client = app.client()
    expect(await ok(client.rpc('total', { a: 1, b: 2 }))).toBe(3)
    expect(await ok(client.schema('public').rpc('total', { a: 1, b: 2 }, { get: true }))).toBe(3)
    const works = client.rpc('works_of', { maker: 'سعدی' }, { count: 'exact' }).select('title, makers(name)')
    const { data, count } = await works.order('title').limit(1)
    expect([data, count]).toEqual([[{ title: 'بوستان', makers: { name: 'سعدی' } }], 2])
  }),
  scenario('rows bring those that are related to them', 'from().select', async (app) => {
    const client = app.client()
    expect(
      await ok(
        client
          .from('makers')
          .select('name, works(title)')
          .eq('id', 2)
          .order('id', { referencedTable: 'works' }),
      ),
    ).toEqual([{ name: 'سعدی', works: [{ title: 'گلستان' }, { title: 'بوستان' }] }])
    expect(
      await ok(client.from('works').select('title, maker:makers!inner(name)').eq('maker.name', 'فردوسی')),
    ).toEqual([{ title: 'شاهنامه', maker: { name: 'فردوسی' } }])
    expect(await ok(client.from('works').select('title, ...makers(maker:name)').eq('id', 1))).toEqual([
      { title: 'شاهنامه', maker: 'فردوسی' },
    ])
  }),
  // As PostgREST without PostGIS, and with its plans left out.
  ...(['geojson', 'explain'] as const).map((name) =>
    scenario(`${name} is refused in words`, `select().${name}`, async (app) => {
      const { client, rows } = await filled(app)
      const { error } = await client.from(rows).select()[name]()
      expect(error).toMatchObject({
        code: 'PGRST107',
        message: expect.stringMatching(/^None of these media types are available: /),
      })
    }),
  ),
]

const families = [
  'client.from',
  'client.rpc',
  'client.schema',
  'client.getOpenApiSpec',
  'from().',
  'select().',
  'schema().',
]
const scenarios = [...rows, ...onlyTables]

test('every method of the client for rows and functions has a test on a dedicated cloud', () => {
  const tested = new Set(scenarios.flatMap(({ calls }) => calls))
  const calls = publicCalls().filter((call) =>
    families.some((one) => (one.endsWith('.') ? call.startsWith(one) : call === one)),
  )
  expect(calls.length).toBeGreaterThan(50)
  expect(calls.filter((call) => !tested.has(call))).toEqual([])
})

for (const form of ['path', 'host'] as const)
  describe.runIf(canRun)(`by the ${form} of the cloud`, () => {
    test.each(scenarios)('$name', async ({ calls, run }) => {
      takeCalled()
      await run(all.apps[form], all)
      const called = takeCalled()
      expect(calls.filter((call) => !called.has(call))).toEqual([])
    })
  })
