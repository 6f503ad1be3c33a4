/**
 * The hosts of the second listener in the browser of somebody who has signed in: a site whose script plants cookies and asks, and a function that
 * answers what it was asked and plants cookies, at their own hosts and by path, on plain HTTP and on HTTPS below a domain that both share.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cookieName } from '#platform/http'
import {
  browserPath,
  type ConsoleScene,
  ConsoleScene as Scene,
  type Tab,
} from '../../account/console/scene.ts'
import { deploy } from '../../cloud/functions/scene.ts'
import { freePort } from '../../harness/free-port.ts'
import type { Member } from '../../harness/session.ts'
import { startMs } from '../../harness/until.ts'
import type { TestCloud } from '../../harness/world.ts'
import { publish, siteBody } from '../../sites/published.ts'
import { openFront } from './front.ts'

if (browserPath === undefined)
  console.warn('Hosts of the second listener are not visited: there is no Chromium on this machine.')

/** Every way to plant a cookie for the console from a host beside it. */
const plantings = (names: readonly string[], value: string, parent: string): string[] =>
  names.flatMap((name) =>
    [
      'Path=/',
      `Path=/; Domain=${parent}`,
      `Path=/v1; Domain=${parent}`,
      `Path=/; Domain=.${parent}; Secure`,
      'Path=/; Secure',
    ].map((rest) => `${name}=${value}; ${rest}`),
  )

const echo = (cookies: readonly string[]): string => `export default { fetch(request) {
  const headers = new Headers({ 'content-type': 'text/plain' })
  for (const cookie of ${JSON.stringify(cookies)}) headers.append('set-cookie', cookie)
  return new Response(JSON.stringify(Object.fromEntries(request.headers)), { headers })
} }`

/** Plants all cookies by script, asks to sign out in every way, and says what the script can read. */
const attack = (cookies: readonly string[], origin: string): string => `(async () => {
  for (const cookie of ${JSON.stringify(cookies)}) document.cookie = cookie
  const send = (init) => fetch('${origin}/v1/sign-out', { method: 'POST', credentials: 'include', ...init }).catch(() => undefined)
  await send({ mode: 'no-cors' })
  await send({ mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: '{}' })
  await send({ headers: { 'content-type': 'application/json' }, body: '{}' })
  navigator.sendBeacon('${origin}/v1/sign-out')
  const me = await fetch('${origin}/v1/me', { credentials: 'include' }).then((reply) => reply.text(), () => 'refused')
  return { cookie: document.cookie, me }
})()`

interface Place {
  name: string
  /** Which both the console and the apps have above them. */
  parent: string
  open(stack: AsyncDisposableStack): Promise<ConsoleScene>
  /** The address of a site and of a function as a browser asks for them. */
  siteUrl(scene: ConsoleScene, slug: string): string
  functionUrls(scene: ConsoleScene, cloud: TestCloud): string[]
}

const places: Place[] = [
  {
    name: 'on plain HTTP, where both are this machine',
    parent: 'localhost',
    open: async (stack) => stack.use(await Scene.open()),
    siteUrl: ({ world }, slug) => `http://${slug}.localhost:${new URL(world.appsUrl).port}/`,
    functionUrls: ({ world }, { ref }) => {
      const { port } = new URL(world.appsUrl)
      return [`http://${ref}.localhost:${port}`, `http://localhost:${port}/_cloud/${ref}`]
    },
  },
  {
    name: 'on HTTPS, below a domain that both share',
    parent: 'example.org',
    async open(stack) {
      const port = await freePort()
      const env = {
        KHERAD_BASE_URL: `https://ai.example.org:${port}`,
        KHERAD_APPS_DOMAIN: 'apps.example.org',
        KHERAD_CLOUD_DOMAIN: 'clouds.example.net',
      }
      const rules = 'MAP *.example.org 127.0.0.1, MAP *.example.net 127.0.0.1'
      const scene = stack.use(await Scene.open({ env, args: [`--host-resolver-rules=${rules}`] }))
      await openFront(stack, port, {
        main: 'ai.example.org',
        urls: { main: scene.world.url, apps: scene.world.appsUrl },
      })
      return scene
    },
    siteUrl: ({ origin }, slug) => `https://${slug}.apps.example.org:${new URL(origin).port}/`,
    functionUrls: ({ origin }, { ref }) => [`https://${ref}.clouds.example.net:${new URL(origin).port}`],
  },
]

describe.skipIf(browserPath === undefined).each(places)('$name', (place) => {
  const stack = new AsyncDisposableStack()
  let scene: ConsoleScene
  let attacker: Member
  let tab: Tab & { member: Member }
  let names: string[]

  beforeAll(async () => {
    scene = await place.open(stack)
    tab = await scene.memberTab('owner')
    attacker = (await scene.memberTab('viewer')).member
    const { installation } = scene.world.app.sessions
    names = (['session', 'browser', 'challenge'] as const).map((kind) =>
      cookieName(scene.origin, installation, kind),
    )
  }, 2 * startMs)
  afterAll(() => stack.disposeAsync())

  const tokenOf = (member: Member): string => member.cookies.get(member.nameOf('session'))!

  /** Who is signed in at the console in this browser; undefined for nobody. */
  const personIn = async (page: Page): Promise<string | undefined> => {
    await page.goto(`${scene.origin}/health`)
    const answer = await page.evaluate(`fetch('/v1/me').then((reply) => reply.json())`)
    return (answer as { id?: string }).id
  }

  /** In the browser of the person, and in one in which nobody is signed in. */
  async function inBoth(visit: (page: Page) => Promise<void>): Promise<void> {
    await visit(tab.page)
    expect(await personIn(tab.page)).toBe(tab.member.personId)
    const cookies = await tab.context.cookies(scene.origin)
    const tokens = cookies.filter(({ name }) => name === names[0])
    expect(tokens.map(({ value }) => value)).toEqual([tokenOf(tab.member)])
    await using nobody = await scene.tab()
    await visit(nobody.page)
    expect(await personIn(nobody.page)).toBeUndefined()
  }

  test('the script of a site reads no session, and signs nobody out or in', async () => {
    const slug = 'evil-shop'
    await publish(await scene.world.key(), siteBody(slug, { slug }))
    const cookies = plantings(names, tokenOf(attacker), place.parent)
    await inBoth(async (page) => {
      await page.goto(place.siteUrl(scene, slug))
      const seen = (await page.evaluate(attack(cookies, scene.origin))) as { cookie: string; me: string }
      expect(seen.cookie).not.toContain(tokenOf(tab.member))
      expect(seen.me).toBe('refused')
    })
  })

  test('a function that answers what it was asked is asked without the session, and plants none', async () => {
    const cloud = await scene.world.cloud()
    await deploy(cloud, 'echo', echo(plantings(names, tokenOf(attacker), place.parent)))
    for (const url of place.functionUrls(scene, cloud))
      await inBoth(async (page) => {
        const reply = await page.goto(`${url}/functions/v1/echo?apikey=${cloud.publicKey}`)
        const said = await reply!.text()
        expect(said, url).toContain('user-agent')
        expect(said, url).not.toContain(tokenOf(tab.member))
        expect(said, url).not.toMatch(/kherad-\d+/)
      })
  })
})
