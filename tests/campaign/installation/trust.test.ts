/** What a page of strangers tries in a real browser, on a machine without a domain: API and sites are ports of one host. */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../harness/client.ts'
import { boot, type World } from '../../harness/world.ts'
import { browserPath, openTabs } from '../../media/browser.ts'
import { siteBody } from '../../sites/published.ts'
import { type Published, publish } from '../../sites/visitor.ts'
import { arrivals } from './arrivals.ts'
import { frame, openWindow, plant, read, register, send, sendForm, sendMethod } from './attempts.ts'

const worker = "addEventListener('fetch', (event) => event.respondWith(new Response('caught')))"
const pageOf = (title: string) => `<!doctype html><title>${title}</title><body>`
const refusedFrame = 'chrome-error://chromewebdata/'

let world: World
let key: Client
/** The two names at which the API answers on this machine. */
let apis: string[]
const worldStack = new AsyncDisposableStack()
beforeAll(async () => {
  world = worldStack.use(await boot({ env: { KHERAD_HOST: 'localhost' } }))
  key = await world.key()
  const { port } = new URL(world.url)
  apis = [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
})
afterAll(() => worldStack.disposeAsync())

describe.skipIf(browserPath === undefined)('a page of strangers', () => {
  const stack = new AsyncDisposableStack()
  let shop: Published
  let other: Published
  let context: BrowserContext
  let page: Page

  beforeAll(async () => {
    shop = await publish(key, {
      slug: 'evil-shop',
      files: {
        ...{ 'index.html': pageOf('shop'), 'sw.js': worker },
        ...{ 'deep/index.html': pageOf('deep'), 'deep/sw.js': worker },
      },
    })
    other = await publish(key, {
      slug: 'good-shop',
      files: {
        ...{ 'index.html': pageOf('other'), 'open.html': pageOf('open'), 'sw.js': worker },
        _headers: '/\n  X-Frame-Options: DENY\n',
      },
    })
    context = await openTabs(stack)
    // What a session of the person would be, in the form that travels farthest.
    await context.addCookies(
      apis.map((url) => ({
        ...{ name: 'session', value: 'of-the-person', domain: new URL(url).hostname, path: '/' },
        ...{ httpOnly: true, secure: true, sameSite: 'None' as const },
      })),
    )
    page = await context.newPage()
  })
  afterAll(() => stack.disposeAsync())

  test('reads no answer of the API, although the person’s cookie comes with its request', async () => {
    await page.goto(shop.url)
    using came = arrivals(world.url)
    for (const api of apis)
      for (const path of ['/v1/models', '/v1/sites', '/openapi.json', '/docs', '/metrics', '/health/live'])
        for (const credentials of ['include', 'omit'] as const)
          expect(await read(page, api + path, credentials), api + path).toBe('TypeError')
    expect(came.all).toHaveLength(24)
    // Else the test would show nothing.
    expect(came.all.filter(({ cookie }) => cookie === 'session=of-the-person')).toHaveLength(12)
  })

  test('changes nothing at the API: what the browser lets through with the cookie is refused there', async () => {
    await page.goto(shop.url)
    using came = arrivals(world.url)
    for (const api of apis) {
      for (const path of ['/v1/sites', '/v1/chat/completions', '/v1/files'])
        expect(await send(page, api + path)).toBe('opaque 0 ')
      await sendForm(page, `${api}/v1/files`)
      for (const method of ['DELETE', 'PUT', 'PATCH'])
        expect(await sendMethod(page, `${api}/v1/sites/${other.id}`, method)).toBe('TypeError')
    }
    const posts = came.all.filter(({ method }) => method === 'POST')
    expect(posts).toHaveLength(8)
    for (const { status, cookie, origin } of posts)
      expect([status, cookie, origin]).toEqual([403, 'session=of-the-person', shop.url])
    // Before any other method the browser asks, and is not allowed.
    expect(new Set(came.all.map(({ method }) => method))).toEqual(new Set(['POST', 'OPTIONS']))
    expect((await key.get(`/v1/sites/${other.id}`)).status).toBe(200)
  })

  test('plants no cookie beyond its own host: none reaches the API or another site', async () => {
    await page.goto(shop.url)
    for (const domain of [
      'localhost',
      '.localhost',
      '127.0.0.1',
      'good-shop.localhost',
      'a.evil-shop.localhost',
    ])
      expect(await plant(page, `planted=1; Path=/; Domain=${domain}`), domain).toBe('')
    expect(await plant(page, 'session=of-the-page; Path=/')).toBe('session=of-the-page')
    using atApi = arrivals(world.url)
    using atSites = arrivals(world.appsUrl)
    const tab = await context.newPage()
    for (const api of apis) await tab.goto(`${api}/docs`)
    await tab.goto(`${other.url}/open`)
    expect(await plant(tab, '')).toBe('')
    await tab.goto(`${shop.url}/deep/`)
    await tab.close()
    expect(atApi.all.map(({ cookie }) => cookie)).toEqual(apis.map(() => 'session=of-the-person'))
    const pages = atSites.all.filter(({ path }) => path !== '/favicon.ico')
    expect(pages.map(({ host, cookie }) => [host, cookie])).toEqual([
      [new URL(other.url).host, undefined],
      [new URL(shop.url).host, 'session=of-the-page'],
    ])
    await context.clearCookies({ name: 'session', domain: 'evil-shop.localhost' })
  })

  test('registers a service worker neither above its path nor for another origin', async () => {
    await page.goto(shop.url)
    for (const [script, scope] of [
      ['/deep/sw.js', '/'],
      ['/deep/sw.js', '/deeper/'],
      [`${other.url}/sw.js`, undefined],
      [`${apis[0]}/v1/models`, undefined],
      ['/sw.js', `${other.url}/`],
      ['/sw.js', `${apis[1]}/`],
      ['/missing.js', undefined],
    ] as const)
      expect(await register(page, script, scope), `${script} ${scope}`).toMatch(/^(?:Security|Type)Error$/)
    // Below its own path it may, and then it catches what is its own only.
    expect(await register(page, '/deep/sw.js')).toBe(`${shop.url}/deep/`)
    await page.evaluate("navigator.serviceWorker.getRegistration('/deep/').then((one) => one.unregister())")
    const { status, body } = await key.post('/v1/sites', {
      ...{ name: 'x', confirm_public: true },
      files: ['index.html', '_headers'].map((path) => ({
        path,
        content: Buffer.from('/*\n  Service-Worker-Allowed: /\n').toString('base64'),
        encoding: 'base64',
      })),
    })
    expect([status, body.error.param]).toEqual([400, 'files.1.content'])
  })

  test('frames no page of the API, and another site only where that allows it', async () => {
    await page.goto(shop.url)
    for (const api of apis) expect(await frame(page, `${api}/docs`)).toBe(refusedFrame)
    expect(await frame(page, `${other.url}/`)).toBe(refusedFrame)
    expect(await frame(page, `${other.url}/open`)).toBe(`${other.url}/open`)
    // Nor what the platform itself says on those hosts.
    expect(await frame(page, `${other.url}/missing`)).toBe(refusedFrame)
    expect(await frame(page, shop.url.replace('evil-shop', 'nobody'))).toBe(refusedFrame)
    // A page of the API frames none of it.
    const reference = await context.newPage()
    await reference.goto(`${apis[0]}/docs`)
    expect(await frame(reference, shop.url)).toBe(refusedFrame)
    await reference.close()
  })

  test('has no hold on a window of the API that it opens', async () => {
    await page.goto(shop.url)
    for (const api of apis) {
      const { window, seen } = await openWindow(page, `${api}/docs`)
      // The browser has put it into a group of its own: the page can neither look at it nor lead it elsewhere.
      expect(seen).toMatchObject({ closed: true, storage: expect.stringContaining('Error') })
      expect(await window.evaluate('globalThis.opener')).toBe(null)
      await window.close()
    }
  })
})

test('no site poses as the platform: such names are refused over HTTP', async () => {
  for (const slug of [
    ...['kherad', 'khrad', 'my-kherad', 'kherad-login', 'k-h-e-r-a-d', 'kh3rad', 'kheradai-pay'],
    ...[
      'www',
      'api',
      'admin',
      'login',
      'l0gin',
      'adrnin',
      'ad-min',
      'console',
      'status',
      'auth',
      'mail',
      'docs',
    ],
    ...[
      'xn--mgba3gch31f',
      'preview-of-a-site',
      'abcdefghijklmnopqrst',
      'khеrad',
      'ＫＨＥＲＡＤ',
      'Shop',
      'a--b',
      'a.b',
    ],
    ...['-a', 'a-', 'a_b', '', 'a'.repeat(64), '۱۲۳'],
  ]) {
    const { status, body } = await key.post('/v1/sites', siteBody('x', { slug }))
    expect([status, body.error?.code, body.error?.param], slug).toEqual([400, 'INVALID_REQUEST', 'slug'])
  }
})
