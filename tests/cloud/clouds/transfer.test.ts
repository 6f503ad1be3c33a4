/** Clouds exported and imported. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Seen } from '../../harness/client.ts'
import { boot, type TestCloud, type World } from '../../harness/world.ts'

let world: World
beforeAll(async () => {
  world = await boot()
})
afterAll(() => world[Symbol.asyncDispose]())

const exportOf = async ({ client, id }: TestCloud): Promise<string[]> => {
  const { status, text, headers } = await client.get(`/v1/cloud/${id}/export`)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  return text.trimEnd().split('\n')
}

async function importInto({ client, id }: TestCloud, text: string | Buffer): Promise<Seen> {
  const form = new FormData()
  form.set('export', new Blob([new Uint8Array(Buffer.from(text))]), 'cloud.jsonl')
  const response = await fetch(`${client.url}/v1/cloud/${id}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.secret}` },
    body: form,
  })
  const answer = await response.text()
  return { status: response.status, headers: response.headers, text: answer, body: JSON.parse(answer) }
}

const app = (cloud: TestCloud, path: string, body: unknown, token?: string) =>
  fetch(`${cloud.pathUrl}${path}`, {
    method: 'POST',
    headers: {
      apikey: cloud.publicKey,
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })

const person = { email: 'sara@example.com', password: 'گذرواژهٔ سارا' }

/** With a user, her row and file, and rows of the developer. */
async function filledCloud(): Promise<TestCloud> {
  const cloud = await world.newCloud('پُر')
  const database = `/v1/cloud/${cloud.id}/database`
  const create = { action: 'create_collection', name: 'todos', public_read: true }
  expect((await cloud.client.post(database, create)).status).toBe(200)
  const insert = { action: 'insert', table: 'todos', data: { title: 'نان', n: 1.5 } }
  expect((await cloud.client.post(database, insert)).status).toBe(200)
  const signedUp = (await (await app(cloud, '/auth/v1/signup', person)).json()) as { access_token: string }
  const token = signedUp.access_token
  expect((await app(cloud, '/rest/v1/todos', { title: 'her own' }, token)).status).toBe(201)
  const file = { name: 'عکس.txt', content_base64: Buffer.alloc(900_000, 'ب').toString('base64') }
  expect((await app(cloud, '/files', file, token)).status).toBeLessThan(300)
  return cloud
}

/** Without what differs by itself. */
const contents = (lines: readonly string[]) => lines.filter((line) => !line.startsWith('{"type":"cloud"'))
const counts = async ({ client, id }: TestCloud) => {
  const { usage } = (await client.get(`/v1/cloud/${id}`)).body
  return [usage.users.used, usage.collections.used, usage.rows.used, usage.files.used]
}

test('what is exported from one cloud and imported into another is the same there, ids and passwords included', async () => {
  const cloud = await filledCloud()
  const lines = await exportOf(cloud)
  const types = lines.map((line) => JSON.parse(line).type)
  // The file is larger than a line of an export.
  expect(types).toEqual(['cloud', 'user', 'collection', 'row', 'row', 'file', 'file_part', 'end'])
  const text = lines.join('\n')
  for (const secret of [cloud.publicKey, 'sealed:1:', 'PRIVATE']) expect(text).not.toContain(secret)
  const other = await world.newCloud('other')
  const imported = await importInto(other, text)
  expect([imported.status, imported.body], imported.text).toEqual([
    200,
    { object: 'cloud.import', id: other.id, users: 1, collections: 1, rows: 2, files: 1, functions: 0 },
  ])
  expect(contents(await exportOf(other))).toEqual(contents(lines))
  expect(await counts(other)).toEqual([1, 1, 2, 1])
  expect((await app(other, '/auth/v1/token?grant_type=password', person)).status).toBe(200)
})

test('an export is imported only into a cloud that is empty', async () => {
  const cloud = await filledCloud()
  const refused = await importInto(cloud, (await exportOf(cloud)).join('\n'))
  expect([refused.status, refused.body.error.code]).toEqual([409, 'CLOUD_NOT_EMPTY'])
  expect(await counts(cloud)).toEqual([1, 1, 2, 1])
})

const first = '{"type":"cloud","version":1,"name":"x","exported_at":"2026-01-01T00:00:00Z"}'
const end = (lines: number) => `{"type":"end","lines":${lines}}`
const id = (nth: number) => `01890000-0000-7000-8000-${String(nth).padStart(12, '0')}`
const at = '2026-01-01T00:00:00.000Z'
const row = (nth: number, data: object = { n: nth }) =>
  JSON.stringify({
    type: 'row',
    collection: 'c',
    id: id(nth),
    owner_id: null,
    data,
    created_at: at,
    updated_at: at,
  })
const collection = '{"type":"collection","name":"c","public_read":true}'
const whole = (...lines: string[]) => [first, ...lines, end(lines.length + 2)].join('\n')

const hostile: [why: string, text: string | Buffer, line: number][] = [
  ['nothing', '', 1],
  ['no JSON', 'hello', 1],
  ['no UTF-8', Buffer.from([0xff, 0xfe, 10]), 1],
  ['another beginning', end(1), 1],
  ['another version', first.replace('1', '2'), 1],
  ['one character a million times', 'x'.repeat(1_000_000), 1],
  ['a line without an end', `${first}\n${'['.repeat(2_200_000)}`, 2],
  [
    'deep nesting',
    whole(collection, row(1, { deep: JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) })),
    3,
  ],
  [
    '400,000 keys',
    whole(
      collection,
      row(1, Object.fromEntries(Array.from({ length: 100_000 }, (_, nth) => [`k${nth}`, 1]))),
    ),
    3,
  ],
  ['an unknown type', whole('{"type":"secret","name":"x"}'), 2],
  ['an unknown field', whole('{"type":"collection","name":"c","public_read":true,"sql":"drop"}'), 2],
  ['a prototype as type', whole('{"type":"__proto__"}'), 2],
  ['another order', whole(row(1), collection), 3],
  ['cut', [first, collection, row(1)].join('\n'), 4],
  ['cut in the middle', [first, collection, end(9)].join('\n'), 3],
  ['something after the end', `${whole(collection)}\n${row(1)}`, 4],
  ['a row twice', whole(collection, row(1), row(1)), 4],
  ['a row with a reserved name', whole(collection, row(1, { owner_id: id(2) })), 3],
  ['a row of no collection', whole(row(1)), 2],
  ['a name that is none', whole('{"type":"collection","name":"a b","public_read":true}'), 2],
  [
    'a hash that costs',
    whole(
      JSON.stringify({
        type: 'user',
        id: id(1),
        email: 'a@b.co',
        password_hash:
          '$argon2id$v=19$m=999999,t=99,p=99$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
        email_confirmed_at: null,
        is_anonymous: false,
        user_metadata: {},
        app_metadata: {},
        banned_until: null,
        created_at: at,
      }),
    ),
    2,
  ],
  ['a part of no file', whole('{"type":"file_part","content_base64":"","more":false}'), 2],
  [
    'a media type with the character 0',
    whole(
      JSON.stringify({
        type: 'user',
        ...{ id: id(2), email: 'zero@example.com', password_hash: null, email_confirmed_at: at },
        ...{ is_anonymous: false, user_metadata: {}, app_metadata: {}, banned_until: null, created_at: at },
      }),
      JSON.stringify({
        type: 'file',
        ...{ id: id(1), user_id: id(2), name: 'x', media_type: 'text/\0plain', created_at: at },
        ...{ content_base64: '', more: false },
      }),
    ),
    3,
  ],
  [
    'no Base64',
    whole(
      JSON.stringify({
        type: 'file',
        id: id(1),
        user_id: id(2),
        name: 'x',
        media_type: 'text/plain',
        created_at: at,
        content_base64: '!!!',
        more: false,
      }),
    ),
    2,
  ],
]

test('an export that is hostile, broken or cut is refused with its line, and nothing is kept', async () => {
  const cloud = await world.newCloud('hostile')
  for (const [why, text, line] of hostile) {
    const { status, body, text: answer } = await importInto(cloud, text)
    expect([why, status, body.error.code], answer).toEqual([why, 400, 'CLOUD_IMPORT_INVALID'])
    expect(body.error.message, why).toContain(`Line ${line} `)
    expect(await counts(cloud), why).toEqual([0, 0, 0, 0])
  }
  expect((await importInto(cloud, whole(collection, row(1)))).status).toBe(200)
})

test('an import keeps to every limit at its exact edge', async () => {
  const cloud = await world.newCloud('edges')
  const collections = (many: number) =>
    Array.from({ length: many }, (_, nth) => collection.replace('"c"', `"c${nth}"`))
  expect((await importInto(cloud, whole(...collections(21)))).body.error.message).toContain('collections')
  expect((await importInto(cloud, whole(...collections(20)))).body.collections).toBe(20)
  const rows = await world.newCloud('rows')
  const many = (count: number) => whole(collection, ...Array.from({ length: count }, (_, nth) => row(nth)))
  expect((await importInto(rows, many(10_001))).body.error.message).toContain('rows')
  expect((await importInto(rows, many(10_000))).body.rows).toBe(10_000)
})
