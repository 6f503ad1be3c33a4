/** What a build tool makes of an app, published and used in a real browser: routing there, fonts, code in pieces, a page for what is missing. */
import { execFile } from 'node:child_process'
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { browserPath, openTabs } from '../media/browser.ts'
import { type Published, publish } from './visitor.ts'

const app = path.join(import.meta.dirname, 'app')
// The build tool comes with that of these tests.
const { resolve } = createRequire(createRequire(import.meta.url).resolve('vitest/package.json'))
const vite = path.join(path.dirname(resolve('vite/package.json')), 'bin', 'vite.js')

/** The files of one edition of the app, by their paths. */
async function build(edition: string): Promise<Record<string, Uint8Array>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kherad-app-'))
  try {
    const options = ['build', '--outDir', folder, '--emptyOutDir', '--logLevel', 'error']
    await promisify(execFile)(process.execPath, [vite, ...options], {
      cwd: app,
      env: { ...process.env, NODE_ENV: 'production', VITE_EDITION: edition },
    })
    const files: Record<string, Uint8Array> = {}
    for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = path.join(entry.parentPath, entry.name)
      files[path.relative(folder, file).split(path.sep).join('/')] = await readFile(file)
    }
    return files
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What a tab complains about, and what it was answered with an error. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`))
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`)
  })
  return complaints
}

describe.skipIf(browserPath === undefined)('an app of a build tool', () => {
  const stack = new AsyncDisposableStack()
  let world: World
  let key: Client
  let site: Published
  let first: Record<string, Uint8Array>
  let second: Record<string, Uint8Array>
  let newPage: () => Promise<Page>

  beforeAll(async () => {
    ;[first, second] = await Promise.all([build('نخست'), build('دوم')])
    // Of five hashes that a build tool draws one looks like a word: here one always does.
    first['assets/dessert-DKlmnPQr.js'] = Buffer.from('export default 1')
    world = stack.use(await sharedWorld())
    key = await world.key()
    site = await publish(key, { name: 'کافهٔ ما', slug: 'our-cafe', spa: true, files: first })
    const tabs = await openTabs(stack)
    newPage = () => tabs.newPage()
  })
  afterAll(() => stack.disposeAsync())

  const headingOf = (page: Page) => page.locator('main h1').textContent()
  const routed = (page: Page, to: string) => page.locator(`main[data-path="${to}"]`).waitFor()

  test('opens without a complaint, with its font and picture, from right to left', async () => {
    const page = await newPage()
    const complaints = complaintsOf(page)
    await page.goto(site.url, { waitUntil: 'networkidle' })
    expect(await headingOf(page)).toBe('خوش آمدید')
    const seen = await page.evaluate(`(async () => {
      await document.fonts.ready
      return {
        fonts: [...document.fonts].some((font) => font.family.includes('Vazirmatn') && font.status === 'loaded'),
        picture: document.querySelector('img').naturalWidth,
        direction: getComputedStyle(document.body).direction,
      }
    })()`)
    expect(seen).toEqual({ fonts: true, picture: 120, direction: 'rtl' })
    await page.click('text=فهرست امروز')
    await routed(page, '/menu/today')
    expect(await headingOf(page)).toBe('فهرست نخست')
    await page.click('text=درباره‌ی ما')
    await routed(page, '/درباره‌ی-ما')
    await page.goBack()
    await routed(page, '/menu/today')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('opens at every address that it routes itself, and shows its own page where it knows none', async () => {
    const page = await newPage()
    const complaints = complaintsOf(page)
    for (const [to, heading] of [
      ['/menu/today', 'فهرست نخست'],
      ['/درباره‌ی-ما', 'درباره‌ی ما'],
      ['/nowhere/at/all', 'چنین برگه‌ای در کافه نیست'],
    ] as const) {
      // Else what is still on its way would be broken off by the next step.
      await page.goto(site.url + to, { waitUntil: 'networkidle' })
      await page.reload({ waitUntil: 'networkidle' })
      await routed(page, to)
      expect(await headingOf(page)).toBe(heading)
    }
    expect(complaints).toEqual([])
    await page.close()
  })

  test('is told that an asset is missing, and never gets a page in its place', async () => {
    const page = await newPage()
    await page.goto(site.url)
    const reply =
      await page.evaluate(`Promise.all(['/assets/none-Ab1Cd2Ef.js', '/data/none', '/none.png'].map(async (path) => {
      const { status, headers } = await fetch(path)
      return [status, headers.get('cache-control')]
    }))`)
    for (const [status, kept] of reply as [number, string][]) {
      expect(status).toBe(404)
      expect(kept).not.toMatch(/max-age=[1-9]|immutable/)
    }
    const missing = await page.goto(`${site.url}/none.html`)
    expect([missing!.status(), await page.locator('h1').textContent()]).toEqual([404, 'این برگه را نداریم'])
    await page.close()
  })

  test('goes on in tabs that were open when the next version came, and is new in others', async () => {
    const removed = Object.keys(first).filter((name) => name.endsWith('.js') && !(name in second))
    expect(removed.length).toBeGreaterThan(1)
    const own = await publish(key, { name: 'کافهٔ ما', slug: 'our-next-cafe', spa: true, files: first })
    const open = await newPage()
    const complaints = complaintsOf(open)
    await open.goto(own.url, { waitUntil: 'networkidle' })
    await publish(key, { name: 'کافهٔ ما', spa: true, files: second, id: own.id })
    await open.click('text=فهرست امروز')
    await routed(open, '/menu/today')
    expect(await headingOf(open)).toBe('فهرست نخست')
    const later = await newPage()
    complaints.push(...complaintsOf(later))
    await later.goto(`${own.url}/menu/today`, { waitUntil: 'networkidle' })
    await routed(later, '/menu/today')
    expect(await headingOf(later)).toBe('فهرست دوم')
    await open.reload({ waitUntil: 'networkidle' })
    await routed(open, '/menu/today')
    expect(await headingOf(open)).toBe('فهرست دوم')
    expect(complaints).toEqual([])
    for (const name of removed) expect((await own.get(`/${name}`)).status, name).toBe(200)
  })
})
