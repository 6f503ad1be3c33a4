/** Signed links to stored files: what they open, for how long, and what forged ones tell. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLinks } from '#core/files'
import type { Client, Seen } from '../harness/client.ts'
import { boot, MovableClock, type World } from '../harness/world.ts'

const clock = new MovableClock()
let world: World
let key: Client
beforeAll(async () => {
  world = await boot({ clock })
  key = await world.key()
})
afterAll(() => world[Symbol.asyncDispose]())

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8BQDwAEgAF/pooBPQAAAABJRU5ErkJggg==',
  'base64',
)
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')

const store = async (bytes: Buffer, by = key): Promise<string> =>
  (await by.post('/v1/files', { data: bytes.toString('base64'), name: 'نشان' })).body.id
const link = (id: string, body: unknown = {}, by = key): Promise<Seen> =>
  by.post(`/v1/files/${id}/links`, body)
async function urlOf(id: string, body: unknown = {}): Promise<string> {
  const made = await link(id, body)
  expect(made.status, made.text).toBe(201)
  return made.body.url
}
/** Without a key. */
const open = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(url, { headers, method })
const bytesOf = async (reply: Response) => Buffer.from(await reply.arrayBuffer())

/** All that an answer tells, but its own id and time. */
async function told(url: string) {
  const reply = await open(url)
  const own = new Set(['x-request-id', 'request-id', 'date'])
  const id = reply.headers.get('x-request-id')!
  return {
    status: reply.status,
    headers: [...reply.headers].filter(([name]) => !own.has(name)),
    text: (await reply.text()).replaceAll(id, ''),
  }
}

test('a link opens its file without a key: whole, in parts, and by its version', async () => {
  const id = await store(png)
  const url = await urlOf(id)
  expect(url).toMatch(new RegExp(`^${world.url}/v1/media/[\\w-]{94}$`))
  const whole = await open(url, { origin: 'https://elsewhere.example' })
  expect(await bytesOf(whole)).toEqual(png)
  const own = await key.raw('GET', `/v1/files/${id}`)
  for (const name of ['content-type', 'etag', 'accept-ranges', 'cache-control', 'content-disposition'])
    expect(whole.headers.get(name), name).toBe(own.headers.get(name))
  expect(whole.headers.get('x-content-type-options')).toBe('nosniff')
  expect(whole.headers.get('content-security-policy')).toContain('sandbox')
  expect(whole.headers.get('access-control-allow-origin')).toBe('*')
  expect(whole.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect(whole.headers.get('referrer-policy')).toBe('no-referrer')
  const part = await open(url, { range: 'bytes=1-3' })
  expect([part.status, (await bytesOf(part)).toString()]).toEqual([206, 'PNG'])
  expect((await open(url, { range: 'bytes=5000-' })).status).toBe(416)
  expect((await open(url, { 'if-none-match': whole.headers.get('etag')! })).status).toBe(304)
  const head = await open(url, {}, 'HEAD')
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(png.length)])
})

test('a drawing is an attachment, as it is with a key', async () => {
  const reply = await open(await urlOf(await store(svg)))
  expect(reply.headers.get('content-disposition')).toMatch(/^attachment/)
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'")
})

describe('how long', () => {
  test.each<[object, number]>([
    [{}, 3_600],
    [{ expires_in: 60 }, 60],
    [{ expires_in: 86_400 }, 86_400],
  ])('%o: %i seconds to the second', async (body, seconds) => {
    const made = await link(await store(png), body)
    const expected = Math.floor(clock.nowMs() / 1000) + seconds
    expect(Date.parse(made.body.expires_at) / 1000).toBe(expected)
    clock.moveMs(expected * 1000 - 1 - clock.nowMs())
    expect((await open(made.body.url)).status).toBe(200)
    clock.moveMs(1)
    expect((await open(made.body.url)).status).toBe(404)
  })

  test('no longer than the file', async () => {
    const own = new MovableClock()
    await using other = await boot({ clock: own })
    const by = await other.key()
    const drawn = await by.post('/v1/studio/image', {
      model: 'sandbox/image',
      prompt: 'a cat',
      size: '64x64',
    })
    expect(drawn.status, drawn.text.slice(0, 300)).toBe(200)
    const [file] = (await by.get('/v1/files')).body.data
    expect(file.id).toBe(drawn.headers.get('x-file-ids'))
    own.moveMs(Date.parse(file.expires_at) - own.nowMs() - 120_000)
    const made = await link(file.id, {}, by)
    expect(made.status, made.text).toBe(201)
    const end = Math.floor(Date.parse(file.expires_at) / 1000) * 1000
    expect(Date.parse(made.body.expires_at)).toBe(end)
    own.moveMs(end - own.nowMs() - 1)
    expect((await open(made.body.url)).status).toBe(200)
    own.moveMs(1)
    expect((await open(made.body.url)).status).toBe(404)
  })
})

describe('what opens nothing, and tells nothing', () => {
  test('forged, expired, deleted and never made look alike', async () => {
    const [kept, gone] = [await store(png), await store(png)]
    const [url, deleted, expired] = [
      await urlOf(kept, { expires_in: 86_400 }),
      await urlOf(gone, { expires_in: 86_400 }),
      await urlOf(kept, { expires_in: 60 }),
    ]
    expect((await open(deleted)).status).toBe(200)
    await key.request('DELETE', `/v1/files/${gone}`)
    clock.moveMs(60_000)
    const nothing = await told(deleted)
    expect(nothing.status).toBe(404)
    const base = `${world.url}/v1/media/`
    const token = Buffer.from(url.slice(base.length), 'base64url')
    const later = Buffer.from(token)
    later.writeUIntBE(later.readUIntBE(32, 6) + 1, 32, 6)
    const other = Buffer.from(token)
    Buffer.from((await store(svg)).replaceAll('-', ''), 'hex').copy(other, 16)
    const forged = [later, other, Buffer.alloc(token.length), Buffer.from(token).fill(0, 38)]
    for (const at of token.keys()) {
      const bent = Buffer.from(token)
      bent[at]! ^= 1
      forged.push(bent)
    }
    expect(await told(expired)).toEqual(nothing)
    for (const bytes of forged) expect(await told(base + bytes.toString('base64url'))).toEqual(nothing)
    // The four bits that a token has too many.
    const last = url.at(-1)!
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const twin = alphabet[alphabet.indexOf(last) + 1]!
    expect(Buffer.from(url.slice(base.length, -1) + twin, 'base64url')).toEqual(token)
    expect(await told(url.slice(0, -1) + twin)).toEqual(nothing)
    expect((await open(url)).status).toBe(200)
    for (const malformed of ['x', token.toString('base64url').slice(1), 'a'.repeat(600), '%00', '..%2f..'])
      expect([400, 404]).toContain((await open(base + malformed)).status)
  })

  test('a stranger makes no key of the server', async () => {
    // A server whose key nobody has asked for yet.
    await using fresh = await boot()
    const forged = Buffer.alloc(70).toString('base64url')
    expect((await open(`${fresh.url}/v1/media/${forged}`)).status).toBe(404)
    const keys = () => fresh.app.db.query({ text: 'select key_id from secrets.seal' }, [])
    expect(await keys()).toEqual([])
    const by = await fresh.key()
    expect((await link(await store(png, by), {}, by)).status).toBe(201)
    expect(await keys()).toHaveLength(1)
  })

  test('a token signed with another secret opens nothing', async () => {
    await using other = await boot({ clock, env: { KHERAD_SECRET: 'another secret of thirty-two letters' } })
    const file = { accountId: world.account, fileId: await store(png) }
    const expiresAt = new Date(clock.nowMs() + 60_000)
    const status = async ({ app }: World) =>
      (await open(`${world.url}/v1/media/${(await openLinks(app))(file, expiresAt)}`)).status
    expect([await status(world), await status(other)]).toEqual([200, 404])
  })
})

test('the base of a link is the one that is configured', async () => {
  await using other = await boot({ env: { KHERAD_BASE_URL: 'https://ai.example.org' } })
  const by = await other.key()
  const made = await link(await store(png, by), {}, by)
  expect(made.body.url).toMatch(/^https:\/\/ai\.example\.org\/v1\/media\/[\w-]{94}$/)
})
