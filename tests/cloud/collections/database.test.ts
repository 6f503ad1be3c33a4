import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limitsOf } from '#cloud/clouds'
import { type ExportedItem, exportAll, importAll } from '#cloud/collections'
import type { Client, Seen } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'
import { isNotDone, sentAgain } from '../sent-again.ts'

let world: World
let cloud: TestCloud
let key: Client
let path: string
beforeAll(async () => {
  world = await boot({ config: 'clouds: { collections: 12, rows: 5000 }' })
  cloud = await world.cloud()
  key = cloud.client
  path = `/v1/cloud/${cloud.id}/database`
  await act({ action: 'create_collection', name: 'todos' })
})
afterAll(() => world[Symbol.asyncDispose]())

const act = (body: object, headers: Record<string, string> = {}): Promise<Seen> =>
  until(async () => {
    const reply = await key.post(path, body, headers)
    return isNotDone(reply.text) ? undefined : reply
  })
const refused = async (body: object) => {
  const { status, body: answer } = await act(body)
  return { status, code: answer.error?.code, param: answer.error?.param }
}
const drop = async (name: string) => {
  const reply = await key.raw('DELETE', `/v1/cloud/${cloud.id}/collections/${name}`)
  return { status: reply.status, body: (await reply.json()) as Seen['body'] }
}

/** Makes a collection of so many rows. */
async function fill(name: string, count: number): Promise<void> {
  await act({ action: 'create_collection', name })
  const service = await cloud.serviceKey()
  const rows = Array.from({ length: count }, (_, n) => ({ n }))
  for (let at = 0; at < count; at += 1_000) {
    const made = await sentAgain(fetch)(`${cloud.pathUrl}/rest/v1/${name}`, {
      method: 'POST',
      headers: { apikey: service, 'content-type': 'application/json' },
      body: JSON.stringify(rows.slice(at, at + 1_000)),
    })
    expect(made.status).toBe(201)
  }
}

const named = async (name: string) =>
  (await key.get(path)).body.data.find((one: { name: string }) => one.name === name)

test('a collection is made by name or table, listed with what it holds, changed and deleted with its rows', async () => {
  const made = await act({ action: 'create_collection', table: 'notes', public_read: true })
  expect(made).toMatchObject({
    status: 200,
    body: { object: 'collection', name: 'notes', public_read: true, rows: 0 },
  })
  await act({ action: 'insert', table: 'notes', data: { a: 'سلام' } })
  expect(await named('notes')).toMatchObject({ rows: 1, bytes: Buffer.byteLength('{"a": "سلام"}') })
  const changed = await act({ action: 'update', table: 'notes', public_read: false })
  expect(changed.body).toMatchObject({ name: 'notes', public_read: false, rows: 1 })
  expect(await drop('notes')).toEqual({
    status: 200,
    body: { object: 'collection', name: 'notes', rows: 1, deleted: true },
  })
  expect([await named('todos'), await named('notes')]).toMatchObject([{ name: 'todos' }, undefined])
  expect((await drop('notes')).body.error.code).toBe('COLLECTION_NOT_FOUND')
})

test('rows are inserted, listed, merged into and deleted; they have no owner', async () => {
  const { body: row } = await act({ action: 'insert', table: 'todos', data: { title: 'نان', tags: [1] } })
  expect(row).toMatchObject({ owner_id: null, data: { title: 'نان', tags: [1] } })
  const id = randomUUID()
  const { body: own } = await act({ action: 'insert', name: 'todos', id: id.toUpperCase(), data: {} })
  expect(own).toMatchObject({ id, data: {} })
  const again = await act({ action: 'insert', table: 'todos', id, data: {} })
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'ROW_TAKEN' } } })
  const changed = await act({
    action: 'update',
    table: 'todos',
    id: row.id,
    data: { done: true, tags: { a: 1 } },
  })
  expect(changed.body).toMatchObject({ id: row.id, data: { title: 'نان', done: true, tags: { a: 1 } } })
  const list = await act({ action: 'list', table: 'todos' })
  expect(list.body).toMatchObject({ has_more: false, offset: 0, total: 2 })
  expect(list.body.data).toContainEqual(changed.body)
  expect((await act({ action: 'delete', table: 'todos', id })).body).toEqual({ id, deleted: true })
  expect(await refused({ action: 'delete', table: 'todos', id })).toMatchObject({
    status: 404,
    code: 'ROW_NOT_FOUND',
  })
  expect(await refused({ action: 'update', table: 'todos', id, data: {} })).toMatchObject({
    code: 'ROW_NOT_FOUND',
  })
})

test('pages have 50 rows, and offset goes to 2,000', async () => {
  await fill('many', 2_001)
  const page = (offset?: number) =>
    act({ action: 'list', table: 'many', ...(offset !== undefined && { offset }) })
  expect((await page()).body.data).toHaveLength(50)
  expect((await page(1_950)).body).toMatchObject({ has_more: true, total: 2_001 })
  const last = await page(2_000)
  expect(last.body).toMatchObject({ has_more: false, offset: 2_000, data: [{ data: { n: 2_000 } }] })
  for (const offset of [2_001, -1, 1.5])
    expect(await refused({ action: 'list', table: 'many', offset })).toMatchObject({
      status: 400,
      param: 'offset',
    })
})

describe('refused', () => {
  const id = randomUUID()
  test.each([
    ['SQL on Starter', { query: 'select 1' }, 'PLAN_MISMATCH', 'query'],
    ['SQL beside an action', { action: 'list', table: 'todos', query: 'select 1' }, 'PLAN_MISMATCH', 'query'],
    ['its options', { action: 'list', table: 'todos', read_only: true }, 'PLAN_MISMATCH', 'read_only'],
    ['no action', { table: 'todos' }, 'INVALID_REQUEST', 'action'],
    ['an unknown action', { action: 'truncate', table: 'todos' }, 'INVALID_REQUEST', 'action'],
    ['no collection', { action: 'list' }, 'INVALID_REQUEST', 'table'],
    ['two collections', { action: 'list', table: 'todos', name: 'notes' }, 'INVALID_REQUEST', 'name'],
    ['a name with a blank', { action: 'create_collection', name: 'a b' }, 'INVALID_REQUEST', 'name'],
    [
      'a name of 64 characters',
      { action: 'create_collection', name: 'a'.repeat(64) },
      'INVALID_REQUEST',
      'name',
    ],
    ['a name of SQL', { action: 'create_collection', name: 'a"; drop table x' }, 'INVALID_REQUEST', 'name'],
    ['the reserved name', { action: 'create_collection', name: 'rpc' }, 'INVALID_REQUEST', 'name'],
    ['a name that is there', { action: 'create_collection', name: 'todos' }, 'COLLECTION_TAKEN', undefined],
    ['a row without data', { action: 'insert', table: 'todos' }, 'INVALID_REQUEST', 'data'],
    ['an id that is none', { action: 'insert', table: 'todos', id: '5', data: {} }, 'INVALID_REQUEST', 'id'],
    ['an update without id', { action: 'update', table: 'todos', data: {} }, 'INVALID_REQUEST', 'id'],
    ['an update without data', { action: 'update', table: 'todos', id }, 'INVALID_REQUEST', 'data'],
    ['a delete without id', { action: 'delete', table: 'todos' }, 'INVALID_REQUEST', 'id'],
    ['what an action does not take', { action: 'list', table: 'todos', id }, 'INVALID_REQUEST', 'id'],
    [
      'an offset of an insert',
      { action: 'insert', table: 'todos', data: {}, offset: 0 },
      'INVALID_REQUEST',
      'offset',
    ],
    [
      'a collection that is not there',
      { action: 'list', table: 'missing' },
      'COLLECTION_NOT_FOUND',
      undefined,
    ],
    [
      'an insert into one',
      { action: 'insert', table: 'missing', data: {} },
      'COLLECTION_NOT_FOUND',
      undefined,
    ],
    [
      'a reserved member',
      { action: 'insert', table: 'todos', data: { owner_id: id } },
      'ROW_INVALID',
      'data.owner_id',
    ],
    [
      'a row of more than 64 KiB',
      { action: 'insert', table: 'todos', data: { a: 'x'.repeat(65_530) } },
      'ROW_TOO_LARGE',
      'data',
    ],
  ])('%s', async (_name, body, code, param) => {
    expect(await refused(body)).toMatchObject({ code, ...(param !== undefined && { param }) })
  })
  test('everything of a cloud of another project, as what does not exist', async () => {
    const { client } = await world.stranger()
    expect((await client.get(path)).body.error.code).toBe('CLOUD_NOT_FOUND')
    expect((await client.post(path, { action: 'list', table: 'todos' })).body.error.code).toBe(
      'CLOUD_NOT_FOUND',
    )
    const gone = await client.raw('DELETE', `/v1/cloud/${cloud.id}/collections/todos`)
    expect(gone.status).toBe(404)
  })
})

test('an export holds all of a cloud, and an import makes the same of it within the limits of the other', async () => {
  await fill('exported', 2_001)
  const { accountId, cloudId } = { accountId: world.account, cloudId: cloud.id }
  const items: ExportedItem[] = []
  for await (const item of exportAll(world.app.collections, { accountId, cloudId })) items.push(item)
  expect(items.filter(({ kind }) => kind === 'row').length).toBeGreaterThan(2_000)
  const other = await world.cloud('other')
  const limits = limitsOf(world.app.config.clouds)
  const target = { accountId, cloudId: other.id, limits }
  const now = new Date()
  const small = { ...target, limits: { ...limits, rows: 300 } }
  const imported = (into: typeof target) => world.app.db.tx((tx) => importAll(tx, into, items, now))
  await expect(imported(small)).rejects.toMatchObject({ code: 'ROW_LIMIT' })
  const third = { ...target, cloudId: (await world.cloud('third')).id }
  const { rows } = await imported(third)
  expect(rows).toBe(items.filter(({ kind }) => kind === 'row').length)
  const copied = []
  for await (const item of exportAll(world.app.collections, third)) copied.push(item)
  const sorted = (list: unknown[]) => list.map((item) => JSON.stringify(item)).sort()
  expect(sorted(copied)).toEqual(sorted(items))
})
