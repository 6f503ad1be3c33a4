/** Requests on tables at their bounds, and beyond them: refused in words, before they cost anything. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bootApp, type DedicatedApp } from '../../cloud/dedicated/dedicated-app.ts'
import { hasJail } from '../../cloud/jail/needs-jail.ts'
import { isNotDone } from '../../cloud/sent-again.ts'
import { expectNoHold } from '../../cost/cost.ts'
import { until } from '../../harness/until.ts'

const canRun = await hasJail()
const wide = Array.from({ length: 1_600 }, (_, nth) => `c${nth}`)

let app: DedicatedApp
beforeAll(async () => {
  if (!canRun) return
  app = await bootApp(`
    create table texts (id int, body text, more jsonb);
    create table forty (${Array.from({ length: 40 }, (_, nth) => `c${nth} int`).join(', ')});
    create table wide (${wide.map((name) => `${name} int`).join(', ')});
    create table nodes (id int primary key, parent_id int references nodes);
    create function words(variadic v text[]) returns int language sql immutable as 'select cardinality(v)';
    create function echo(v text) returns int language sql immutable as 'select length(v)';
  `)
})
afterAll(() => app?.[Symbol.asyncDispose]())

const json = { 'content-type': 'application/json' }
/** Sent again where a busy machine did nothing of it. */
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  until(async () => {
    const reply = await app.ask(`/rest/v1${path}`, {
      method: 'POST',
      body,
      headers: { ...json, ...headers },
      key: app.serviceKey,
    })
    const text = await reply.text()
    if (isNotDone(text)) return undefined
    return { status: reply.status, code: text.startsWith('{') ? JSON.parse(text).code : undefined, text }
  })
const get = async (path: string) => {
  const reply = await app.ask(`/rest/v1${path}`, { key: app.serviceKey })
  return { status: reply.status, code: ((await reply.json()) as { code?: string }).code }
}

test.runIf(canRun)('a body has a mebibyte at most', async () => {
  const frame = '{"id":1,"body":""}'
  const whole = (bytes: number) => frame.replace('""', JSON.stringify('x'.repeat(bytes - frame.length)))
  expect(await post('/texts', whole(1024 * 1024))).toMatchObject({ status: 201 })
  expect(await post('/texts', whole(1024 * 1024 + 1))).toMatchObject({ status: 413 })
  const argument = JSON.stringify({ v: 'x'.repeat(1024 * 1024 - 8) })
  expect(await post('/rpc/echo', argument)).toMatchObject({ status: 200, text: String(1024 * 1024 - 8) })
  expect(await post('/rpc/echo', `${argument} `)).toMatchObject({ status: 413 })
})

test.runIf(canRun)(
  'ten thousand rows and four hundred thousand values are written at once, and no more',
  async () => {
    const rows = (number: number) => `[${Array(number).fill('{"c0":1}').join(',')}]`
    const columns = (number: number) =>
      `columns=${Array.from({ length: number }, (_, nth) => `c${nth}`).join(',')}`
    const all = await post(`/forty?${columns(40)}`, rows(10_000), { prefer: 'count=exact' })
    expect([all.status, all.text]).toEqual([201, ''])
    expect(await post('/forty', rows(10_001))).toMatchObject({ status: 400, code: '54000' })
    expect(await post(`/wide?${columns(41)}`, rows(9_757))).toMatchObject({ status: 400, code: '54000' })
    const { data } = await app.service.from('forty').select('c0').limit(5_000)
    // Pages have a thousand rows.
    expect(data).toHaveLength(1_000)
  },
)

test.runIf(canRun)(
  'a table with as many columns as PostgreSQL allows is written, changed and read',
  async () => {
    const row = Object.fromEntries(wide.map((name, nth) => [name, nth]))
    const made = await app.service
      .from('wide')
      .insert(row as never)
      .select()
      .single()
    expect(made.data).toEqual(row)
    const changed = await app.service
      .from('wide')
      .update({ ...row, c1: 0 })
      .eq('c0', 0)
      .select('c1')
    expect(changed.data).toEqual([{ c1: 0 }])
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, nth) => [`x${nth}`, 1]))
    expect(await post('/wide', JSON.stringify(many))).toMatchObject({ status: 400, code: 'PGRST204' })
  },
)

test.runIf(canRun)(
  'forms and CSV have no more columns than a table and no more rows than are written',
  async () => {
    const form = (members: number) => Array.from({ length: members }, (_, nth) => `c${nth}=1`).join('&')
    const type = (name: string) => ({ 'content-type': name })
    const formType = type('application/x-www-form-urlencoded')
    expect(await post('/wide', form(1_600), formType)).toMatchObject({ status: 201 })
    expect(await post('/wide', form(1_601), formType)).toMatchObject({ status: 400, code: '54011' })
    expect(await post('/rpc/echo', form(1_601), formType)).toMatchObject({ status: 400, code: '54011' })
    const csv = type('text/csv')
    const lines = (number: number) => `c0\n${'1\n'.repeat(number)}`
    expect(await post('/forty', lines(10_000), csv)).toMatchObject({ status: 201 })
    expect(await post('/forty', lines(10_001), csv)).toMatchObject({ status: 400, code: '54000' })
    expect(await post('/wide', `${wide.join(',')},more\n`, csv)).toMatchObject({ status: 400, code: '54011' })
  },
)

test.runIf(canRun)(
  'CSV costs no more than its bytes: not the names of columns in each row, and no turn of the event loop',
  async () => {
    const csv = { 'content-type': 'text/csv' }
    const long = `c0,${'n'.repeat(100_000)}\n${'1,\n'.repeat(10_000)}`
    expect(await post('/forty?columns=c0', long, csv)).toMatchObject({ status: 201 })
    expect(await post('/forty', long, csv)).toMatchObject({ status: 400, code: 'PGRST204' })
    const lines = (number: number) => `${wide.join(',')}\n${`${','.repeat(1_599)}\n`.repeat(number)}`
    expect(await post('/wide', lines(250), csv)).toMatchObject({ status: 400, code: '22P02' })
    await expectNoHold('lines of many columns', async () => {
      expect(await post('/wide', lines(600), csv)).toMatchObject({ status: 400, code: '54000' })
    })
  },
)

test.runIf(canRun)(
  'JSON that is nested too deep, and queries with too many parts or too deep, are refused',
  async () => {
    const deep = (levels: number) => `{"id":2,"more":${'['.repeat(levels)}${']'.repeat(levels)}}`
    expect(await post('/texts', deep(99))).toMatchObject({ status: 201 })
    expect(await post('/texts', deep(100))).toMatchObject({ status: 400, code: 'PGRST102' })
    const nested = (levels: number): string => (levels === 0 ? 'id' : `id,parent_id(${nested(levels - 1)})`)
    expect(await get(`/nodes?select=${nested(9)}`)).toMatchObject({ status: 200 })
    expect(await get(`/nodes?select=${nested(10)}`)).toMatchObject({ status: 400, code: 'PGRST100' })
    const wideSelect = (number: number) => Array.from({ length: number }, (_, nth) => `a${nth}:id`).join(',')
    expect(await get(`/nodes?select=${wideSelect(500)}`)).toMatchObject({ status: 200 })
    expect(await get(`/nodes?select=${wideSelect(501)}`)).toMatchObject({ status: 400, code: 'PGRST100' })
    const groups = (levels: number): string => `${'and('.repeat(levels)}id.eq.1${')'.repeat(levels)}`
    expect(await get(`/nodes?or=(${groups(9)})`)).toMatchObject({ status: 200 })
    expect(await get(`/nodes?or=(${groups(10)})`)).toMatchObject({ status: 400, code: 'PGRST100' })
  },
)

test.runIf(canRun)('as many arguments of one name as a query has room for are read once each', async () => {
  const reply = await app.ask(`/rest/v1/rpc/words?${'v&'.repeat(7_000)}`)
  expect(await reply.text()).toBe('7000')
  const read = () => app.ask(`/rest/v1/rpc/words?${'v&'.repeat(7_000)}`).then((one) => one.text())
  await expectNoHold('arguments', read, 20)
})

test.runIf(canRun)('a query is as long as the head of a request may be', async () => {
  expect(await get(`/texts?body=eq.${'x'.repeat(8_000)}`)).toMatchObject({ status: 200 })
  const reply = await app.ask(`/rest/v1/texts?body=eq.${'x'.repeat(1024 * 1024)}`).then(
    ({ status }) => status,
    () => 'ended',
  )
  expect([414, 431, 'ended']).toContain(reply)
})
