/** Clouds exported and imported. */
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setCloudLimits } from '#cloud/clouds'
import { sha256 } from '#platform/secrets'
import { call, deploy, textOf } from '../../cloud/functions/scene.ts'
import { sentAgain } from '../../cloud/sent-again.ts'
import type { Seen } from '../../harness/client.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import type { TestCloud, World } from '../../harness/world.ts'

let world: World
beforeAll(async () => {
  // Nothing of a cloud costs anything.
  world = await sharedWorld({ credits: 0 })
})
afterAll(() => world[Symbol.asyncDispose]())

const exportOf = async ({ client, id }: TestCloud): Promise<string[]> => {
  const { status, text, headers } = await client.get(`/v1/cloud/${id}/export`)
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  return text.trimEnd().split('\n')
}

async function importInto(
  { client, id }: TestCloud,
  text: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Seen> {
  const form = new FormData()
  form.set('export', new Blob([new Uint8Array(Buffer.from(text))]), 'cloud.jsonl')
  const response = await fetch(`${client.url}/v1/cloud/${id}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.secret}`, ...headers },
    body: form,
  })
  const answer = await response.text()
  return { status: response.status, headers: response.headers, text: answer, body: JSON.parse(answer) }
}

const app = (cloud: TestCloud, path: string, body: unknown, token?: string) =>
  sentAgain(fetch)(`${cloud.pathUrl}${path}`, {
    method: 'POST',
    headers: {
      apikey: cloud.publicKey,
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })

const person = { email: 'sara@example.com', password: 'گذرواژهٔ سارا' }

const settings = {
  site_url: 'https://xn--mgba3gch31f.example/',
  disable_signup: true,
  additional_redirect_urls: ['http://localhost:5173/', 'https://app.example.com/%D8%B1'],
  anonymous_sign_ins: true,
}
const whoCalls =
  'Deno.serve((request) => new Response(request.headers.has("authorization") ? "she" : "nobody"))'
const picture = Buffer.from(Array.from({ length: 900_000 }, (_, at) => (at * 7) % 256))

/** With everything that a cloud can have. */
async function filledCloud(): Promise<TestCloud & { fileId: string }> {
  const cloud = await world.newCloud('پُر')
  const database = `/v1/cloud/${cloud.id}/database`
  for (const [name, public_read] of [
    ['todos', true],
    ['private', false],
  ]) {
    const create = { action: 'create_collection', name, public_read }
    expect((await cloud.client.post(database, create)).status).toBe(200)
    const insert = `{"action":"insert","table":"${name}","data":{"title":"نان","n":1.5,"big":9007199254740993}}`
    expect((await cloud.client.request('POST', database, insert)).status).toBe(200)
  }
  const signedUp = (await (await app(cloud, '/auth/v1/signup', person)).json()) as { access_token: string }
  const token = signedUp.access_token
  expect((await app(cloud, '/rest/v1/private', { title: 'her own' }, token)).status).toBe(201)
  const file = { name: 'عکس.png', content_base64: picture.toString('base64') }
  const stored = await app(cloud, '/files', file, token)
  expect(stored.status).toBe(201)
  await deploy(cloud, 'open', whoCalls)
  await deploy(cloud, 'closed', whoCalls, { verify_jwt: true })
  const secret = { name: 'TOKEN', value: 'a secret of the function' }
  expect((await cloud.client.post(`/v1/cloud/${cloud.id}/secrets`, secret)).status).toBe(201)
  await cloud.changeAuth(settings)
  return { ...cloud, fileId: ((await stored.json()) as { id: string }).id }
}

/** Without what differs by itself: the head, and the order of collections. Of what is long a hash, which can be read where it differs. */
const contents = (lines: readonly string[]): string[] =>
  lines
    .filter((line) => !line.startsWith('{"type":"cloud"'))
    .map((line) => (line.length < 1_000 ? line : sha256(line).toString('hex')))
    .sort()
const counts = async ({ client, id }: TestCloud) => {
  const { usage } = (await client.get(`/v1/cloud/${id}`)).body
  return [usage.users.used, usage.collections.used, usage.rows.used, usage.files.used]
}

const titles = async (cloud: TestCloud, collection: string, token = cloud.publicKey) => {
  const headers = { apikey: cloud.publicKey, authorization: `Bearer ${token}` }
  const rows = await sentAgain(fetch)(`${cloud.pathUrl}/rest/v1/${collection}?select=title`, { headers })
  return ((await rows.json()) as { title: string }[]).map(({ title }) => title)
}

test('what is exported from one cloud and imported into another works there as before: people sign in, see what is theirs, and functions answer', async () => {
  const cloud = await filledCloud()
  const lines = await exportOf(cloud)
  const types = lines.map((line) => JSON.parse(line).type)
  expect(types).toEqual([
    ...['cloud', 'auth', 'user', 'collection', 'collection', 'row', 'row', 'row'],
    // The file is larger than a line of an export.
    ...['file', 'file_part', 'function', 'function', 'end'],
  ])
  const text = lines.join('\n')
  for (const secret of [cloud.publicKey, 'sealed:1:', 'PRIVATE', 'a secret of the function'])
    expect(text).not.toContain(secret)
  const other = await world.newCloud('other')
  const imported = await importInto(other, text)
  expect([imported.status, imported.body], imported.text).toEqual([
    200,
    { object: 'cloud.import', id: other.id, users: 1, collections: 2, rows: 3, files: 1, functions: 2 },
  ])
  expect(contents(await exportOf(other))).toEqual(contents(lines))
  expect(await counts(other)).toEqual([1, 2, 3, 1])
  expect((await other.client.get(`/v1/cloud/${other.id}/auth`)).body).toMatchObject(settings)
  const signedIn = await app(other, '/auth/v1/token?grant_type=password', person)
  const { access_token: token } = (await signedIn.json()) as { access_token: string }
  expect(await titles(other, 'todos')).toEqual(['نان'])
  expect(await titles(other, 'private')).toEqual([])
  expect(await titles(other, 'private', token)).toEqual(['her own'])
  const bearer = { authorization: `Bearer ${token}` }
  const file = await fetch(`${other.pathUrl}/files/${cloud.fileId}`, {
    headers: { apikey: other.publicKey, ...bearer },
  })
  expect(Buffer.from(await file.arrayBuffer()).equals(picture)).toBe(true)
  expect(await textOf(other, 'open')).toBe('nobody')
  expect((await call(other, 'closed')).status).toBe(401)
  expect(await textOf(other, 'closed', { headers: bearer })).toBe('she')
  expect(await world.balance()).toEqual({ available: 0n, held: 0n })
  // Neither is the one that it came from changed, nor does its session count here.
  expect(contents(await exportOf(cloud))).toEqual(contents(lines))
  expect((await call(cloud, 'closed', { headers: bearer })).status).toBe(401)
})

test('an export is imported only into a cloud that is empty', async () => {
  const [cloud, signedUp] = [await world.newCloud('full'), await world.newCloud('signed up')]
  expect((await importInto(cloud, whole(collection, row(1)))).status).toBe(200)
  expect((await app(signedUp, '/auth/v1/signup', person)).status).toBe(200)
  for (const [full, used] of [
    [cloud, [0, 1, 1, 0]],
    [signedUp, [1, 0, 0, 0]],
  ] as const) {
    const refused = await importInto(full, whole(collection, row(2)))
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CLOUD_NOT_EMPTY'])
    expect(await counts(full)).toEqual(used)
  }
})

test('an import that is repeated with its idempotency key is answered as before, and done once', async () => {
  const cloud = await world.newCloud('again')
  const send = () => importInto(cloud, whole(collection, row(1)), { 'idempotency-key': 'one' })
  const [first, again] = [await send(), await send()]
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
  expect(await counts(cloud)).toEqual([0, 1, 1, 0])
})

test('of imports into one cloud at once one is done, and nothing of the others', async () => {
  const cloud = await world.newCloud('at once')
  const replies = await Promise.all(
    Array.from({ length: 4 }, (_, nth) =>
      importInto(cloud, whole(collection, fileOf(1, { name: `${nth}` }), fileOf(2))),
    ),
  )
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const { body, status } of replies)
    if (status !== 200) expect(body.error.code).toMatch(/^CLOUD_(IMPORTING|NOT_EMPTY)$/)
  expect(await counts(cloud)).toEqual([0, 1, 0, 2])
  const stored = await world.app.db.query<{ key: string }>(
    { text: 'select storage_key as key from app_files.files where cloud_id = $1' },
    [cloud.id],
  )
  for (const { key } of stored) expect(await buffer((await world.app.storage.get(key))!)).toHaveLength(3)
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
const user = (nth: number, more: object = {}) =>
  JSON.stringify({
    type: 'user',
    ...{ id: id(nth), email: `u${nth}@example.com`, password_hash: null, email_confirmed_at: at },
    ...{ is_anonymous: false, user_metadata: {}, app_metadata: {}, banned_until: null, created_at: at },
    ...more,
  })
const fileOf = (nth: number, more: object = {}) =>
  JSON.stringify({
    type: 'file',
    ...{ id: id(nth), user_id: id(1), name: 'x', media_type: 'text/plain', created_at: at },
    ...{ content_base64: 'YWJj', more: false, ...more },
  })
const part = (content_base64: string) => JSON.stringify({ type: 'file_part', content_base64, more: false })
const code = (name: string) =>
  JSON.stringify({ type: 'function', name, verify_jwt: true, code: 'Deno.serve(() => new Response("x"))' })
const auth = (more: object = {}) => JSON.stringify({ type: 'auth', ...settings, ...more })
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
    '200,000 levels',
    whole(collection, row(1, { a: 1 }).replace('"a":1', `"a":${'['.repeat(200_000)}${']'.repeat(200_000)}`)),
    3,
  ],
  [
    'metadata of 200,000 levels',
    whole(
      user(1).replace(
        '"user_metadata":{}',
        `"user_metadata":{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      ),
    ),
    2,
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
      user(1, {
        password_hash:
          '$argon2id$v=19$m=999999,t=99,p=99$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
      }),
    ),
    2,
  ],
  ['a user twice', whole(user(1), user(1, { email: 'other@example.com' })), 3],
  ['an address twice', whole(user(1), user(2, { email: 'U1@Example.com' })), 3],
  ['a collection twice', whole(collection, collection), 3],
  ['a file twice', whole(user(1), fileOf(1), fileOf(1)), 4],
  ['a function twice', whole(code('f'), code('f')), 3],
  ['a function that is no code', whole(collection, code('f').replace('Deno', '(')), 3],
  ['a part of no file', whole('{"type":"file_part","content_base64":"","more":false}'), 2],
  ['a media type with the character 0', whole(user(2), fileOf(1, { media_type: 'text/\0plain' })), 3],
  ['no Base64', whole(fileOf(1, { content_base64: '!!!' })), 2],
  ['settings after users', whole(user(1), auth()), 3],
  ['settings twice', whole(auth(), auth()), 3],
  ['an address of the app that is none', whole(auth({ site_url: 'javascript:alert(1)' })), 2],
  ['21 further addresses', whole(auth({ additional_redirect_urls: Array(21).fill('https://a.example') })), 2],
  ['a compressed export', gzipSync(whole(collection, row(1))), 1],
  ['a line that is long to parse', whole(`{"type":"file","x":[${'1,'.repeat(262_144)}1]}`), 2],
  ['one line of 100 MB', Buffer.alloc(100_000_000, '['), 1],
  ['400,000 lines', `${first}\n${collection}\n${`${row(1)}\n`.repeat(400_000)}${end(400_003)}`, 10_003],
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

test('an export that an editor has given a byte order mark and other ends of lines is imported', async () => {
  const cloud = await world.newCloud('edited')
  const text = `\ufeff${whole(auth(), collection, row(1)).replaceAll('\n', '\r\n')}\r\n`
  expect((await importInto(cloud, text)).body).toMatchObject({ collections: 1, rows: 1 })
})

const twoRows = [collection, row(1), row(2)]
/** A limit, what is exactly within it, and what is not. */
const edges: [name: string, max: number, within: string[], over: string[]][] = [
  ['users', 2, [user(1), user(2)], [user(1), user(2), user(3)]],
  ['collections', 1, [collection], [collection, collection.replace('"c"', '"d"')]],
  ['rows', 2, twoRows, [...twoRows, row(3)]],
  // PostgreSQL writes {"n": 1} with a space.
  ['row_bytes', 16, twoRows, [collection, row(1), row(2, { n: 10 })]],
  ['files', 2, [fileOf(1), fileOf(2)], [fileOf(1), fileOf(2), fileOf(3)]],
  ['file_bytes', 3, [fileOf(1)], [fileOf(1, { more: true }), part('ZA==')]],
  ['file_total_bytes', 6, [fileOf(1), fileOf(2)], [fileOf(1), fileOf(2, { content_base64: 'YWJjZA==' })]],
  ['functions', 1, [code('f')], [code('f'), code('g')]],
]

test.each(edges)(
  'an import keeps to the limit %s of its cloud at the exact edge',
  async (name, max, within, over) => {
    const cloud = await world.newCloud(name)
    await setCloudLimits(world.app, { accountId: world.account, cloudId: cloud.id }, { [name]: max })
    const refused = await importInto(cloud, whole(...over))
    expect([refused.status, refused.body.error.code]).toEqual([400, 'CLOUD_IMPORT_INVALID'])
    expect(await counts(cloud)).toEqual([0, 0, 0, 0])
    expect((await importInto(cloud, whole(...within))).status).toBe(200)
  },
)

test('a whole Starter cloud of rows is imported, and no row more', async () => {
  const rows = await world.newCloud('rows')
  const many = (count: number) => whole(collection, ...Array.from({ length: count }, (_, nth) => row(nth)))
  expect((await importInto(rows, many(10_001))).body.error.message).toContain('rows')
  expect((await importInto(rows, many(10_000))).body.rows).toBe(10_000)
})
