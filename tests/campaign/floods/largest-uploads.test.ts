/** The largest uploads that a route takes, to the byte. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { Client as Line } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRefusal } from '../../contract/refusal.ts'
import type { Client } from '../../harness/client.ts'
import { openForm } from '../../harness/form.ts'
import { startMs, until } from '../../harness/until.ts'
import { boot, type World } from '../../harness/world.ts'

/** `POST /v1/files`, as a form. */
const largestFile = 209_715_200

let world: World
let key: Client
beforeAll(async () => {
  world = await boot({ config: 'files: { project_quota_mb: 900, spool_mb: 300 }', credits: 100_000 })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

async function spooled(): Promise<number> {
  const folder = path.resolve(world.app.config.dataDir, 'spool')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).length
}
const nothingSpooled = () => until(async () => (await spooled()) === 0)

/** Sends a file of so many bytes piece by piece over one connection; answers the status and the connection. */
async function sendLong(line: Line, bytes: number) {
  const { around, headers } = openForm({ name: 'long.csv' })
  const piece = Buffer.alloc(1024 * 1024, 'یک,دو\n')
  function* body() {
    yield around[0]
    for (let left = bytes; left > 0; left -= piece.length)
      yield piece.subarray(0, Math.min(left, piece.length))
    yield around[1]
  }
  const reply = await line.request({
    method: 'POST',
    path: '/v1/files',
    headers: { ...headers, authorization: `Bearer ${key.secret}` },
    body: Readable.from(body()),
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    status: reply.statusCode,
    body: (await reply.body.json()) as { id?: string; error?: { code: string } },
  }
}

test(
  'of a file 200 MB are taken to the byte; one more is 413, leaves nothing, and the connection goes on',
  async () => {
    const line = new Line(world.url)
    let connections = 0
    line.on('connect', () => {
      connections += 1
    })
    const over = await sendLong(line, largestFile + 1)
    expect(over).toMatchObject({ status: 413, body: { error: { code: 'BODY_TOO_LARGE' } } })
    await nothingSpooled()
    const whole = await sendLong(line, largestFile)
    expect(whole).toMatchObject({ status: 201, body: { bytes: largestFile } })
    expect(connections).toBe(1)
    expect((await key.request('DELETE', `/v1/files/${whole.body.id}`)).status).toBe(200)
    await nothingSpooled()
    await line.close()
  },
  startMs,
)

test('what stands around the file of a form has a bound as well', async () => {
  const over = Buffer.from(`${'x'.repeat(64)}\r\n`.repeat(Math.ceil((largestFile + 300_000) / 66)))
  const reply = await key.request('POST', '/v1/files', over, {
    'content-type': 'multipart/form-data; boundary=x',
  })
  expectRefusal(reply, { status: 413, code: 'BODY_TOO_LARGE' })
  await nothingSpooled()
})

test('of a file in JSON 20 MB are taken to the byte; one more is 400', async () => {
  const large = Buffer.alloc(20 * 1024 * 1024 + 1)
  ;(
    await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
  ).copy(large)
  const put = (bytes: Buffer) =>
    key.post('/v1/files', { name: 'large.png', media_type: 'image/png', data: bytes.toString('base64') })
  expectRefusal(await put(large), { status: 400, code: 'INVALID_REQUEST', param: 'data' })
  const made = await put(large.subarray(0, -1))
  expect(made.status, made.text.slice(0, 300)).toBe(201)
  const tail = await key.raw('GET', `/v1/files/${made.body.id}`, undefined, { range: 'bytes=-1' })
  expect(tail.headers.get('content-range')).toBe('bytes 20971519-20971519/20971520')
  expect((await key.request('DELETE', `/v1/files/${made.body.id}`)).status).toBe(200)
})

/** Pictures of exactly so many bytes each: what stands after the end of a png is skipped. */
async function edit(...pictures: number[]) {
  const small = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const form = new FormData()
  const fields = { model: 'sandbox/image', prompt: 'make it blue', size: '128x128' }
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  for (const bytes of pictures) {
    const picture = Buffer.alloc(bytes)
    small.copy(picture)
    form.append('image', new Blob([picture], { type: 'image/png' }), 'a.png')
  }
  const encoded = new Response(form)
  return key.request('POST', '/v1/images/edits', new Uint8Array(await encoded.arrayBuffer()), {
    'content-type': encoded.headers.get('content-type')!,
  })
}

test(
  'of the pictures of an edit 100 MiB are taken to the byte; one more is 413, in one file or in two',
  async () => {
    const max = 100 * 1024 * 1024
    const whole = await edit(max / 2, max / 2)
    expect(whole.status, whole.text.slice(0, 300)).toBe(200)
    for (const pictures of [[max / 2, max / 2 + 1], [max + 1]])
      expectRefusal(await edit(...pictures), { status: 413, code: 'BODY_TOO_LARGE' })
    await nothingSpooled()
  },
  startMs,
)
