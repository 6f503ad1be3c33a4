/** The client in a real browser: the page of an app, published as a site, speaks to its cloud across origins. */
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from '../../cloud/functions/scene.ts'
import { families } from '../../cloud/supabase-js/answers.ts'
import { type AppWorld, bootApp } from '../../cloud/supabase-js/app.ts'
import { browserPath } from '../../media/browser.ts'
import { publish } from '../../sites/visitor.ts'
import { bundle, emptyPage } from './bundle.ts'
import type { PageOptions, useApp } from './page.ts'

if (browserPath === undefined)
  console.warn('The client is not tried in a browser: there is no Chromium on this machine.')

describe.skipIf(browserPath === undefined)('a page of an app', () => {
  let all: AppWorld
  let browser: Browser
  beforeAll(async () => {
    all = await bootApp()
    browser = await chromium.launch({
      ...{ executablePath: browserPath as string, args: ['--no-sandbox'], timeout: 120_000 },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await all?.[Symbol.asyncDispose]()
  })

  test('signs up, writes rows, stores a file, calls a function and gets sentences for what is refused, by the unchanged client', async () => {
    const { world, cloud, serviceKey, apps } = all
    const collection = await apps.host.collection()
    const code = `export default { async fetch(request) { const { name } = await request.json(); return Response.json({ text: 'سلام ' + name }) } }`
    const deployed = await send(cloud, 'greet', code)
    expect(deployed.status, deployed.text).toBe(201)
    const site = await publish(await world.key(), {
      files: { 'index.html': emptyPage, 'app.js': await bundle('page.ts') },
    })
    const tab = await browser.newPage()
    // Playwright's own is half a minute.
    tab.setDefaultTimeout(120_000)
    const broken: string[] = []
    tab.on('pageerror', (error) => broken.push(error.message))
    await tab.goto(site.url)
    await tab.waitForFunction('globalThis.app !== undefined')
    const options: PageOptions = { url: cloud.url, key: cloud.publicKey, collection, serviceKey }
    const seen = (await tab.evaluate(`app.useApp(${JSON.stringify(options)})`)) as Awaited<
      ReturnType<typeof useApp>
    >
    expect(broken).toEqual([])
    expect(seen.user).toBe(seen.email)
    expect(seen.row).toMatchObject({ title: 'نان بخر' })
    expect([seen.count, seen.first]).toEqual([1, [{ title: 'نان بخر' }]])
    expect(seen.file).toEqual(['note', expect.stringContaining("filename*=UTF-8''"), expect.any(String)])
    expect(seen.function).toEqual([{ text: 'سلام مینا' }, undefined])
    expect(seen.channel).toEqual(['CHANNEL_ERROR', expect.stringContaining(families.realtime.says.en)])
    expect(seen.bucket).toBe(families.buckets.says.en)
    expect(seen.mfa).toBe(families.mfa.says.en)
    expect(seen.exposed).toBe(403)
    expect(seen.after).toEqual(expect.any(String))
    expect(seen.cookies).toBe('')
  })

  test('shows a drawing of its back-end as a picture, which runs nothing where it is opened by itself', async () => {
    const { world, cloud } = all
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30" viewBox="0 0 40 30"><rect width="40" height="30" fill="teal"/>
      <text id="t" y="20">سلام</text><script>document.getElementById('t').textContent = 'ran'; fetch('/rest/v1/')</script></svg>`
    const code = `export default () => new Response(${JSON.stringify(drawing)}, { headers: { 'content-type': 'image/svg+xml' } })`
    expect((await send(cloud, 'badge', code, { verify_jwt: false })).status).toBe(201)
    const address = `${cloud.url}/functions/v1/badge`
    const site = await publish(await world.key(), { files: { 'index.html': `<img src="${address}">` } })
    const tab = await browser.newPage()
    await tab.goto(site.url)
    const size = await tab.waitForFunction(
      `(({ naturalWidth: w, naturalHeight: h }) => (w > 0 ? [w, h] : undefined))(document.querySelector('img'))`,
    )
    expect(await size.jsonValue()).toEqual([40, 30])
    const refused: string[] = []
    tab.on('console', (message) => void refused.push(message.text()))
    await tab.goto(address)
    expect(await tab.locator('#t').textContent()).toBe('سلام')
    expect(await tab.evaluate('origin')).toBe('null')
    expect(refused.join()).toMatch(/script/i)
    await tab.close()
  })
})
