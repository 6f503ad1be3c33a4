/** What pages of other origins try, in the browser of somebody who has signed in. */
import { expect } from 'vitest'
import { cookieName } from '#platform/http'
import { newMember } from '../../harness/session.ts'
import type { ConsoleScene, Tab } from './scene.ts'
import { openStranger } from './stranger.ts'

/** Asks for the person of the session, as the console itself does. */
const isSignedIn = async (tab: Tab): Promise<boolean> => {
  await tab.open('/')
  return (await tab.page.evaluate(`fetch('/v1/me').then(({ status }) => status)`)) === 200
}

/** What a script of any page may send without being asked first, and whether the answer says anything to it. */
const attempts = (origin: string, project: string) => `(async () => {
  const seen = {}
  const read = async (name, path, init) => {
    try {
      const reply = await fetch('${origin}' + path, { credentials: 'include', ...init })
      seen[name] = reply.type === 'opaque' ? 'opaque' : await reply.text()
    } catch { seen[name] = 'refused' }
  }
  await read('reads', '/v1/me')
  await read('json', '/v1/sign-out', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  await read('header', '/v1/keys', { headers: { 'x-kherad-project': '${project}' } })
  await read('simple', '/v1/sign-out', { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: '{}' })
  await read('bare', '/v1/sign-out', { method: 'POST', mode: 'no-cors' })
  navigator.sendBeacon('${origin}/v1/sign-out', '{}')
  seen.socket = await new Promise((resolve) => {
    const socket = new WebSocket('${origin.replace('http', 'ws')}/v1/realtime?model=sandbox/realtime&project=${project}', ['realtime'])
    socket.onopen = () => resolve('open')
    socket.onerror = () => resolve('refused')
  })
  return seen
})()`

/** Pages of another origin of the same site and of another site try what a page can try. */
export async function gainNothing(scene: ConsoleScene): Promise<void> {
  await using stranger = await openStranger()
  await using tab = await scene.memberTab('owner')
  for (const site of [stranger.sameSite, stranger.crossSite]) {
    stranger.html = `<iframe src="${scene.origin}/"></iframe>`
    await using evil = await scene.tab({ context: tab.context })
    await evil.page.goto(site)
    expect(await evil.page.evaluate(attempts(scene.origin, tab.member.project!)), site).toEqual({
      ...{ reads: 'refused', json: 'refused', header: 'refused', simple: 'opaque', bare: 'opaque' },
      socket: 'refused',
    })
    const frame = evil.page.frames().find((one) => one !== evil.page.mainFrame())!
    expect(frame.url(), site).toContain('chrome-error:')

    // A form goes there as a whole page, with the cookies of the person where the site is the same.
    stranger.html = `<form method="post" action="${scene.origin}/v1/sign-out" enctype="text/plain"><input name="{}" value=""></form>
      <script>document.forms[0].submit()</script>`
    await evil.page.goto(site)
    await evil.page.waitForURL(`${scene.origin}/v1/sign-out`)
    const said = await evil.page.evaluate('document.body.textContent')
    expect(said, site).toMatch(/CROSS_SITE_REQUEST|NOT_SIGNED_IN/)
    expect(await isSignedIn(tab), site).toBe(true)
  }
  expect(tab.takeFaults()).toEqual([])
}

/** Signs in with a session in the cookie that somebody else has chosen, on the way to an address that somebody else has chosen. */
export async function signInAfresh(scene: ConsoleScene, addresses: readonly string[]): Promise<void> {
  const password = 'several words of rain'
  const passwordHash = await scene.world.app.passwords.hash('tests', password)
  const email = 'planted@example.ir'
  await newMember(scene.world, 'owner', { email, passwordHash })
  const name = cookieName(scene.origin, scene.world.app.sessions.installation, 'session')
  await using tab = await scene.tab({ locale: 'en' })
  for (const wanted of addresses) {
    await tab.context.clearCookies({ name })
    await tab.context.addCookies([{ name, value: 'khs_planted', url: scene.origin }])
    await tab.open(`/sign-in?${new URLSearchParams({ return_to: wanted })}`)
    await tab.page.getByLabel('E-mail address').fill(email)
    await tab.page.getByLabel('Password', { exact: true }).fill(password)
    await tab.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await tab.page.waitForURL((url) => !url.pathname.startsWith('/sign-in'))
    await tab.settled()
    expect(new URL(tab.page.url()).origin, wanted).toBe(scene.origin)
    const tokens = (await tab.context.cookies(scene.origin)).filter((cookie) => cookie.name === name)
    expect(tokens.map(({ value }) => value === 'khs_planted')).toEqual([false])
  }
  expect(tab.takeFaults()).toEqual([])
}
