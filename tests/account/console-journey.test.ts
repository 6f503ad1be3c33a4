import { existsSync } from 'node:fs'
import { chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildIfStale } from '#account/console-build'
import { endSessions, personByEmail } from '#account/people'
import { startMs } from '../harness/until.ts'
import { boot, type World } from '../harness/world.ts'

const browserPath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find(existsSync)
if (browserPath === undefined)
  console.warn('The console is not looked at: there is no Chromium on this machine.')

const email = 'sara@example.ir'
const password = 'چهار واژهٔ نامربوط به هم'

/** A page that notes what no page may do: load from elsewhere, break the policy, throw, or write an error. */
async function openPage(world: World): Promise<{ page: Page; faults: string[]; close(): Promise<void> }> {
  const browser = await chromium.launch({
    executablePath: browserPath as string,
    args: ['--no-sandbox'],
    timeout: startMs,
  })
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, locale: 'fa-IR' })
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(world.kherad.firstLink!).origin) faults.push(request.url())
  })
  return { page, faults, close: () => browser.close() }
}

/** How far a page is wider than its window. */
const excessOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

describe.skipIf(browserPath === undefined)('in a browser', () => {
  let world: World
  let opened: Awaited<ReturnType<typeof openPage>>

  beforeAll(async () => {
    await buildIfStale()
    world = await boot()
    opened = await openPage(world)
  }, startMs)
  afterAll(async () => {
    await opened?.close()
    await world?.[Symbol.asyncDispose]()
  })

  test('the first person comes in by the printed link, signs out and signs in again, in both languages and on a phone', async () => {
    const { page, faults } = opened
    await page.goto(world.kherad.firstLink!)
    await page.getByLabel('نام شما').fill('سارا رضایی')
    await page.getByLabel('نشانی ایمیل').fill(email)
    await page.getByLabel('گذرواژه', { exact: true }).fill('1234567')
    await page.getByRole('button', { name: 'ساختن حساب و ورود' }).click()
    // The refusal stands beside the field, in the words of the API; the browser itself logs the 400.
    await page.locator('[id$="-error"]', { hasText: 'گذرواژه' }).waitFor()
    expect(faults.splice(0)).toEqual([expect.stringContaining('400')])
    await page.getByLabel('گذرواژه', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'ساختن حساب و ورود' }).click()
    await page.getByRole('heading', { level: 1, name: 'سارا رضایی' }).waitFor()
    expect(await page.getByRole('region', { name: 'اعتبار قابل خرج' }).innerText()).toContain('۱٬۰۰۰')

    // ⌘K opens the palette by the place of the key, and Escape gives the page back.
    await page.keyboard.press('Control+KeyK')
    await page.getByRole('option', { name: 'خانه' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('option').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'سارا رضایی' }).click()
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
    expect(await page.evaluate('document.documentElement.lang + document.documentElement.dir')).toBe('enltr')
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await excessOf(page)).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Menu' }).first().click()
    await page.getByRole('button', { name: 'سارا رضایی' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Kherad' }).waitFor()
    expect(await excessOf(page)).toBe(0)
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
    expect(faults).toEqual([])
  })

  test('a session that ends while a page is open is renewed in a dialog, and the page stays', async () => {
    const { page, faults } = opened
    await page.setViewportSize({ width: 1280, height: 860 })
    const person = (await personByEmail(world.app.db, email))!
    const { personId } = person
    await world.app.db.tx((tx) => endSessions(tx, personId, {}, new Date(world.app.clock.nowMs())))
    await page.getByRole('button', { name: 'Project' }).click()
    await page.locator('button[aria-pressed="true"]').first().click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByLabel('E-mail address').fill(email)
    await dialog.getByLabel('Password', { exact: true }).fill(password)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('region', { name: 'Credit to spend' }).waitFor()
    expect(faults.filter((fault) => !fault.includes('401'))).toEqual([])
  })
})
