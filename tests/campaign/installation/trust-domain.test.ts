/**
 * What a page of strangers tries where domains are set, at their weakest: API and sites share a registrable domain, so a browser sends
 * cookies of that domain to both, whoever has planted them, and those of the person along with requests of the page.
 */
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../harness/client.ts'
import { freePort } from '../../harness/free-port.ts'
import { boot, type World } from '../../harness/world.ts'
import { browserPath, openTabs } from '../../media/browser.ts'
import { publish, siteBody } from '../../sites/published.ts'
import { arrivals } from './arrivals.ts'
import { frame, openWindow, plant, read, send, sendForm, sendMethod } from './attempts.ts'

async function bootAt(baseHost: string, appsDomain: string) {
  const port = await freePort()
  const api = `http://${baseHost}:${port}`
  const env = {
    KHERAD_PORT: `${port}`,
    KHERAD_BASE_URL: api,
    KHERAD_APPS_DOMAIN: appsDomain,
    KHERAD_APPS_PORT: '0',
  }
  const world = await boot({ env })
  const key = await world.key()
  const open = async (slug: string): Promise<string> => {
    await publish(key, siteBody(slug, { slug }))
    return `http://${slug}.${appsDomain}:${new URL(world.appsUrl).port}`
  }
  return { world, key, api, shop: await open('evil-shop'), other: await open('good-shop') }
}

describe.skipIf(browserPath === undefined)('a page of strangers', () => {
  const stack = new AsyncDisposableStack()
  let world: World
  let key: Client
  let api: string
  let shop: string
  let other: string
  let tabs: BrowserContext
  let page: Page

  beforeAll(async () => {
    ;({ world, key, api, shop, other } = await bootAt('ai.example.org', 'apps.example.org'))
    stack.use(world)
    tabs = await openTabs(stack, [
      '--host-resolver-rules=MAP *.example.org 127.0.0.1, MAP *.apps.ck 127.0.0.1',
    ])
    page = await tabs.newPage()
  })
  afterEach(() => tabs.clearCookies())
  afterAll(() => stack.disposeAsync())

  const session = { name: 'session', value: 'of-the-person', httpOnly: true, path: '/' }

  test('reads and changes nothing at the API, although even strict cookies come with its requests', async () => {
    await tabs.addCookies([{ ...session, domain: 'ai.example.org', sameSite: 'Strict' }])
    await page.goto(shop)
    using came = arrivals(world.url)
    for (const path of ['/v1/models', '/v1/sites', '/openapi.json', '/docs'])
      expect(await read(page, api + path, 'include'), path).toBe('TypeError')
    expect(await send(page, `${api}/v1/sites`)).toBe('opaque 0 ')
    await sendForm(page, `${api}/v1/files`)
    expect(await sendMethod(page, `${api}/v1/files/x`, 'DELETE')).toBe('TypeError')
    expect(await frame(page, `${api}/docs`)).toBe('chrome-error://chromewebdata/')
    const asked = came.all.filter(({ method }) => method !== 'OPTIONS')
    expect(asked.map(({ method, path, cookie }) => [method, path, cookie])).toEqual(
      [
        'GET /v1/models',
        'GET /v1/sites',
        'GET /openapi.json',
        'GET /docs',
        'POST /v1/sites',
        'POST /v1/files',
        'GET /docs',
      ].map((one) => [...one.split(' '), 'session=of-the-person']),
    )
    const changing = asked.filter(({ method }) => method === 'POST')
    expect(changing.map(({ status, origin }) => [status, origin])).toEqual([
      [403, shop],
      [403, shop],
    ])
  })

  test('plants cookies that reach the API, where they are no credential and change no answer', async () => {
    await page.goto(shop)
    for (const name of ['session', 'authorization', 'api_key', 'kherad'])
      await plant(page, `${name}=${key.secret}; Path=/; Domain=example.org`)
    const tab = await tabs.newPage()
    using came = arrivals(world.url)
    // A page of the API's own origin, without a policy that keeps it from asking.
    expect((await tab.goto(`${api}/health/live`))?.status()).toBe(200)
    expect(await read(tab, '/v1/models', 'include')).toMatch(/^401 .*INVALID_API_KEY/)
    // Requests of its own pages are let through as before: to the missing key.
    expect(await sendMethod(tab, '/v1/sites', 'POST')).toBe(401)
    expect(came.all.length).toBeGreaterThan(2)
    for (const { cookie } of came.all) expect(cookie).toContain(`session=${key.secret}`)
    await tab.close()
    const authorization = `Bearer ${key.secret}`
    const cookie = 'session=planted'
    const withKey = await fetch(`${world.url}/v1/models`, { headers: { authorization, cookie } })
    expect(withKey.status).toBe(200)
  })

  test('changes with them nothing of what another site answers', async () => {
    await page.goto(shop)
    await plant(page, 'planted=1; Path=/; Domain=apps.example.org')
    using came = arrivals(world.appsUrl)
    const tab = await tabs.newPage()
    const first = await tab.goto(other)
    const planted = came.all.find(({ path }) => path === '/')
    expect(planted?.cookie).toBe('planted=1')
    await tabs.clearCookies()
    const second = await (await tabs.newPage()).goto(`${other}/?`)
    const answerOf = async (one: typeof first) => {
      const { date, ...headers } = await one!.allHeaders()
      return [one!.status(), headers, await one!.text()]
    }
    expect(await answerOf(second)).toEqual(await answerOf(first))
    expect((await first!.allHeaders())['set-cookie']).toBe(undefined)
    await tab.close()
  })

  test('plants none for another site where the domain is a public suffix, as the guide of operators asks', async () => {
    // Every name below .ck is one (https://publicsuffix.org/list).
    const { world, shop, other } = await bootAt('ai.example.org', 'apps.ck')
    await using _world = world
    await page.goto(shop)
    for (const domain of ['apps.ck', 'ck', 'good-shop.apps.ck', 'example.org', 'ai.example.org'])
      expect(await plant(page, `planted=1; Path=/; Domain=${domain}`), domain).toBe('')
    expect(await plant(page, 'own=1; Path=/; Domain=evil-shop.apps.ck')).toBe('own=1')
    using came = arrivals(world.appsUrl)
    await page.goto(other)
    // Beside it the icon of the page before may be asked for.
    const visit = came.all.find(({ host, path }) => host === new URL(other).host && path === '/')
    expect([visit?.path, visit?.cookie]).toEqual(['/', undefined])
    await page.goto('about:blank')
  })

  test('reads nothing of a window that it opens, of another site or of the API', async () => {
    await page.goto(shop)
    for (const url of [other, `${api}/docs`]) {
      const { window, seen } = await openWindow(page, url)
      expect(seen).toMatchObject({
        title: 'SecurityError',
        address: 'SecurityError',
        storage: 'SecurityError',
      })
      await window.close()
    }
  })
})
