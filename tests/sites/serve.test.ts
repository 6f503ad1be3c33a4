import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sharedWorld } from '../harness/shared-world.ts'
import { until } from '../harness/until.ts'
import type { World } from '../harness/world.ts'
import { type Published, publish, visit } from './visitor.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const page = (text: string) =>
  `<!doctype html><meta charset="utf-8"><title>${text}</title>${'<p>متن</p>'.repeat(300)}`
const hashed = 'assets/index-D7lT8Vq3.js'
const shop = {
  'index.html': page('خانه'),
  'about.html': page('درباره'),
  'blog/index.html': page('وبلاگ'),
  'blog/نخستین.html': page('نخستین'),
  'logo.png': new Uint8Array(3_000).fill(7),
  'style.css': 'body { color: teal }'.repeat(100),
  [hashed]: 'console.log(1);'.repeat(200),
  '404.html': page('نیست'),
  _redirects: '/old /about\n/go/* /blog/:splat 302\n/climb/* /:splat/evil.example\n/about /elsewhere',
  _headers: '/*\n  X-Frame-Options: DENY\n/blog/*\n  Cache-Control: no-cache\n  Content-Language: fa',
}
let site: Published
beforeAll(async () => {
  site = await publish(await world.key(), { files: shop })
})

test('a page has its bytes, type, length and tag, is asked for again each time, and sets no cookie', async () => {
  const answer = await site.get('/')
  expect(answer.status).toBe(200)
  expect(answer.text).toBe(shop['index.html'])
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-length': String(Buffer.byteLength(shop['index.html'])),
    'cache-control': 'public, max-age=0, must-revalidate',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Encoding',
    'accept-ranges': 'bytes',
  })
  expect(answer.headers.etag).toMatch(/^"[0-9a-f]{32}"$/)
  expect(answer.headers['set-cookie']).toBeUndefined()
})

test('hashed assets are kept for good, others and pages are not', async () => {
  const cacheOf = async (path: string) => (await site.get(path)).headers['cache-control']
  expect(await cacheOf(`/${hashed}`)).toBe('public, max-age=31536000, immutable')
  for (const path of ['/', '/about', '/logo.png', '/style.css'])
    expect(await cacheOf(path)).toBe('public, max-age=0, must-revalidate')
})

test('a visitor gets the form that he takes best, each with a tag of its own', async () => {
  const ask = (accept: string) => site.get('/style.css', { headers: { 'accept-encoding': accept } })
  const [br, gzip, plain] = [
    await ask('gzip, deflate, br, zstd'),
    await ask('br;q=0.5, gzip'),
    await ask('identity'),
  ]
  expect(br.headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(br.body).toString()).toBe(shop['style.css'])
  expect(gzip.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(gzip.body).toString()).toBe(shop['style.css'])
  expect(plain.headers['content-encoding']).toBeUndefined()
  const tags = [br, gzip, plain].map(({ headers }) => headers.etag)
  expect(new Set(tags).size).toBe(3)
  for (const answer of [br, gzip, plain])
    expect(Number(answer.headers['content-length'])).toBe(answer.body.length)
  expect((await ask('br;q=0, gzip;q=0')).headers['content-encoding']).toBeUndefined()
  expect((await site.get('/logo.png', { headers: { 'accept-encoding': 'br' } })).headers.vary).toBeUndefined()
})

test('every page has one address, to which its other spellings lead, with their query', async () => {
  const leads = async (path: string) => {
    const { status, headers } = await site.get(path)
    return [status, headers.location]
  }
  expect(await leads('/index.html?a=1')).toEqual([308, '/?a=1'])
  expect(await leads('/about.html')).toEqual([308, '/about'])
  expect(await leads('/about/')).toEqual([308, '/about'])
  expect(await leads('/blog?x=y')).toEqual([308, '/blog/?x=y'])
  expect(await leads('/blog/index.html')).toEqual([308, '/blog/'])
  const persian = encodeURIComponent('نخستین')
  expect(await leads(`/blog/${persian}.html`)).toEqual([308, `/blog/${persian}`])
  expect((await site.get(`/blog/${persian}`)).text).toBe(shop['blog/نخستین.html'])
})

test('rules of the site lead elsewhere within it, but never in place of a file, and never to another host', async () => {
  const old = await site.get('/old/?q=1')
  expect([old.status, old.headers.location]).toEqual([301, '/about?q=1'])
  const go = await site.get(`/go/a%20b/${encodeURIComponent('پ')}`)
  expect([go.status, go.headers.location]).toEqual([302, `/blog/a%20b/${encodeURIComponent('پ')}`])
  expect((await site.get('/go')).headers.location).toBe('/blog/')
  expect((await site.get('/about')).status).toBe(200)
  expect((await site.get('/climb')).headers.location).toBe('/evil.example')
  expect((await site.get('/climb//evil.example')).status).toBe(404)
  expect((await site.get('/climb/%2f%2fevil.example')).status).toBe(404)
  for (const path of ['/_redirects', '/_headers']) expect((await site.get(path)).status).toBe(404)
})

test('headers that the site sets apply by path, later ones in place of earlier ones', async () => {
  expect((await site.get('/')).headers['x-frame-options']).toBe('DENY')
  expect((await site.get('/blog/')).headers).toMatchObject({
    'x-frame-options': 'DENY',
    'content-language': 'fa',
    'cache-control': 'no-cache',
  })
})

test('what is missing is the site’s own page with 404, which no cache keeps', async () => {
  for (const path of [
    '/nothing',
    '/blog/nothing/',
    '/assets/index-AAAAAAA1.js',
    '/ABOUT',
    '//',
    '/../etc/passwd',
    '/blog%2findex.html',
  ]) {
    const answer = await site.get(path)
    expect(answer.status, path).toBe(404)
    expect(answer.text, path).toBe(shop['404.html'])
    expect(answer.headers['cache-control'], path).toBe('no-store')
    expect(answer.headers.etag, path).toBeUndefined()
  }
})

test('a path that cannot be decoded is refused with 400', async () => {
  for (const path of ['/%', '/%zz', '/%ff', '/a%c3', '/%u0041'])
    expect((await site.get(path)).status, path).toBe(400)
  expect((await site.get('/%2561bout')).status).toBe(404)
  expect((await site.get('/%61bout')).status).toBe(200)
})

test('an unchanged file is not sent again, and its headers say what they said', async () => {
  const first = await site.get('/style.css', { headers: { 'accept-encoding': 'br' } })
  const again = (headers: Record<string, string>) =>
    site.get('/style.css', { headers: { 'accept-encoding': 'br', ...headers } })
  const { etag = '', 'last-modified': modified = '' } = first.headers
  for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await again({ 'if-none-match': tag })
    expect(answer.status).toBe(304)
    expect(answer.body).toHaveLength(0)
    expect(answer.headers).toMatchObject({
      etag,
      vary: 'Accept-Encoding',
      'cache-control': first.headers['cache-control'],
    })
  }
  expect((await again({ 'if-none-match': etag.replace('-br', '-gzip') })).status).toBe(200)
  expect((await again({ 'if-modified-since': modified })).status).toBe(304)
  // Tags are stronger than dates.
  expect((await again({ 'if-modified-since': modified, 'if-none-match': '"x"' })).status).toBe(200)
  expect(
    (await again({ 'if-modified-since': new Date(Date.parse(modified) + 60_000).toUTCString() })).status,
  ).toBe(200)
  expect((await again({ 'if-match': '"x"' })).status).toBe(412)
  expect((await again({ 'if-match': `W/${etag}` })).status).toBe(412)
  expect((await again({ 'if-match': etag })).status).toBe(200)
  expect((await again({ 'if-unmodified-since': new Date(0).toUTCString() })).status).toBe(412)
  expect((await again({ 'if-unmodified-since': modified })).status).toBe(200)
})

test('a part is of the file itself, whatever encodings are taken, to the exact byte', async () => {
  const bytes = Buffer.from(shop['style.css'])
  const ask = (range: string, more: Record<string, string> = {}) =>
    site.get('/style.css', { headers: { range, 'accept-encoding': 'br', ...more } })
  const expectPart = async (range: string, start: number, end: number) => {
    const answer = await ask(range)
    expect(answer.status, range).toBe(206)
    expect(answer.headers['content-range']).toBe(`bytes ${start}-${end}/${bytes.length}`)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.body.equals(bytes.subarray(start, end + 1)), range).toBe(true)
  }
  await expectPart('bytes=0-0', 0, 0)
  await expectPart('bytes=5-9', 5, 9)
  await expectPart(`bytes=${bytes.length - 1}-`, bytes.length - 1, bytes.length - 1)
  await expectPart('bytes=-3', bytes.length - 3, bytes.length - 1)
  await expectPart('bytes=-999999', 0, bytes.length - 1)
  await expectPart('bytes=1990-999999', 1990, bytes.length - 1)
  for (const range of [`bytes=${bytes.length}-`, 'bytes=-0']) {
    const answer = await ask(range)
    expect([answer.status, answer.headers['content-range']], range).toEqual([416, `bytes */${bytes.length}`])
  }
  for (const range of ['bytes=0-1,4-5', 'bytes=9-5', 'lines=1-2', 'bytes=a-b']) {
    const answer = await ask(range)
    expect([answer.status, answer.body.length], range).toEqual([200, bytes.length])
  }
  const { etag = '', 'last-modified': modified = '' } = (await site.get('/style.css')).headers
  expect((await ask('bytes=0-1', { 'if-range': etag })).status).toBe(206)
  expect((await ask('bytes=0-1', { 'if-range': modified })).status).toBe(206)
  expect((await ask('bytes=0-1', { 'if-range': '"x"' })).status).toBe(200)
  expect((await ask('bytes=0-1', { 'if-none-match': etag })).status).toBe(304)
})

test('HEAD says what GET would, without its bytes; nothing else is taken', async () => {
  for (const path of ['/', '/logo.png', '/nothing', '/old']) {
    const [head, get] = [await site.get(path, { method: 'HEAD' }), await site.get(path)]
    expect(head.body).toHaveLength(0)
    expect([head.status, head.headers['content-length'], head.headers.etag]).toEqual([
      get.status,
      get.headers['content-length'],
      get.headers.etag,
    ])
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
    const answer = await site.get('/', { method })
    expect([answer.status, answer.headers.allow, answer.headers['cache-control']], method).toEqual([
      405,
      'GET, HEAD',
      'no-store',
    ])
  }
})

test('a preview shows one version at a host that nobody guesses, and no search engine keeps it', async () => {
  const answer = await visit(site.preview, '/blog/')
  expect([answer.status, answer.text, answer.headers['x-robots-tag']]).toEqual([
    200,
    shop['blog/index.html'],
    'noindex',
  ])
  expect((await visit(site.preview, '/old')).headers['x-robots-tag']).toBe('noindex')
  expect((await site.get('/')).headers['x-robots-tag']).toBeUndefined()
})

test('an app that routes in the browser gets its page for navigations only, never in place of an asset', async () => {
  const files = { 'index.html': page('app'), 'assets/app-D7lT8Vq3.js': 'run()', 'about.html': page('about') }
  const app = await publish(await world.key(), { files, spa: true })
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const path of ['/users/5', '/users/5/', '/', `/${encodeURIComponent('کاربر')}`]) {
    const answer = await app.get(path, { headers: html })
    expect([answer.status, answer.text], path).toEqual([200, files['index.html']])
    expect(answer.headers['cache-control'], path).toBe('public, max-age=0, must-revalidate')
  }
  expect((await app.get('/users/5', { headers: html })).headers.vary).toBe(
    'Accept-Encoding, Accept, Sec-Fetch-Mode',
  )
  expect((await app.get('/about', { headers: html })).text).toBe(files['about.html'])
  const refused = [
    ['/assets/app-AAAAAAA1.js', html],
    ['/assets/app-AAAAAAA1.js', {}],
    ['/users/jane.doe', html],
    ['/users/5', { accept: '*/*' }],
    ['/users/5', { accept: 'application/json' }],
    ['/users/5', { accept: 'text/html;q=0' }],
    ['/users/5', { accept: 'text/html; q=0.0, */*' }],
    ['/users/5', {}],
    ['/users/5', { ...html, 'sec-fetch-mode': 'cors' }],
    ['/users/5', { ...html, 'sec-fetch-mode': 'no-cors' }],
  ] as const
  for (const [path, headers] of refused) {
    const answer = await app.get(path, { headers })
    expect([answer.status, answer.headers['cache-control']], `${path} ${JSON.stringify(headers)}`).toEqual([
      404,
      'no-store',
    ])
  }
  expect((await app.get('/users/5', { headers: { ...html, 'sec-fetch-mode': 'navigate' } })).status).toBe(200)
})

test('a client that refuses pages gets none, not even in place of an error', async () => {
  const files = { 'index.html': page('app'), '404.html': page('not here') }
  const app = await publish(await world.key(), { files, spa: true })
  const ask = async (accept: string) => {
    const { status, headers, text } = await app.get('/users/5.png', { headers: { accept } })
    return [status, headers['content-type'], text.includes('<')]
  }
  for (const accept of ['text/html;q=0', 'text/html;q=0, */*', 'application/json', 'image/*'])
    expect(await ask(accept), accept).toEqual([404, 'text/plain; charset=utf-8', false])
  for (const accept of ['*/*', 'text/html;q=0.1', 'text/*, application/json'])
    expect(await ask(accept), accept).toEqual([404, 'text/html; charset=utf-8', true])
})

test('a page that is refused by name is 406 as text; no other file is, nor a request that only lists other types', async () => {
  const ask = async (path: string, accept: string, more = {}) => {
    const { status, headers, text } = await site.get(path, { headers: { accept, ...more } })
    return [status, headers['content-type'], text.includes('<')]
  }
  const refused = [406, 'text/plain; charset=utf-8', false]
  const tag = (await site.get('/')).headers.etag!
  for (const accept of ['text/html;q=0', 'text/html; q=0.0, */*', '*/*;q=0', 'text/*;q=0, image/*'])
    for (const path of ['/', '/about']) expect(await ask(path, accept), accept).toEqual(refused)
  expect(await ask('/', 'text/html;q=0', { 'if-none-match': tag })).toEqual(refused)
  const head = await site.get('/', { method: 'HEAD', headers: { accept: 'text/html;q=0' } })
  expect([head.status, head.text, head.headers['cache-control']]).toEqual([406, '', 'no-store'])
  for (const accept of ['*/*', 'text/html;q=0.001', 'application/json', 'image/*', '', 'text/html, */*;q=0'])
    expect((await ask('/', accept))[0], accept).toBe(200)
  expect((await site.get('/')).status).toBe(200)
  for (const path of ['/style.css', '/logo.png', `/${hashed}`])
    expect((await ask(path, 'text/html;q=0'))[0], path).toBe(200)
})

test('without a choice for it a site answers no path that it does not have', async () => {
  expect((await site.get('/users/5', { headers: { accept: 'text/html' } })).status).toBe(404)
})

test('a file larger than memory is meant for comes whole and in parts', async () => {
  const film = new Uint8Array(3_000_000).map((_, index) => (index * 7_919) >> 5)
  const large = await publish(await world.key(), { files: { 'index.html': page('film'), 'film.mp4': film } })
  const whole = await large.get('/film.mp4')
  expect([whole.status, whole.body.equals(film)]).toEqual([200, true])
  const part = await large.get('/film.mp4', { headers: { range: 'bytes=1000000-2500000' } })
  expect([part.status, part.body.equals(film.subarray(1_000_000, 2_500_001))]).toEqual([206, true])
})

test('pages that are open still get the assets of the version before, for seven days and not longer', async () => {
  const key = await world.key()
  const chunk = (letter: string) => `assets/page-D7lT8Vq${letter}.js`
  const files = (letter: string) => ({
    'index.html': page(letter),
    [chunk(letter)]: `page('${letter}')`,
    [`plain-${letter}.js`]: 'x',
  })
  const first = await publish(key, { files: files('1') })
  await publish(key, { id: first.id, files: files('2') })
  await until(async () => (await first.get('/')).text === files('2')['index.html'])
  const stale = await first.get(`/${chunk('1')}`)
  expect([stale.status, stale.text, stale.headers['cache-control']]).toEqual([
    200,
    "page('1')",
    'public, max-age=31536000, immutable',
  ])
  expect((await first.get('/plain-1.js')).status).toBe(404)
  // After going back it is the other one that has been replaced.
  expect((await key.post(`/v1/sites/${first.id}/rollback`, {})).status).toBe(200)
  await until(async () => (await first.get('/')).text === files('1')['index.html'])
  expect((await first.get(`/${chunk('2')}`)).text).toBe("page('2')")
  const ago = (ms: number) =>
    world.app.db.query(
      { text: `update sites.versions set replaced_at = $2 where site_id = $1 and version = 2` },
      [first.id, new Date(Date.now() - ms)],
    )
  const week = 7 * 24 * 60 * 60 * 1000
  const seen = async () => {
    await world.app.db.query({ text: `select pg_notify('sites', $1)` }, [`${world.account}/${first.id}`])
    return (await first.get(`/${chunk('2')}`)).status
  }
  await ago(week + 1_000)
  await until(async () => (await seen()) === 404)
  await ago(week - 60_000)
  await until(async () => (await seen()) === 200)
})
