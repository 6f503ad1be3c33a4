import { rename } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../harness/until.ts'
import { boot, type World } from '../harness/world.ts'
import { type Answer, publish, visit } from './visitor.ts'

/** A page of ours: in both languages, for no cache, no frame and no search engine, and it loads nothing. */
function expectNotice(answer: Answer, status: number, fa: string, en: string): void {
  expect([answer.status, answer.headers['content-type']], answer.text).toEqual([
    status,
    'text/html; charset=utf-8',
  ])
  expect(answer.text).toContain('<html lang="fa" dir="rtl">')
  expect(answer.text).toContain(fa)
  expect(answer.text).toContain(`<section lang="en" dir="ltr"><h1>${en}`)
  expect(answer.text).not.toMatch(/https?:|<script|<img|<link/)
  expect(Number(answer.headers['content-length'])).toBe(answer.body.length)
  expect(answer.headers).toMatchObject({
    'cache-control': 'no-store',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  expect(answer.headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]+=*'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  )
}

let world: World
beforeAll(async () => {
  world = await boot()
})
afterAll(() => world[Symbol.asyncDispose]())

const files = { 'index.html': '<!doctype html><title>خانه</title>', 'assets/app-D7lT8Vq3.js': 'run()' }

test('a site that the operator has taken down shows a notice of 451 at every path and preview, and comes back with its files', async () => {
  const site = await publish(await world.key(), { files })
  const takenDown = (at: string) =>
    world.app.db.tx(async (tx) => {
      await sql`update sites.sites set taken_down_at = ${sql.raw(at)} where site_id = ${site.id}`.execute(tx)
      await sql`select pg_notify('sites', ${`${world.account}/${site.id}`})`.execute(tx)
    })
  await takenDown('now()')
  await until(async () => (await site.get('/')).status === 451)
  for (const asked of ['/', '/assets/app-D7lT8Vq3.js', '/missing', '/%'])
    expectNotice(await site.get(asked), 451, 'این سایت بسته شده است', 'This site has been closed')
  expect((await visit(site.preview, '/')).status).toBe(451)
  expect((await site.get('/', { method: 'POST' })).status).toBe(451)
  await takenDown('null')
  await until(async () => (await site.get('/')).text === files['index.html'])
})

test('a site whose first version is not ready yet says so with 404', async () => {
  await using other = await boot({ roles: { api: true, worker: false } })
  const key = await other.key()
  const reply = await key.post('/v1/sites', {
    ...{ name: 'x', slug: 'not-yet', confirm_public: true },
    files: [{ path: 'index.html', content: '', encoding: 'base64' }],
  })
  expect(reply.status, reply.text).toBe(202)
  const url = `http://not-yet.localhost:${new URL(other.appsUrl).port}`
  const answer = await until(async () => {
    const answer = await visit(url, '/')
    return answer.headers['content-type']?.startsWith('text/html') ? answer : undefined
  })
  expectNotice(answer, 404, 'این سایت هنوز منتشر نشده است', 'This site has not been published yet')
})

test('paths that are missing or malformed, and methods that are not taken, have notices where the site has no page of its own', async () => {
  const site = await publish(await world.key(), { files })
  expectNotice(await site.get('/missing'), 404, 'این صفحه پیدا نشد', 'This page was not found')
  expectNotice(await site.get('/%zz'), 400, 'نشانی درست نیست', 'This address cannot be read')
  const refused = await site.get('/', { method: 'POST' })
  expectNotice(refused, 405, 'این کار اینجا ممکن نیست', 'This cannot be done here')
  expect(refused.headers).toMatchObject({ allow: 'GET, HEAD', connection: 'close' })
  const head = await site.get('/missing', { method: 'HEAD' })
  expect([head.status, head.body.length]).toEqual([404, 0])
})

test('where the store fails visitors are told to come back, and get the file as soon as it works again', async () => {
  const film = new Uint8Array(600_000).fill(3)
  // Contents that no other site of this account has had in memory.
  const page = '<!doctype html><title>فیلم</title>'
  const site = await publish(await world.key(), { files: { 'index.html': page, 'film.mp4': film } })
  const folder = path.join(world.app.config.dataDir, 'files')
  const [stored, away] = [path.join(folder, 'sites'), path.join(folder, 'away')]
  await rename(stored, away)
  for (const asked of ['/', '/film.mp4']) {
    const answer = await site.get(asked)
    expectNotice(answer, 503, 'این سایت اکنون در دسترس نیست', 'This site is not available right now')
    expect(answer.headers['retry-after']).toBe('5')
  }
  await rename(away, stored)
  expect((await site.get('/')).text).toBe(page)
  expect((await site.get('/film.mp4')).body.equals(film)).toBe(true)
})
