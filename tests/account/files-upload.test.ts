import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../contract/refusal.ts'
import type { Client, Seen } from '../harness/client.ts'
import { fakeS3 } from '../harness/fake-s3.ts'
import { type FormFile, formOf, openForm } from '../harness/form.ts'
import { until } from '../harness/until.ts'
import { boot, type World } from '../harness/world.ts'

let world: World
let key: Client
beforeAll(async () => {
  world = await boot({ config: 'files: { project_quota_mb: 900, spool_mb: 300 }' })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

const url = '/v1/files'

function send(
  file: FormFile | undefined,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
  by = key,
): Promise<Seen> {
  const form = formOf(file, fields)
  return by.request('POST', url, form.body, { ...form.headers, ...headers })
}

const text = (content: string) => Buffer.from(content)
const csv = text('شهر,فروش\nتهران,۱۲\nکرمان,۷\n')

async function filesBelow(...names: string[]): Promise<string[]> {
  const folder = path.resolve(world.app.config.dataDir, ...names)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** A zip of empty parts, stored as they are. */
function zipOf(...names: string[]): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  for (const name of names) {
    const offset = Buffer.concat(local).length
    const head = Buffer.alloc(30)
    head.write('PK\u0003\u0004', 'latin1')
    head.writeUInt16LE(name.length, 26)
    local.push(head, text(name))
    const entry = Buffer.alloc(46)
    entry.write('PK\u0001\u0002', 'latin1')
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    central.push(entry, text(name))
  }
  const [parts, list] = [Buffer.concat(local), Buffer.concat(central)]
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(names.length, 8)
  end.writeUInt16LE(names.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(parts.length, 16)
  return Buffer.concat([parts, list, end])
}

const workbook = zipOf('[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml')
const xlsxType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const document = zipOf('[Content_Types].xml', '_rels/.rels', 'word/document.xml')
const docxType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8BQDwAEgAF/pooBPQAAAABJRU5ErkJggg==',
  'base64',
)

test('a file of a form is told under its own name, and comes back byte for byte, whole and in parts', async () => {
  const made = await send({ bytes: csv, name: 'فروش شهرها.csv', type: 'text/csv' })
  expect(made.status, made.text).toBe(201)
  expect(made.body).toMatchObject({
    name: 'فروش شهرها.csv',
    media_type: 'text/csv',
    bytes: csv.length,
    sha256: createHash('sha256').update(csv).digest('hex'),
  })
  const whole = await key.raw('GET', `${url}/${made.body.id}`)
  expect(Buffer.from(await whole.arrayBuffer())).toEqual(csv)
  expect(whole.headers.get('content-type')).toBe('text/csv')
  const part = await key.raw('GET', `${url}/${made.body.id}`, undefined, { range: 'bytes=2-5' })
  expect(part.status).toBe(206)
  expect(Buffer.from(await part.arrayBuffer())).toEqual(csv.subarray(2, 6))
  expect((await key.get(url)).body.data[0].id).toBe(made.body.id)
})

describe('what a file is, its content and its name say, and its sender is not believed', () => {
  test.each<[string, FormFile, string]>([
    [
      'CSV that Windows calls Excel’s',
      { bytes: csv, name: 'a.CSV', type: 'application/vnd.ms-excel' },
      'text/csv',
    ],
    ['CSV without a name', { bytes: csv, name: 'data', type: 'text/csv' }, 'text/csv'],
    ['CSV in UTF-16', { bytes: Buffer.from('\ufeffشهر,فروش\n', 'utf16le'), name: 'a.csv' }, 'text/csv'],
    [
      'CSV in Windows-1256',
      { bytes: Buffer.from([0xd4, 0xe5, 0xd1, 0x2c, 0x31, 0x0a]), name: 'a.csv' },
      'text/csv',
    ],
    ['TSV', { bytes: text('شهر\tفروش\n'), name: 'a.tsv' }, 'text/tab-separated-values'],
    ['JSON', { bytes: text('\ufeff [{"a": 1}]'), name: 'a.json' }, 'application/json'],
    ['JSON without a name', { bytes: text('[{"a": 1}]'), name: 'blob' }, 'application/json'],
    [
      'a record in each line',
      { bytes: text('{"a": 1}\n{"a": 2}\n'), name: 'a.jsonl', type: '' },
      'application/json',
    ],
    [
      'long JSON without a name',
      { bytes: text(`[${'{"شهر": "تهران", "n": 12.5},\n'.repeat(3_000)}{}]`), name: 'blob' },
      'application/json',
    ],
    [
      'a long record in each line',
      { bytes: text('{"a": [true, null]}\n'.repeat(5_000)), name: 'blob' },
      'application/json',
    ],
    ['a log', { bytes: text('[2026-01-01] started\n'), name: 'blob', type: 'text/plain' }, 'text/plain'],
    [
      'a long log',
      { bytes: text('[2026-01-01] started, slowly\n'.repeat(3_000)), name: 'blob' },
      'text/plain',
    ],
    ['a link of Markdown', { bytes: text('[a](b)\n'), name: 'blob', type: 'text/markdown' }, 'text/plain'],
    ['a text in braces', { bytes: text('{"a": 1} and more\n'), name: 'blob' }, 'text/plain'],
    [
      'a log in Windows-1256',
      { bytes: Buffer.from([0x5b, 0xd4, 0x5d, 0x20, 0xe5, 0x0a]), name: 'blob' },
      'text/plain',
    ],
    ['many brackets', { bytes: Buffer.alloc(1_000_000, '['), name: 'blob' }, 'text/plain'],
    ['many quotes', { bytes: Buffer.alloc(1_000_000, '["'), name: 'blob' }, 'text/plain'],
    ['a workbook', { bytes: workbook, name: 'دفتر.xlsx' }, xlsxType],
    ['a workbook called CSV', { bytes: workbook, name: 'a.csv', type: 'text/csv' }, xlsxType],
    ['a picture called CSV', { bytes: png, name: 'a.csv', type: 'text/csv' }, 'image/png'],
    [
      'a PDF called a text',
      { bytes: text('%PDF-1.7'), name: 'a.txt', type: 'text/plain' },
      'application/pdf',
    ],
    ['a text of which a form says nothing', { bytes: csv, name: 'blob' }, 'text/plain'],
    ['a text of Word', { bytes: document, name: 'گزارش.docx' }, docxType],
    ['notes', { bytes: text('یادداشت‌ها'), name: 'notes.md', type: 'application/octet-stream' }, 'text/plain'],
    [
      'a text in Windows-1256',
      { bytes: Buffer.from([0xd4, 0xe5, 0xd1, 0x0a]), name: 'blob', type: 'text/plain;charset=windows-1256' },
      'text/plain',
    ],
  ])('%s', async (_, file, mediaType) => {
    const made = await send(file)
    expect(made.body, made.text).toMatchObject({ media_type: mediaType })
  })

  test.each<[string, FormFile]>([
    ['a program called CSV', { bytes: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), name: 'a.csv' }],
    ['a zip called XLSX', { bytes: zipOf('a.txt'), name: 'a.xlsx', type: xlsxType }],
    ['half a workbook', { bytes: workbook.subarray(0, -30), name: 'a.xlsx' }],
    ['CSV called JSON', { bytes: csv, name: 'a.json', type: 'application/json' }],
    ['text without a name', { bytes: csv, name: 'blob', type: 'application/octet-stream' }],
    ['a program called a text', { bytes: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), name: 'a.txt' }],
    ['a page', { bytes: text('<html><script>alert(1)</script></html>'), name: 'a.html', type: 'text/html' }],
    ['nothing', { bytes: Buffer.alloc(0), name: 'a.csv' }],
  ])('%s is refused', async (_, file) => {
    expectRefusal(await send(file), { status: 400, code: 'INVALID_REQUEST', param: 'file' })
  })

  test('a type that the sender wrote down is overruled by the bytes, but has to be right for plain texts', async () => {
    const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0])
    for (const declared of ['image/png', 'image/jpg', 'audio/webm;codecs=opus']) {
      const made = await send({ bytes: jpeg, name: 'a.png' }, { media_type: declared })
      expect(made.body, made.text).toMatchObject({ media_type: 'image/jpeg' })
    }
    const reply = await send({ bytes: csv, name: 'a.csv' }, { media_type: 'application/json' })
    expectRefusal(reply, { status: 400, code: 'INVALID_REQUEST', param: 'media_type' })
    expect(
      (await send({ bytes: csv, name: 'x' }, { media_type: 'text/csv', name: 'نام' })).body,
    ).toMatchObject({
      name: 'نام',
      media_type: 'text/csv',
    })
  })

  test('a type that says nothing is as none', async () => {
    for (const media_type of ['application/octet-stream', '']) {
      const json = { data: csv.toString('base64'), name: 'a.csv', media_type }
      for (const made of [
        await send({ bytes: csv, name: 'a.csv' }, { media_type }),
        await key.post(url, json),
      ])
        expect(made.body, made.text).toMatchObject({ media_type: 'text/csv' })
      const picture = await key.post(url, { data: png.toString('base64'), media_type })
      expect(picture.body, picture.text).toMatchObject({ media_type: 'image/png' })
    }
  })

  test('a text that begins with a bracket is what its sender wrote down, and without that JSON only if it is', async () => {
    const log = text('[2026-01-01] started')
    const by = (bytes: Buffer, more: object = {}) =>
      key.post(url, { data: bytes.toString('base64'), ...more })
    for (const declared of ['text/plain', 'text/plain; charset=utf-8', 'text/markdown']) {
      expect((await by(log, { media_type: declared })).body).toMatchObject({ media_type: 'text/plain' })
      expect((await send({ bytes: log, name: 'x' }, { media_type: declared })).body).toMatchObject({
        media_type: 'text/plain',
      })
    }
    expect((await by(text('[1]'), { media_type: 'text/plain' })).body).toMatchObject({
      media_type: 'text/plain',
    })
    expect((await by(text('[1]'))).body).toMatchObject({ media_type: 'application/json' })
    expectRefusal(await by(log), { status: 400, code: 'INVALID_REQUEST', param: 'data' })
    const reply = await by(log, { media_type: 'text/plain', name: 'a.json' })
    expectRefusal(reply, { status: 400, code: 'INVALID_REQUEST', param: 'media_type' })
    expect(reply.body.error.message).toContain('by its name')
  })

  test('JSON with Base64 takes data too, and pictures stay as they were', async () => {
    const by = (bytes: Buffer, name: string) => key.post(url, { data: bytes.toString('base64'), name })
    expect((await by(csv, 'a.csv')).body).toMatchObject({ media_type: 'text/csv' })
    expect((await by(png, 'a')).body).toMatchObject({ media_type: 'image/png' })
  })
})

test.each<[string, FormFile]>([
  ['a PDF', { bytes: text('%PDF-1.7'), name: 'a.pdf' }],
  ['a text of Word', { bytes: document, name: 'a.docx' }],
  ['a text', { bytes: text('<script>alert(1)</script>'), name: 'a.txt' }],
])('%s is downloaded by a browser, and runs nothing there', async (_, file) => {
  const made = await send(file)
  const { headers } = await key.raw('HEAD', `${url}/${made.body.id}`)
  expect(headers.get('content-disposition')).toMatch(/^attachment; /)
  expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

describe('the end of a file, in the fields of a form', () => {
  const month = 2_592_000
  test('is that many seconds after it was stored, and a repeat is the same file', async () => {
    const fields = {
      'expires_after[anchor]': 'created_at',
      'expires_after[seconds]': String(month),
      purpose: 'vision',
    }
    const once = { 'idempotency-key': 'form-expires' }
    const { body, text: first } = await send({ bytes: csv, name: 'a.csv' }, fields, once)
    expect(body).toMatchObject({ purpose: 'vision' })
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(month * 1_000)
    expect((await send({ bytes: csv, name: 'a.csv' }, fields, once)).text).toBe(first)
    const other = { ...fields, 'expires_after[seconds]': '3600' }
    const conflict = await send({ bytes: csv, name: 'a.csv' }, other, once)
    expectRefusal(conflict, { status: 409, code: 'IDEMPOTENCY_CONFLICT' })
  })

  test.each<[string, Record<string, string>, { param: string; code?: string }]>([
    ['alone', { 'expires_after[seconds]': '3600' }, { param: 'expires_after.anchor' }],
    ['without a time', { 'expires_after[anchor]': 'created_at' }, { param: 'expires_after.seconds' }],
    ['as text', { expires_after: '{"anchor": "created_at", "seconds": 3600}' }, { param: 'expires_after' }],
    ['twice', { expires_after: 'x', 'expires_after[seconds]': '3600' }, { param: 'expires_after[seconds]' }],
    [
      'with a prototype',
      {
        'expires_after[anchor]': 'created_at',
        'expires_after[seconds]': '3600',
        'expires_after[__proto__]': 'x',
      },
      { param: 'expires_after.__proto__', code: 'UNKNOWN_FIELD' },
    ],
    ['of another', { 'expires[seconds]': '3600' }, { param: 'expires[seconds]', code: 'UNKNOWN_FIELD' }],
  ])('%s is refused by its name', async (_, fields, refusal) => {
    const reply = await send({ bytes: csv, name: 'a.csv' }, fields)
    expectRefusal(reply, { status: 400, code: 'INVALID_REQUEST', ...refusal })
  })
})

test('a caller who disconnects in the middle leaves nothing behind', async () => {
  const before = await filesBelow('files')
  const { around, headers } = openForm({ name: 'a.csv' })
  const leaving = new AbortController()
  async function* body() {
    yield around[0]
    yield Buffer.alloc(300_000, 'a,b\n')
    await until(async () => (await filesBelow('spool')).length === 1)
    leaving.abort()
    yield Buffer.alloc(300_000, 'a,b\n')
  }
  const sent = fetch(world.url + url, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${key.secret}` },
    body: Readable.toWeb(Readable.from(body())) as ReadableStream,
    duplex: 'half',
    signal: leaving.signal,
  } as RequestInit)
  await expect(sent).rejects.toThrow()
  await until(async () => (await filesBelow('spool')).length === 0)
  expect(await filesBelow('files')).toEqual(before)
})

describe('a repeat under one Idempotency-Key', () => {
  test('gets the first answer, however its form is written', async () => {
    const once = { 'idempotency-key': 'form-1' }
    const first = await send({ bytes: csv, name: 'a.csv' }, { name: 'الف' }, once)
    expect(first.status, first.text).toBe(201)
    const again = await send({ bytes: csv, name: 'a.csv' }, { name: 'الف' }, once)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })
  test.each<[string, FormFile, Record<string, string>]>([
    ['another file', { bytes: text('a,b\n'), name: 'a.csv' }, {}],
    ['another name of the file', { bytes: csv, name: 'b.csv' }, {}],
    ['another field', { bytes: csv, name: 'a.csv' }, { name: 'ب' }],
  ])('with %s is a conflict', async (what, file, fields) => {
    const once = { 'idempotency-key': `form-2-${what}` }
    expect((await send({ bytes: csv, name: 'a.csv' }, {}, once)).status).toBe(201)
    expectRefusal(await send(file, fields, once), { status: 409, code: 'IDEMPOTENCY_CONFLICT' })
    await until(async () => (await filesBelow('spool')).length === 0)
  })
})

describe('a form that is not as it should be is refused, and leaves nothing', () => {
  const raw = (body: string, type = 'multipart/form-data; boundary=x') =>
    key.request('POST', url, body, { 'content-type': type })
  const part = (disposition: string, content: string, headers = '') =>
    `--x\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n${content}\r\n`
  const file = part('name="file"; filename="a.csv"', 'a,b')
  const refusals: [string, () => Promise<Seen>, object][] = [
    ['no file', () => send(undefined, { name: 'a' }), { param: 'file' }],
    [
      'a file under another name',
      () => send({ bytes: csv, name: 'a.csv', part: 'data' }),
      { code: 'INVALID_REQUEST' },
    ],
    [
      'a prototype for a field',
      () => send({ bytes: csv, name: 'a.csv' }, { ['__proto__']: 'x' }),
      { code: 'UNKNOWN_FIELD' },
    ],
    ['two files', () => raw(`${file}${file}--x--\r\n`), { param: 'file' }],
    [
      'a field twice',
      () => raw(`${file}${part('name="name"', 'a')}${part('name="name"', 'b')}--x--\r\n`),
      { param: 'name' },
    ],
    [
      'a field that is too long',
      () => send({ bytes: csv, name: 'a.csv' }, { name: 'x'.repeat(16_385) }),
      { param: 'name' },
    ],
    [
      'a thousand fields',
      () =>
        raw(`${file}${Array.from({ length: 1_000 }, (_, n) => part(`name="f${n}"`, 'x')).join('')}--x--\r\n`),
      {},
    ],
    [
      'a name of a field that is too long',
      () => send({ bytes: csv, name: 'a.csv' }, { ['n'.repeat(201)]: 'x' }),
      {},
    ],
    ['no end', () => raw(file), {}],
    ['no boundary', () => raw(`${file}--x--\r\n`, 'multipart/form-data'), {}],
    ['no parts', () => raw('nothing'), {}],
    ['an empty body', () => raw(''), {}],
  ]
  test.each(refusals)('%s', async (_, ask, wanted) => {
    const reply = await ask()
    expectRefusal(reply, { status: 400, code: 'INVALID_REQUEST', param: reply.body.error.param, ...wanted })
    await until(async () => (await filesBelow('spool')).length === 0)
  })

  test('who may not store is refused before the file is read', async () => {
    const other = await world.key({ scopes: ['files:read'] })
    expectRefusal(await send({ bytes: csv, name: 'a.csv' }, {}, {}, other), {
      status: 403,
      code: 'INSUFFICIENT_SCOPE',
    })
  })
})

test('a server whose spool is full says so, and takes the next file once there is room', async () => {
  await using small = await boot({ config: 'files: { spool_mb: 1 }' })
  const by = await small.key()
  const reply = await send({ bytes: Buffer.alloc(1_100_000, 'a,b\n'), name: 'a.csv' }, {}, {}, by)
  expectRefusal(reply, { status: 503, code: 'SPOOL_FULL' })
  expect(reply.headers.get('retry-after')).toBe('30')
  expect((await send({ bytes: Buffer.alloc(1_000_000, 'a,b\n'), name: 'a.csv' }, {}, {}, by)).status).toBe(
    201,
  )
})

test('an S3 store takes a form’s file under its own hash, also at the second try', async () => {
  await using s3 = await fakeS3()
  await using apart = await boot({ config: s3.config })
  const by = await apart.key()
  s3.failNext('reset', 503)
  const bytes = Buffer.alloc(3_000_000, 'شهر,فروش\n')
  const made = await send({ bytes, name: 'a.csv' }, {}, {}, by)
  expect(made.status, made.text).toBe(201)
  expect([...s3.objects.values()].some((object) => object.equals(bytes))).toBe(true)
})

test('OpenAPI reports the form with its file and its bound', async () => {
  const { body } = await key.get('/openapi.json')
  const { content } = body.paths[url].post.requestBody
  expect(content['application/json']).toBeDefined()
  expect(content['multipart/form-data'].schema).toMatchObject({
    required: ['file'],
    properties: { file: { type: 'string' }, name: {}, media_type: {}, expires_after: { type: 'object' } },
  })
  expect(content['multipart/form-data'].encoding).toEqual({
    expires_after: { style: 'deepObject', explode: true },
  })
})

describe('a part of a form as clients write it', () => {
  const wav = Buffer.alloc(44 + 3_200)
  wav.write('RIFF', 0, 'latin1')
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8, 'latin1')
  for (const [at, value] of [
    [16, 16],
    [28, 32_000],
  ] as const)
    wav.writeUInt32LE(value, at)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    wav.writeUInt16LE(value, at)
  wav.writeUInt32LE(16_000, 24)
  wav.write('data', 36, 'latin1')
  wav.writeUInt32LE(wav.length - 44, 40)

  /** Sends a form with one part, whose head is exactly this. */
  const sendPart = (head: string, bytes: Uint8Array): Promise<Seen> => {
    const boundary = '----kherad-part'
    const body = Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ])
    return key.request('POST', url, body, { 'content-type': `multipart/form-data; boundary=${boundary}` })
  }

  test.each([
    ['filename="a.webm"\r\nContent-Type: audio/webm;codecs=opus', wav, 'audio/wav'],
    ['filename="A.WAV"\r\nContent-Type: AUDIO/WEBM', wav, 'audio/wav'],
    ['filename="blob"', wav, 'audio/wav'],
    ['filename="blob"\r\nContent-Type: application/octet-stream', png, 'image/png'],
    ['filename="a.JPG"\r\nContent-Type: image/jpg', png, 'image/png'],
    ['filename="A.CSV"\r\nContent-Type: application/octet-stream', csv, 'text/csv'],
    ['filename="table"\r\nContent-Type: text/x-csv; charset="utf-8"', csv, 'text/csv'],
  ])('%j is what its bytes are', async (head, bytes, mediaType) => {
    const { status, body, text: said } = await sendPart(`name="file"; ${head}`, bytes)
    expect([status, body.media_type], said).toEqual([201, mediaType])
  })

  const encoded = encodeURIComponent('فروش شهرها.csv')
  test.each([
    ['raw UTF-8', 'name="file"; filename="فروش شهرها.csv"', 'فروش شهرها.csv'],
    ['an extended name alone', `name="file"; filename*=utf-8''${encoded}`, 'فروش شهرها.csv'],
    ['both, quoted', `name="file"; filename="_____.csv"; filename*=UTF-8''${encoded}`, 'فروش شهرها.csv'],
    [
      'both, as .NET writes them',
      `name=file; filename="=?utf-8?B?2YE=?="; filename*=utf-8''${encoded}`,
      'فروش شهرها.csv',
    ],
    [
      'with a language and a folder',
      `name="file"; filename="a.csv"; filename*=UTF-8'fa'a%2F..%5C${encoded}`,
      'فروش شهرها.csv',
    ],
    ['an extended name that is none', `name="file"; filename="a.csv"; filename*=UTF-8''%FF%0A`, 'a.csv'],
  ])('a Persian name comes through: %s', async (_, head, name) => {
    const { status, body, text: said } = await sendPart(`${head}\r\nContent-Type: text/csv`, csv)
    expect([status, body.name, body.filename], said).toEqual([201, name, name])
  })
})
