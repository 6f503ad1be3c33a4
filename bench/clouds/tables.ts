/**
 * `node bench/clouds/tables.ts [seconds] [connections]`: tables of a dedicated cloud read through the real server, beside a collection of a Starter
 * cloud. The load generator shares the machine; what the server and the cloud's PostgreSQL compute for a request does not depend on it.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { cpuSeconds, dataOf, jsonFrom, machine, temporaryFolder } from '../stage.ts'
import { row, table } from '../table.ts'
import type { RowsLoad, RowsLoadResult } from './rows-load.ts'
import { startClouds } from './server.ts'

const [seconds = 4, connections = 32] = process.argv.slice(2).map(Number)
const customers = 1_000
const ordersOfEach = 5

const schema = `
create table customers (id bigint generated always as identity primary key, name text not null, city text);
create table orders (id bigint generated always as identity primary key, customer_id bigint not null references customers, total numeric, note text);
create index on orders (customer_id);
insert into customers (name, city) select 'مشتری شمارهٔ ' || n, 'تهران' from generate_series(1, ${customers}) n;
insert into orders (customer_id, total, note) select c.id, n * 10, 'خرید نان و شیر از مغازهٔ سر کوچه' from customers c, generate_series(1, ${ordersOfEach}) n;
alter table customers enable row level security;
create policy everybody on customers for select using (true);
analyze customers; analyze orders`

console.log(machine())
await using stack = new AsyncDisposableStack()
const folder = await temporaryFolder(stack)
const server = stack.use(await startClouds(folder))
const cloud = await server.createDedicated('bench')
await server.call(`/v1/cloud/${cloud.id}/database`, { query: schema, read_only: false, confirm_write: true })
const starter = await server.create('bench')
const urlOf = ({ ref }: { ref: string }) => `http://127.0.0.1:${server.appsPort}/_cloud/${ref}/rest/v1`
const rows = `${urlOf(starter)}/customers`
const { secret } = await server.call(`/v1/cloud/${starter.id}/keys`, { kind: 'service' })
await server.call(`/v1/cloud/${starter.id}/database`, { action: 'create_collection', name: 'customers' })
const inserted = await fetch(rows, {
  method: 'POST',
  headers: { apikey: String(secret), 'content-type': 'application/json', prefer: 'return=representation' },
  body: JSON.stringify({ name: 'مشتری', city: 'تهران' }),
})
const [first] = (await inserted.json()) as { id: string }[]

const tables = urlOf(cloud)
const cases: [name: string, url: string, apikey: string, target?: number][] = [
  ['one row by its key', `${tables}/customers?id=eq.500`, cloud.publicKey, 2_000],
  ['100 rows', `${tables}/customers?limit=100`, cloud.publicKey],
  [
    '100 rows with the one that each refers to',
    `${tables}/orders?select=*,customers(*)&limit=100`,
    cloud.publicKey,
    600,
  ],
  [
    '100 rows with the five that refer to each',
    `${tables}/customers?select=*,orders(*)&limit=100`,
    cloud.publicKey,
    600,
  ],
  ['Starter, one row by its id', `${rows}?id=eq.${first!.id}`, String(secret)],
]
table([
  `${connections} connections`,
  'a second',
  'target',
  'p50 ms',
  'p99 ms',
  'failures',
  'CPU of a request: server, PostgreSQL ms',
])
for (const [name, url, apikey, target] of cases) {
  const before = [cpuSeconds(server.child.pid!), postgresSeconds()] as const
  const load: RowsLoad = { url, method: 'GET', headers: { apikey }, connections, seconds }
  const { perSecond, p50, p99, failures } = await jsonFrom<RowsLoadResult>('bench/clouds/rows-load.ts', load)
  const [own, postgres] = [cpuSeconds(server.child.pid!) - before[0], postgresSeconds() - before[1]]
  // The load warms up for a fifth of its time.
  const each = (spent: number) => ((spent * 1_000) / (perSecond * seconds)).toFixed(2)
  row([
    name,
    String(perSecond),
    target === undefined ? '' : `${target}: ${perSecond >= target ? 'met' : 'missed'}`,
    ...[p50, p99, failures].map(String),
    `${each(own)}, ${each(postgres)}`,
  ])
}

/** Of the PostgreSQL of this cloud, the processes that have ended included. */
function postgresSeconds(): number {
  const info = path.join(dataOf(folder), 'databases', cloud.ref, 'info.json')
  const { 'child-pid': pid } = JSON.parse(readFileSync(info, 'utf8')) as { 'child-pid': number }
  return ticksBelow(pid) / 100
}

function ticksBelow(pid: number): number {
  try {
    const [, after = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    const own = after
      .split(' ')
      .slice(11, 15)
      .reduce((sum, one) => sum + Number(one), 0)
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return children.reduce((sum, child) => sum + ticksBelow(Number(child)), own)
  } catch {
    return 0
  }
}
