import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppClient, bootRows, type RowsWorld } from './rows-world.ts'

let rows: RowsWorld
let collection: (more?: { public_read?: boolean }) => Promise<string>
beforeAll(async () => {
  rows = await bootRows({ config: 'clouds: { collections: 100 }' })
  let made = 0
  collection = async (more) => {
    const name = `c${++made}`
    await rows.collection(name, more)
    return name
  }
})
afterAll(() => rows[Symbol.asyncDispose]())

const all = async (client: AppClient, name: string) => (await client.from(name).select().order('id')).data!

/** Counts of the cloud are what its rows are, counted anew. */
async function expectCounted(): Promise<void> {
  const [counted] = await rows.world.app.db.query<{ right: boolean }>(
    {
      text: `select c.rows = (select count(*) from collections.rows r where r.cloud_id = c.cloud_id)
        and c.bytes = (select coalesce(sum(octet_length(r.data::text)), 0) from collections.rows r where r.cloud_id = c.cloud_id) as right
        from collections.counts c where cloud_id = $1`,
    },
    [rows.cloud.id],
  )
  expect(counted).toEqual({ right: true })
}

describe('whose rows are whose', () => {
  test('an app user reads and writes its own rows, sees no others, and others do not see them', async () => {
    const name = await collection()
    const [ali, sara] = [await rows.user(), await rows.user()]
    const made = await ali.client.from(name).insert({ title: 'نان', done: false }).select().single()
    expect(made).toMatchObject({ status: 201, data: { title: 'نان', done: false, owner_id: ali.id } })
    const { id } = made.data!
    expect(await all(ali.client, name)).toHaveLength(1)
    expect(await all(sara.client, name)).toEqual([])
    expect(await all(rows.anon, name)).toEqual([])
    expect(await all(rows.service, name)).toHaveLength(1)
    const changed = await sara.client.from(name).update({ title: 'x' }).eq('id', id).select()
    expect(changed).toMatchObject({ status: 200, data: [] })
    expect((await sara.client.from(name).delete({ count: 'exact' }).eq('id', id)).count).toBe(0)
    const counted = await sara.client.from(name).select('*', { count: 'exact', head: true })
    expect(counted.count).toBe(0)
    expect(
      (await ali.client.from(name).update({ done: true }).eq('id', id).select().single()).data,
    ).toMatchObject({
      title: 'نان',
      done: true,
    })
    expect((await ali.client.from(name).delete().eq('id', id)).status).toBe(204)
    expect(await all(rows.service, name)).toEqual([])
  })
  test('everybody reads a public collection, and writes in it stay with the owners', async () => {
    const name = await collection({ public_read: true })
    const [ali, sara] = [await rows.user(), await rows.user()]
    const { data } = await ali.client.from(name).insert({ a: 1 }).select().single()
    await rows.service.from(name).insert({ a: 2 })
    for (const client of [rows.anon, sara.client]) expect(await all(client, name)).toHaveLength(2)
    expect((await sara.client.from(name).update({ a: 9 }).neq('a', 0).select()).data).toEqual([])
    expect((await ali.client.from(name).update({ a: 9 }).neq('a', 0).select('a')).data).toEqual([{ a: 9 }])
    expect((await rows.service.from(name).select('a').eq('id', data!.id).single()).data).toEqual({ a: 9 })
  })
  test('an upsert of the id of another is refused, changes nothing and tells nothing of the row', async () => {
    const name = await collection()
    const [ali, sara] = [await rows.user(), await rows.user()]
    const { data } = await ali.client.from(name).insert({ secret: 'x' }).select().single()
    const taken = await sara.client.from(name).upsert({ id: data!.id, secret: 'y' }).select()
    expect(taken).toMatchObject({ status: 403, error: { code: '42501' }, data: null })
    expect(JSON.stringify(taken)).not.toContain(ali.id)
    const again = await sara.client.from(name).insert({ id: data!.id })
    expect(again).toMatchObject({ status: 409, error: { code: '23505' } })
    const ignored = await sara.client.from(name).upsert({ id: data!.id }, { ignoreDuplicates: true }).select()
    expect(ignored).toMatchObject({ status: 201, data: [] })
    expect(await all(ali.client, name)).toEqual([data])
    await expectCounted()
  })
  test('an upsert is 201 where a row is new, and 200 where all of them were there', async () => {
    const name = await collection()
    const ali = await rows.user()
    const { data: one } = await ali.client.from(name).insert({ a: 1 }).select('id').single()
    const upsert = async (...all: object[]) => (await ali.client.from(name).upsert(all as never)).status
    expect(await upsert({ id: one!.id, a: 2 })).toBe(200)
    expect(await upsert({ id: one!.id, a: 3 }, { id: crypto.randomUUID(), a: 4 })).toBe(201)
    expect(await upsert({ a: 5 })).toBe(201)
    await expectCounted()
  })
  test('nobody gives a row to another, and who is signed out writes nothing', async () => {
    const name = await collection({ public_read: true })
    const [ali, sara] = [await rows.user(), await rows.user()]
    expect((await ali.client.from(name).insert({ owner_id: sara.id })).error).toMatchObject({ code: '42501' })
    expect((await ali.client.from(name).insert({ owner_id: ali.id, a: 1 })).status).toBe(201)
    expect((await ali.client.from(name).update({ owner_id: sara.id }).neq('a', 0)).status).toBe(403)
    for (const asked of [
      rows.anon.from(name).insert({ a: 1 }),
      rows.anon.from(name).update({ a: 1 }).neq('a', 0),
      rows.anon.from(name).delete().neq('a', 0),
    ])
      expect(await asked).toMatchObject({ status: 401, error: { code: '42501' } })
    expect(await all(rows.anon, name)).toHaveLength(1)
  })
  test('filters cannot widen what somebody may see', async () => {
    const name = await collection()
    const [ali, sara] = [await rows.user(), await rows.user()]
    await ali.client.from(name).insert({ a: 1 })
    for (const filter of ['a.eq.1,a.neq.1', `owner_id.eq.${ali.id},a.is.null`, 'not.and(a.is.null)'])
      expect((await sara.client.from(name).select().or(filter)).data).toEqual([])
  })
})

describe('insert', () => {
  test('one, several, with ids of their own; the answer keeps their order', async () => {
    const name = await collection()
    const id = randomUUID()
    expect((await rows.service.from(name).insert({ id, a: 'ی\n"\\' }).select().single()).data).toMatchObject({
      id,
      a: 'ی\n"\\',
    })
    const { data } = await rows.service
      .from(name)
      .insert([{ a: 3 }, { a: 1 }, { a: 2 }])
      .select('a')
    expect(data).toEqual([{ a: 3 }, { a: 1 }, { a: 2 }])
    const none = await rows.service.from(name).insert([]).select()
    expect(none).toMatchObject({ status: 201, data: [] })
    expect((await rows.service.from(name).insert([{ a: 1 }, { a: 2 }], { count: 'exact' })).count).toBe(2)
    const minimal = await rows.service.from(name).insert({ a: 1 })
    expect(minimal).toMatchObject({ status: 201, data: null })
    await expectCounted()
  })
  test('fields that one row of several does not name are null in it, or left out where that is asked for', async () => {
    const name = await collection()
    const first = await rows.service
      .from(name)
      .insert([{ a: 1 }, { b: 2 }])
      .select()
    expect(first.data).toMatchObject([
      { a: 1, b: null },
      { a: null, b: 2 },
    ])
    const second = await rows.service
      .from(name)
      .insert([{ a: 1 }, { b: 2 }], { defaultToNull: false })
      .select()
    expect(second.data![0]).not.toHaveProperty('b')
  })
  test('the address of a row where only headers are asked for', async () => {
    const name = await collection()
    const id = randomUUID()
    const reply = await rows.ask(`/${name}`, {
      as: rows.serviceKey,
      method: 'POST',
      headers: { prefer: 'return=headers-only', 'content-type': 'application/json' },
      body: JSON.stringify({ id }),
    })
    expect(reply.status).toBe(201)
    expect(reply.headers.get('location')).toBe(`/${name}?id=eq.${id}`)
  })
  test('numbers that no double has are stored, found, changed, exported and answered with every digit', async () => {
    const name = await collection()
    const send = async (path: string, method: string, body?: string): Promise<string> => {
      const headers = { 'content-type': 'application/json', prefer: 'return=representation' }
      const as = rows.serviceKey
      return (await rows.ask(path, { method, as, headers, ...(body !== undefined && { body }) })).text()
    }
    const list = '[1234567890123456789.50, -0.12345678901234567890123]'
    const row = `{"big":9007199254740993,"list":${list}}`
    expect(await send(`/${name}?select=big,list`, 'POST', row)).toBe(`[${row}]`)
    const found = (filter: string) => send(`/${name}?select=big&${filter}`, 'GET')
    for (const filter of [
      'big=eq.9007199254740993',
      'big=gt.9007199254740992',
      'list=cs.[1234567890123456789.5]',
    ])
      expect(await found(filter), filter).toBe('[{"big":9007199254740993}]')
    for (const filter of [
      'big=eq.9007199254740992',
      'big=lt.9007199254740993',
      'list=cs.[1234567890123456789]',
    ])
      expect(await found(filter), filter).toBe('[]')
    expect((await rows.service.from(name).select('big::text').single()).data).toEqual({
      big: '9007199254740993',
    })
    const changed = `/${name}?big=eq.9007199254740993&select=more`
    expect(await send(changed, 'PATCH', '{"more":2512292042121000001}')).toBe(
      '[{"more":2512292042121000001}]',
    )
    expect(await send(`/${name}`, 'POST', '{"a":1e1000}')).toContain('more than 1000 digits')
    await expectCounted()

    const { client, id } = rows.cloud
    const data = '{"id_of_it":2512292042121000001}'
    const inserted = await client.request(
      'POST',
      `/v1/cloud/${id}/database`,
      `{"action":"insert","table":"${name}","data":${data}}`,
    )
    expect(inserted.text).toContain(data)
    const exported = (await client.get(`/v1/cloud/${id}/export`)).text
    expect(exported).toContain(data)
    expect(exported).toContain('"big":9007199254740993')
  })
  test('of several rows none is written where one cannot be', async () => {
    const name = await collection()
    const id = randomUUID()
    await rows.service.from(name).insert({ id })
    expect((await rows.service.from(name).insert([{ a: 1 }, { id }])).error).toMatchObject({ code: '23505' })
    expect((await rows.service.from(name).insert([{ a: 1 }, { a: 'x'.repeat(70_000) }])).error).toMatchObject(
      { code: '54000' },
    )
    expect(
      (await rows.service.from(name).insert([{ id: randomUUID() }, { id }, { id }])).error,
    ).toMatchObject({ code: '21000' })
    expect(await all(rows.service, name)).toHaveLength(1)
    await expectCounted()
  })
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 1]))
  test.each([
    ['an array in place of a row', [[1]], 'PGRST102'],
    ['a text', 'x', 'PGRST102'],
    ['an id that is no UUID', { id: 5 }, '22023'],
    ['created_at', { created_at: '2026-01-01' }, '22023'],
    ['updated_at', { updated_at: null }, '22023'],
    ['an owner, with the service key', { owner_id: '018f0000-0000-7000-8000-000000000000' }, '22023'],
    ['NUL in a text', { a: 'x\0' }, '22023'],
    ['half a character', { a: '\ud800' }, '22023'],
    ['a name that is empty', { '': 1 }, '22023'],
    ['a name of 201 characters', { ['n'.repeat(201)]: 1 }, '22023'],
    ['33 levels', nested(33), '22023'],
    ['2,001 members', members(2_001), '22023'],
    ['64 KiB and a byte', { a: 'x'.repeat(64 * 1024 - 8) }, '54000'],
    ['numbers that become longer than that', { a: Array(300).fill(1e300) }, '54000'],
    ['1,001 rows', Array(1_001).fill({}), 'ROWS_TOO_MANY'],
  ])('refused: %s', async (_name, row, code) => {
    const name = await collection()
    const { error, status } = await rows.service.from(name).insert(row as object)
    expect(error).toMatchObject({ code })
    expect(status).toBe(400)
    expect(await all(rows.service, name)).toEqual([])
  })
  test('what is just within the bounds is stored', async () => {
    const name = await collection()
    const within = [nested(32), members(2_000), { a: 'x'.repeat(64 * 1024 - 9) }, { ['n'.repeat(200)]: 1 }]
    for (const row of within) expect((await rows.service.from(name).insert(row as object)).error).toBe(null)
    expect((await rows.service.from(name).insert(Array(1_000).fill({}))).error).toBe(null)
    await expectCounted()
  })
})

describe('upsert, update and delete', () => {
  test('an upsert merges into a row that is there and inserts one that is not', async () => {
    const name = await collection()
    const { id, client } = await rows.user()
    const first = (await client.from(name).upsert({ a: 1, b: 1 }).select().single()).data!
    const fresh = randomUUID()
    const { data, status } = await client
      .from(name)
      .upsert(
        [
          { id: first.id, b: 2 },
          { id: fresh, b: 3 },
        ],
        { onConflict: 'id', defaultToNull: false },
      )
      .select('id,a,b,owner_id')
    expect(status).toBe(201)
    expect(data).toEqual([
      { id: first.id, a: 1, b: 2, owner_id: id },
      { id: fresh, a: null, b: 3, owner_id: id },
    ])
    const other = await client.from(name).upsert({ a: 1 }, { onConflict: 'a' })
    expect(other).toMatchObject({ status: 400, error: { code: '42P10' } })
    const twice = await client.from(name).upsert([{ id: fresh }, { id: fresh }])
    expect(twice).toMatchObject({ status: 400, error: { code: '21000' } })
    await expectCounted()
  })
  test('an update merges members, with counts, and says nothing where nothing is asked', async () => {
    const name = await collection()
    await rows.service.from(name).insert([1, 2, 3].map((n) => ({ n, keep: { deep: n } })))
    const changed = await rows.service
      .from(name)
      .update({ keep: 'new', more: null }, { count: 'exact' })
      .gt('n', 1)
    expect(changed).toMatchObject({ status: 204, count: 2, data: null })
    const { data } = await rows.service.from(name).select('n,keep,more').order('n')
    expect(data).toEqual([
      { n: 1, keep: { deep: 1 }, more: null },
      { n: 2, keep: 'new', more: null },
      { n: 3, keep: 'new', more: null },
    ])
    const empty = await rows.service.from(name).update({}).gt('n', 0).select()
    expect(empty).toMatchObject({ status: 200, data: [] })
    const ordered = await rows.service
      .from(name)
      .update({ x: 1 })
      .gt('n', 0)
      .order('n', { ascending: false })
      .select('n')
    expect(ordered.data).toEqual([{ n: 3 }, { n: 2 }, { n: 1 }])
    await expectCounted()
  })
  test('a delete answers what it deleted', async () => {
    const name = await collection()
    await rows.service.from(name).insert([{ n: 1 }, { n: 2 }])
    const gone = await rows.service.from(name).delete({ count: 'exact' }).eq('n', 1).select('n').single()
    expect(gone).toMatchObject({ status: 200, count: 1, data: { n: 1 } })
    await expectCounted()
  })
  test('maxAffected, single and rollback undo what they would have done', async () => {
    const name = await collection()
    await rows.service.from(name).insert([{ n: 1 }, { n: 2 }])
    // Its types offer it for the newest version of the database's API only.
    const capped = (asked: object) =>
      (asked as { maxAffected(rows: number): PromiseLike<{ status: number }> }).maxAffected(1)
    const over = { status: 400, error: { code: 'PGRST124' } }
    expect(await capped(rows.service.from(name).update({ n: 9 }).gt('n', 0))).toMatchObject(over)
    expect(await capped(rows.service.from(name).delete().gt('n', 0))).toMatchObject(over)
    const single = await rows.service.from(name).delete().gt('n', 0).select().single()
    expect(single).toMatchObject({ status: 406, error: { code: 'PGRST116' } })
    expect(
      (
        await rows.service
          .from(name)
          .insert([{ n: 3 }, { n: 4 }])
          .select()
          .single()
      ).status,
    ).toBe(406)
    const undone = await rows.service.from(name).delete().gt('n', 0).select('n').rollback()
    expect(undone.data).toEqual([{ n: 1 }, { n: 2 }])
    expect((await rows.service.from(name).insert({ n: 3 }).select('n').rollback()).data).toEqual([{ n: 3 }])
    expect((await rows.service.from(name).update({ n: 4 }).eq('n', 1).rollback()).status).toBe(204)
    expect((await rows.service.from(name).select('n').order('n')).data).toEqual([{ n: 1 }, { n: 2 }])
    expect((await capped(rows.service.from(name).update({ n: 3 }).eq('n', 1))).status).toBe(204)
    await expectCounted()
  })
  test('more than 1,000 rows are not written at once, exactly so many are', async () => {
    const name = await collection()
    await rows.service.from(name).insert(Array.from({ length: 1_000 }, (_, n) => ({ n })))
    await rows.service.from(name).insert({ n: 1_000 })
    const many = await rows.service.from(name).update({ x: 1 }).gte('n', 0)
    expect(many).toMatchObject({ status: 400, error: { code: 'ROWS_TOO_MANY' } })
    expect((await rows.service.from(name).select().eq('x', 1)).data).toEqual([])
    expect((await rows.service.from(name).update({ x: 1 }, { count: 'exact' }).gte('n', 1)).count).toBe(1_000)
    expect((await rows.service.from(name).delete().gte('n', 0)).error!.code).toBe('ROWS_TOO_MANY')
    expect((await rows.service.from(name).delete({ count: 'exact' }).gte('n', 0).limit(500)).count).toBe(500)
    const page = await rows.service.from(name).select('n', { count: 'exact' }).limit(5_000)
    expect(page.count).toBe(501)
    await expectCounted()
  })
  test('a change that makes a row too large changes none', async () => {
    const name = await collection()
    await rows.service.from(name).insert([{ n: 1 }, { n: 2, a: 'x'.repeat(40_000) }])
    const grown = await rows.service
      .from(name)
      .update({ b: 'x'.repeat(40_000) })
      .gt('n', 0)
    expect(grown).toMatchObject({ status: 400, error: { code: '54000' } })
    expect((await rows.service.from(name).select().not('b', 'is', null)).data).toEqual([])
    await expectCounted()
  })
  test('an answer of more than 8 MiB is refused, and what would have been written with it is not', async () => {
    const name = await collection()
    const text = 'x'.repeat(60_000)
    for (let part = 0; part < 10; part++)
      expect((await rows.service.from(name).insert(Array.from({ length: 15 }, () => ({ text })))).error).toBe(
        null,
      )
    expect((await rows.service.from(name).select()).error!.code).toBe('ROWS_ANSWER_TOO_LARGE')
    expect((await rows.service.from(name).update({ a: 1 }).is('a', null).select()).error!.code).toBe(
      'ROWS_ANSWER_TOO_LARGE',
    )
    expect((await rows.service.from(name).select('id').eq('a', 1)).data).toEqual([])
    expect((await rows.service.from(name).select('text').limit(100)).data).toHaveLength(100)
    await expectCounted()
  })
})

test('preferences that are not known are refused only where all have to be followed', async () => {
  const name = await collection({ public_read: true })
  const lenient = await rows.ask(`/${name}`, { headers: { prefer: 'nonsense=1, count=exact' } })
  expect(lenient.status).toBe(200)
  expect(lenient.headers.get('preference-applied')).toBe('count=exact')
  const strict = await rows.ask(`/${name}`, { headers: { prefer: 'handling=strict, nonsense=1' } })
  expect(strict.status).toBe(400)
  expect(await strict.json()).toMatchObject({ code: 'PGRST122' })
})

test('bodies that are no JSON, have another type or are too large are refused and cost nothing', async () => {
  const name = await collection()
  const post = (body: string, type = 'application/json') =>
    rows.ask(`/${name}`, { as: rows.serviceKey, method: 'POST', headers: { 'content-type': type }, body })
  expect((await post('{')).status).toBe(400)
  expect((await post('a,b\n1,2', 'text/csv')).status).toBe(400)
  expect((await post('')).status).toBe(400)
  expect((await post(`"${'x'.repeat(1024 * 1024)}"`)).status).toBe(413)
  expect((await post('['.repeat(500_000))).status).toBe(400)
  const keys = Array.from({ length: 80_000 }, (_, index) => `"k${index}":1`).join(',')
  expect((await post(`{${keys}}`)).status).toBe(400)
  expect(await all(rows.service, name)).toEqual([])
})
