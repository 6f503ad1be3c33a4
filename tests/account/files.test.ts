import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteExpired, deleteUnowned } from '#core/files'
import { deletePendingBlobs } from '#platform/storage'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client, Seen } from '../harness/client.ts'
import { fakeS3 } from '../harness/fake-s3.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'

const clock = new MovableClock()
let world: World
let key: Client
beforeAll(async () => {
  // Only a test tidies up.
  const roles = { api: true, worker: false }
  world = await boot({ clock, roles, config: 'files: { project_quota_mb: 60 }' })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

const path = '/v1/files'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8BQDwAEgAF/pooBPQAAAABJRU5ErkJggg==',
  'base64',
)
/** Bytes that are told apart by their place. */
const wav = Buffer.concat([
  Buffer.from('RIFF\0\0\0\0WAVE'),
  Buffer.from(Array.from({ length: 244 }, (_, n) => n)),
])
const svg = Buffer.from(
  '<?xml version="1.0"?>\n<!-- a --><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
)
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

const put = (
  by: Client,
  bytes: Uint8Array,
  more: Record<string, unknown> = {},
  headers = {},
): Promise<Seen> => by.post(path, { data: base64(bytes), ...more }, headers)
const stored = async (bytes: Uint8Array, more = {}): Promise<string> => (await put(key, bytes, more)).body.id
const get = (id: string, headers: Record<string, string> = {}) =>
  key.raw('GET', `${path}/${id}`, undefined, headers)
const bytesOf = async (reply: Response) => Buffer.from(await reply.arrayBuffer())

test('what is stored is reported, and comes back byte for byte with its type', async () => {
  const made = await put(key, png, { media_type: 'image/png', name: 'نشان خرد (1).png' })
  expect(made.status, made.text).toBe(201)
  const sha256 = createHash('sha256').update(png).digest('hex')
  expect(made.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    object: 'file',
    filename: 'نشان خرد (1).png',
    status: 'processed',
    receipt_id: null,
    expires_at: null,
    purpose: null,
    name: 'نشان خرد (1).png',
    media_type: 'image/png',
    bytes: png.length,
    sha256,
    source: 'upload',
    created_at: expect.any(String),
  })
  const reply = await get(made.body.id)
  expect(reply.status).toBe(200)
  expect(await bytesOf(reply)).toEqual(png)
  const { headers } = reply
  expect(headers.get('content-type')).toBe('image/png')
  expect(headers.get('content-length')).toBe(String(png.length))
  expect(headers.get('etag')).toBe(`"${sha256}"`)
  expect(headers.get('accept-ranges')).toBe('bytes')
  expect(headers.get('cache-control')).toBe('private, no-cache')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-disposition')).toBe(
    `inline; filename="nshan-khrd-(1).png"; filename*=UTF-8''${encodeURIComponent('نشان خرد ')}%281%29.png`,
  )
  expect(headers.get('x-request-id')).toBeTruthy()
})

test.each([
  ['image/gif', Buffer.from('GIF89a----------')],
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0])],
  ['image/webp', Buffer.from('RIFF\0\0\0\0WEBPVP8 ')],
  ['image/svg+xml', svg],
  ['audio/wav', wav],
  ['audio/mpeg', Buffer.from('ID3\x03\0\0\0\0\0\0\0\0')],
  ['audio/ogg', Buffer.from('OggS\0\0')],
  ['audio/flac', Buffer.from('fLaC\0\0')],
  ['audio/mp4', Buffer.from('\0\0\0\x20ftypM4A ----')],
  ['audio/aiff', Buffer.from('FORM\0\0\0\0AIFC')],
  ['audio/x-caf', Buffer.from('caff\0\x01\0\0')],
  ['audio/amr', Buffer.from('#!AMR\n<')],
  ['audio/x-ms-wma', Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex')],
  ['audio/wav', Buffer.from('RF64\xff\xff\xff\xffWAVEds64', 'latin1')],
])('the type %s is found from the bytes alone', async (mediaType, bytes) => {
  const made = await put(key, bytes)
  expect(made.body.media_type, made.text).toBe(mediaType)
  expect((await get(made.body.id)).headers.get('content-type')).toBe(mediaType)
})

test('other names of a type are understood', async () => {
  expect((await put(key, wav, { media_type: 'Audio/X-WAV; rate=8000' })).body.media_type).toBe('audio/wav')
})

test('a picture made of code runs none', async () => {
  const reply = await get(await stored(svg))
  expect(reply.headers.get('content-security-policy')).toBe(
    "sandbox; default-src 'none'; style-src 'unsafe-inline'",
  )
  expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
})

describe('in parts', () => {
  let id: string
  beforeAll(async () => {
    id = await stored(wav)
  })

  test.each([
    ['bytes=0-0', 0, 0],
    ['bytes=100-109', 100, 109],
    ['bytes=250-', 250, 255],
    ['bytes=-6', 250, 255],
    ['bytes=255-9999', 255, 255],
    ['bytes=-9999', 0, 255],
  ])('%s is answered with just that', async (range, start, end) => {
    const reply = await get(id, { range })
    expect(reply.status).toBe(206)
    expect(reply.headers.get('content-range')).toBe(`bytes ${start}-${end}/256`)
    expect(reply.headers.get('content-length')).toBe(String(end - start + 1))
    expect(await bytesOf(reply)).toEqual(wav.subarray(start, end + 1))
  })

  test.each(['bytes=256-', 'bytes=256-300', 'bytes=-0'])('%s is beyond it', async (range) => {
    const reply = await key.get(`${path}/${id}`, { range })
    expectRefusal(reply, { status: 416, code: 'RANGE_NOT_SATISFIABLE' })
    expect(reply.headers.get('content-range')).toBe('bytes */256')
    expect(reply.headers.get('etag')).toBeNull()
  })

  test('parts of another version, several, and what cannot be read, are the whole', async () => {
    for (const headers of [
      { range: 'bytes=0-1', 'if-range': '"other"' },
      { range: 'bytes=0-1,4-5' },
      { range: 'lines=1-2' },
    ])
      expect((await get(id, headers as Record<string, string>)).status).toBe(200)
  })

  test('who has it already is told so without the bytes', async () => {
    const etag = (await get(id)).headers.get('etag')!
    for (const known of [etag, `"x", W/${etag}`, '*']) {
      const reply = await get(id, { 'if-none-match': known, range: 'bytes=999-' })
      expect(reply.status).toBe(304)
      expect(reply.headers.get('etag')).toBe(etag)
      expect((await bytesOf(reply)).length).toBe(0)
    }
    expect((await get(id, { 'if-none-match': '"x"' })).status).toBe(200)
    const part = await get(id, { range: 'bytes=0-1', 'if-range': etag })
    expect(part.status).toBe(206)
  })

  test('HEAD has the headers of GET, and sends nothing', async () => {
    const whole = await key.raw('HEAD', `${path}/${id}`)
    expect(whole.status).toBe(200)
    expect(whole.headers.get('content-length')).toBe('256')
    expect(whole.headers.get('content-type')).toBe('audio/wav')
    const part = await key.raw('HEAD', `${path}/${id}`, undefined, { range: 'bytes=0-9' })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-length')).toBe('10')
    expect((await key.raw('HEAD', `${path}/${randomUUID()}`)).status).toBe(404)
  })
})

describe('refused, and nothing is kept', () => {
  const refusals: [string, Record<string, unknown>, { code?: string; param: string }][] = [
    ['data that is no Base64', { data: 'a-_=' }, { param: 'data' }],
    ['Base64 without its padding', { data: 'iVBORw' }, { param: 'data' }],
    ['text', { data: base64(Buffer.from('hello')) }, { param: 'data' }],
    ['a film', { data: base64(Buffer.from('\0\0\0\x20ftypisom----')) }, { param: 'data' }],
    [
      'HTML that holds a picture',
      { data: base64(Buffer.from('<html><svg></svg></html>')) },
      { param: 'data' },
    ],
    [
      'a picture with entities of its own',
      { data: base64(Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>')) },
      { param: 'data' },
    ],
    ['a name of a path', { data: base64(png), name: 'a/b' }, { param: 'name' }],
    ['a name of two lines', { data: base64(png), name: 'a\nb' }, { param: 'name' }],
  ]
  test.each(refusals)('%s', async (_, body, refusal) => {
    expectRefusal(await key.post(path, body), { status: 400, code: 'INVALID_REQUEST', ...refusal })
  })

  test('a refusal of a name says what a name is, and shows no pattern', async () => {
    const dispositionOf = async (name: string, headers = {}): Promise<string> => {
      const { body } = await key.post(path, { data: base64(png), name }, headers)
      return body.error.message
    }
    expect(await dispositionOf('a/b')).toContain('name must be a name on one line, without / and \\.')
    expect(await dispositionOf('a/b', { 'accept-language': 'fa' })).toContain('name باید نامی در یک خط باشد')
    expect(await dispositionOf('ن'.repeat(201))).toContain('name must have at most 200 characters')
    expect(await dispositionOf('')).toContain('name must not be empty')
  })
})

test('a list is newest first, page by page, of this project alone', async () => {
  const other = await world.key({ project: await world.newProject() })
  const ids: string[] = []
  for (let n = 0; n < 3; n++) {
    clock.moveMs(1)
    ids.unshift((await put(other, png)).body.id)
  }
  const first = await other.get(`${path}?limit=2`)
  expect(first.body).toMatchObject({ has_more: true, last_id: ids[1] })
  const next = await other.get(`${path}?limit=2&after_id=${ids[1]}`)
  expect([...first.body.data, ...next.body.data].map(({ id }) => id)).toEqual(ids)
  expect(next.body).toMatchObject({ has_more: false, last_id: ids[2] })
  const { client: stranger } = await world.stranger()
  expect((await stranger.get(path)).body).toEqual({
    ...{ object: 'list', data: [], has_more: false },
    ...{ first_id: null, last_id: null },
  })
})

const keys = ({ app } = world) =>
  app.db.query<{ key: string }>({ text: 'select key from storage.pending_blobs' }, [])
const bytesIn = async (id: string) => world.app.storage.get(`files/${world.account}/${id}`)

test('the same key stores once, and another body under it is a conflict', async () => {
  const headers = { 'idempotency-key': 'store-once' }
  const [first, again] = [await put(key, png, {}, headers), await put(key, png, {}, headers)]
  expect(again.text).toBe(first.text)
  expect(again.status).toBe(201)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expectRefusal(await put(key, wav, {}, headers), { status: 409, code: 'IDEMPOTENCY_CONFLICT' })
  expect(await keys()).toEqual([])
})

test('a deleted file is gone, with its bytes and its share of the quota', async () => {
  const id = await stored(png)
  const used = () =>
    world.app.db.query({ text: 'select files, bytes from files.usage where project_id = $1' }, [
      world.project,
    ])
  const before = await used()
  const next = await stored(png)
  expect(await bytesIn(next)).toBeDefined()
  const gone = await key.request('DELETE', `${path}/${next}`)
  expect(gone.body).toEqual({ id: next, object: 'file', deleted: true })
  expect(await bytesIn(next)).toBeUndefined()
  expect(await used()).toEqual(before)
  expect(await keys()).toEqual([])
  expect((await get(next)).status).toBe(404)
  expect((await get(id)).status).toBe(200)
})

test('a file that is deleted by its id in capitals is gone with its bytes too', async () => {
  const id = await stored(png)
  const gone = await key.request('DELETE', `${path}/${id.toUpperCase()}`)
  expect(gone.body).toEqual({ id, object: 'file', deleted: true })
  expect(await bytesIn(id)).toBeUndefined()
  expect(await keys()).toEqual([])
})

test('a file that was sent with an end looks missing after it, and its bytes and its share of the quota go with the sweep', async () => {
  const used = () =>
    world.app.db.query({ text: 'select files, bytes from files.usage where project_id = $1' }, [
      world.project,
    ])
  const before = await used()
  const expires_after = { anchor: 'created_at', seconds: 3_600 }
  const made = await put(key, png, { purpose: 'user_data', expires_after })
  const { id, expires_at: end } = made.body
  expect(made.body.purpose).toBe('user_data')
  expect(Date.parse(end)).toBe(Date.parse(made.body.created_at) + 3_600_000)
  const kept = await stored(png)
  clock.moveMs(3_599_999)
  expect((await get(id)).status).toBe(200)
  clock.moveMs(1)
  for (const place of [id, `${id}/content`])
    expectRefusal(await key.get(`${path}/${place}`), { status: 404, code: 'NOT_FOUND', param: 'id' })
  const link = await key.post(`${path}/${id}/links`, {})
  expectRefusal(link, { status: 404, code: 'NOT_FOUND', param: 'id' })
  expect((await key.get(path)).body.data[0].id).toBe(kept)
  expect(await bytesIn(id)).toBeDefined()
  const { signal } = new AbortController()
  await deleteExpired(world.app, signal)
  await deleteUnowned(world.app, signal)
  expect(await bytesIn(id)).toBeUndefined()
  expect((await get(kept)).status).toBe(200)
  await key.request('DELETE', `${path}/${kept}`)
  expect(await used()).toEqual(before)
  expect(await keys()).toEqual([])
})

test('a project stores no more than its quota, however many store at once', async () => {
  await using small = await boot({ config: 'files: { project_quota_mb: 4 }' })
  const owner = await small.key()
  const large = Buffer.alloc(1_200_000)
  png.copy(large)
  const replies = await Promise.all(Array.from({ length: 4 }, () => put(owner, large)))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 201, 403])
  const refused = replies.find(({ status }) => status === 403)!
  expectRefusal(refused, { status: 403, code: 'FILES_QUOTA_EXCEEDED' })
  expect(refused.body.error.message).toContain('4 MB')
  expect(await keys(small)).toEqual([])
  const { body } = await owner.get(path)
  await owner.request('DELETE', `${path}/${body.last_id}`)
  expect((await put(owner, large)).status).toBe(201)
})

test('bytes whose row was never written are deleted, those that are just being stored are not', async () => {
  const { app } = world
  const row = (name: string, due: number) =>
    app.db.query({ text: 'insert into storage.pending_blobs (key, due_at) values ($1, $2)' }, [
      `files/${name}`,
      new Date(clock.nowMs() + due),
    ])
  for (const [name, due] of [
    ['dead', 0],
    ['alive', 1],
  ] as const) {
    await row(name, due)
    await app.storage.put(`files/${name}`, png)
  }
  expect(await deletePendingBlobs(app)).toBe(1)
  expect(await app.storage.get('files/dead')).toBeUndefined()
  expect(await app.storage.get('files/alive')).toBeDefined()
  expect(await keys()).toEqual([{ key: 'files/alive' }])
  await deletePendingBlobs(app, ['files/alive'])
})

test('files live in an S3-compatible store as they do on the disk', async () => {
  await using s3 = await fakeS3()
  await using other = await boot({ config: s3.config })
  const client = await other.key()
  const { body } = await put(client, wav)
  expect([...s3.objects.keys()]).toEqual([`files/${other.account}/${body.id}`])
  const part = await client.raw('GET', `${path}/${body.id}`, undefined, { range: 'bytes=-4' })
  expect(await bytesOf(part)).toEqual(wav.subarray(-4))
  await client.request('DELETE', `${path}/${body.id}`)
  expect(s3.objects.size).toBe(0)
})
