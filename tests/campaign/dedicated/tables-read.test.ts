import { afterAll, beforeAll, expect, test } from 'vitest'
import { onTables, parseQuery, type ReadAnswer, type ReadOptions, readPlan } from '#cloud/tables'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { type CloudDatabase, openCloudDatabase } from './cloud-database.ts'

const canRun = await hasJail()
let database: CloudDatabase

const schema = `
create table customers (id int primary key, name text not null, "home address" jsonb, tags text[], seen tsrange, boss_id int references customers);
create table orders (id int primary key, customer_id int references customers, total numeric, note text, placed date);
create table products (id int primary key, name text, words tsvector generated always as (to_tsvector('english', name)) stored);
create table items (order_id int references orders, product_id int references products, amount int, primary key (order_id, product_id));
insert into customers values (1, 'سارا', '{"city":"Tehran","codes":[1,2]}', '{a,b}', '[2026-01-01,2026-02-01)', null), (2, 'Bo, "B"', null, '{}', null, 1);
insert into orders values (1, 1, 10.5, 'first note', '2026-01-02'), (2, 1, 20, null, '2026-01-03'), (3, 2, 5, 'x', null), (4, null, 1, 'y', null);
insert into products values (1, 'red bicycles'), (2, 'green apple'), (3, 'nothing');
insert into items values (1, 1, 2), (1, 2, 1), (2, 2, 5);
grant select on all tables in schema public to anon;
`

beforeAll(async () => {
  if (!canRun) return
  database = await openCloudDatabase()
  await database.sql(schema)
})
afterAll(() => database?.[Symbol.asyncDispose]())

const options: ReadOptions = { maxRows: 1_000, maxBytes: 1_000_000, withoutNulls: false }

async function ask(table: string, query: string, more: Partial<ReadOptions> = {}): Promise<ReadAnswer> {
  const parsed = parseQuery(new URLSearchParams(query))
  const caller = { role: 'anon', claims: '{}', method: 'GET', path: '/', headers: '{}' } as const
  let read: ReturnType<typeof readPlan>
  const answers = await onTables(
    database.open,
    caller,
    (catalogue) => {
      read = readPlan(catalogue, catalogue.table('public', table)!, parsed, { ...options, ...more })
      return read.statements
    },
    { isReadOnly: true },
  )
  return read!.answer(answers)
}
const rows = async (table: string, query: string): Promise<unknown> =>
  JSON.parse(`[${(await ask(table, query)).body}]`)

test.runIf(canRun)(
  'rows are selected, filtered and ordered, with what is related to them, to any depth',
  async () => {
    const asked: [table: string, query: string, rows: unknown[]][] = [
      ['orders', 'select=id,customers(name)&order=id&id=lte.1', [{ id: 1, customers: { name: 'سارا' } }]],
      [
        'customers',
        'select=name,orders(id,items(amount,products(name)))&id=eq.1&orders.order=id.desc&orders.items.order=amount',
        [
          {
            name: 'سارا',
            orders: [
              { id: 2, items: [{ amount: 5, products: { name: 'green apple' } }] },
              {
                id: 1,
                items: [
                  { amount: 1, products: { name: 'green apple' } },
                  { amount: 2, products: { name: 'red bicycles' } },
                ],
              },
            ],
          },
        ],
      ],
      [
        'orders',
        'select=id,products(name)&order=id.desc&id=gte.2&products.order=name',
        [
          { id: 4, products: [] },
          { id: 3, products: [] },
          { id: 2, products: [{ name: 'green apple' }] },
        ],
      ],
      [
        'orders',
        'select=id,...customers(who:name,...boss_id(boss:name))&order=id&id=gte.3',
        [
          { id: 3, who: 'Bo, "B"', boss: 'سارا' },
          { id: 4, who: null, boss: null },
        ],
      ],
      [
        'customers',
        'select=id,...orders(totals:total)&order=id&orders.order=total',
        [
          { id: 1, totals: [10.5, 20] },
          { id: 2, totals: [5] },
        ],
      ],
      ['customers', 'select=id,orders!inner(id)&orders.total=gt.15', [{ id: 1, orders: [{ id: 2 }] }]],
      [
        'customers',
        'select=id,city:home address->>city,"home address"->codes->0&tags=cs.{a}',
        [{ id: 1, city: 'Tehran', codes: 1 }],
      ],
      ['customers', 'select=id&seen=ov.[2026-01-05,2026-01-06)', [{ id: 1 }]],
      [
        'customers',
        'select=id&or=(id.eq.1,and(name.like.Bo*,id.gt.1))&order=id.desc',
        [{ id: 2 }, { id: 1 }],
      ],
      ['products', 'select=id&words=fts(english).bicycle', [{ id: 1 }]],
      ['products', 'select=id&name=plfts(english).apples', [{ id: 2 }]],
      ['products', 'select=id&name=like(any).{red*,*apple}&order=id', [{ id: 1 }, { id: 2 }]],
      ['products', 'select=id&id=in.(1,"3")&order=id', [{ id: 1 }, { id: 3 }]],
      [
        'customers',
        'select=id,customers(id),boss_id(id)&order=id',
        [
          { id: 1, customers: [{ id: 2 }], boss_id: null },
          { id: 2, customers: [], boss_id: { id: 1 } },
        ],
      ],
      [
        'orders',
        'select=id,customers()&order=customers(name).desc,id&customers=not.is.null',
        [{ id: 1 }, { id: 2 }, { id: 3 }],
      ],
      [
        'orders',
        'select=id::text,total::numeric,placed::varchar&order=id&limit=1&offset=1',
        [{ id: '2', total: 20, placed: '2026-01-03' }],
      ],
    ]
    for (const [table, query, expected] of asked)
      expect([query, await rows(table, query)]).toEqual([query, expected])
  },
)

test.runIf(canRun)(
  'rows are counted exactly, as planned, or exactly up to the most that are answered',
  async () => {
    const query = 'select=id,customers!inner(name)&limit=1'
    expect(await ask('orders', query, { count: 'exact' })).toMatchObject({ rows: 1, total: 3 })
    expect(await ask('orders', query, { count: 'estimated' })).toMatchObject({ rows: 1, total: 3 })
    const planned = await ask('orders', query, { count: 'planned' })
    expect(planned.total).toBeGreaterThan(3)
    expect(await ask('orders', query, { count: 'estimated', maxRows: 2 })).toMatchObject({
      total: planned.total,
    })
  },
)

test.runIf(canRun)('rows leave as lines of CSV', async () => {
  const { names, body } = await ask('customers', 'select=id,name,tags&order=id', { isCsv: true })
  expect(names).toEqual(['id', 'name', 'tags'])
  expect(body).toBe('1,سارا,"{a,b}"\n2,"Bo, ""B""",{}')
})
