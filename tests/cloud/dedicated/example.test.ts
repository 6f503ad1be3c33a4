/** The lists of examples/lists, made by the commands of its README and used in a real browser. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { givePackage } from '#engine/clouds'
import { kherad } from '../../cli/command-line.ts'
import { boot, dedicatedConfig, type World } from '../../harness/world.ts'
import { browserPath, openBrowser } from '../../media/browser.ts'
import { hasJail } from '../jail/needs-jail.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const example = path.join(root, 'examples/lists')
const password = 'گذرواژهٔ دراز ۱۲۳'

/** Its address, when every command of the README has ended well. */
async function published(world: World, folder: string): Promise<string> {
  const key = await world.key()
  const readme = await readFile(path.join(example, 'README.md'), 'utf8')
  const page = path.join(folder, 'dist')
  /** A command as the README has it, with this folder in place of the one that it names. */
  const run = async (command: string): Promise<string> => {
    expect(readme.split('\n')).toContain(command)
    const own = command
      .split(' ')
      .slice(2)
      .map((word) => word.replace('examples/lists/dist', page).replace(/^examples/, `${root}/examples`))
    const env = { KHERAD_KEY: key.secret, KHERAD_BASE_URL: world.url, KHERAD_LOCALE: 'en' }
    const { code, out, err } = await kherad(env, ...own)
    expect(code, `${command}: ${err}`).toBe(0)
    return out.trim()
  }
  const given = { accountId: world.account, packageId: undefined, offer: 'small', paidUntil: null }
  await givePackage(world.app, given)
  await run('npx kherad cloud create lists --plan dedicated')
  await run('npx kherad cloud sql lists -f examples/lists/sql')
  await run('npx kherad cloud functions deploy lists examples/lists/functions/summary.ts')
  const connection = Object.fromEntries(
    (await run('npx kherad cloud connection lists')).split('\n').map((line) => line.split('=')),
  )
  const { SERVICE_URL: url, PUBLIC_KEY: publicKey } = connection
  const build = path.join(root, 'examples/build.mjs')
  await promisify(execFile)(process.execPath, [build, 'lists', url, publicKey, page])
  return run('npx kherad site publish examples/lists/dist --name lists --cloud lists --public')
}

describe.skipIf(browserPath === undefined || !(await hasJail()))('the lists that people share', () => {
  const stack = new AsyncDisposableStack()
  let browser: Browser
  let address: string
  let picture: string
  /** What any page complained about, or was refused. */
  const complaints: string[] = []

  beforeAll(async () => {
    const world = stack.use(await boot({ config: dedicatedConfig }))
    const folder = await mkdtemp(path.join(tmpdir(), 'kherad-lists-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    picture = path.join(folder, 'نان.png')
    const red = { width: 64, height: 48, channels: 3, background: '#c00' } as const
    await writeFile(picture, await sharp({ create: red }).png().toBuffer())
    address = await published(world, folder)
    browser = await openBrowser(stack)
  })
  afterAll(() => stack.disposeAsync())

  /** A browser of its own, with an account of its own. */
  async function person(email: string): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 760, height: 980 } })
    stack.defer(() => context.close())
    const tab = await context.newPage()
    tab.on('console', (message) => complaints.push(message.text()))
    tab.on('pageerror', (error) => complaints.push(error.message))
    tab.on('response', async (reply) => {
      if (reply.status() >= 400) complaints.push(`${reply.status()}: ${reply.url()} ${await reply.text()}`)
    })
    await tab.goto(address)
    await tab.getByLabel('ایمیل').first().fill(email)
    await tab.getByLabel('گذرواژه').fill('کوتاه')
    await tab.getByRole('button', { name: 'ساختن حساب' }).click()
    const said = await tab
      .getByLabel('گذرواژه')
      .evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage)
    expect(said).toBe('دست‌کم ۸ نویسه بنویسید.')
    await tab.getByLabel('گذرواژه').fill(password)
    await tab.getByRole('button', { name: 'ساختن حساب' }).click()
    await tab.getByRole('button', { name: 'خروج' }).waitFor()
    return tab
  }
  const list = (tab: Page, title: string): Locator => tab.getByRole('region', { name: title, exact: true })
  async function write(tab: Page, field: string, text: string): Promise<void> {
    await tab.getByLabel(field, { exact: true }).fill(text)
    await tab.getByLabel(field, { exact: true }).press('Enter')
  }

  test('who signs up keeps lists with pictures; another sees one of them once it is shared, and nothing else', async () => {
    const sara = await person('sara@example.com')
    await sara.getByText('هنوز فهرستی نساخته‌اید.').waitFor()
    for (const title of ['مهمانی', 'خانه']) {
      await write(sara, 'فهرست تازه', title)
      await list(sara, title).waitFor()
    }
    for (const title of ['نان سنگک', 'سبزی']) {
      await write(sara, 'چیز تازه در «مهمانی»', title)
      await list(sara, 'مهمانی').getByText(title, { exact: true }).waitFor()
    }
    await sara.getByLabel('تصویر برای «نان سنگک»').setInputFiles(picture)
    const shown = list(sara, 'مهمانی').getByAltText('تصویر «نان سنگک»')
    await shown.waitFor()
    await expect
      .poll(() => shown.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth))
      .toBe(64)
    await sara.getByRole('button', { name: 'چه مانده است؟' }).click()
    await sara.getByText('۲ چیز در ۲ فهرست مانده است؛ بعدی: «نان سنگک».').waitFor()

    await list(sara, 'خانه').getByText('خالی', { exact: true }).waitFor()

    const omid = await person('omid@example.com')
    await omid.getByText('هنوز فهرستی نساخته‌اید.').waitFor()
    expect(await omid.getByRole('region', { name: 'مهمانی' }).count()).toBe(0)
    await omid.getByRole('button', { name: 'چه مانده است؟' }).click()
    await omid.getByText('هنوز فهرستی ندارید.').waitFor()

    await write(sara, 'اشتراک «مهمانی» با', 'Omid@example.com')
    await list(sara, 'مهمانی').getByText('omid@example.com').waitFor()
    await omid.reload()
    await list(omid, 'مهمانی').getByAltText('تصویر «نان سنگک»').waitFor()
    expect(await omid.getByRole('region', { name: 'خانه' }).count()).toBe(0)
    await list(omid, 'مهمانی').getByRole('checkbox', { name: 'سبزی' }).check()
    await list(omid, 'مهمانی').getByText('۱ چیز مانده').waitFor()
    await sara.reload()
    await list(sara, 'مهمانی').getByText('۱ چیز مانده').waitFor()
    expect(complaints).toEqual([])

    await write(sara, 'اشتراک «مهمانی» با', 'nobody@example.com')
    await sara.getByText('کسی با این ایمیل اینجا حساب ندارد.').waitFor()
  })
})
