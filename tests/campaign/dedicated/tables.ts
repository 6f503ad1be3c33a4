/** What tables of a dedicated cloud do and collections do not. */
import { expect } from 'vitest'
import { filled, ok, type Scenario, scenario } from '../../cloud/supabase-js/scenarios.ts'

export const tablesSql = `
  create table makers (id int primary key, name text);
  create table works (id int primary key, title text, maker_id int references makers);
insert into makers values (1, 'فردوسی'), (2, 'سعدی');
insert into works values (1, 'شاهنامه', 1), (2, 'گلستان', 2), (3, 'بوستان', 2);
  create function works_of(maker text) returns setof works language sql stable as
      'select w.* from works w join makers m on m.id = w.maker_id where m.name = maker';
  create function total(a int, b int) returns int language sql immutable as 'select a + b';`

export const onlyTables: Scenario[] = [
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
]
